"""Permission predicates for organisations, and the part of a person in one."""

from datetime import datetime
from typing import Any, Protocol

from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.organisations.models import (
    EDITING_PARTS,
    Controller,
    MemberRole,
    Membership,
    MembershipInvitation,
    Organisation,
)

Person = User | AnonymousUser
ONLY_REPRESENTATIVES = "Only a representative of the organisation can do this."


def part_of(user: Person, organisation: int | None) -> MemberRole | None:
    """The part of a person in the organisation with this key. None for no organisation costs no query."""
    if organisation is None or not isinstance(user, User) or not user.is_active:
        return None
    found = (
        Membership.objects.of(user).filter(organisation=organisation).values_list("part", flat=True).first()
    )
    return MemberRole(found) if found else None


def is_representative(user: Person, organisation: int | None) -> bool:
    return part_of(user, organisation) == MemberRole.REPRESENTATIVE


def is_controller(user: Person, controller: Controller) -> bool:
    """Whether `user` is the person who controls something, or represents the organisation that does."""
    if controller.organisation is not None:
        return is_representative(user, controller.organisation)
    return user.is_authenticated and controller.person == user.pk


def represents(user: Person, organisation: Organisation) -> bool:
    return is_representative(user, organisation.pk)


class OfOrganisation(Protocol):
    """A row that belongs to an organisation, such as a membership or a domain."""

    organisation_id: int


def represents_its_organisation(user: Person, subject: OfOrganisation) -> bool:
    return is_representative(user, subject.organisation_id)


def is_own_membership(user: Person, membership: Membership) -> bool:
    return user.pk == membership.user_id


def check_represents(organisation: Organisation, *, by: User) -> None:
    """Raise NotPermitted unless `by` is a representative."""
    if not represents(by, organisation):
        raise NotPermitted(ONLY_REPRESENTATIVES)


def may_edit_for(user: Person, organisation: int | None) -> bool:
    """Whether `user` may begin and edit cases of the organisation."""
    return part_of(user, organisation) in EDITING_PARTS


def is_member(user: Person, organisation: int | None) -> bool:
    return part_of(user, organisation) is not None


def was_member_since(user: Person, organisation: int | None, moment: datetime) -> bool:
    """Whether a person is a member, or was one after this moment."""
    if organisation is None or not isinstance(user, User):
        return False
    return Membership.objects.since(moment).filter(organisation=organisation, user=user).exists()


def is_held_up_by_invitation(user: Person, organisation: int | None) -> bool:
    """Whether `user` must decline an invitation of this organisation before they act in what concerns it.

    After they declined one, others do not count: repeated invitations would keep them from acting.
    """
    if organisation is None or not isinstance(user, User):
        return False
    waiting = MembershipInvitation.objects.to(user).filter(
        organisation=organisation, pk__in=MembershipInvitation.objects.open()
    )
    return waiting.exists() and not has_declined(
        user, "decline_membership", details__organisation=organisation
    )


def has_declined(user: User, verb: str, **subject: Any) -> bool:
    """Whether `user` has declined an invitation or an offer of this subject before."""
    return Event.objects.filter(verb=verb, actor=user, **subject).exists()


def may_answer_invitation(user: Person, invitation: MembershipInvitation) -> bool:
    """Whether the invitation is to the address of `user`, who confirmed it."""
    return isinstance(user, User) and user.owns_address(invitation.email) and user.is_verified
