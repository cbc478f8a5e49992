"""Organisations, their members, and invitations to become one."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import ClassVar, NamedTuple

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models import AddressedInvitation, InvitationQuerySet, User
from registry.core.names import MAX_FORM_LENGTH
from registry.core.validators import MAX_ORGANISATION_NAME_LENGTH, MAX_URL_LENGTH

INVITED_FOR = timedelta(days=30)


class MemberRole(models.TextChoices):
    """What a member may do for the organisation."""

    REPRESENTATIVE = "representative", "representative"
    EDITOR = "editor", "editor"
    CONTACT = "contact", "contact"


# Those who may edit the drafts of an organisation.
EDITING_PARTS = (MemberRole.REPRESENTATIVE, MemberRole.EDITOR)


class Controller(NamedTuple):
    """The keys of who controls a namespace or a case: a person or an organisation (RFC 8126, Section 2.3)."""

    person: int | None = None
    organisation: int | None = None

    def __str__(self) -> str:
        return f"organisation {self.organisation}" if self.organisation else str(self.person)

    @property
    def is_known(self) -> bool:
        """Whether there is one: a namespace that was imported has none."""
        return self != NO_CONTROLLER


NO_CONTROLLER = Controller()


class OrganisationQuerySet(models.QuerySet["Organisation"]):
    def public(self) -> "OrganisationQuerySet":
        """The organisations that have a namespace, an entry of a register or a public case."""
        return self.filter(self._is_public())

    def visible_to(self, user: User | AnonymousUser) -> "OrganisationQuerySet":
        """The public organisations, those of which `user` is a member, and those that invite them."""
        if not isinstance(user, User):
            return self.public()
        inviting = MembershipInvitation.objects.to(user).filter(pk__in=MembershipInvitation.objects.open())
        own = Q(pk__in=organisations_of(user)) | Q(pk__in=inviting.values("organisation"))
        return self.filter(self._is_public() | own)

    def _is_public(self) -> Q:
        this = self.model.objects.filter(pk=OuterRef("pk"))
        has = (Q(namespaces__isnull=False), Q(register_entries__isnull=False), Q(cases__rounds__isnull=False))
        return reduce(or_, (Q(Exists(this.filter(each))) for each in has))


class Organisation(models.Model):
    """An organisation, to which namespaces and cases belong, so that they do not depend on one person.

    No two have names that could be mistaken for each other, but a name proves nothing: a verified domain does.
    """

    name = models.CharField(max_length=MAX_ORGANISATION_NAME_LENGTH)
    # The name for comparison (`core.names.comparison_form`). NULL if the name is older than the rule, and another organisation
    # had it first: it can stay, until it is changed.
    name_form = models.CharField(max_length=MAX_FORM_LENGTH, null=True, editable=False)
    homepage = models.URLField(max_length=MAX_URL_LENGTH, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager["Organisation"]] = OrganisationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="organisation_has_a_name"),
            models.UniqueConstraint(F("name_form"), name="one_organisation_per_name"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return f"/organisations/{self.pk}/"


class MembershipQuerySet(models.QuerySet["Membership"]):
    def current(self) -> "MembershipQuerySet":
        return self.filter(ended_at=None)

    def representatives(self) -> "MembershipQuerySet":
        """The current representatives."""
        return self.current().filter(part=MemberRole.REPRESENTATIVE)

    def of(self, user: User, parts: Iterable[MemberRole] = tuple(MemberRole)) -> "MembershipQuerySet":
        """The current memberships of a person with one of these parts."""
        return self.current().filter(user=user, part__in=list(parts))

    def visible_to(self, user: User) -> "MembershipQuerySet":
        """The memberships of `user`, and those of the other members and former members of their organisations."""
        return self.filter(Q(user=user) | Q(organisation__in=organisations_of(user)))

    def since(self, moment: datetime | F | models.OuterRef) -> "MembershipQuerySet":
        """The current memberships, and those that ended after a moment."""
        return self.filter(Q(ended_at=None) | Q(ended_at__gt=moment))


class Membership(models.Model):
    """The part of a person in an organisation. A former member keeps their conflicts of interest, so the row stays."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    part = models.CharField(max_length=14, choices=MemberRole.choices)
    began_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Membership"]] = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index("user", "organisation", name="memberships_by_person")]
        constraints = [
            models.UniqueConstraint(
                "organisation",
                "user",
                condition=Q(ended_at=None),
                name="one_membership_per_organisation_and_person",
            ),
            models.CheckConstraint(condition=Q(part__in=MemberRole.values), name="part_is_known"),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("began_at")),
                name="membership_ends_after_it_began",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.get_part_display()} of {self.organisation}"

    def get_absolute_url(self) -> str:
        return f"/organisations/{self.organisation_id}/members/{self.pk}/"


class MembershipInvitationQuerySet(InvitationQuerySet["MembershipInvitation"]):
    def open(self) -> "MembershipInvitationQuerySet":
        """The invitations that can still be accepted."""
        return self.filter(expires_at__gt=timezone.now())

    def visible_to(self, user: User) -> "MembershipInvitationQuerySet":
        """The invitations to `user`, and those to the organisations that they represent."""
        represented = organisations_of(user, [MemberRole.REPRESENTATIVE])
        addressed = MembershipInvitation.objects.addressed_to(user)
        return self.filter(Q(organisation__in=represented) | Q(pk__in=addressed.values("pk")))


def invitation_expiry() -> datetime:
    """When an invitation that is made now expires."""
    return timezone.now() + INVITED_FOR


class MembershipInvitation(AddressedInvitation):
    """An open invitation to become a member of an organisation. An expired one can be replaced."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="invitations")
    part = models.CharField(max_length=14, choices=MemberRole.choices)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    expires_at = models.DateTimeField(default=invitation_expiry)

    objects: ClassVar[models.Manager["MembershipInvitation"]] = MembershipInvitationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "organisation", Lower("email"), name="one_invitation_per_organisation_and_address"
            ),
            models.CheckConstraint(condition=Q(part__in=MemberRole.values), name="invited_part_is_known"),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("invited_at")), name="invitation_expires_after_it_was_made"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} invited to organisation {self.organisation_id}"

    @property
    def is_open(self) -> bool:
        return self.expires_at > timezone.now()


def organisations_of(
    user: User, parts: Iterable[MemberRole] = tuple(MemberRole)
) -> models.QuerySet[Membership, int]:
    """The keys of the organisations in which a person has one of these parts, as a subquery."""
    return Membership.objects.of(user, parts).values_list("organisation", flat=True)


def members_of(organisation: int, parts: Iterable[MemberRole] = tuple(MemberRole)) -> models.QuerySet[User]:
    """The members of an organisation, who get its mail, or those with some parts."""
    current = Membership.objects.current().filter(organisation=organisation, part__in=list(parts))
    return User.objects.filter(pk__in=current.values("user"))


def colleagues_of(user: User) -> models.QuerySet[Membership, int]:
    """The keys of the people who are members of an organisation together with this one, as a subquery."""
    shared = Membership.objects.current().filter(organisation__in=organisations_of(user))
    return shared.values_list("user", flat=True)
