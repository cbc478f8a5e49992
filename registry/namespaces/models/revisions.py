"""The immutable revisions of a namespace's registration."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.namespaces.models.namespaces import Namespace, Origin
from registry.namespaces.models.templates import StoredTemplate


class Revision(StoredTemplate):
    """One immutable version of a namespace's registration: 1, 2, 3 … with its full template."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="revisions")
    version = models.PositiveIntegerField()
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.REGISTRY)
    registered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint("namespace", "version", name="one_revision_per_version"),
            models.CheckConstraint(condition=Q(version__gt=0), name="revision_version_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.namespace.nid}, version {self.version}"

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/versions/{self.version}/"
