"""Registers below namespaces, their reviewers, requests for entries with their discussion, and entries."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import AddressedOffer, RoleName, User, is_offered_to
from registry.core.validators import (
    MAX_ADDRESS_LENGTH,
    MAX_COMMENT_LENGTH,
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
)
from registry.namespaces.actions.registrants import people_of
from registry.namespaces.models import Namespace, is_of_held_namespace
from registry.organisations.models import (
    Controller,
    MemberRole,
    Membership,
    Organisation,
    members_of,
    organisations_of,
)
from registry.organisations.permissions import is_controller
from registry.registers.fields import RegisterField, ShownValue, fault_of_values, shown_values
from registry.registers.places import Place, place_below, place_of_namespace
from registry.registers.policies import Policy
from registry.subnamespaces.models import MAX_KEY, Status, SubNamespace
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX

MAX_GUIDANCE = 5_000
MAX_SKELETON = 32  # hexadecimal digits of a digest
MAX_ENTRY_REFERENCE = 200  # as of a sub-namespace


def is_held_directly(user: User, prefix: str = "") -> Q:
    """Whether `user` has the entry to which a row leads with `prefix`, or represents the organisation that has it."""
    represented = organisations_of(user, [MemberRole.REPRESENTATIVE])
    return Q(**{f"{prefix}person": user}) | Q(**{f"{prefix}organisation__in": represented})


class RegisterQuerySet(models.QuerySet["Register"]):
    def held_by(self, user: User) -> "RegisterQuerySet":
        """Those that `user` holds, alone or as a representative.

        Two subqueries, so that each begins with what the person has, and not with all registers.
        """
        of_namespaces = Register.objects.filter(is_of_held_namespace(user), branch=None)
        of_branches = Register.objects.filter(is_held_directly(user, "branch__"))
        return self.filter(Q(pk__in=of_namespaces.values("pk")) | Q(pk__in=of_branches.values("pk")))

    def reviewed_by(self, user: User) -> "RegisterQuerySet":
        """Those in which `user` decides on requests: the holder, and the reviewers whom the organisation named."""
        named = Reviewer.objects.current().filter(membership__user=user)
        held = self.model.objects.held_by(user)
        return self.filter(Q(pk__in=held.values("pk")) | Q(pk__in=named.values("register")))

    def of_namespaces(self) -> "RegisterQuerySet":
        """Those directly below a namespace."""
        return self.filter(entry=None)


class RegisterTexts(models.Model):
    """What people read before they request an entry."""

    policy = models.CharField(max_length=13, choices=Policy.choices)
    title = models.CharField(max_length=MAX_NAME_LENGTH)
    guidance = models.TextField(blank=True, max_length=MAX_GUIDANCE)
    # Those of its own, as `registry.registers.fields.RegisterField.stored`.
    fields = models.JSONField(default=list, db_default=[], blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.title

    @property
    def terms(self) -> Policy:
        """The policy with its meaning."""
        return Policy(self.policy)

    @property
    def declared(self) -> tuple[RegisterField, ...]:
        """The fields of its own, in order."""
        return tuple(map(RegisterField.of, self.fields))


class Register(RegisterTexts):
    """A register below a namespace, or below an entry of another register of it.

    Its holder is no column: who holds `branch`, the innermost entry around it that has a holder of its own, or without one, who
    controls the namespace now. `version` counts the changes of the policy, the texts and the fields. `replaced` has what they
    were before.
    """

    namespace = models.ForeignKey(
        Namespace, on_delete=models.PROTECT, related_name="registers", db_index=False
    )
    # NULL for the one directly below the namespace.
    entry = models.OneToOneField("Entry", on_delete=models.PROTECT, null=True, related_name="below")
    # Written with the holder of an entry (`branches.set_holder`).
    branch = models.ForeignKey(
        "Entry", on_delete=models.PROTECT, null=True, related_name="registers_of_branch", db_index=False
    )
    version = models.PositiveIntegerField(default=1)
    suspended_at = models.DateTimeField(null=True)
    suspension_reason = models.TextField(blank=True, max_length=MAX_REASON_LENGTH)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Register"]] = RegisterQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(policy__in=Policy.values), name="registration_policy_is_known"
            ),
            models.CheckConstraint(
                condition=Q(suspended_at=None, suspension_reason="")
                | (Q(suspended_at__isnull=False) & ~Q(suspension_reason="")),
                name="suspended_register_has_a_reason",
            ),
            models.CheckConstraint(condition=Q(version__gt=0), name="register_version_is_positive"),
            models.UniqueConstraint(
                "namespace", condition=Q(entry=None), name="one_register_directly_below_a_namespace"
            ),
            models.CheckConstraint(
                condition=Q(branch=None) | Q(entry__isnull=False), name="branch_is_around_a_register"
            ),
        ]
        indexes = [
            models.Index("namespace", "id", name="registers_by_namespace"),
            models.Index("branch", name="registers_by_branch", condition=Q(branch__isnull=False)),
        ]

    def get_absolute_url(self) -> str:
        return reverse("registers:register", kwargs=self.address)

    @property
    def address(self) -> dict[str, Any]:
        """The parts of its address, on pages and in the API."""
        return {"nid": self.namespace.nid} | ({"entry": self.entry_id} if self.entry_id else {})

    @cached_property
    def place(self) -> Place:
        """Where its labels stand in names."""
        if self.entry is None:
            return place_of_namespace(self.namespace.current_profile)
        return place_below(self.namespace, self.entry.subnamespace)

    @property
    def entry_name(self) -> str:
        """What the profile calls one entry: a noun in the singular."""
        return self.place.entry_name or "entry"

    @property
    def prefix(self) -> str:
        """The prefix of the entry below which it stands; "" directly below the NID."""
        return self.entry.subnamespace.prefix if self.entry else ""

    @property
    def beginning(self) -> str:
        """How the names in it begin, as URNs."""
        return f"urn:{self.namespace.nid}:{self.place.before}"

    @property
    def name(self) -> str:
        """The URN of what it is below, without a separator."""
        return f"urn:{self.namespace.nid}{':' if self.prefix else ''}{self.prefix}"

    @property
    def source(self) -> str:
        """How entries, and the level in the profile, name the register as their source."""
        return f"Register of {self.name}"

    @cached_property
    def retired_around(self) -> str:
        """The prefix of a retired sub-namespace in which it stands; "" if there is none."""
        if self.entry is None:
            return ""
        around = self.place.prefixes_of(self.entry.subnamespace.key)
        retired = SubNamespace.objects.filter(
            namespace=self.namespace_id, key__any=around, status=Status.RETIRED
        )
        return retired.order_by("key").values_list("prefix", flat=True).first() or ""

    @property
    def controller(self) -> Controller:
        """Who holds the register."""
        return self.branch.controller if self.branch else self.namespace.controller

    @property
    def organisation(self) -> Organisation | None:
        """The organisation that holds it; None if a person does, or no one."""
        return self.branch.organisation if self.branch else self.namespace.organisation

    @property
    def held_by(self) -> str:
        """Who holds it, in words. A person is not named."""
        if self.organisation is not None:
            return self.organisation.name
        return (
            f"the person who holds {self.branch.name}"
            if self.branch
            else f"the registrant of urn:{self.namespace.nid}"
        )

    @property
    def is_suspended(self) -> bool:
        return self.suspended_at is not None

    # Each answer is read once, so that a page with many requests takes as many queries as a page with one. An action locks the
    # register, and reads it anew.

    def is_held_by(self, user: User | AnonymousUser) -> bool:
        """Whether `user` holds the register, or represents the organisation that does."""
        if user.pk not in self._holding:
            self._holding[user.pk] = is_controller(user, self.controller)
        return self._holding[user.pk]

    def is_reviewed_by(self, user: User) -> bool:
        """Whether `user` decides on requests."""
        if user.pk not in self._reviewing:
            self._reviewing[user.pk] = Register.objects.reviewed_by(user).filter(pk=self.pk).exists()
        return self._reviewing[user.pk]

    @cached_property
    def holders(self) -> list[User]:
        """The person who holds it, or the representatives of the organisation."""
        if self.branch is not None:
            return self.branch.own_holders
        return people_of(self.namespace, [MemberRole.REPRESENTATIVE])

    @cached_property
    def deciders(self) -> list[User]:
        """All who may decide on requests: the holders, and the reviewers whom they named."""
        named = Reviewer.objects.current().filter(register=self).values("membership__user")
        return [*self.holders, *User.objects.filter(pk__in=named)]

    @cached_property
    def _holding(self) -> dict[int | None, bool]:
        return {}

    @cached_property
    def _reviewing(self) -> dict[int, bool]:
        return {}


class ReplacedRegister(RegisterTexts):
    """Policy, texts and fields of a version of a register before a change. Only a trigger writes it, and it never changes."""

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="replaced")
    version = models.PositiveIntegerField()
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint("register", "version", name="one_replaced_register_per_version")
        ]


class ReviewerQuerySet(models.QuerySet["Reviewer"]):
    def current(self) -> "ReviewerQuerySet":
        """Those whose membership lasts, in the organisation that holds the register now."""
        of_namespace = Q(
            register__branch=None, membership__organisation=F("register__namespace__organisation")
        )
        of_branch = Q(membership__organisation=F("register__branch__organisation"))
        return self.filter(of_namespace | of_branch, membership__ended_at=None)


class Reviewer(models.Model):
    """A member whom the organisation that holds a register named to decide on requests.

    It counts while this membership lasts, and the organisation holds the register. A later membership needs another one.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="reviewers")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="reviewed_registers")
    named_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["Reviewer"]] = ReviewerQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("register", "membership", name="one_reviewer_per_register_and_membership")
        ]

    def __str__(self) -> str:
        return f"{self.membership.user}, reviewer of {self.register}"


