"""Submitting a draft as the next round, and withdrawing the request."""

from registry.accounts.models import Recognition, User
from registry.cases.drafts import replies
from registry.cases.drafts.drafts import check_stamp, in_case, requested_nid
from registry.cases.findings import blocking, findings_of
from registry.cases.models import Case, Procedure, Round, State
from registry.cases.workflow.definition import action_of
from registry.cases.workflow.engine import transition
from registry.cases.workflow.exceptions import AlreadySubmitted, NothingChanged, SubmissionIncomplete
from registry.cases.workflow.table import SUBMIT, WITHDRAW
from registry.core.validators import check_optional_text
from registry.registration_template.formatting import format_template
from registry.registration_template.template import RegistrationTemplate


@action_of(SUBMIT)
def submit(case: Case, *, by: User, draft_stamp: int) -> Case:
    """Freeze the draft as the next round, with the answers to the action points of the round before, unless
    it has blocking findings or leaves a point unanswered (6.2, steps 1 to 3).
    """
    with transition(SUBMIT, case, by=by) as context:
        case = context.case
        if case.draft_stamp != draft_stamp:
            check_not_submitted(case, case.draft_template, by=by)
        check_stamp(case, draft_stamp)
        if faults := blocking(findings_of(case)):
            raise SubmissionIncomplete(faults)
        replies.check_answered(case)
        points = replies.open_points_of(case)
        template = in_case(case, case.draft_template)
        latest = case.rounds.order_by("-number").first()
        if latest and case.state == State.IN_REVIEW and latest.digest == template.digest():
            raise NothingChanged(
                f"The draft says what round {latest.number} says, which is in review already."
            )
        round_ = Round.objects.create(
            case=case,
            number=latest.number + 1 if latest else 1,
            content=template.to_json(),
            text=format_template(template),
            digest=template.digest(),
            submitted_by=by,
        )
        case.requested_nid = requested_nid(case, template)
        _take_standing_recognition(case)
        case.draft_stamp += 1  # whoever pressed the button twice, or at the same time, is told
        context.text_digest = round_.digest
        co_editors = sorted(case.co_editors.values_list("user", flat=True))
        reply_count = replies.settle(case, round_, points)
        context.details = (
            {"round": round_.number}
            | ({"co_editors": co_editors} if co_editors else {})
            | ({"answers": reply_count} if reply_count else {})
        )
    return case


def check_not_submitted(case: Case, template: RegistrationTemplate, *, by: User) -> None:
    """Raise AlreadySubmitted if the round in review is this text, submitted by `by`."""
    latest = case.rounds.order_by("-number").first()
    if latest is None or case.state != State.IN_REVIEW or latest.submitted_by_id != by.pk:
        return
    if latest.digest == in_case(case, template).digest():
        raise AlreadySubmitted(latest)


def _take_standing_recognition(case: Case) -> None:
    """What the approval body said of the requesting body before holds for this case too (6.3)."""
    if case.body is None or case.recognition != Recognition.PENDING:
        return
    if case.body.recognition == Recognition.RECOGNISED and not case.is_brought_by_representative:
        return  # anybody can name a body; whether they speak for it, the liaison says
    case.recognition = case.body.recognition
    if case.recognition == Recognition.REFUSED:
        case.procedure = Procedure.COMMUNITY


@action_of(WITHDRAW)
def withdraw(case: Case, *, by: User, reason: str = "") -> Case:
    """Take the request back. The case and its record stay readable."""
    with transition(WITHDRAW, case, by=by) as context:
        context.reason = check_optional_text(reason, "the reason")
    return context.case
