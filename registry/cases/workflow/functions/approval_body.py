"""Decisions of the approval body, and appeals."""

from django.utils import timezone

from registry.accounts.locks import check_is_verified
from registry.accounts.models import Body, Recognition, User
from registry.actions.engine import performs
from registry.cases.models import Procedure, State
from registry.cases.permissions import may_represent
from registry.cases.workflow.declarations.reviews import (
    DIRECT,
    RECOGNISE,
    REFUSE_RECOGNITION,
    RETURN_TO_EXPERTS,
)
from registry.cases.workflow.declarations.transitions import APPEAL
from registry.cases.workflow.exceptions import OwnBenefit
from registry.cases.workflow.subject import CASE, CaseContext, check_latest_round
from registry.core.validators import MAX_REFERENCE_LENGTH, check_optional_text, check_text


@performs(DIRECT, CASE)
def direct(
    context: CaseContext,
    *,
    is_approved: bool,
    reference: str,
    reason: str = "",
    round_number: int | None = None,
) -> None:
    """Record the decision of the approval body, with its reference (6.2, step 4)."""
    round_ = check_latest_round(context.case, round_number)
    context.to = State.APPROVED if is_approved else State.DECLINED
    context.reason = check_optional_text(reason, "the reason", argument="reason")
    context.details = {"reference": _reference(reference, "decision"), "round": round_.number}


@performs(RETURN_TO_EXPERTS, CASE)
def return_to_experts(context: CaseContext, *, reason: str, round_number: int | None = None) -> None:
    """Send a report back, with a reason. The verdicts that led to it stay on record, and no longer count."""
    context.reason = check_text(reason, "the reason")
    context.details = {"round": check_latest_round(context.case, round_number).number}


@performs(APPEAL, CASE)
def appeal(context: CaseContext, *, reason: str) -> None:
    """Ask the approval body to decide on a declined case. This is possible once."""
    context.reason = check_text(reason, "the reason for the appeal")
    context.case.appealed_at = timezone.now()


@performs(RECOGNISE, CASE)
def recognise(context: CaseContext, *, reference: str, for_later_cases: bool = False) -> None:
    """Recognise the requesting body for this case, or also for later cases (6.3)."""
    reference = _reference(reference, "recognition")
    context.case.recognition = Recognition.RECOGNISED
    context.details = {"reference": reference, "for_later_cases": for_later_cases}
    body, latest = context.case.body, context.case.latest_round
    if for_later_cases and body is not None and latest is not None:
        context.details["body"] = body.pk
        # Of an organisation, the person who began the case may have left.
        _recognise_for_later_cases(body, latest.submitted_by, reference, by=context.actor)


def _recognise_for_later_cases(body: Body, representative: User, reference: str, *, by: User) -> None:
    """Record the recognition of the body. The permission in the case includes the one that this requires elsewhere."""
    body = Body.objects.select_for_update().get(pk=body.pk)
    if not may_represent(representative, body, by=by):
        raise OwnBenefit(
            f"{representative} recorded the recognition of {body} before, and can't represent it. Recognise the body for this "
            "case alone, or have another person represent it.",
        )
    check_is_verified(representative)
    body.recognition, body.recognition_reference = Recognition.RECOGNISED, reference
    body.save(update_fields=["recognition", "recognition_reference"])
    body.representatives.add(representative)


@performs(REFUSE_RECOGNITION, CASE)
def refuse_recognition(context: CaseContext, *, reference: str) -> None:
    """Refuse recognition: the case continues under the community procedure, and its content is kept (6.3)."""
    context.details = {"reference": _reference(reference, "decision")}
    context.case.recognition = Recognition.REFUSED
    context.case.procedure = Procedure.COMMUNITY


def _reference(text: str, what: str) -> str:
    return check_text(
        text, f"the reference to the {what}", longest=MAX_REFERENCE_LENGTH, argument="reference"
    )
