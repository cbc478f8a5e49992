"""Namespaces, and the counter of informal namespaces. Neither is ever deleted."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from registry.accounts.models import User
from registry.organisations.models import EDITING_PARTS, Controller, Organisation, organisations_of
from urnsyntax.nid import FORMAL_NID_PATTERN, NID_PATTERN
from urnsyntax.profiles import Profile

# A day or a month ("2016-08"), as in IANA's registry.
DAY_OR_MONTH = "[0-9]{4}-[0-9]{2}(-[0-9]{2})?"
DATE_PATTERN = f"^{DAY_OR_MONTH}$"


class Kind(models.TextChoices):
    FORMAL = "formal", "formal"
    INFORMAL = "informal", "informal"


class Origin(models.TextChoices):
    REGISTRY = "registry", "registered here"
    IANA = "iana", "imported from IANA"


def shape_of_column(column: str) -> Func:
    """`registration_template.nids.lookalikes.shape_of` as an SQL expression."""
    return Func(F(column), Value("01l-"), Value("oii"), function="translate", output_field=models.TextField())


class NamespaceQuerySet(models.QuerySet["Namespace"]):
    def shaped_like(self, shape: str) -> "NamespaceQuerySet":
        """The namespaces whose `shape_of` is `shape`."""
        return self.alias(shape=shape_of_column("nid")).filter(shape=shape)

    def with_profile(self, *fields: str) -> "NamespaceQuerySet":
        """Only these fields, the NID and the profile."""
        of_profile = (f"profile__{name}" for name in ("version", "content", "digest"))
        return self.select_related("profile").only("nid", *fields, *of_profile)

    def run_by(self, user: User) -> "NamespaceQuerySet":
        """The namespaces that a person may revise: their own, and those of organisations for which they edit."""
        return self.filter(Q(registrant=user) | Q(organisation__in=organisations_of(user, EDITING_PARTS)))

    def with_latest(self) -> "NamespaceQuerySet":
        return self.select_related("latest")


class Namespace(models.Model):
    """A registered URN namespace. It is never deleted, and its NID is never reused (RFC 8141, Section 5).

    `registered_on` and `updated_on` are YYYY-MM-DD or YYYY-MM, or empty if IANA's registry has no date.
    `references` is a list of {"type", "target", "label"}.
    """

    nid = models.CharField(max_length=32, db_collation="C", editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices, editable=False)
    number = models.PositiveIntegerField(null=True, editable=False)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.REGISTRY, editable=False)
    registrant = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="namespaces"
    )
    # Instead of a registrant.
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, related_name="namespaces"
    )
    # Copied from the latest revision, for lists and search.
    holder = models.CharField(max_length=400, blank=True)
    purpose = models.TextField(blank=True)
    latest = models.OneToOneField("Revision", on_delete=models.PROTECT, null=True, related_name="+")
    registered_on = models.CharField(max_length=10, blank=True, db_collation="C")
    updated_on = models.CharField(max_length=10, blank=True, db_collation="C")
    references = models.JSONField(default=list)
    template_url = models.URLField(blank=True)
    deprecated_at = models.DateTimeField(null=True)
    deprecation_statement = models.TextField(blank=True)
    successor = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="predecessors")
    changed_at = models.DateTimeField(default=timezone.now)
    # The latest version of the profile, or NULL if it has no content, and whether that states a grammar. Only a trigger
    # writes them (`migrations/profiles.sql`).
    profile = models.ForeignKey(
        "ProfileVersion",
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="+",
        db_index=False,
    )
    has_grammar = models.BooleanField(default=False, db_default=False, editable=False)

    # The title and the summary of the current profile, set by `queries.add_titles`. They are not columns.
    title = ""
    summary = ""

    objects: ClassVar[models.Manager["Namespace"]] = NamespaceQuerySet.as_manager()

    class Meta:
        ordering = ["nid"]
        # One index per list and sort order; see `search`. The column `changed` and its indexes are defined in
        # `migrations/lists.sql`.
        indexes = [
            models.Index("kind", *key, name=f"{name}_{status}", condition=condition)
            for status, condition in (
                ("active", Q(deprecated_at__isnull=True)),
                ("deprecated", Q(deprecated_at__isnull=False)),
                ("grammar", Q(deprecated_at__isnull=True, has_grammar=True)),
                ("grammar_old", Q(deprecated_at__isnull=False, has_grammar=True)),
            )
            for name, key in (
                ("by_nid", ("nid",)),
                ("by_registration", ("registered_on", "nid")),
                ("by_update", ("updated_on", "nid")),
            )
        ] + [models.Index(shape_of_column("nid"), name="namespaces_by_shape")]
        constraints = [
            models.UniqueConstraint("nid", name="one_namespace_per_nid"),
            models.UniqueConstraint("number", name="one_namespace_per_number"),
            models.CheckConstraint(
                condition=Q(nid__regex=f"^({NID_PATTERN})$") & ~Q(nid__regex="[A-Z]"),
                name="nid_is_well_formed",
            ),
            models.CheckConstraint(
                condition=Q(kind="formal", number=None, nid__regex=f"^({FORMAL_NID_PATTERN})$")
                | Q(
                    kind="informal",
                    number__gt=0,
                    nid=Concat(Value("urn-"), Cast(F("number"), models.TextField())),
                ),
                name="nid_matches_kind",
            ),
            models.CheckConstraint(
                condition=(Q(registered_on="") | Q(registered_on__regex=DATE_PATTERN))
                & (Q(updated_on="") | Q(updated_on__regex=DATE_PATTERN)),
                name="registry_dates_are_valid",
            ),
            models.CheckConstraint(
                condition=Q(deprecated_at=None, deprecation_statement="", successor=None)
                | (Q(deprecated_at__isnull=False) & ~Q(deprecation_statement="")),
                name="deprecation_requires_statement",
            ),
            models.CheckConstraint(
                condition=Q(has_grammar=False) | Q(profile__isnull=False), name="grammar_requires_profile"
            ),
            models.CheckConstraint(
                condition=Q(registrant=None) | Q(organisation=None), name="person_or_organisation_controls"
            ),
        ]

    def __str__(self) -> str:
        return self.nid

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.nid}/"

    @property
    def controller(self) -> Controller:
        return Controller(self.registrant_id, self.organisation_id)

    @property
    def change_controller(self) -> User | Organisation | None:
        """The person or organisation to whom the namespace belongs; None for an imported one."""
        return self.organisation or self.registrant

    @property
    def version(self) -> int:
        """The current version; 1 for a namespace that was imported without its text."""
        return self.latest.version if self.latest else 1

    @property
    def current_profile(self) -> Profile | None:
        """The current profile, parsed."""
        return self.profile.value if self.profile else None

    @property
    def is_deprecated(self) -> bool:
        return self.deprecated_at is not None

    def mark_changed(self) -> None:
        """Record that the namespace, its history or its services change now."""
        self.changed_at = timezone.now()
        self.save(update_fields=["changed_at"])


class InformalCounter(models.Model):
    """The last number assigned to an informal namespace: one row, locked as the last step of an assignment."""

    last = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_informal_counter")]

    def __str__(self) -> str:
        return f"last informal namespace: urn-{self.last}"
