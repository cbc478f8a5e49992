"""Namespaces with their revisions, profiles, templates, transfers, words of search, and lookups."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import CharField, F, Func, Q, Value
from django.db.models.functions import Cast, Concat, Left, Lower
from django.utils import timezone

from registry.accounts.models import AddressedOffer, AddressedOfferQuerySet, RoleName, User, is_offered_to
from registry.namespaces.profile_cache import parsed_profile
from registry.organisations.models import (
    EDITING_PARTS,
    Controller,
    MemberRole,
    Organisation,
    organisations_of,
)
from registry.registration_template.commitments import commit_to
from registry.registration_template.formatting import format_template
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.nid import FORMAL_NID_PATTERN, NID_PATTERN
from urnsyntax.profiles import Profile


class StoredTemplate(models.Model):
    """A template that is written once. Only personal data in the section Registrant can be erased from it."""

    content = models.JSONField()
    text = models.TextField()
    # The salts and digests of the fields of the registrant: `registration_template.commitments`.
    commitments = models.JSONField(default=dict)
    # That of the template with these commitments, which the audit log records.
    digest = models.CharField(max_length=64)

    class Meta:
        abstract = True

    @property
    def template(self) -> RegistrationTemplate:
        return RegistrationTemplate.from_json(self.content)

    @staticmethod
    def columns_of(template: RegistrationTemplate, earlier: "StoredTemplate | None" = None) -> dict[str, Any]:
        """The columns for a template. With the commitments of an earlier one, equal templates have equal digests."""
        is_same = earlier is not None and earlier.template.registrant == template.registrant
        committed = earlier.commitments if earlier and is_same else commit_to(template.registrant)
        return {
            "content": template.to_json(),
            "text": format_template(template),
            "commitments": committed,
            "digest": template.digest(committed),
        }


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
    """`registration_template.nids.rules.shape_of` as an SQL expression."""
    return Func(F(column), Value("01l-"), Value("oii"), function="translate", output_field=models.TextField())


class NamespaceQuerySet(models.QuerySet["Namespace"]):
    def shaped_like(self, shape: str) -> "NamespaceQuerySet":
        """The namespaces whose `shape_of` is `shape`."""
        return self.alias(shape=shape_of_column("nid")).filter(shape=shape)

    def with_profile(self, *fields: str) -> "NamespaceQuerySet":
        """Only these fields, the NID, the profile, and whether there are sub-namespaces."""
        of_profile = (f"profile__{name}" for name in ("version", "content", "digest"))
        return self.select_related("profile").only("nid", "has_subnamespaces", *fields, *of_profile)

    def run_by(self, user: User) -> "NamespaceQuerySet":
        """The namespaces that a person may revise: their own, and those of organisations for which they edit."""
        return self.filter(Q(registrant=user) | Q(organisation__in=organisations_of(user, EDITING_PARTS)))

    def administered_by(self, user: User) -> "NamespaceQuerySet":
        """For administrators, those in which they have no interest (`permissions.is_administrator`)."""
        if RoleName.ADMINISTRATOR not in user.roles:
            return self.none()
        of_user = Q(organisation__isnull=False, organisation__in=organisations_of(user))
        return self.exclude(Q(registrant=user) | of_user)

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
    # Whether there is a list of its sub-namespaces. Only a trigger of theirs writes it.
    has_subnamespaces = models.BooleanField(default=False, db_default=False, editable=False)

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


REQUIRED_KEYS = ["nid", "title", "summary", "subjects", "names", "sources"]


class ProfileVersion(models.Model):
    """One immutable version of a namespace's profile: 1, 2, 3 … A version without content removes the profile.

    `content` is `Profile.to_dict()`, and `digest` its digest. `set_by` is NULL if the version was loaded from the files
    of the registry (`manage.py load_profiles`).
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="profile_versions")
    version = models.PositiveIntegerField()
    content = models.JSONField(null=True)
    digest = models.CharField(max_length=64)
    basis = models.TextField()
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint("namespace", "version", name="one_profile_version_per_number"),
            models.CheckConstraint(condition=Q(version__gt=0), name="profile_version_is_positive"),
            models.CheckConstraint(
                condition=Q(content__isnull=True) | Q(content__has_keys=REQUIRED_KEYS),
                name="profile_has_required_keys",
            ),
            models.CheckConstraint(condition=Q(digest__regex="^[0-9a-f]{64}$"), name="profile_has_digest"),
            models.CheckConstraint(condition=~Q(basis=""), name="profile_basis_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"profile of {self.namespace.nid}, version {self.version}"

    def get_absolute_url(self) -> str:
        return self.namespace.get_absolute_url()

    @property
    def value(self) -> Profile | None:
        """The profile; None if this version removed it."""
        return None if self.content is None else parsed_profile(self.digest, self.content)


def is_of_held_namespace(user: User) -> Q:
    """Whether a row belongs to a namespace of which `user` is the registrant, or represents it."""
    represented = organisations_of(user, [MemberRole.REPRESENTATIVE])
    return Q(namespace__registrant=user) | Q(namespace__organisation__in=represented)


def _is_party(person: User) -> Q:
    """Whether an offer, with its address in lower case, is to or by a person, or of a namespace that they hold."""
    return Q(offered_by=person) | is_of_held_namespace(person) | is_offered_to(person)


class TransferQuerySet(AddressedOfferQuerySet["Transfer"]):
    def concerning(self, person: User) -> "TransferQuerySet":
        """Offers to or by this person, or by an organisation that they represent, oldest first. Those to the
        addresses that they confirmed.
        """
        offers = self.alias(address=Lower("email")).filter(_is_party(person))
        return offers.select_related("namespace", "offered_by").order_by("pk")

    def visible_to(self, user: User) -> "TransferQuerySet":
        """The offers to which `user` is a party, and for administrators, those of namespaces without a registrant.

        The outcome of each offer is public in the history of the namespace.
        """
        seen = _is_party(user)
        if RoleName.ADMINISTRATOR in user.roles:
            seen |= Q(namespace__registrant=None, namespace__organisation=None)
        return self.alias(address=Lower("email")).filter(seen)


class Transfer(AddressedOffer):
    """An offer of a namespace to another registrant, which the owner of the address accepts or declines."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="transfers")

    objects = TransferQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "namespace", condition=Q(ended_at=None), name="one_open_transfer_per_namespace"
            ),
            models.CheckConstraint(
                condition=Q(is_accepted=False) | Q(ended_at__isnull=False), name="accepted_transfer_has_ended"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.namespace_id} offered to {self.email}"

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/transfers/{self.pk}/"


class SearchWord(models.Model):
    """A word of a NID, a registrant's name or a profile, in lower case and without accents.

    Triggers write it (`migrations/vocabulary.sql`). A word may have several rows.
    """

    word = models.CharField(max_length=32, db_collation="C")

    class Meta:
        indexes = [models.Index(fields=["word"], name="search_words")]

    def __str__(self) -> str:
        return self.word


EMPTY = Q(release=None, body=None, last_modified=None)
FILLED = Q(release__isnull=False, body__isnull=False, last_modified__isnull=False)
ITEM_EMPTY = Q(item_release=None, item=None)
ITEM_FILLED = Q(item_release__isnull=False, item__isnull=False)


class CachedLookup(models.Model):
    """The stored API response for one namespace, and its entry in lists; see `lookup.sql`.

    Each change of the namespace raises `generation` and empties the other columns. `body` is the JSON that the
    serializer of the API wrote for the release with the tag `release`, and `item` is that of the serializer of lists for
    `item_release`. `last_modified` is an HTTP date.
    """

    namespace = models.OneToOneField(
        Namespace,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="cached_lookup",
        db_constraint=False,
    )
    nid = models.CharField(max_length=32, db_collation="C")
    generation = models.BigIntegerField()
    release = models.CharField(max_length=32, null=True)
    body = models.BinaryField(null=True)
    digest = models.GeneratedField(
        expression=Left(
            Func(
                Func(F("body"), function="sha256"), Value("hex"), function="encode", output_field=CharField()
            ),
            32,
        ),
        output_field=CharField(max_length=32),
        db_persist=True,
    )
    last_modified = models.CharField(max_length=29, null=True)
    item_release = models.CharField(max_length=32, null=True)
    item = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["nid"], name="one_cached_lookup_per_nid"),
            models.CheckConstraint(condition=EMPTY | FILLED, name="cached_lookup_is_complete_or_empty"),
            models.CheckConstraint(
                condition=ITEM_EMPTY | ITEM_FILLED, name="cached_item_is_complete_or_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.nid}, generation {self.generation}"
