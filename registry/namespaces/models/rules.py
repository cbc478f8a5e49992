"""The immutable versions of a namespace's naming rules."""

import re

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.audit_log.triggers import immutable
from registry.namespaces.models.namespaces import Namespace
from registry.namespaces.rules.naming_rules import IGNORABLE, Rules
from registry.namespaces.rules.patterns import MAX_PATTERN

IGNORABLE_PATTERN = f"^[{re.escape(IGNORABLE)}]*$"


class RulesVersion(models.Model):
    """One immutable version of a namespace's naming rules: 1, 2, 3 … An empty version revokes them.

    `basis` refers to the text of the registration that the rules make explicit.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="rules_versions")
    version = models.PositiveIntegerField()
    nss_pattern = models.CharField(max_length=MAX_PATTERN, blank=True)
    ignores_case = models.BooleanField(default=False)
    ignored_characters = models.CharField(max_length=len(IGNORABLE), blank=True)
    basis = models.TextField()
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["version"]
        triggers = [
            immutable(),
            pgtrigger.Trigger(
                name="update_current_rules",
                level=pgtrigger.Statement,
                when=pgtrigger.After,
                operation=pgtrigger.Insert,
                referencing=pgtrigger.Referencing(new="changed"),  # type: ignore[no-untyped-call]
                # This updates the namespace, which invalidates its lookup.
                func="PERFORM namespaces_follow_rules(ARRAY(SELECT namespace_id FROM changed)); RETURN NULL;",
            ),
        ]
        constraints = [
            models.UniqueConstraint("namespace", "version", name="rules_have_each_version_once"),
            models.CheckConstraint(condition=Q(version__gt=0), name="versions_of_rules_count_from_1"),
            models.CheckConstraint(
                condition=Q(nss_pattern__regex=r"^[!-~]*$"), name="a_pattern_is_visible_ascii"
            ),
            models.CheckConstraint(
                condition=Q(ignored_characters__regex=IGNORABLE_PATTERN), name="what_is_ignored_is_ignorable"
            ),
            models.CheckConstraint(condition=~Q(basis=""), name="rules_say_on_what_they_rest"),
        ]

    def __str__(self) -> str:
        return f"rules of {self.namespace.nid}, version {self.version}"

    def get_absolute_url(self) -> str:
        return self.namespace.get_absolute_url()

    @property
    def value(self) -> Rules:
        return Rules(self.nss_pattern, self.ignores_case, self.ignored_characters)
