"""Making the moves of `registrations.workflow`, one function a move, all through `moving`.

An action is atomic, takes keyword-only `by`, sees no HTTP request, skips no check, and returns the fresh
case. Its refusals are RegistryErrors whose words can be shown.
"""

from collections.abc import Sequence
from http import HTTPStatus

from django.utils import timezone

from registry.accounts.models import Body, Recognition, User
from registry.appendix_a.findings import Finding
from registry.appendix_a.formatting import format_text
from registry.appendix_a.sections import SECTION_BY_KEY
from registry.appendix_a.submission import Submission as Content
from registry.errors import RegistryError
from registry.namespaces import registering
from registry.namespaces.models import Kind
from registry.registrations import answers, canned_texts, permissions
from registry.registrations.drafts import check_stamp, in_case, requested_nid
from registry.registrations.findings import blocking, findings_of
from registry.registrations.models import (
    ActionPoint,
    Procedure,
    Registration,
    Review,
    State,
    Submission,
    Verdict,
)
from registry.registrations.moving import moving
from registry.registrations.workflow import ConditionNotMet
from registry.words import WordsMissing, check_remark, check_words

# The answers that end a review. A request for changes decides nothing, so one expert can always make it.
DECIDING = frozenset({Verdict.APPROVE, Verdict.DECLINE, Verdict.REPORT})
LONGEST_REFERENCE = Body._meta.get_field("recognition_reference").max_length or 0


class SubmissionIncomplete(RegistryError):
    """The template has blocking findings. `findings` holds them, each with its section."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The template is not ready to be submitted"

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(" ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


class NothingChanged(RegistryError):
    """The round that is in review says the same."""

    title = "Nothing changed since the last round"


class UnknownSection(RegistryError):
    """An action point concerns a section that the template does not have."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "There is no such section"


class RoundOvertaken(RegistryError):
    """The round that was looked at is not the latest any more."""

    title = "A newer round was submitted"


class AlreadySubmitted(RegistryError):
    """The same person submitted the same text a moment ago: a button was pressed twice."""

    title = "This is submitted already"

    def __init__(self, submission: Submission) -> None:
        super().__init__(
            f"You submitted this as round {submission.round} at {submission.submitted_at:%Y-%m-%d %H:%M:%S} "
            "UTC; nothing more is to be done."
        )


class SecondExpertNeeded(RegistryError):
    """The case is set to need two experts of one mind, and this one has answered already."""

    title = "A second expert is needed"


def _reference(text: str, what: str) -> str:
    return check_words(text, f"the reference to the {what}", longest=LONGEST_REFERENCE)


def _round(case: Registration, number: int | None) -> Submission:
    """The latest round, which must be the one that the caller looked at, if they say which."""
    latest = case.submissions.order_by("-round").first()
    if latest is None or (number is not None and latest.round != number):
        raise RoundOvertaken(
            f"You looked at round {number}; round {latest.round if latest else 0} is the latest. "
            "Read it first, then decide."
        )
    return latest


def submit(registration: Registration, *, by: User, draft_stamp: int) -> Registration:
    """Freeze the draft as the next round, with the answers to the action points of the round before, unless
    it has blocking findings or leaves a point unanswered (6.2, steps 1 to 3).
    """
    with moving(registration, "submit", by=by) as step:
        case = step.case
        if case.draft_stamp != draft_stamp:
            check_not_submitted(case, case.content, by=by)
        check_stamp(case, draft_stamp)
        if faults := blocking(findings_of(case)):
            raise SubmissionIncomplete(faults)
        answers.check_answered(case)
        points = answers.open_points_of(case)
        content = in_case(case, case.content)
        latest = case.submissions.order_by("-round").first()
        if latest and case.state == State.IN_REVIEW and latest.digest == content.digest():
            raise NothingChanged(
                f"The draft says what round {latest.round} says, which is in review already."
            )
        submission = Submission.objects.create(
            registration=case,
            round=latest.round + 1 if latest else 1,
            content=content.to_json(),
            text=format_text(content),
            digest=content.digest(),
            submitted_by=by,
        )
        case.requested_nid = requested_nid(case, content)
        _take_standing_recognition(case)
        case.draft_stamp += 1  # whoever pressed the button twice, or at the same time, is told
        step.text_digest = submission.digest
        co_editors = sorted(case.co_editors.values_list("user", flat=True))
        answered = answers.settle(case, submission, points)
        step.particulars = (
            {"round": submission.round}
            | ({"co_editors": co_editors} if co_editors else {})
            | ({"answers": answered} if answered else {})
        )
    return case


