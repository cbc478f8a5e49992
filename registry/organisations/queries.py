"""Organisations, their members and invitations, by the parts of their URLs."""

from django.db.models import F, QuerySet
from django.urls import reverse

from registry.accounts.models import User
from registry.accounts.waiting import Line, WaitingKind, declare
from registry.core.exceptions import NotPermitted
from registry.organisations.models import Membership, MembershipInvitation, MembershipQuerySet, Organisation
from registry.organisations.permissions import Person, is_member, is_representative


def get_organisation(user: Person, pk: int) -> Organisation:
    """An organisation that `user` may see. Raises NotPermitted, as if it did not exist."""
    organisation = Organisation.objects.visible_to(user).filter(pk=pk).first()
    if organisation is None:
        raise NotPermitted(f"There is no organisation {pk} that you can see.")
    return organisation


def get_own_organisation(user: Person, pk: int) -> Organisation:
    """An organisation of which `user` is a member."""
    organisation = Organisation.objects.filter(pk=pk).first()
    if organisation is None or not is_member(user, pk):
        raise NotPermitted(f"There is no organisation {pk} of which you are a member.")
    return organisation


def get_represented_organisation(user: Person, pk: int) -> Organisation:
    """An organisation that `user` represents."""
    organisation = get_own_organisation(user, pk)
    if not is_representative(user, pk):
        raise NotPermitted(f"You do not represent organisation {pk}.")
    return organisation


def get_membership(user: Person, pk: int, number: int) -> Membership:
    """A current membership: that of `user`, or as a representative, of every member."""
    found = members_of_organisation(get_own_organisation(user, pk)).filter(pk=number).first()
    if found is None or not (found.user_id == user.pk or is_representative(user, pk)):
        raise NotPermitted(f"There is no member {number} of organisation {pk} whom you can change.")
    return found


def get_invitation(user: User, pk: int, number: int) -> MembershipInvitation:
    """An invitation to `user`, or as a representative, every invitation."""
    invitations = MembershipInvitation.objects.visible_to(user).select_related("organisation", "invited_by")
    found = invitations.filter(organisation=pk, pk=number).first()
    if found is None:
        raise NotPermitted(f"There is no invitation {number} to organisation {pk} that you can see.")
    return found


def members_of_organisation(organisation: Organisation) -> MembershipQuerySet:
    """The current members with their accounts, in the order in which they joined."""
    return (
        Membership.objects.current().filter(organisation=organisation).select_related("user", "organisation")
    )


def memberships_of(user: User) -> MembershipQuerySet:
    """The current memberships of a person, with the organisations by name."""
    return Membership.objects.of(user).select_related("organisation").order_by("organisation__name", "pk")


def _open_invitations_to(user: User) -> QuerySet[MembershipInvitation]:
    return MembershipInvitation.objects.to(user).filter(pk__in=MembershipInvitation.objects.open())


def invitations_to(user: User) -> list[MembershipInvitation]:
    """The open invitations to a person."""
    return list(_open_invitations_to(user).select_related("organisation", "invited_by").order_by("pk"))


declare(
    WaitingKind(
        name="membership_invitation",
        label="Invitation to an organisation",
        rows=_open_invitations_to,
        show=lambda invitation: Line(
            f"{invitation.invited_by} invites you to {invitation.organisation.name}, as {invitation.get_part_display()}",
            "accept or decline the invitation.",
            reverse("organisations:invitation", args=[invitation.organisation_id, invitation.pk]),
        ),
        since="invited_at",
        due="expires_at",
        person=F("organisation__name"),
        assignee=True,
        related=("organisation", "invited_by"),
    )
)
