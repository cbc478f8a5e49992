"""Registers below namespaces, their reviewers, requests for entries with their discussion, and entries."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.core.names import MAX_FORM_LENGTH
from registry.core.validators import (
    MAX_ADDRESS_LENGTH,
    MAX_COMMENT_LENGTH,
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
)
from registry.namespaces.models import Namespace
from registry.organisations.models import MemberRole, organisations_of
from registry.subnamespaces.models import MAX_KEY, SubNamespace
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX

MAX_ENTRY_NAME = 60  # as of a level
MAX_GUIDANCE = 5_000
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


_SECTIONS = {
    Policy.PRIVATE: "4.1",
    Policy.HIERARCHICAL: "4.3",
    Policy.FIRST_COME: "4.4",
    Policy.EXPERT_REVIEW: "4.5",
    Policy.SPECIFICATION: "4.6",
    Policy.CLOSED: "9.6",
}
_MEANINGS = {
    Policy.PRIVATE: "Entries are for private use. None is registered here.",
    Policy.HIERARCHICAL: "The holder of the register delegates entries, and registers them. No one else can request one here.",
    Policy.FIRST_COME: "Everyone can request an entry. It is registered at once, if it is well-formed and free.",
    Policy.EXPERT_REVIEW: "Everyone can request an entry. A reviewer of the register decides on it.",
    Policy.SPECIFICATION: "Everyone can request an entry that a public specification describes. A reviewer of the register decides on it.",
    Policy.CLOSED: "The register is closed. Its entries stay, and no new ones are registered.",
}
# The policies under which others request entries, and under which entries are registered at all.
WITH_REVIEW = (Policy.EXPERT_REVIEW, Policy.SPECIFICATION)
TAKE_REQUESTS = (Policy.FIRST_COME, *WITH_REVIEW)
TAKE_ENTRIES = (Policy.HIERARCHICAL, *TAKE_REQUESTS)


class Register(models.Model):
    """A register below a namespace. Its holder is the person or organisation that controls the namespace now, so that is no column.

    `entry_name` is what an entry is called: a noun in the singular. `version` counts the changes.
    """

    namespace = models.OneToOneField(Namespace, on_delete=models.PROTECT, related_name="register")
    policy = models.CharField(max_length=13, choices=Policy.choices)
    entry_name = models.CharField(max_length=MAX_ENTRY_NAME)
    title = models.CharField(max_length=MAX_NAME_LENGTH)
    # For those who request an entry.
    guidance = models.TextField(blank=True, max_length=MAX_GUIDANCE)
    version = models.PositiveIntegerField(default=1)
    suspended_at = models.DateTimeField(null=True)
    suspension_reason = models.TextField(blank=True, max_length=MAX_REASON_LENGTH)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

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

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/register/"

    @property
    def is_suspended(self) -> bool:
        return self.suspended_at is not None

    @property
    def terms(self) -> Policy:
        """The policy with its meaning."""
        return Policy(self.policy)


class Reviewer(models.Model):
    """A person whom the holder of a register named to decide on requests. It counts while they are a member of the organisation."""

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="reviewers")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviewed_registers"
    )
    named_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("register", "user", name="one_reviewer_per_register_and_person")
        ]

    def __str__(self) -> str:
        return f"{self.user}, reviewer of {self.register}"


class RequestState(models.TextChoices):
    OPEN = "open", "waiting for a decision"
    CHANGES_REQUESTED = "changes_requested", "waiting for changes"
    ACCEPTED = "accepted", "accepted"
    REFUSED = "refused", "refused"
    WITHDRAWN = "withdrawn", "withdrawn"


UNDECIDED = (RequestState.OPEN, RequestState.CHANGES_REQUESTED)
# The states in which no one else can get the label.
HOLD_LABEL = (*UNDECIDED, RequestState.ACCEPTED)


class EntryRequestQuerySet(models.QuerySet["EntryRequest"]):
    def visible_to(self, user: User | AnonymousUser) -> "EntryRequestQuerySet":
        """Those that `user` made or may decide on; for administrators, all."""
        if not isinstance(user, User):
            return self.none()
        if RoleName.ADMINISTRATOR in user.roles:
            return self
        return self.filter(Q(requested_by=user) | _may_review(user))

    def reviewed_by(self, user: User) -> "EntryRequestQuerySet":
        """Those on which `user` may decide, but for their own."""
        return self.filter(_may_review(user)).exclude(requested_by=user)

    def undecided(self) -> "EntryRequestQuerySet":
        return self.filter(state__in=UNDECIDED)

    def holding_label(self) -> "EntryRequestQuerySet":
        return self.filter(state__in=HOLD_LABEL)


def _may_review(user: User) -> Q:
    """Whether a request is one in a register that `user` holds or reviews (`permissions.may_review`)."""
    represented = organisations_of(user, [MemberRole.REPRESENTATIVE])
    named = Reviewer.objects.filter(
        user=user, register__namespace__organisation__in=organisations_of(user)
    ).values("register")
    return (
        Q(register__namespace__registrant=user)
        | Q(register__namespace__organisation__in=represented)
        | Q(register__in=named)
    )


class EntryRequest(models.Model):
    """A request for an entry. A decision on it is final.

    `label` is the prefix as it was typed, `key` the normalized one, and `skeleton` what it looks like
    (`entries.skeleton_of`). `version` counts the revisions. Without `decided_by`, the policy decided.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="requests")
    label = models.CharField(max_length=MAX_PREFIX)
    key = models.CharField(max_length=MAX_KEY, db_collation="C")
    skeleton = models.CharField(max_length=MAX_FORM_LENGTH, db_collation="C")
    title = models.CharField(max_length=MAX_NAME_LENGTH)
    reference = models.CharField(blank=True, max_length=MAX_ENTRY_REFERENCE)
    # Only the requester and those who decide read the address and the note.
    contact = models.CharField(blank=True, max_length=MAX_ADDRESS_LENGTH)
    note = models.TextField(blank=True, max_length=MAX_REASON_LENGTH)
    version = models.PositiveIntegerField(default=1)
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
                condition=Q(state__in=RequestState.values), name="entry_request_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=UNDECIDED, decided_at=None, decided_by=None)
                | (~Q(state__in=UNDECIDED) & Q(decided_at__isnull=False)),
                name="decided_entry_request_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(decided_by=None) | ~Q(decided_by=F("requested_by")),
                name="requester_does_not_decide",
            ),
            models.UniqueConstraint(
                "register", "key", condition=Q(state__in=HOLD_LABEL), name="one_entry_request_per_label"
            ),
            models.UniqueConstraint(
                "register",
                "skeleton",
                condition=Q(state__in=HOLD_LABEL),
                name="one_entry_request_per_skeleton",
            ),
        ]

    def __str__(self) -> str:
        return f"request {self.pk} for {self.label}"

    def get_absolute_url(self) -> str:
        return reverse("registers:entry_request", args=[self.register.namespace.nid, self.pk])

    @property
    def is_undecided(self) -> bool:
        return self.state in UNDECIDED


class RequestComment(models.Model):
    """A comment on a request. It never changes."""

    request = models.ForeignKey(EntryRequest, on_delete=models.PROTECT, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(max_length=MAX_COMMENT_LENGTH)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="request_comment_has_a_text")]

    def __str__(self) -> str:
        return f"comment {self.pk} on {self.request}"


class Entry(models.Model):
    """An entry of a register: a sub-namespace, and who answers for it. It is never deleted.

    `person` is who requested it; None if the holder of the register registered it, or if it was listed before. The skeleton
    is None if the sub-namespace was listed before, and looked like another one.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="entries")
    subnamespace = models.OneToOneField(SubNamespace, on_delete=models.PROTECT, related_name="entry")
    skeleton = models.CharField(null=True, max_length=MAX_FORM_LENGTH, db_collation="C")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="register_entries"
    )
    contact = models.CharField(blank=True, max_length=MAX_ADDRESS_LENGTH)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint("register", "skeleton", name="one_entry_per_skeleton")]

    def __str__(self) -> str:
        return f"entry {self.subnamespace}"

    def get_absolute_url(self) -> str:
        return self.subnamespace.get_absolute_url()
