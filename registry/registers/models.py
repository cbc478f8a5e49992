"""Registers below namespaces, their reviewers, requests for entries with their discussion, and entries."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import RoleName, User
from registry.core.validators import (
    MAX_ADDRESS_LENGTH,
    MAX_COMMENT_LENGTH,
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
)
from registry.namespaces.actions.registrants import people_of
from registry.namespaces.models import Namespace, is_of_held_namespace
from registry.namespaces.permissions import is_registrant
from registry.organisations.models import MemberRole, Membership
from registry.registers.fields import RegisterField, ShownValue, fault_of_values, shown_values
from registry.subnamespaces.models import MAX_KEY, SubNamespace
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX

MAX_GUIDANCE = 5_000
MAX_SKELETON = 32  # hexadecimal digits of a digest
MAX_ENTRY_REFERENCE = 200  # as of a sub-namespace


class Policy(models.TextChoices):
    """Who may add entries (RFC 8126, Section 4)."""

    PRIVATE = "private", "private use"
    HIERARCHICAL = "hierarchical", "hierarchical allocation"
    FIRST_COME = "first_come", "first come first served"
    EXPERT_REVIEW = "expert_review", "expert review"
    SPECIFICATION = "specification", "specification required"
    CLOSED = "closed", "closed"

    @property
    def section(self) -> str:
        """The section of RFC 8126 that defines it."""
        return _SECTIONS[self]

    @property
    def meaning(self) -> str:
        """What it means for people who want an entry, in sentences."""
        return _MEANINGS[self]

    @property
    def sending(self) -> str:
        """What becomes of a request that is sent, in sentences."""
        return REGISTERED_AT_ONCE if self == Policy.FIRST_COME else REVIEWED

    @property
    def waiting(self) -> str:
        """What becomes of the requests that are undecided when it is set, in sentences."""
        return _WAITING[self]


_SECTIONS = {
    Policy.PRIVATE: "4.1",
    Policy.HIERARCHICAL: "4.3",
    Policy.FIRST_COME: "4.4",
    Policy.EXPERT_REVIEW: "4.5",
    Policy.SPECIFICATION: "4.6",
    Policy.CLOSED: "9.6",
}
_MEANINGS = {
    Policy.PRIVATE: "Entries are for private use. None is registered here, so two people can use the same one.",
    Policy.HIERARCHICAL: (
        "The holder of the register delegates entries, each with all names below it, and registers them. No one else can request "
        "one here."
    ),
    Policy.FIRST_COME: (
        "Everyone with an account can request an entry, with a contact. It is registered at once, without a review, if it is "
        "well-formed and free."
    ),
    Policy.EXPERT_REVIEW: (
        "Everyone with an account can request an entry. A reviewer of the register decides on it. The holder registers entries "
        "without a review."
    ),
    Policy.SPECIFICATION: (
        "Everyone with an account can request an entry that a permanent and readily available public specification describes. A "
        "reviewer of the register looks at the specification, and decides. The holder registers entries without a review."
    ),
    Policy.CLOSED: "The register is closed. Its entries stay, and no new ones are registered.",
}
REGISTERED_AT_ONCE = "The entry is registered at once. It is public, and stays. The public log names you, as who registered it."
REVIEWED = (
    "A reviewer of the register decides, and you get the decision by e-mail. Only you, the holder of the register, its reviewers "
    "and administrators of the registry read the request. If it is accepted, the entry is public, and stays."
)
_DECIDED = "The holder and the reviewers of the register decide on requests that wait."
_NOT_CHANGED = "The holder and the reviewers accept or refuse requests that wait, as they are."
_ONLY_ENDED = "Requests that wait can only be refused or withdrawn."
_WAITING = {
    Policy.PRIVATE: _ONLY_ENDED,
    Policy.HIERARCHICAL: _NOT_CHANGED,
    Policy.FIRST_COME: f"{_NOT_CHANGED} If the requester sends one again, it is registered at once.",
    Policy.EXPERT_REVIEW: _DECIDED,
    Policy.SPECIFICATION: f"{_DECIDED} One without a specification can be accepted after the requester added it.",
    Policy.CLOSED: _ONLY_ENDED,
}
# The policies under which others request entries, and under which entries are registered at all.
WITH_REVIEW = (Policy.EXPERT_REVIEW, Policy.SPECIFICATION)
TAKE_REQUESTS = (Policy.FIRST_COME, *WITH_REVIEW)
TAKE_ENTRIES = (Policy.HIERARCHICAL, *TAKE_REQUESTS)


class RegisterQuerySet(models.QuerySet["Register"]):
    def reviewed_by(self, user: User) -> "RegisterQuerySet":
        """Those in which `user` decides on requests: the holder, and the reviewers whom the organisation named."""
        named = Reviewer.objects.current().filter(membership__user=user)
        return self.filter(is_of_held_namespace(user) | Q(pk__in=named.values("register")))


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
    """A register below a namespace. Its holder is the person or organisation that controls the namespace now, so that is no column.

    `version` counts the changes of the policy, the texts and the fields. `replaced` has what they were before.
    """

    namespace = models.OneToOneField(Namespace, on_delete=models.PROTECT, related_name="register")
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
        ]

    def get_absolute_url(self) -> str:
        return reverse("registers:register", args=[self.namespace.nid])

    @property
    def entry_name(self) -> str:
        """What the profile calls what stands directly below the NID: a noun in the singular."""
        profile = self.namespace.current_profile
        return profile.walker.top.name if profile and profile.walker else "entry"

    @property
    def source(self) -> str:
        """How entries, and the level in the profile, name the register as their source."""
        return f"Register of urn:{self.namespace.nid}"

    @property
    def held_by(self) -> str:
        """Who holds it, in words. A person is not named."""
        organisation = self.namespace.organisation
        return organisation.name if organisation else f"the registrant of urn:{self.namespace.nid}"

    @property
    def is_suspended(self) -> bool:
        return self.suspended_at is not None

    # Each answer is read once, so that a page with many requests takes as many queries as a page with one. An action locks the
    # register, and reads it anew.

    def is_held_by(self, user: User | AnonymousUser) -> bool:
        """Whether `user` controls the namespace."""
        if user.pk not in self._holding:
            self._holding[user.pk] = is_registrant(user, self.namespace)
        return self._holding[user.pk]

    def is_reviewed_by(self, user: User) -> bool:
        """Whether `user` decides on requests."""
        if user.pk not in self._reviewing:
            self._reviewing[user.pk] = Register.objects.reviewed_by(user).filter(pk=self.pk).exists()
        return self._reviewing[user.pk]

    @cached_property
    def holders(self) -> list[User]:
        """The registrant of the namespace, or the representatives of its organisation."""
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
        """Those whose membership lasts, in the organisation to which the namespace belongs now."""
        return self.filter(
            membership__ended_at=None, membership__organisation=F("register__namespace__organisation")
        )


class Reviewer(models.Model):
    """A member whom the organisation that holds a register named to decide on requests.

    It counts while this membership lasts, and the namespace belongs to the organisation. A later membership needs another one.
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

    `label` is the prefix as it was typed, `key` the normalized one, and `skeleton` what it looks like
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
        return reverse("registers:entry_request", args=[self.register.namespace.nid, self.pk])

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


class Entry(models.Model):
    """An entry of a register: a sub-namespace directly below the NID, and who answers for it. It is never deleted.

    `person` is who requested it; None if the holder of the register registered it, or if it was imported. The skeleton is that of
    its label; None if it was imported, and looked like another one. A sub-namespace that was imported further below has an entry,
    too, if it was the first one with its label.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="entries")
    subnamespace = models.OneToOneField(SubNamespace, on_delete=models.PROTECT, related_name="entry")
    skeleton = models.CharField(null=True, max_length=MAX_SKELETON, db_collation="C")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="register_entries"
    )

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint("register", "skeleton", name="one_entry_per_skeleton")]
        indexes = [models.Index("register", "id", name="entries_by_register")]  # the newest

    def __str__(self) -> str:
        return f"entry {self.subnamespace}"

    def get_absolute_url(self) -> str:
        return self.subnamespace.get_absolute_url()
