"""Requests for entries and for changes of entries, with their discussion."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.core.validators import (
    MAX_ADDRESS_LENGTH,
    MAX_COMMENT_LENGTH,
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
)
from registry.registers.fields import ShownValue, fault_of_values, shown_values
from registry.registers.models.registers import Register, is_held_directly
from registry.registers.policies import Policy
from registry.subnamespaces.models import MAX_KEY, Status
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX

MAX_SKELETON = 32  # hexadecimal digits of a digest
MAX_ENTRY_REFERENCE = 200  # as of a sub-namespace


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
        """Those that `user` made or may decide on, and the changes that wait of entries that they hold; for administrators, all."""
        if not isinstance(user, User):
            return self.none()
        if RoleName.ADMINISTRATOR in user.roles:
            return self
        of_held = is_held_directly(user, "entry__") & Q(state__in=UNDECIDED)
        reviewed = Q(register__in=Register.objects.reviewed_by(user))
        return self.filter(Q(requested_by=user) | reviewed | of_held)

    def reviewed_by(self, user: User) -> "EntryRequestQuerySet":
        """Those on which `user` may decide, but for their own."""
        return self.filter(register__in=Register.objects.reviewed_by(user)).exclude(requested_by=user)

    def undecided(self) -> "EntryRequestQuerySet":
        return self.filter(state__in=UNDECIDED)

    def for_new_entries(self) -> "EntryRequestQuerySet":
        """Those that ask for a label, and not for a change."""
        return self.filter(entry=None)


class EntryRequest(models.Model):
    """A request for an entry, or for a change of one. A decision on it is final.

    `label` is what was typed, `key` the normalized prefix, and `skeleton` what the label looks like
    (`entries.skeleton_of`). `version` counts what its author and its reviewers must have read before they act: each change, and
    each time changes were asked for. `register_version` is that of the register whose policy and texts its author read. Without
    `decided_by`, the policy decided, or the holder of the register made the change.

    With `entry`, it is a change, with all that the entry is to say: its title, its specification, the values of its fields, its
    `status`, and the label of its `successor` in the same register. `replaces` is the version of the list in which the content was
    set that its author read. The label is that of the entry, which nothing else can get.
    """

    register = models.ForeignKey(Register, on_delete=models.PROTECT, related_name="requests")
    # NULL for a new entry.
    entry = models.ForeignKey(
        "Entry", on_delete=models.PROTECT, null=True, related_name="changes", db_index=False
    )
    replaces = models.PositiveIntegerField(null=True)
    status = models.CharField(blank=True, max_length=10, choices=Status.choices, db_default="")
    successor = models.CharField(blank=True, max_length=MAX_PREFIX, db_default="")
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
                condition=Q(state__in=UNDECIDED, entry=None),
                name="one_undecided_request_per_new_label",
            ),
            models.UniqueConstraint(
                "register",
                "skeleton",
                condition=Q(state__in=UNDECIDED, entry=None),
                name="one_undecided_request_per_new_skeleton",
            ),
            models.CheckConstraint(
                condition=Q(entry=None, replaces=None, status="", successor="")
                | Q(
                    entry__isnull=False,
                    replaces__isnull=False,
                    replaces__gt=0,
                    status__in=Status.values,
                ),
                name="change_says_what_it_replaces",
            ),
            models.CheckConstraint(
                condition=Q(successor="") | ~Q(status=Status.ACTIVE), name="active_entry_has_no_successor"
            ),
            models.UniqueConstraint(
                "entry",
                condition=Q(state__in=UNDECIDED, entry__isnull=False),
                name="one_undecided_change_per_entry",
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
    def is_change(self) -> bool:
        """Whether it is a change of an entry, and not for a new one."""
        return self.entry_id is not None

    @property
    def is_outdated(self) -> bool:
        """Whether the entry of an undecided change was changed after its author read it."""
        return (
            self.is_undecided and self.entry is not None and self.entry.subnamespace.version != self.replaces
        )

    @property
    def prospect(self) -> str:
        """What becomes of an undecided request by the policy of its register, in sentences."""
        terms = self.register.terms
        if self.is_change:
            return terms.changing_waits
        is_complete = terms == Policy.SPECIFICATION and self.reference
        return (Policy.EXPERT_REVIEW if is_complete else terms).waiting

    @property
    def lacks_specification(self) -> bool:
        """Whether the policy of its register needs a specification, and it names none."""
        return self.register.policy == Policy.SPECIFICATION and not self.reference and not self.is_change

    @property
    def fault_of_fields(self) -> str:
        """What the values of a new entry lack by the fields that the register declares now, as a sentence; "" if nothing.

        A change keeps values that are there already, so accepting it compares them with those of the entry.
        """
        return "" if self.is_change else fault_of_values(self.register.declared, self.fields)

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
