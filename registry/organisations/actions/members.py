"""Members of organisations: invite, accept, decline, withdraw, change the part, remove and leave.

The only writers of `Membership` and `MembershipInvitation`, with the creation of an organisation. Each locks the
organisation before it reads the members, so that of two representatives who leave at the same time, the last one stays.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from registry.accounts import grants
from registry.accounts.erasure import lock_ending_account
from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext, Condition, EventType, UseOfGrants
from registry.actions.engine import performs
from registry.actions.parameters import Address, Selection
from registry.audit_log.models import Event
from registry.core.validators import check_address, shortened
from registry.organisations import gains
from registry.organisations.event_details import ORGANISATION as ORGANISATION_NUMBER
from registry.organisations.event_details import PART, PERSON
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.organisations.notifications import notify
from registry.organisations.permissions import (
    ONLY_REPRESENTATIVES,
    is_member,
    is_own_membership,
    is_representative,
    may_answer_invitation,
    represents,
    represents_its_organisation,
)
from registry.organisations.subjects import (
    INVITATION,
    MEMBERSHIP,
    ORGANISATION,
    AlreadyMember,
    InvalidOrganisation,
    InvitationNotOpen,
    InvitationPending,
    LastRepresentative,
    NotMember,
    SamePart,
)

# Sent in the transaction, with `organisation` and `person`: a receiver raises a RegistryError to refuse a new member.
member_joins = Signal()


def _mail_about_invitation(event: Event, context: ActionContext[Any]) -> None:
    invitation: MembershipInvitation = context.result
    notify(event, invitation.organisation, invited=invitation.email, invitation=invitation)


def _mail_about_member(event: Event, context: ActionContext[Any]) -> None:
    membership: Membership = context.result
    notify(event, membership.organisation, person=membership.user)


def _may_end(user: Any, membership: Membership) -> bool:
    return is_own_membership(user, membership) or represents_its_organisation(user, membership)


def _lock_account(membership: Membership, arguments: Mapping[str, Any]) -> None:
    lock_ending_account(membership.user)


PART_HELP = (
    "A representative submits, revises and transfers for the organisation, and manages its members. An editor edits its "
    "drafts. A contact reads them and gets mail."
)
IS_OPEN = Condition[MembershipInvitation](
    lambda invitation: invitation.is_open,
    "This invitation has expired. Ask a representative for another one.",
    InvitationNotOpen,
)
INVITE_MEMBER = Action[Organisation](
    name="invite_member",
    operation_id="inviteMember",
    label="Invite a member",
    button="Send the invitation",
    effect="If the address belongs to an account, its owner is notified and can accept.",
    success=lambda invitation: (
        f"The invitation to {invitation.email} was recorded. If it is the address of an account, its owner is notified."
    ),
    past="Invited a person as {part}",
    details=(ORGANISATION_NUMBER, PART),
    is_public=False,
    permission=represents,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    limit="invitations",
    makes_grant=True,
    parameters=(
        Address("email", "E-mail address", "It may belong to no account."),
        Selection(
            "part",
            "Part",
            PART_HELP,
            alternatives=MemberRole,
            initial=lambda _: MemberRole.REPRESENTATIVE,
        ),
    ),
    refusals=(AlreadyMember, InvitationPending),
    notify=_mail_about_invitation,
)
# What the actions on an invitation have in common.
on_invitation = partial(
    Action[MembershipInvitation],
    is_public=False,
    gravity=Gravity.CONTROL,
)
ACCEPT_MEMBERSHIP = on_invitation(
    name="accept_membership",
    operation_id="acceptMembershipInvitation",
    label="Accept",
    effect="You become a member. Members can't act in the cases of the organisation as expert, administrator or liaison.",
    success="You are a member of the organisation.",
    past="Became {part}",
    details=(ORGANISATION_NUMBER, PART, PERSON),
    permission=may_answer_invitation,
    not_permitted="There is no such invitation to your address.",
    conditions=(IS_OPEN,),
    uses_grants=UseOfGrants(
        lambda invitation, by: [invitation],
        InvitationNotOpen,
        "This invitation is no longer valid. {lapse} Ask a representative for another one.",
    ),
    obstacle=lambda user, invitation: gains.obstacle_to_joining(user, invitation.organisation),
    refusals=(AlreadyMember,),
    notify=_mail_about_member,
)
DECLINE_MEMBERSHIP = on_invitation(
    name="decline_membership",
    operation_id="declineMembershipInvitation",
    label="Decline",
    effect="The invitation is deleted. You can be invited again.",
    success="You declined the invitation.",
    past="Declined the invitation",
    details=(ORGANISATION_NUMBER, PART),
    permission=may_answer_invitation,
    not_permitted="There is no such invitation to your address.",
    conditions=(IS_OPEN,),
    notify=_mail_about_invitation,
)
WITHDRAW_INVITATION = on_invitation(
    name="withdraw_membership_invitation",
    operation_id="withdrawMembershipInvitation",
    label="Withdraw the invitation",
    effect="The invitation is deleted, and the invited address gets a mail.",
    success="The invitation was withdrawn.",
    past="Withdrew an invitation",
    details=(ORGANISATION_NUMBER, PART),
    permission=represents_its_organisation,
    not_permitted=ONLY_REPRESENTATIVES,
    refusals=(InvitationNotOpen,),
    is_grave=True,
    needs_confirmed_address=False,
    notify=_mail_about_invitation,
)
# What the actions on a member have in common.
on_membership = partial(
    Action[Membership],
    details=(ORGANISATION_NUMBER, PART, PERSON),
    is_public=False,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    lock_first=_lock_account,
    needs_confirmed_address=False,
    notify=_mail_about_member,
)
CHANGE_PART = on_membership(
    name="change_part",
    operation_id="changeMemberPart",
    label="Change the part",
    effect="The last representative keeps the part while the organisation has namespaces, entries of registers or open cases.",
    success="The part was changed. The member was notified.",
    past="Changed the part of {person} to {part}",
    permission=represents_its_organisation,
    parameters=(
        Selection(
            "part",
            "Part",
            PART_HELP,
            alternatives=MemberRole,
            initial=lambda membership: membership.part,
        ),
    ),
    refusals=(SamePart, LastRepresentative, NotMember),
)
REMOVE_MEMBER = on_membership(
    name="remove_member",
    operation_id="endMembership",
    label="Remove",
    button="Remove the member",
    effect="The person can no longer act for the organisation, and is notified. What they granted is withdrawn.",
    success="The member was removed.",
    past="Removed {person}",
    permission=_may_end,
    refusals=(LastRepresentative, NotMember),
    is_grave=True,
)
LEAVE_ORGANISATION = on_membership(
    name="leave_organisation",
    label="Leave",
    button="Leave the organisation",
    effect="You can no longer act for the organisation. A representative can invite you again.",
    success="You left the organisation.",
    past="Left the organisation",
    permission=is_own_membership,
    not_permitted="Only the member can leave the organisation.",
    refusals=(LastRepresentative, NotMember),
    is_grave=True,
)
# A public event, of the namespace whose claim was approved (registry.custody.actions.claims).
RESTORE_REPRESENTATIVE = EventType(
    name="restore_representative",
    past="Made {person} a representative, because no representative could be reached",
    details=(ORGANISATION_NUMBER, PERSON),
)


# The actions on the page of an invitation, in the order of the buttons.
DECISIONS = {
    "accept": ACCEPT_MEMBERSHIP,
    "decline": DECLINE_MEMBERSHIP,
    "withdraw": WITHDRAW_INVITATION,
}


@performs(INVITE_MEMBER, ORGANISATION)
def invite_member(context: ActionContext[Organisation], *, email: str, part: str) -> MembershipInvitation:
    """Invite the owner of an address. Result and work do not depend on whether there is an account."""
    organisation = context.subject
    email, checked = check_address(email, argument="email"), check_part(part)
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
    context.details = {"part": checked}
    return MembershipInvitation.objects.create(
        organisation=organisation,
        email=email,
        part=checked,
        invited_by=context.actor,
        made_with=context.made_with,
    )


@performs(ACCEPT_MEMBERSHIP, INVITATION)
def accept_membership(context: ActionContext[MembershipInvitation]) -> Membership:
    """Become a member, if the person who invited may still invite."""
    invitation, by = context.subject, context.actor
    organisation = invitation.organisation
    if is_member(by, organisation.pk):
        raise AlreadyMember(f"You are a member of “{organisation.name}” already.")
    member_joins.send(Organisation, organisation=organisation, person=by)
    membership = Membership.objects.create(organisation=organisation, user=by, part=invitation.part)
    _delete(invitation)
    context.details = {"person": by.pk}
    return membership


@performs(DECLINE_MEMBERSHIP, INVITATION)
def decline_membership(context: ActionContext[MembershipInvitation]) -> None:
    """Decline an invitation. The person can be invited again."""
    _delete(context.subject)


@performs(WITHDRAW_INVITATION, INVITATION)
def withdraw_invitation(context: ActionContext[MembershipInvitation]) -> None:
    """Withdraw an invitation that was neither accepted nor declined, also one that has expired."""
    _delete(context.subject)


@performs(CHANGE_PART, MEMBERSHIP)
def change_part(context: ActionContext[Membership], *, part: str) -> None:
    """Give a member another part. The last representative keeps theirs if something depends on it."""
    membership = context.subject
    checked = check_part(part)
    if membership.part == checked:
        raise SamePart(f"{membership.user} is {checked.label} already.")
    check_not_last(membership)
    membership.part = checked
    membership.save(update_fields=["part"])
    context.afterwards = lambda: grants.withdraw_lapsed_grants(membership.user)


@performs(LEAVE_ORGANISATION, MEMBERSHIP)
def leave_organisation(context: ActionContext[Membership]) -> None:
    """Leave. What the member granted is withdrawn."""
    _leave_or_remove(context)


@performs(REMOVE_MEMBER, MEMBERSHIP)
def end_membership(context: ActionContext[Membership]) -> None:
    """Remove a member, as a representative, or leave, as the member. What the member granted is withdrawn."""
    _leave_or_remove(context)
    if is_own_membership(context.actor, context.subject):
        context.event_type = LEAVE_ORGANISATION


def _leave_or_remove(context: ActionContext[Membership]) -> None:
    membership = context.subject
    check_not_last(membership)
    _end(membership)
    context.afterwards = lambda: grants.withdraw_lapsed_grants(membership.user)


def restore_representative(organisation: Organisation, person: User) -> dict[str, Any]:
    """Make a person a representative of a locked organisation that could not be reached. Returns the details of the event,
    which the caller writes.
    """
    membership = organisation.memberships.current().filter(user=person).first()
    if membership is None:
        gains.check_may_join(person, organisation)
        member_joins.send(Organisation, organisation=organisation, person=person)
        membership = Membership(organisation=organisation, user=person)
    membership.part = MemberRole.REPRESENTATIVE
    membership.save()
    return {"organisation": organisation.pk, "person": person.pk}


@transaction.atomic
def end_memberships_of(account: User, *, by: User | None, reason: str) -> int:
    """End all memberships of an account that is closed or erased, also if it is the last representative's."""
    memberships = list(Membership.objects.of(account).order_by("organisation"))
    for membership in memberships:
        membership = MEMBERSHIP.lock(membership, by)
        _end(membership)
        context = ActionContext(membership, by, LEAVE_ORGANISATION, reason=reason, result=membership)
        MEMBERSHIP.record(context)
    grants.withdraw_lapsed_grants(account)
    return len(memberships)