def check_not_submitted(case: Registration, content: Content, *, by: User) -> None:
    """Raise AlreadySubmitted if the round in review is this text, submitted by `by`."""
    latest = case.submissions.order_by("-round").first()
    if latest is None or case.state != State.IN_REVIEW or latest.submitted_by_id != by.pk:
        return
    if latest.digest == in_case(case, content).digest():
        raise AlreadySubmitted(latest)


def _take_standing_recognition(case: Registration) -> None:
    """What the approval body said of the requesting body before holds for this case too (6.3)."""
    if case.body is None or case.recognition != Recognition.PENDING:
        return
    if case.body.recognition == Recognition.RECOGNISED and not case.is_brought_by_representative:
        return  # anybody can name a body; whether they speak for it, the liaison says
    case.recognition = case.body.recognition
    if case.recognition == Recognition.REFUSED:
        case.procedure = Procedure.COMMUNITY


def _review(
    registration: Registration, name: str, verdict: Verdict, rationale: str, *, by: User, round_number: int
) -> Registration:
    """The shape of a verdict: on the latest round, with its rationale.

    Where two experts are needed, the first of them decides nothing yet, and can't be the second one too.
    """
    with moving(registration, name, by=by) as step:
        submission = _round(step.case, round_number)
        if step.case.needs_two_experts and verdict in DECIDING:
            agreeing = submission.reviews.filter(verdict=verdict)
            if agreeing.filter(expert=by).exists():
                raise SecondExpertNeeded(
                    f"You have answered so already. Case {step.case.pk} needs a second expert of the same mind."
                )
            if not agreeing.exists():
                step.verb, step.to = "answer_first", State.IN_REVIEW
        step.reason = canned_texts.check_own_words(check_words(rationale, "the rationale"))
        step.text_digest = submission.digest
        step.particulars = {"round": submission.round} | ({"verdict": verdict.value} if step.verb else {})
        Review.objects.create(submission=submission, expert=by, verdict=verdict, rationale=step.reason)
    return step.case


def request_changes(
    registration: Registration,
    *,
    by: User,
    round_number: int,
    rationale: str,
    action_points: Sequence[tuple[str, str]],
) -> Registration:
    """Send the case back with what is to change, as (section, text) pairs, at least one (6.2, step 3)."""
    with moving(registration, "request_changes", by=by) as step:
        submission = _round(step.case, round_number)
        if not action_points:
            raise WordsMissing("Name at least one action point, and the section that it concerns.")
        step.reason = canned_texts.check_own_words(check_remark(rationale, "the rationale"))
        review = Review.objects.create(
            submission=submission, expert=by, verdict=Verdict.REQUEST_CHANGES, rationale=step.reason
        )
        for section, text in action_points:
            if section not in SECTION_BY_KEY:
                raise UnknownSection(f"“{section}” is no section of the template.")
            point = canned_texts.check_own_words(check_words(text, "what is to change in each action point"))
            ActionPoint.objects.create(review=review, section=section, text=point)
        step.text_digest = submission.digest
        step.particulars = {"round": submission.round, "action_points": len(action_points)}
    return step.case


def advise(registration: Registration, *, by: User, round_number: int, rationale: str) -> Registration:
    """Give advice on a fast-track case: it binds nobody (6.3, step 3)."""
    return _review(registration, "advise", Verdict.ADVICE, rationale, by=by, round_number=round_number)


def approve(registration: Registration, *, by: User, round_number: int, rationale: str) -> Registration:
    """Approve the round for registration (6.2, step 4)."""
    return _review(registration, "approve", Verdict.APPROVE, rationale, by=by, round_number=round_number)


