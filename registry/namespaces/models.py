"""What is registered: namespaces, kept for ever, and the immutable revisions of each."""

import re
from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from registry.accounts.models import User
from registry.audit_log.triggers import immutable, kept_for_ever
from registry.namespaces.lookup import cached_lookup
from registry.namespaces.rules.naming_rules import IGNORABLE, Rules
from registry.namespaces.rules.patterns import MAX_PATTERN
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.nid import FORMAL_NID_PATTERN, NID_PATTERN

# A date of the registry, to the day or to the month ("2016-08"), as IANA writes them.
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$"
IGNORABLE_PATTERN = f"^[{re.escape(IGNORABLE)}]*$"


class Kind(models.TextChoices):
    FORMAL = "formal", "formal"
    INFORMAL = "informal", "informal"


class Origin(models.TextChoices):
    REGISTRY = "registry", "registered here"
    IANA = "iana", "imported from IANA"


def SHAPE_OF(column: str) -> Func:  # noqa: N802 - an expression of SQL, named as Django's are
    """`registration_template.lookalikes.shape_of`, as the database says it."""
    return Func(F(column), Value("01l-"), Value("oii"), function="translate", output_field=models.TextField())


# The columns that a search looks at, and those that say which text is the current one and whether there are rules.
SEARCHED_COLUMNS = (
    "nid", "kind", "registered_on", "updated_on", "deprecated_at", "holder", "purpose", "references", "latest_id",
    "rules_id",
)  # fmt: skip


class NamespaceQuerySet(models.QuerySet["Namespace"]):
    def shaped_like(self, shape: str) -> "NamespaceQuerySet":
        """Those whose `shape_of` is `shape`."""
        return self.alias(shape=SHAPE_OF("nid")).filter(shape=shape)

    def with_rules(self, *fields: str) -> "NamespaceQuerySet":
        """With the rules for their names and these fields alone."""
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
    # The latest version of them, unless that is an empty one. The database keeps it right, and alone may.
    rules = models.ForeignKey(
        "RulesVersion", on_delete=models.PROTECT, null=True, editable=False, related_name="+", db_index=False
    )

    objects: ClassVar[models.Manager["Namespace"]] = NamespaceQuerySet.as_manager()

    class Meta:
        ordering = ["nid"]
        triggers = [
            kept_for_ever(),
            pgtrigger.ReadOnly(name="nid_never_changes", fields=["nid", "kind", "number"]),
            # The column and its functions are the database's own (migrations words_found_by_streams and
            # words_of_those_with_rules).
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
            *cached_lookup.namespace_triggers(),
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
        # Each list, in each order that it can be asked in: see `search`. Those of what changed since a day are the
        # database's own, as is the day (migration changes_in_every_order).
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
        """The current version: 1 for a namespace imported without its text, wherever that stands."""
        return self.latest.version if self.latest else 1

    @property
    def is_deprecated(self) -> bool:
        return self.deprecated_at is not None


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
            # A namespace may be written before the text that it points to, as a restored copy is.
            pgtrigger.Trigger(
                name="refresh_its_namespace",
                when=pgtrigger.After,
                operation=pgtrigger.Insert,
                func=(
                    "UPDATE namespaces_namespace SET latest_id = NEW.id WHERE latest_id = NEW.id; RETURN NULL;"
                ),
            ),
            cached_lookup.revision_trigger(),
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


class RulesVersion(models.Model):
    """One immutable version of a namespace's rules for machines: 1, 2, 3 … An empty one takes them back.

    `basis` points to what the registration says, which the rules make explicit.
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
                # The namespace is written, so its answer is made anew.
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


class CachedLookup(models.Model):
    """What the API answers to a lookup of a namespace, kept ready by triggers alone (see `answers`)."""

    namespace = models.OneToOneField(
        Namespace,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="cached_lookup",
        db_constraint=False,
    )
    nid = models.CharField(max_length=32, db_collation="C")
    body = models.TextField()
    digest = models.CharField(max_length=32)
    last_modified = models.CharField(max_length=29)

    class Meta:
        triggers = [kept_for_ever(), cached_lookup.only_by_triggers()]
        constraints = [models.UniqueConstraint(fields=["nid"], name="a_nid_has_one_cached_lookup")]

    def __str__(self) -> str:
        return f"answer to {self.nid}"


class InformalCounter(models.Model):
    """The last number given to an informal namespace: one row, taken as the last step of an assignment."""

    last = models.PositiveIntegerField(default=0)

    class Meta:
        triggers = [kept_for_ever()]
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="there_is_one_informal_counter")]

    def __str__(self) -> str:
        return f"last informal namespace: urn-{self.last}"


class TransferQuerySet(models.QuerySet["Transfer"]):
    def waiting(self) -> "TransferQuerySet":
        return self.filter(ended_at=None)

    def concerning(self, person: User) -> "TransferQuerySet":
        """Offered to or by somebody, the oldest first."""
        sides = Q(to=person) | Q(offered_by=person)
        return self.filter(sides).select_related("namespace", "to", "offered_by").order_by("pk")


class Transfer(models.Model):
    """The offer of a namespace to another registrant; both sides confirm, by offering and by accepting."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="transfers")
    offered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    to = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="offered_namespaces"
    )
    offered_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    is_accepted = models.BooleanField(default=False)

    objects = TransferQuerySet.as_manager()

    class Meta:
        triggers = [kept_for_ever()]
        constraints = [
            models.UniqueConstraint("namespace", condition=Q(ended_at=None), name="one_offer_at_a_time"),
            models.CheckConstraint(
                condition=Q(is_accepted=False) | Q(ended_at__isnull=False), name="an_accepted_offer_ended"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.namespace_id} offered to {self.to}"

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/transfers/{self.pk}/"

    @property
    def is_waiting(self) -> bool:
        return self.ended_at is None
