"""Members of organisations: invite, accept, decline, withdraw, change the part, remove and leave.

The only writers of `Membership` and `MembershipInvitation`, with the creation of an organisation. Each locks the
organisation before it reads the members, so that of two representatives who leave at the same time, the last one stays.
"""

from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services import grants
from registry.accounts.services.locks import lock_ending_account, locked_with_account
from registry.accounts.services.verification import check_is_verified
from registry.audit_log import log
from registry.core.exceptions import NotPermitted
from registry.core.rate_limits import limited
from registry.core.shortening import shortened
from registry.core.validators import check_address
from registry.organisations.exceptions import (
    AlreadyMember,
    InvalidOrganisation,
    InvitationNotOpen,
    InvitationPending,
    LastRepresentative,
    NotMember,
    SamePart,
)
from registry.organisations.history import Verb
from registry.organisations.models import (
    Membership,
    MembershipInvitation,
    Organisation,
    Part,
    organisations_of,
)
from registry.organisations.notifications import notify
from registry.organisations.permissions import is_member, is_representative, may_answer_invitation
from registry.organisations.services.organisations import check_represents, lock_organisation

# Sent in the transaction, with `organisation` and `person`: a receiver raises a RegistryError to refuse a new member.
member_joins = Signal()


@has_gravity(Gravity.CONTROL)
@limited("invitations")
@transaction.atomic
def invite_member(organisation: Organisation, *, by: User, email: str, part: str) -> MembershipInvitation:
    """Invite the owner of an address. Result and work do not depend on whether there is an account."""
    made_with = grants.lock_grantor(by)
    organisation = lock_organisation(organisation)
    check_represents(organisation, by=by)
    check_is_verified(by)
    email, checked = check_address(email), check_part(part)
    if any(each.user.has_address(email) for each in _current(organisation)):
        raise AlreadyMember(f"“{email}” is the address of a member of “{organisation.name}”.")
    earlier = organisation.invitations.to_address(email).first()
    if earlier is not None and earlier.is_open:
        if not (lapse := grants.lapse_of(earlier)):
            raise InvitationPending(
                f"“{email}” is already invited. Withdraw that invitation to make another."
            )
        _withdraw_lapsed(earlier, reason=lapse)
    elif earlier is not None:
        earlier.delete()
    invitation = MembershipInvitation.objects.create(
        organisation=organisation, email=email, part=checked, invited_by=by, made_with=made_with
    )
    _write_invitation(Verb.INVITE, invitation, by=by)
    return invitation


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def accept_membership(invitation: MembershipInvitation, *, by: User) -> Membership:
    """Become a member, if the person who invited may still invite."""
    grants.lock_parties(invitation, by=by)
    invitation = _lock_answerable(invitation, by=by)
    if lapse := grants.lapse_of(invitation):
        raise InvitationNotOpen(
            f"This invitation is no longer valid. {lapse} Ask a representative for another one."
        )
    organisation = invitation.organisation
    if is_member(by, organisation.pk):
        raise AlreadyMember(f"You are a member of “{organisation.name}” already.")
    member_joins.send(Organisation, organisation=organisation, person=by)
    membership = Membership.objects.create(organisation=organisation, user=by, part=invitation.part)
    invitation.delete()
    _write(Verb.ACCEPT, membership, by=by)
    return membership


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def decline_membership(invitation: MembershipInvitation, *, by: User) -> None:
    """Decline an invitation. The person can be invited again."""
    invitation = _lock_answerable(invitation, by=by)
    _write_invitation(Verb.DECLINE, invitation, by=by)
    invitation.delete()


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def withdraw_invitation(invitation: MembershipInvitation, *, by: User) -> None:
    """Withdraw an invitation that was neither accepted nor declined, also one that has expired."""
    organisation = lock_organisation(invitation.organisation)
    check_represents(organisation, by=by)
    invitation = _reread(invitation, organisation)
    _write_invitation(Verb.WITHDRAW, invitation, by=by)
    invitation.delete()


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def change_part(membership: Membership, *, by: User, part: str) -> Membership:
    """Give a member another part. The last representative keeps theirs if something depends on it."""
    lock_ending_account(membership.user)
    membership = _lock_current(membership)
    organisation = membership.organisation
    check_represents(organisation, by=by)
    checked = check_part(part)
    if membership.part == checked:
        raise SamePart(f"{membership.user} is {checked.label} already.")
    check_not_last(membership)
    membership.part = checked
    membership.save(update_fields=["part"])
    _write(Verb.CHANGE_PART, membership, by=by)
    grants.withdraw_lapsed_grants(membership.user)
    return membership


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def end_membership(membership: Membership, *, by: User) -> Membership:
    """Remove a member, as a representative, or leave, as the member. What the member granted is withdrawn."""
    lock_ending_account(membership.user)
    membership = _lock_current(membership)
    if by.pk != membership.user_id:
        check_represents(membership.organisation, by=by)
    check_not_last(membership)
    _end(membership)
    _write(Verb.LEAVE if by.pk == membership.user_id else Verb.REMOVE, membership, by=by)
    grants.withdraw_lapsed_grants(membership.user)
    return membership