def forward_report(registration: Registration, *, by: User, round_number: int, report: str) -> Registration:
    """Send the experts' report to the approval body, and wait for its direction (6.2, step 4)."""
    return _review(registration, "forward_report", Verdict.REPORT, report, by=by, round_number=round_number)


def decline(registration: Registration, *, by: User, round_number: int, reason: str) -> Registration:
    """Decline the request (RFC 8126, section 4.5: expert review can end so)."""
    return _review(registration, "decline", Verdict.DECLINE, reason, by=by, round_number=round_number)


def direct(
    registration: Registration,
    *,
    by: User,
    is_approved: bool,
    reference: str,
    reason: str = "",
    round_number: int | None = None,
) -> Registration:
    """Record what the approval body decided, with the reference to its decision (6.2, step 4)."""
    with moving(registration, "direct", by=by) as step:
        submission = _round(step.case, round_number)
        step.to = State.APPROVED if is_approved else State.DECLINED
        step.reason = check_remark(reason, "the reason")
        step.particulars = {"reference": _reference(reference, "body's decision"), "round": submission.round}
    return step.case


def appeal(registration: Registration, *, by: User, reason: str) -> Registration:
    """Ask the approval body to decide on a declined case: once."""
    with moving(registration, "appeal", by=by) as step:
        step.reason = check_words(reason, "why the decision should be looked at again")
        step.case.appealed_at = timezone.now()
    return step.case


def recognise(
    registration: Registration, *, by: User, reference: str, for_later_cases: bool = False
) -> Registration:
    """Recognise the requesting body, for this case or for later ones too (6.3)."""
    with moving(registration, "recognise", by=by) as step:
        reference = _reference(reference, "recognition")
        step.case.recognition = Recognition.RECOGNISED
        step.particulars = {"reference": reference, "for_later_cases": for_later_cases}
        if for_later_cases and step.case.body is not None:
            _recognise_for_later_cases(step.case.body, step.case.registrant, reference, by=by)
    return step.case


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


def refuse_recognition(registration: Registration, *, by: User, reference: str) -> Registration:
    """Refuse it: the case goes on under the community procedure, with everything it holds (6.3)."""
    with moving(registration, "refuse_recognition", by=by) as step:
        step.particulars = {"reference": _reference(reference, "decision")}
        step.case.recognition = Recognition.REFUSED
        step.case.procedure = Procedure.COMMUNITY
    return step.case


def request_completion(
    registration: Registration, *, by: User, round_number: int | None = None
) -> Registration:
    """The recognised body asks for the registration to be completed (6.3, step 4)."""
    with moving(registration, "request_completion", by=by) as step:
        step.particulars = {"round": _round(step.case, round_number).round}
    return step.case


def assign(registration: Registration, *, by: User, round_number: int | None = None) -> Registration:
    """Register the approved round: claim the NID, or give the next number, or add the next version."""
    with moving(registration, "assign", by=by) as step:
        case = step.case
        submission = _round(case, round_number)
        if case.is_revision and case.namespace is not None:
            revision = registering.register_revision(case.namespace, submission.submission)
        elif case.kind == Kind.INFORMAL:
            revision = registering.register_informal(submission.submission, registrant=case.registrant)
        else:
            revision = registering.register_formal(submission.submission, registrant=case.registrant)
        case.revision, case.namespace = revision, revision.namespace
        step.nid = revision.namespace.nid
        step.text_digest = revision.digest
        step.particulars = {"version": revision.version, "round": submission.round}
    return case


def return_to_registrant(registration: Registration, *, by: User, reason: str) -> Registration:
    """Send an approved case back instead of assigning it, saying why."""
    with moving(registration, "return_to_registrant", by=by) as step:
        step.reason = check_words(reason, "why it can't be assigned")
    return step.case


def withdraw(registration: Registration, *, by: User, reason: str = "") -> Registration:
    """Take the request back. The case and its record stay readable."""
    with moving(registration, "withdraw", by=by) as step:
        step.reason = check_remark(reason, "the reason")
    return step.case