class RequestState(models.TextChoices):
    OPEN = "open", "waiting for a decision"
    CHANGES_REQUESTED = "changes_requested", "waiting for changes"
    ACCEPTED = "accepted", "accepted"
    REFUSED = "refused", "refused"
    WITHDRAWN = "withdrawn", "withdrawn"


# The states in which no one else can get the label. That of an accepted request belongs to its entry.
UNDECIDED = (RequestState.OPEN, RequestState.CHANGES_REQUESTED)


class EntryRequestQuerySet(models.QuerySet["EntryRequest"]):
    def visible_to(self, user: User | AnonymousUser) -> "EntryRequestQuerySet":
        """Those that `user` made or may decide on; for administrators, all."""
        if not isinstance(user, User):
            return self.none()
        if RoleName.ADMINISTRATOR in user.roles:
            return self
        return self.filter(Q(requested_by=user) | Q(register__in=Register.objects.reviewed_by(user)))

    def reviewed_by(self, user: User) -> "EntryRequestQuerySet":
        """Those on which `user` may decide, but for their own."""
        return self.filter(register__in=Register.objects.reviewed_by(user)).exclude(requested_by=user)

    def undecided(self) -> "EntryRequestQuerySet":
        return self.filter(state__in=UNDECIDED)


class EntryRequest(models.Model):
    """A request for an entry. A decision on it is final.

    `label` is what was typed, `key` the normalized prefix, and `skeleton` what the label looks like
    (`entries.skeleton_of`). `version` counts what its author and its reviewers must have read before they act: each change, and
    each time changes were asked for. `register_version` is that of the register whose policy and texts its author read. Without
    `decided_by`, the policy decided.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="requests")
    label = models.CharField(max_length=MAX_PREFIX)
    key = models.CharField(max_length=MAX_KEY, db_collation="C")
    skeleton = models.CharField(max_length=MAX_SKELETON, db_collation="C")
    title = models.CharField(max_length=MAX_NAME_LENGTH)
    reference = models.CharField(blank=True, max_length=MAX_ENTRY_REFERENCE)
    # The values of the fields of the register, by name.
    fields = models.JSONField(default=dict, db_default={}, blank=True)
    # Only the requester and those who decide read the address and the note.
    contact = models.CharField(blank=True, max_length=MAX_ADDRESS_LENGTH)
    note = models.TextField(blank=True, max_length=MAX_REASON_LENGTH)
    version = models.PositiveIntegerField(default=1)
    register_version = models.PositiveIntegerField()
    state = models.CharField(max_length=17, choices=RequestState.choices, default=RequestState.OPEN)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="entry_requests"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True, max_length=MAX_REASON_LENGTH)

    objects: ClassVar[models.Manager["EntryRequest"]] = EntryRequestQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=UNDECIDED, decided_at=None, decided_by=None, reason="")
                | Q(state=RequestState.ACCEPTED, decided_at__isnull=False, reason="")
                | Q(state=RequestState.REFUSED, decided_at__isnull=False, decided_by__isnull=False)
                | Q(state=RequestState.WITHDRAWN, decided_at__isnull=False, decided_by=None, reason=""),
                name="entry_request_fits_its_state",
            ),
            models.CheckConstraint(
                condition=Q(decided_by=None) | ~Q(decided_by=F("requested_by")),
                name="requester_does_not_decide",
            ),
            models.CheckConstraint(
                condition=Q(version__gt=0, register_version__gt=0), name="entry_request_versions_are_positive"
            ),
            models.UniqueConstraint(
                "register",
                "key",
                condition=Q(state__in=UNDECIDED),
                name="one_undecided_request_per_label",
            ),
            models.UniqueConstraint(
                "register",
                "skeleton",
                condition=Q(state__in=UNDECIDED),
                name="one_undecided_request_per_skeleton",
            ),
        ]
        indexes = [
            # In the order of the lists: those of a register, and those of a person.
            models.Index("register", "id", name="undecided_requests", condition=Q(state__in=UNDECIDED)),
            models.Index("requested_by", "id", name="entry_requests_by_person"),
            models.Index("register", "id", name="entry_requests_by_register"),
        ]

    def __str__(self) -> str:
        return f"request {self.pk} for {self.label}"

    def get_absolute_url(self) -> str:
        return reverse("registers:entry_request", kwargs={**self.register.address, "pk": self.pk})

    @property
    def prefix(self) -> str:
        """The prefix that it asks for, without the NID."""
        return f"{self.register.place.before}{self.label}"

    @property
    def is_undecided(self) -> bool:
        return self.state in UNDECIDED

    @property
    def prospect(self) -> str:
        """What becomes of an undecided request by the policy of its register, in sentences."""
        terms = self.register.terms
        is_complete = terms == Policy.SPECIFICATION and self.reference
        return (Policy.EXPERT_REVIEW if is_complete else terms).waiting

    @property
    def lacks_specification(self) -> bool:
        """Whether the policy of its register needs a specification, and it names none."""
        return self.register.policy == Policy.SPECIFICATION and not self.reference

    @property
    def fault_of_fields(self) -> str:
        """What the values lack by the fields that the register declares now, as a sentence; "" if nothing."""
        return fault_of_values(self.register.declared, self.fields)

    @property
    def shown_fields(self) -> list[ShownValue]:
        """The values, as pages show them."""
        return shown_values(self.register.declared, self.fields)


class RequestComment(models.Model):
    """A comment on a request. It never changes; erasure empties it."""

    request = models.ForeignKey(EntryRequest, on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(max_length=MAX_COMMENT_LENGTH)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"comment {self.pk} on {self.request}"


class EntryQuerySet(models.QuerySet["Entry"]):
    def held_by(self, user: User) -> "EntryQuerySet":
        """Those that `user` holds beside registers, alone or as a representative.

        The organisations are read before, so that the indexes of both columns find the entries in a long list.
        """
        represented = list(organisations_of(user, [MemberRole.REPRESENTATIVE]))
        return self.filter(Q(person=user) | Q(organisation__in=represented))

    def with_places(self) -> "EntryQuerySet":
        """With what their pages and resources show."""
        return self.select_related("subnamespace__namespace", "register__namespace", "organisation", "person")


class Entry(models.Model):
    """An entry of a register: a sub-namespace directly below the NID or an outer entry, and who holds it. It is never deleted.

    `person` is who requested it, or who accepted it from its holder, alone or for an `organisation`. Without both, the holder of the
    register holds it: who registered it, or had it imported. The skeleton is that of its label; None if it was imported, and
    looked like another one. A sub-namespace that was imported further below has an entry, too, if it was the first one with its
    label.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="entries")
    subnamespace = models.OneToOneField(SubNamespace, on_delete=models.PROTECT, related_name="entry")
    skeleton = models.CharField(null=True, max_length=MAX_SKELETON, db_collation="C")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="register_entries"
    )
    # Instead of a person.
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, related_name="register_entries", db_index=False
    )

    objects: ClassVar[models.Manager["Entry"]] = EntryQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint("register", "skeleton", name="one_entry_per_skeleton"),
            models.CheckConstraint(
                condition=Q(person=None) | Q(organisation=None), name="person_or_organisation_holds_an_entry"
            ),
        ]
        indexes = [
            models.Index("register", "id", name="entries_by_register"),  # the newest
            models.Index(
                "organisation", name="entries_by_organisation", condition=Q(organisation__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"entry {self.subnamespace}"

    def get_absolute_url(self) -> str:
        return self.subnamespace.get_absolute_url()

    @property
    def controller(self) -> Controller:
        """Who holds it beside the register; unknown if the holder of the register does."""
        return Controller(self.person_id, self.organisation_id)

    @property
    def is_assigned(self) -> bool:
        """Whether it has a holder of its own, who can still act: not a person whose account was closed, and not an organisation
        without representatives.
        """
        return any(each.is_active for each in self.own_holders)

    @property
    def name(self) -> str:
        """The URN with which its names begin."""
        return f"urn:{self.register.namespace.nid}:{self.subnamespace.prefix}"

    @property
    def holders(self) -> list[User]:
        """The people who act for it: its holder, or that of the register."""
        return self.own_holders if self.is_assigned else self.register.holders

    @property
    def own_holders(self) -> list[User]:
        """The person who holds it beside the register, or the representatives of the organisation."""
        if self.organisation_id is not None:
            return list(members_of(self.organisation_id, [MemberRole.REPRESENTATIVE]))
        return [self.person] if self.person else []

    def is_held_by(self, user: User | AnonymousUser) -> bool:
        """Whether `user` holds it, or represents the organisation that does; without a holder of its own, holds the register."""
        return is_controller(user, self.controller) if self.is_assigned else self.register.is_held_by(user)


class EntryOfferQuerySet(models.QuerySet["EntryOffer"]):
    def waiting(self) -> "EntryOfferQuerySet":
        return self.filter(ended_at=None)

    def visible_to(self, user: User) -> "EntryOfferQuerySet":
        """Offers to or by `user`, and of entries that they hold, those that wait and those that were made since they hold them.

        An earlier offer has the address of someone whom the holder of that time asked. The holder of the register sees those that
        wait, of entries without a holder who can act (`Entry.is_assigned`).
        """
        offers = self.alias(address=Lower("email"))
        accepted = EntryOffer.objects.filter(
            entry=OuterRef("entry"), is_accepted=True, pk__gte=OuterRef("pk")
        )
        own = is_held_directly(user, "entry__") & (Q(ended_at=None) | ~Exists(accepted))
        represented = Membership.objects.current().filter(
            organisation=OuterRef("entry__organisation"), part=MemberRole.REPRESENTATIVE
        )
        can_act = Q(entry__person__is_active=True) | Exists(represented)
        held = Register.objects.held_by(user).values("pk")
        with_register = Q(ended_at=None, entry__register__in=held) & ~can_act
        return offers.filter(Q(offered_by=user) | is_offered_to(user) | own | with_register)

    def with_places(self) -> "EntryOfferQuerySet":
        """With what their pages and resources show."""
        return self.select_related(
            "offered_by",
            "entry__subnamespace",
            "entry__register__namespace",
            "entry__register__branch",
            "entry__organisation",
            "entry__person",
        )


class EntryOffer(AddressedOffer):
    """An offer of an entry, with all names below it, to another holder."""

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="offers")

    objects: ClassVar[models.Manager["EntryOffer"]] = EntryOfferQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("entry", condition=Q(ended_at=None), name="one_open_offer_per_entry"),
            models.CheckConstraint(
                condition=Q(is_accepted=False) | Q(ended_at__isnull=False),
                name="accepted_entry_offer_has_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} offered to {self.email}"

    def get_absolute_url(self) -> str:
        nid = self.entry.register.namespace.nid
        return reverse("registers:entry_offer", kwargs={"nid": nid, "entry": self.entry_id, "pk": self.pk})
