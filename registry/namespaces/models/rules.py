"""The immutable versions of a namespace's naming rules."""

import re

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.namespaces.models.namespaces import Namespace
from registry.namespaces.rules.naming_rules import Rules
from urnsyntax.profiles.equivalence import IGNORABLE
from urnsyntax.profiles.grammar.patterns import MAX_PATTERN

IGNORABLE_PATTERN = f"^[{re.escape(IGNORABLE)}]*$"


class RulesVersion(models.Model):
    """One immutable version of a namespace's naming rules: 1, 2, 3 … An empty version removes the rules.

    `basis` refers to the text of the registration on which the rules are based.
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
        constraints = [
            models.UniqueConstraint("namespace", "version", name="one_rules_version_per_number"),
            models.CheckConstraint(condition=Q(version__gt=0), name="rules_version_is_positive"),
            models.CheckConstraint(
                condition=Q(nss_pattern__regex=r"^[!-~]*$"), name="nss_pattern_is_visible_ascii"
            ),
            models.CheckConstraint(
                condition=Q(ignored_characters__regex=IGNORABLE_PATTERN),
                name="ignored_characters_are_allowed",
            ),
            models.CheckConstraint(condition=~Q(basis=""), name="rules_basis_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"rules of {self.namespace.nid}, version {self.version}"

    def get_absolute_url(self) -> str:
        return self.namespace.get_absolute_url()

    @property
    def value(self) -> Rules:
        return Rules(self.nss_pattern, self.ignores_case, self.ignored_characters)