def check_part(part: str) -> MemberRole:
    """Return the part. Raises InvalidOrganisation."""
    if part not in MemberRole.values:
        raise InvalidOrganisation(
            f"“{shortened(part)}” is not a part. Choose one of: {', '.join(MemberRole.values)}."
        )
    return MemberRole(part)


def check_not_last(membership: Membership) -> None:
    """Raise LastRepresentative for the only representative of an organisation with namespaces, entries or open cases."""
    organisation = membership.organisation
    others = organisation.memberships.representatives().exclude(pk=membership.pk)
    if membership.part == MemberRole.REPRESENTATIVE and not others.exists() and has_something(organisation):
        raise LastRepresentative(organisation)


def has_something(organisation: Organisation) -> bool:
    """Whether namespaces, entries of registers or open cases belong to the organisation."""
    held = (organisation.namespaces, organisation.register_entries, organisation.cases.open())
    return any(each.exists() for each in held)


def _current(organisation: Organisation) -> list[Membership]:
    return list(organisation.memberships.current().select_related("user"))


def _delete(invitation: MembershipInvitation) -> None:
    """Delete the row; the mail still describes the invitation."""
    MembershipInvitation.objects.filter(pk=invitation.pk).delete()


def _end(membership: Membership) -> None:
    membership.ended_at = timezone.now()
    membership.save(update_fields=["ended_at"])


def _missing_authority(grantor: User, invitation: MembershipInvitation) -> str:
    if is_representative(grantor, invitation.organisation_id):
        return ""
    return "The person who made it no longer represents the organisation."


def _withdraw_lapsed(invitation: MembershipInvitation, *, reason: str) -> None:
    _delete(invitation)
    context = ActionContext(invitation, None, WITHDRAW_INVITATION, reason=reason)
    context.result = invitation
    INVITATION.record(context)


grants.declare(
    grants.GrantType(
        model=MembershipInvitation,
        pending=lambda: MembershipInvitation.objects.open().select_related("organisation"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)
