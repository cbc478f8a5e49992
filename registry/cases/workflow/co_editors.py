"""Co-editors: people whom the registrant invited to edit the draft, and who accepted.

An invitation gives no access and takes no permission away. A person who has edited a draft can't make decisions in the
case, even after leaving it. A co-editor who has edited nothing can act in their role again after leaving.
"""

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import PERSONAL_ACTIONS, Case, CoEditor, Invitation, Recusal
from registry.cases.workflow.action_table import (
    ACCEPT_INVITATION,
    INVITE_CO_EDITOR,
    REFUSE_INVITATION,
    REMOVE_CO_EDITOR,
    REVOKE_INVITATION,
)
from registry.cases.workflow.definition import action_of
from registry.cases.workflow.engine import act
from registry.cases.workflow.exceptions import (
    AlreadyAnEditor,
    AlreadyInvited,
    HasActed,
    InvalidAddress,
    NotAnEditor,
    NotInvited,
)
from registry.cases.workflow.parameters import MAX_ADDRESS_LENGTH
from registry.core.exceptions import NotPermitted
from registry.core.rate_limits import count_action
from registry.core.validators import TextMissing, check_optional_text


@action_of(INVITE_CO_EDITOR)
def invite_co_editor(case: Case, *, by: User, email: str) -> Case:
    """Invite the owner of an address to edit the draft. The result does not depend on whether there is an account."""
    with act(INVITE_CO_EDITOR, case, by=by) as context:
        case, email = context.case, _check_address(email)
        count_action("invitations", by=by)
        context.person = _account_with(email)
        if context.person and permissions.is_editor(context.person, case):
            raise AlreadyAnEditor(f"{context.person} is already an editor of case {case.pk}.")
        if case.invitations.to_address(email).exists():
            raise AlreadyInvited(f"“{email}” is already invited to case {case.pk}.")
        Invitation.objects.create(case=case, email=email)
    return case


@action_of(REVOKE_INVITATION)
def revoke_invitation(case: Case, *, by: User, email: str) -> Case:
    """Revoke an invitation that was neither accepted nor refused."""
    with act(REVOKE_INVITATION, case, by=by) as context:
        deleted, _ = context.case.invitations.to_address(email).delete()
        if not deleted:
            raise NotInvited(f"There is no open invitation of “{email}” to case {case.pk}.")
        context.person = _account_with(email)
    return context.case


@action_of(ACCEPT_INVITATION)
def accept_invitation(case: Case, *, by: User) -> Case:
    """Become a co-editor. A person who has acted in the case for the registry can't."""
    with act(ACCEPT_INVITATION, case, by=by) as context:
        case = context.case
        if Event.objects.of_case(case.pk).filter(actor=by).exclude(verb__in=PERSONAL_ACTIONS).exists():
            raise HasActed(
                f"You have acted in case {case.pk} for the registry, so you can't become its co-editor."
            )
        case.invitations.to(by).delete()
        CoEditor.objects.create(case=case, user=by)
    return case


@action_of(REFUSE_INVITATION)
def refuse_invitation(case: Case, *, by: User) -> Case:
    """Refuse an invitation."""
    with act(REFUSE_INVITATION, case, by=by) as context:
        context.case.invitations.to(by).delete()
    return context.case


@action_of(REMOVE_CO_EDITOR)
def remove_co_editor(case: Case, *, by: User, user: User) -> Case:
    """Remove a co-editor. The registrant can remove all of them, a co-editor only themselves."""
    with act(REMOVE_CO_EDITOR, case, by=by) as context:
        case = context.case
        if not permissions.is_registrant(by, case) and by.pk != user.pk:
            raise NotPermitted(f"Only the registrant of case {case.pk} can remove other co-editors.")
        link = case.co_editors.filter(user=user).first()
        if link is None:
            raise NotAnEditor(f"{user} is not a co-editor of case {case.pk}.")
        if link.has_written:
            Recusal.objects.get_or_create(
                case=case, user=user, defaults={"reason": "Edited the draft as a co-editor."}
            )
        link.delete()
        context.person, context.details = user, {"person": user.pk, "recused": link.has_written}
    return case


def _check_address(text: str) -> str:
    email = check_optional_text(text, "the e-mail address", longest=MAX_ADDRESS_LENGTH)
    if not email:
        raise TextMissing("Enter the e-mail address of the person to invite.")
    try:
        validate_email(email)
    except ValidationError as fault:
        raise InvalidAddress("Enter an e-mail address, such as name@example.org.") from fault
    return email


def _account_with(email: str) -> User | None:
    """The account with this address, if its owner confirmed it and so can get mail."""
    person = User.objects.with_address(email)
    return person if person and person.is_verified else None
