"""Decisions of the approval body, and the appeal to it."""

from django.utils import timezone

from registry.accounts.models import Body, Recognition, User
from registry.cases import permissions
from registry.cases.models import Case, Procedure, State
from registry.cases.workflow.definition import action_of
from registry.cases.workflow.engine import check_latest_round, transition
from registry.cases.workflow.exceptions import ConditionNotMet
from registry.cases.workflow.parameters import LONGEST_REFERENCE
from registry.cases.workflow.table import APPEAL, DIRECT, RECOGNISE, REFUSE_RECOGNITION
from registry.core.validators import check_optional_text, check_text


@action_of(DIRECT)
def direct(
    case: Case,
    *,
    by: User,
    is_approved: bool,
    reference: str,
    reason: str = "",
    round_number: int | None = None,
) -> Case:
    """Record what the approval body decided, with the reference to its decision (6.2, step 4)."""
    with transition(DIRECT, case, by=by) as context:
        round_ = check_latest_round(context.case, round_number)
        context.to = State.APPROVED if is_approved else State.DECLINED
        context.reason = check_optional_text(reason, "the reason")
        context.details = {"reference": _reference(reference, "body's decision"), "round": round_.number}
    return context.case


@action_of(APPEAL)
def appeal(case: Case, *, by: User, reason: str) -> Case:
    """Ask the approval body to decide on a declined case: once."""
    with transition(APPEAL, case, by=by) as context:
        context.reason = check_text(reason, "why the decision should be looked at again")
        context.case.appealed_at = timezone.now()
    return context.case


@action_of(RECOGNISE)
def recognise(case: Case, *, by: User, reference: str, for_later_cases: bool = False) -> Case:
    """Recognise the requesting body, for this case or for later ones too (6.3)."""
    with transition(RECOGNISE, case, by=by) as context:
        reference = _reference(reference, "recognition")
        context.case.recognition = Recognition.RECOGNISED
        context.details = {"reference": reference, "for_later_cases": for_later_cases}
        if for_later_cases and context.case.body is not None:
            _recognise_for_later_cases(context.case.body, context.case.registrant, reference, by=by)
    return context.case


def _recognise_for_later_cases(body: Body, representative: User, reference: str, *, by: User) -> None:
    """The standing word on the body, which nobody gives with a case who could not give it apart from one."""
    body = Body.objects.select_for_update().get(pk=body.pk)
    if not permissions.may_decide_on(by, body):
        raise ConditionNotMet(
            f"You speak for {body}, or edit another case of it, so what holds for its later cases is for another "
            "liaison to record. You can record the recognition for this case alone."
        )
    body.recognition, body.recognition_reference = Recognition.RECOGNISED, reference
    body.save(update_fields=["recognition", "recognition_reference"])
    body.representatives.add(representative)


@action_of(REFUSE_RECOGNITION)
def refuse_recognition(case: Case, *, by: User, reference: str) -> Case:
    """Refuse it: the case goes on under the community procedure, with everything it holds (6.3)."""
    with transition(REFUSE_RECOGNITION, case, by=by) as context:
        context.details = {"reference": _reference(reference, "decision")}
        context.case.recognition = Recognition.REFUSED
        context.case.procedure = Procedure.COMMUNITY
    return context.case


def _reference(text: str, what: str) -> str:
    return check_text(text, f"the reference to the {what}", longest=LONGEST_REFERENCE)
