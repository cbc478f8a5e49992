"""Co-editors: people whom the registrant invited to edit the draft, and who accepted.

An invitation gives no access and takes no permission away. A person who has edited a draft can't make decisions in the
case, even after leaving it. A co-editor who has edited nothing can act in their role again after leaving. A person who
has acted in an open case for the registry can't become a member of its organisation either.
"""

from typing import Any

from registry.accounts.models import User
from registry.accounts.services import grants
from registry.accounts.services.locks import locked_with_account
from registry.actions.engine import performs
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import PERSONAL_ACTIONS, Case, CoEditor, Invitation, Recusal
from registry.cases.models.decisions import FIRST_VERDICT_NAME
from registry.cases.notifications import notifications
from registry.cases.notifications.audiences import Recipients, editor_addresses, editors
from registry.cases.workflow.action_table import (
    ACCEPT_INVITATION,
    DECLINE_INVITATION,
    INVITE_CO_EDITOR,
    REMOVE_CO_EDITOR,
    WITHDRAW_INVITATION,
)
from registry.cases.workflow.exceptions import (
    AlreadyAnEditor,
    AlreadyInvited,
    HasActed,
    NotAnEditor,
    NotInvited,
)
from registry.cases.workflow.subject import CASE, CaseContext
from registry.cases.workflow.table import ALL_ACTIONS
from registry.core.exceptions import NotPermitted
from registry.core.validators import check_address
from registry.organisations.models import Organisation
from registry.organisations.services.members import member_joins

ROLES = (permissions.is_expert, permissions.is_administrator, permissions.is_liaison)
ACTIONS_IN_ROLES = {FIRST_VERDICT_NAME, *(each.name for each in ALL_ACTIONS if each.permission in ROLES)}


@performs(INVITE_CO_EDITOR, CASE)
def invite_co_editor(context: CaseContext, *, email: str) -> None:
    """Invite the owner of an address to edit the draft. Result and work do not depend on whether there is an account."""
    case, email = context.case, check_address(email)
    if any(person.has_address(email) for person in editors(case)):
        raise AlreadyAnEditor(f"“{email}” is the address of an editor of case {case.pk}.")
    earlier = case.invitations.to_address(email).first()
    if earlier is not None:
        if not (lapse := grants.lapse_of(earlier)):
            raise AlreadyInvited(f"“{email}” is already invited to case {case.pk}.")
        _withdraw_lapsed(earlier, reason=lapse)
    Invitation.objects.create(case=case, email=email, invited_by=context.actor, made_with=context.made_with)
    context.address = email


@performs(WITHDRAW_INVITATION, CASE)
def withdraw_invitation(context: CaseContext, *, email: str) -> None:
    """Withdraw an invitation that was neither accepted nor declined."""
    context.address = email = check_address(email)
    deleted, _ = context.case.invitations.to_address(email).delete()
    if not deleted:
        raise NotInvited(f"There is no open invitation of “{email}” to case {context.case.pk}.")


@performs(ACCEPT_INVITATION, CASE)
def accept_invitation(context: CaseContext) -> None:
    """Become a co-editor, if a person who invited may still invite. A person who has acted in the case for the registry
    can't.
    """
    case = context.case
    if Event.objects.of_case(case.pk).filter(actor=context.actor).exclude(verb__in=PERSONAL_ACTIONS).exists():
        raise HasActed(
            f"You have acted in case {case.pk} for the registry, so you can't become its co-editor."
        )
    case.invitations.to(context.actor).delete()
    CoEditor.objects.create(case=case, user=context.actor)


@performs(DECLINE_INVITATION, CASE)
def decline_invitation(context: CaseContext) -> None:
    """Decline an invitation."""
    context.case.invitations.to(context.actor).delete()


@performs(REMOVE_CO_EDITOR, CASE)
def remove_co_editor(context: CaseContext, *, email: str) -> None:
    """Remove the co-editor with this address. The registrant can remove all of them, a co-editor only themselves.

    The result does not tell whether an address that is no co-editor's belongs to an account.
    """
    case, email = context.case, check_address(email)
    if not permissions.is_registrant(context.actor, case) and not context.actor.has_address(email):
        raise NotPermitted(f"Only the registrant of case {case.pk} can remove other co-editors.")
    links = case.co_editors.select_related("user")
    link = next((each for each in links if each.user.has_address(email)), None)
    if link is None:
        raise NotAnEditor(f"“{email}” is not the address of a co-editor of case {case.pk}.")
    user = link.user
    if link.has_written:
        Recusal.objects.get_or_create(case=case, user=user, defaults={"reason": Recusal.EDITED})
    link.delete()
    context.person, context.details = user, {"person": user.pk, "recused": link.has_written}


def _refuse_who_has_acted(organisation: Organisation, person: User, **_signal: Any) -> None:
    cases = Case.objects.open().filter(organisation=organisation).values("pk")
    acted = Event.objects.filter(actor=person, verb__in=ACTIONS_IN_ROLES, case_number__in=cases)
    if event := acted.order_by("number").first():
        raise HasActed(
            f"{person} has acted in case {event.case_number} of “{organisation.name}” for the registry, and can become a "
            "member when the case is closed."
        )


def _missing_authority(grantor: User, invitation: Invitation) -> str:
    if permissions.is_registrant(grantor, invitation.case):
        return ""
    return "The person who made it may no longer invite co-editors."


def _withdraw_lapsed(invitation: Invitation, *, reason: str) -> None:
    """Withdraw an invitation to a locked case. As with the other actions, a draft gets no event."""
    case = invitation.case
    mails = {name: {invitation.email: None} for name in WITHDRAW_INVITATION.mails}
    recipients = Recipients(mails, editor_addresses(case))
    invitation.delete()
    case.mark_changed()
    if not case.is_public:
        notifications.notify_about_draft(case, recipients, by=None, invited=invitation.email)
        return
    event = log.append(WITHDRAW_INVITATION.name, by=None, case=case.pk, nid=case.requested_nid, reason=reason)
    notifications.notify(event, case, recipients, invited=invitation.email)


@locked_with_account("cases")
def _lock_cases(account: User) -> None:
    """Lock the cases to which a person invited, which other actions lock before namespaces and organisations."""
    invited = Invitation.objects.filter(invited_by=account).values("case")
    list(Case.objects.filter(pk__in=invited).order_by("pk").select_for_update().values_list("pk"))


grants.declare(
    grants.GrantType(
        model=Invitation,
        pending=lambda: Invitation.objects.filter(case__in=Case.objects.open()).select_related("case"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)
member_joins.connect(_refuse_who_has_acted, dispatch_uid="cases")
