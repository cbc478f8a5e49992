"""Decisions of the approval body, and appeals."""

from django.utils import timezone

from registry.accounts.models import Body, Recognition, User
from registry.accounts.services.verification import check_is_verified
from registry.cases.models import Case, Procedure, State
from registry.cases.workflow.definition import action_of
from registry.cases.workflow.engine import check_latest_round, transition
from registry.cases.workflow.table import APPEAL
from registry.cases.workflow.tables.approval_body import (
    DIRECT,
    RECOGNISE,
    REFUSE_RECOGNITION,
    RETURN_TO_EXPERTS,
)
from registry.core.text_limits import MAX_REFERENCE_LENGTH
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
    """Record the decision of the approval body, with its reference (6.2, step 4)."""
    with transition(DIRECT, case, by=by) as context:
        round_ = check_latest_round(context.case, round_number)
        context.to = State.APPROVED if is_approved else State.DECLINED
        context.reason = check_optional_text(reason, "the reason", argument="reason")
        context.details = {"reference": _reference(reference, "decision"), "round": round_.number}
    return context.case


@action_of(RETURN_TO_EXPERTS)
def return_to_experts(case: Case, *, by: User, reason: str, round_number: int | None = None) -> Case:
    """Send a report back, with a reason. The verdicts that led to it stay on record, and no longer count."""
    with transition(RETURN_TO_EXPERTS, case, by=by) as context:
        context.reason = check_text(reason, "the reason")
        context.details = {"round": check_latest_round(context.case, round_number).number}
    return context.case


@action_of(APPEAL)
def appeal(case: Case, *, by: User, reason: str) -> Case:
    """Ask the approval body to decide on a declined case. This is possible once."""
    with transition(APPEAL, case, by=by) as context:
        context.reason = check_text(reason, "the reason for the appeal")
        context.case.appealed_at = timezone.now()
    return context.case


@action_of(RECOGNISE)
def recognise(case: Case, *, by: User, reference: str, for_later_cases: bool = False) -> Case:
    """Recognise the requesting body for this case, or also for later cases (6.3)."""
    with transition(RECOGNISE, case, by=by) as context:
        reference = _reference(reference, "recognition")
        context.case.recognition = Recognition.RECOGNISED
        context.details = {"reference": reference, "for_later_cases": for_later_cases}
        body, latest = context.case.body, context.case.latest_round
        if for_later_cases and body is not None and latest is not None:
            context.details["body"] = body.pk
            # Of an organisation, the person who began the case may have left.
            _recognise_for_later_cases(body, latest.submitted_by, reference)
    return context.case


def _recognise_for_later_cases(body: Body, representative: User, reference: str) -> None:
    """Record the recognition of the body. The permission in the case includes the one that this requires elsewhere."""
    body = Body.objects.select_for_update().get(pk=body.pk)
    check_is_verified(representative)
    body.recognition, body.recognition_reference = Recognition.RECOGNISED, reference
    body.save(update_fields=["recognition", "recognition_reference"])
    body.representatives.add(representative)


@action_of(REFUSE_RECOGNITION)
def refuse_recognition(case: Case, *, by: User, reference: str) -> Case:
    """Refuse recognition: the case continues under the community procedure, and its content is kept (6.3)."""
    with transition(REFUSE_RECOGNITION, case, by=by) as context:
        context.details = {"reference": _reference(reference, "decision")}
        context.case.recognition = Recognition.REFUSED
        context.case.procedure = Procedure.COMMUNITY
    return context.case


def _reference(text: str, what: str) -> str:
    return check_text(
        text, f"the reference to the {what}", longest=MAX_REFERENCE_LENGTH, argument="reference"
    )
