"""The immutable revisions of a namespace's registration."""

import pgtrigger
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.audit_log.triggers import immutable
from registry.namespaces.lookup.triggers import invalidate_revised_namespaces
from registry.namespaces.models.namespaces import Namespace, Origin
from registry.registration_template.template import RegistrationTemplate


class Revision(models.Model):
    """One immutable version of a namespace's registration: 1, 2, 3 … with its full template."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="revisions")
    version = models.PositiveIntegerField()
    content = models.JSONField()
    text = models.TextField()
    digest = models.CharField(max_length=64)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.REGISTRY)
    registered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["version"]
        triggers = [
            immutable(),
            # A restored escrow contains the namespace before the revision that it refers to: its search words are
            # made again.
            pgtrigger.Trigger(
                name="refresh_its_namespace",
                when=pgtrigger.After,
                operation=pgtrigger.Insert,
                func=(
                    "UPDATE namespaces_namespace SET latest_id = NEW.id WHERE latest_id = NEW.id; RETURN NULL;"
                ),
            ),
            invalidate_revised_namespaces(),
        ]
        constraints = [
            models.UniqueConstraint("namespace", "version", name="a_version_is_registered_once"),
            models.CheckConstraint(condition=Q(version__gt=0), name="versions_count_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.namespace.nid}, version {self.version}"

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/versions/{self.version}/"

    @property
    def template(self) -> RegistrationTemplate:
        return RegistrationTemplate.from_json(self.content)
