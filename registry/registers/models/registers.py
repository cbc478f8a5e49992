"""Registers below namespaces and entries, their earlier versions, and their reviewers."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import User
from registry.core.validators import (
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
)
from registry.namespaces.actions.registrants import people_of
from registry.namespaces.models import Namespace, is_of_held_namespace
from registry.organisations import gains
from registry.organisations.models import (
    Controller,
    MemberRole,
    Membership,
    Organisation,
    organisations_of,
)
from registry.organisations.permissions import is_controller
from registry.registers.fields import RegisterField
from registry.registers.places import Place, place_below, place_of_namespace
from registry.registers.policies import Policy
from registry.subnamespaces.models import Status, SubNamespace

MAX_GUIDANCE = 5_000


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
        # Written out, as for a namespace: a look-up would load the views of the registry into each command.
        inside = f"entries/{self.entry_id}/" if self.entry_id else ""
        return f"{self.namespace.get_absolute_url()}{inside}register/"

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

    def represented_by(self, user: User) -> frozenset[int]:
        """The organisations that `user` represents."""
        if user.pk not in self._represented:
            self._represented[user.pk] = frozenset(organisations_of(user, [MemberRole.REPRESENTATIVE]))
        return self._represented[user.pk]

    def obstacle_to_getting(self, user: User) -> str:
        """Why `user` can't get an entry yet, as a sentence; "" if they can."""
        if user.pk not in self._obstacles:
            self._obstacles[user.pk] = gains.obstacle_to_getting(user, self.namespace)
        return self._obstacles[user.pk]

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

    @cached_property
    def _represented(self) -> dict[int, frozenset[int]]:
        return {}

    @cached_property
    def _obstacles(self) -> dict[int, str]:
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
