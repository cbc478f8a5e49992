"""Namespaces, which are never deleted, and the counter of the informal ones."""

from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from registry.audit_log.triggers import kept_for_ever
from registry.namespaces.lookup.triggers import invalidate_namespaces
from urnsyntax.nid import FORMAL_NID_PATTERN, NID_PATTERN

# A date of the registry, to the day or to the month ("2016-08"), as in IANA's registry.
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$"


class Kind(models.TextChoices):
    FORMAL = "formal", "formal"
    INFORMAL = "informal", "informal"


class Origin(models.TextChoices):
    REGISTRY = "registry", "registered here"
    IANA = "iana", "imported from IANA"


def SHAPE_OF(column: str) -> Func:  # noqa: N802 - an expression of SQL, named as Django's are
    """`registration_template.lookalikes.shape_of` as an SQL expression."""
    return Func(F(column), Value("01l-"), Value("oii"), function="translate", output_field=models.TextField())


# The columns that a search reads, and those that refer to the current text and the rules.
SEARCHED_COLUMNS = (
    "nid", "kind", "registered_on", "updated_on", "deprecated_at", "holder", "purpose", "references", "latest_id",
    "rules_id",
)  # fmt: skip


class NamespaceQuerySet(models.QuerySet["Namespace"]):
    def shaped_like(self, shape: str) -> "NamespaceQuerySet":
        """Those whose `shape_of` is `shape`."""
        return self.alias(shape=SHAPE_OF("nid")).filter(shape=shape)

    def with_rules(self, *fields: str) -> "NamespaceQuerySet":
        """Only these fields, the NID and the naming rules."""
        of_rules = (
            f"rules__{name}" for name in ("version", "nss_pattern", "ignores_case", "ignored_characters")
        )
        return self.select_related("rules").only("nid", *fields, *of_rules)

    def with_latest(self) -> "NamespaceQuerySet":
        return self.select_related("latest")


class Namespace(models.Model):
    """A registered URN namespace: one NID, never deleted, never assigned again (RFC 8141, section 5).

    `registered_on` and `updated_on` are dates of the registry, YYYY-MM-DD or YYYY-MM, or empty where
    IANA's registry has none. `references` is a list of {"type", "target", "label"}.
    """

    nid = models.CharField(max_length=32, db_collation="C", editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices, editable=False)
    number = models.PositiveIntegerField(null=True, editable=False)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.REGISTRY, editable=False)
    registrant = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="namespaces"
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
    # The latest version, unless that is empty. Only a trigger writes it (`migrations/rules.sql`).
    rules = models.ForeignKey(
        "RulesVersion", on_delete=models.PROTECT, null=True, editable=False, related_name="+", db_index=False
    )

    objects: ClassVar[models.Manager["Namespace"]] = NamespaceQuerySet.as_manager()

    class Meta:
        ordering = ["nid"]
        triggers = [
            kept_for_ever(),
            pgtrigger.ReadOnly(name="nid_never_changes", fields=["nid", "kind", "number"]),
            # The column `words` and the functions are defined in `migrations/search.sql`.
            pgtrigger.Trigger(
                name="update_search_vector",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.UpdateOf(*SEARCHED_COLUMNS),  # type: ignore[no-untyped-call]
                func=(
                    "NEW.words := namespaces_words(NEW.id, NEW.nid, NEW.kind, NEW.deprecated_at IS NOT NULL, "
                    "namespaces_changed_on(NEW.registered_on, NEW.updated_on, NEW.deprecated_at), "
                    'NEW.holder, NEW.purpose, NEW."references", '
                    "(SELECT text FROM namespaces_revision WHERE id = NEW.latest_id)) "
                    "|| namespaces_ruled(NEW.rules_id); RETURN NEW;"
                ),
            ),
            *invalidate_namespaces(),
            pgtrigger.Trigger(
                name="rules_follow_their_versions",
                when=pgtrigger.Before,
                operation=pgtrigger.UpdateOf("rules_id"),  # type: ignore[no-untyped-call]
                condition=pgtrigger.AnyChange("rules"),
                func=(
                    "IF pg_trigger_depth() < 2 THEN RAISE EXCEPTION '% refused: the rules of % follow from their "
                    "versions', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation'; END IF; "
                    "RETURN NEW;"
                ),
            ),
        ]
        # One for each list and each order; see `search`. The indexes of changes since a day, and the column with the
        # day, are defined in `migrations/lists.sql`.
        indexes = [
            models.Index("kind", *key, name=f"{name}_{status}", condition=condition)
            for status, condition in (
                ("active", Q(deprecated_at__isnull=True)),
                ("deprecated", Q(deprecated_at__isnull=False)),
                ("ruled", Q(deprecated_at__isnull=True, rules__isnull=False)),
                ("ruled_old", Q(deprecated_at__isnull=False, rules__isnull=False)),
            )
            for name, key in (
                ("by_nid", ("nid",)),
                ("by_registration", ("registered_on", "nid")),
                ("by_update", ("updated_on", "nid")),
            )
        ] + [models.Index(SHAPE_OF("nid"), name="by_shape")]
        constraints = [
            models.UniqueConstraint("nid", name="a_nid_is_registered_once"),
            models.UniqueConstraint("number", name="a_number_is_assigned_once"),
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
                name="nid_suits_its_kind",
            ),
            models.CheckConstraint(
                condition=(Q(registered_on="") | Q(registered_on__regex=DATE_PATTERN))
                & (Q(updated_on="") | Q(updated_on__regex=DATE_PATTERN)),
                name="registry_dates_are_dates",
            ),
            models.CheckConstraint(
                condition=Q(deprecated_at=None, deprecation_statement="", successor=None)
                | (Q(deprecated_at__isnull=False) & ~Q(deprecation_statement="")),
                name="a_deprecation_says_why",
            ),
        ]

    def __str__(self) -> str:
        return self.nid

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.nid}/"

    @property
    def version(self) -> int:
        """The current version: 1 for a namespace that was imported without its text."""
        return self.latest.version if self.latest else 1

    @property
    def is_deprecated(self) -> bool:
        return self.deprecated_at is not None


class InformalCounter(models.Model):
    """The last number assigned to an informal namespace: one row, locked as the last step of an assignment."""

    last = models.PositiveIntegerField(default=0)

    class Meta:
        triggers = [kept_for_ever()]
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="there_is_one_informal_counter")]

    def __str__(self) -> str:
        return f"last informal namespace: urn-{self.last}"
