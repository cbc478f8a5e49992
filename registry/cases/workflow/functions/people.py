"""Functions of actions on the people of a case, and on what they dismiss.

An invitation gives no access and takes no permission away. A person who has edited a draft can't make decisions in the
case, even after leaving it. A co-editor who has edited nothing can act in their role again after leaving. A person who
has acted in an open case for the registry can't become a member of its organisation either.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Q

from registry.accounts import grants
from registry.accounts.models import RoleName, User
from registry.actions.engine import performs
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases import notifications, permissions
from registry.cases.audiences import Recipients, editor_addresses, editors
from registry.cases.findings import findings_on, reference_data_for
from registry.cases.models import (
    PERSONAL_ACTIONS,
    Case,
    CoEditor,
    Dismissal,
    Invitation,
    Recusal,
    Review,
    Round,
)
from registry.cases.models.states import APPROVALS, FIRST_VERDICT_NAME
from registry.cases.workflow.declarations.actions import (
    ACCEPT_INVITATION,
    ANTICIPATE_STANDARDS_ACTION,
    DECLINE_INVITATION,
    DISMISS_FINDING,
    INVITE_CO_EDITOR,
    RECUSE,
    REMOVE_CO_EDITOR,
    REQUIRE_TWO_EXPERTS,
    WITHDRAW_INVITATION,
)
from registry.cases.workflow.declarations.definition import PERMISSIONS_IN_ROLES
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS, ASSIGN
from registry.cases.workflow.exceptions import (
    AlreadyAnEditor,
    AlreadyInvited,
    FindingBlocks,
    HasActed,
    NoSuchFinding,
    NotAnEditor,
    NotInvited,
    SecondExpertNeeded,
)
from registry.cases.workflow.subject import CASE, CaseContext, check_latest_round
from registry.core.digests import digest_of
from registry.core.exceptions import NotPermitted
from registry.core.validators import check_address, check_optional_text, check_text
from registry.organisations import gains
from registry.organisations.actions.members import member_joins
from registry.organisations.models import Organisation
from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.template import RegistrationTemplate

ACTIONS_IN_ROLES = {
    FIRST_VERDICT_NAME,
    *(each.name for each in ALL_ACTIONS if each.permission in PERMISSIONS_IN_ROLES),
}


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


grants.declare(
    grants.GrantType(
        model=Invitation,
        pending=lambda: Invitation.objects.filter(case__in=Case.objects.open()).select_related("case"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)
member_joins.connect(_refuse_who_has_acted, dispatch_uid="cases")
gains.declare(APPROVALS | Q(verb=ASSIGN.name))


@performs(DISMISS_FINDING, CASE)
def dismiss_finding(context: CaseContext, *, round_number: int, section: str, code: str, reason: str) -> None:
    """Dismiss a finding on the latest round, with a public reason."""
    round_ = check_latest_round(context.case, round_number)
    message = " ".join(_messages(context.case, round_, section, code))
    context.reason = check_text(reason, "the reason for the dismissal")
    context.text_digest = round_.digest
    context.details = {"round": round_.number, "section": section, "code": code}
    context.details["message_digest"] = digest_of(message)
    Dismissal.objects.create(
        round=round_,
        section=section,
        code=code,
        message=message,
        reason=context.reason,
        by=context.actor,
    )


def _messages(case: Case, round_: Round, section: str, code: str) -> list[str]:
    """The messages of the findings with this code. Raises NoSuchFinding or FindingBlocks."""
    reference_data = reference_data_for(case, round_.template, round_.proposed_profile)
    findings = findings_on(case, round_.template, reference_data)
    found = [each for each in findings if (each.section, each.code) == (section, code)]
    so_far = Dismissal.objects.filter(round__case=case).select_related("round")
    if not found or (section, code) in by_finding(round_, so_far):
        raise NoSuchFinding("The section has no such finding, or it was already dismissed. Reload the case.")
    if any(each.severity == Severity.BLOCKING for each in found):
        raise FindingBlocks("Only advice can be dismissed. The registrant must correct the section.")
    return [each.message for each in found]


def not_dismissed(case: Case, template: RegistrationTemplate, findings: Iterable[Finding]) -> list[Finding]:
    """The findings on the next round, if it had this template, without those that an expert dismissed."""
    next_round = Round(number=case.latest_round_number + 1, content=template.to_json())
    so_far = Dismissal.objects.filter(round__case=case).select_related("round")
    aside = by_finding(next_round, so_far)
    return [found for found in findings if (found.section, found.code) not in aside]


def by_finding(round_: Round, dismissals: Iterable[Dismissal]) -> dict[tuple[str, str], Dismissal]:
    """The dismissals that apply to this round, by section and code of the finding."""
    return {(each.section, each.code): each for each in holding_for(round_, dismissals)}


def holding_for(round_: Round, dismissals: Iterable[Dismissal]) -> Iterator[Dismissal]:
    """The dismissals made on this round, or on an earlier round with an identical section."""
    for each in dismissals:
        earlier = each.round
        same = earlier.content.get(each.section) == round_.content.get(each.section)
        if earlier.number == round_.number or (earlier.number < round_.number and same):
            yield each


@performs(RECUSE, CASE)
def recuse(context: CaseContext, *, reason: str = "") -> None:
    """Recuse `by` permanently from acting in the case as expert, administrator or liaison."""
    context.reason = check_optional_text(reason, "the reason")
    Recusal.objects.create(case=context.case, user=context.actor, reason=context.reason)


@performs(ANTICIPATE_STANDARDS_ACTION, CASE)
def anticipate_standards_action(context: CaseContext, *, anticipated: bool, reason: str) -> None:
    """Record whether a standards action is anticipated; the experts then report instead of approving (6.2, step 4)."""
    context.reason = check_text(reason, "the reason")
    context.details = {"anticipated": anticipated}
    context.case.standards_action = anticipated
    context.case.save()


@performs(REQUIRE_TWO_EXPERTS, CASE)
def require_two_experts(context: CaseContext, *, required: bool, reason: str) -> None:
    """Record whether two experts must agree on a round; otherwise the first verdict decides.

    After the verdict of one of two, only an expert who leads the others can lower the requirement: the second would
    otherwise decide against the first.
    """
    if context.case.needs_two_experts and not required:
        _check_may_lower(context.case, context.actor)
    context.reason = check_text(reason, "the reason")
    context.details = {"required": required}
    context.case.needs_two_experts = required
    context.case.save()


def _check_may_lower(case: Case, by: User) -> None:
    """Raise SecondExpertNeeded after a verdict, unless `by` is a leader who gave none."""
    given = Review.objects.deciding().filter(round__case=case, round__number=case.latest_round_number)
    if RoleName.LEADER in by.roles:
        given = given.filter(expert=by)
    if review := given.select_related("expert").first():
        raise SecondExpertNeeded(
            f"{review.expert} has reviewed the round as the first of two experts. Only another leader who is an "
            "expert can now record that one is enough."
        )