def restore_representative(organisation: Organisation, person: User) -> dict[str, Any]:
    """Make a person a representative of a locked organisation that could not be reached. Returns the details of the event,
    which the caller writes.
    """
    membership = organisation.memberships.current().filter(user=person).first()
    if membership is None:
        member_joins.send(Organisation, organisation=organisation, person=person)
        membership = Membership(organisation=organisation, user=person)
    membership.part = Part.REPRESENTATIVE
    membership.save()
    return {"organisation": organisation.pk, "person": person.pk}


@locked_with_account("organisations")
def lock_organisations_of(account: User) -> None:
    """Lock the organisations of a locked account, before anything is written to the log."""
    organisations = Organisation.objects.filter(pk__in=organisations_of(account)).order_by("pk")
    list(organisations.select_for_update().values_list("pk"))


@transaction.atomic
def end_memberships_of(account: User, *, by: User | None, reason: str) -> int:
    """End all memberships of an account that is closed or erased, also if it is the last representative's."""
    lock_organisations_of(account)
    memberships = list(Membership.objects.of(account).order_by("organisation"))
    for membership in memberships:
        _end(membership := _lock_current(membership))
        _write(Verb.LEAVE, membership, by=by, reason=reason)
    grants.withdraw_lapsed_grants(account)
    return len(memberships)


def check_part(part: str) -> Part:
    """Return the part. Raises InvalidOrganisation."""
    if part not in Part.values:
        raise InvalidOrganisation(
            f"“{shortened(part)}” is not a part. Choose one of: {', '.join(Part.values)}."
        )
    return Part(part)


def check_not_last(membership: Membership) -> None:
    """Raise LastRepresentative for the only representative of an organisation with namespaces or open cases."""
    organisation = membership.organisation
    others = organisation.memberships.representatives().exclude(pk=membership.pk)
    if membership.part == Part.REPRESENTATIVE and not others.exists() and has_something(organisation):
        raise LastRepresentative(organisation)


def has_something(organisation: Organisation) -> bool:
    """Whether namespaces or open cases belong to the organisation."""
    return organisation.namespaces.exists() or organisation.cases.open().exists()


def _current(organisation: Organisation) -> list[Membership]:
    return list(organisation.memberships.current().select_related("user"))


def _lock_current(membership: Membership) -> Membership:
    """The membership, read again under the lock of its organisation. Raises NotMember."""
    organisation = lock_organisation(membership.organisation)
    found = organisation.memberships.current().select_related("user").filter(pk=membership.pk).first()
    if found is None:
        raise NotMember(f"{membership.user} is no longer a member of “{organisation.name}”.")
    found.organisation = organisation
    return found


def _lock_answerable(invitation: MembershipInvitation, *, by: User) -> MembershipInvitation:
    organisation = lock_organisation(invitation.organisation)
    if not may_answer_invitation(by, invitation):
        raise NotPermitted("There is no such invitation to your address.")
    invitation = _reread(invitation, organisation)
    if not invitation.is_open:
        raise InvitationNotOpen("This invitation has expired. Ask a representative for another one.")
    return invitation


def _reread(invitation: MembershipInvitation, organisation: Organisation) -> MembershipInvitation:
    """The invitation, read again under the lock of its organisation. Raises InvitationNotOpen."""
    found = organisation.invitations.filter(pk=invitation.pk).first()
    if found is None:
        raise InvitationNotOpen("This invitation was already accepted, declined or withdrawn.")
    found.organisation = organisation
    return found


def _end(membership: Membership) -> None:
    membership.ended_at = timezone.now()
    membership.save(update_fields=["ended_at"])


def _write(verb: Verb, membership: Membership, *, by: User | None, **more: Any) -> None:
    """Append the event of a member, and create its mails."""
    organisation = membership.organisation
    details: dict[str, Any] = {
        "organisation": organisation.pk,
        "part": membership.part,
        "person": membership.user_id,
    }
    notify(log.append(verb, by=by, **details, **more), organisation, person=membership.user)


def _write_invitation(
    verb: Verb, invitation: MembershipInvitation, *, by: User | None, reason: str = ""
) -> None:
    organisation = invitation.organisation
    event = log.append(verb, by=by, organisation=organisation.pk, part=invitation.part, reason=reason)
    notify(event, organisation, invited=invitation.email, invitation=invitation)


def _missing_authority(grantor: User, invitation: MembershipInvitation) -> str:
    if is_representative(grantor, invitation.organisation_id):
        return ""
    return "The person who made it no longer represents the organisation."


def _withdraw_lapsed(invitation: MembershipInvitation, *, reason: str) -> None:
    _write_invitation(Verb.WITHDRAW, invitation, by=None, reason=reason)
    invitation.delete()


grants.declare(
    grants.GrantType(
        model=MembershipInvitation,
        pending=lambda: MembershipInvitation.objects.open().select_related("organisation"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)
