"""Making the moves of `cases.workflow.table`, one function a move, all through `transition`.

An action is atomic, takes keyword-only `by`, sees no HTTP request, skips no check, and returns the fresh
case. Its refusals are RegistryErrors whose words can be shown.
"""

from collections.abc import Sequence
from http import HTTPStatus

from django.utils import timezone

from registry.accounts.models import Body, Recognition, User
from registry.cases import permissions
from registry.cases.discussion import canned_texts
from registry.cases.drafts import replies
from registry.cases.drafts.drafts import check_stamp, in_case, requested_nid
from registry.cases.findings import blocking, findings_of
from registry.cases.models import ActionPoint, Case, Procedure, Review, Round, State, Verdict
from registry.cases.workflow.engine import transition
from registry.cases.workflow.table import ConditionNotMet
from registry.core.exceptions import RegistryError
from registry.core.validators import TextMissing, check_optional_text, check_text
from registry.namespaces.models import Kind
from registry.namespaces.services import registration
from registry.registration_template.checks.findings import Finding
from registry.registration_template.formatting import format_template
from registry.registration_template.sections import SECTION_BY_KEY
from registry.registration_template.template import RegistrationTemplate

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

    def __init__(self, round_: Round) -> None:
        super().__init__(
            f"You submitted this as round {round_.number} at {round_.submitted_at:%Y-%m-%d %H:%M:%S} "
            "UTC; nothing more is to be done."
        )


class SecondExpertNeeded(RegistryError):
    """The case is set to need two experts of one mind, and this one has answered already."""

    title = "A second expert is needed"


def _reference(text: str, what: str) -> str:
    return check_text(text, f"the reference to the {what}", longest=LONGEST_REFERENCE)


def _round(case: Case, number: int | None) -> Round:
    """The latest round, which must be the one that the caller looked at, if they say which."""
    latest = case.rounds.order_by("-number").first()
    if latest is None or (number is not None and latest.number != number):
        raise RoundOvertaken(
            f"You looked at round {number}; round {latest.number if latest else 0} is the latest. "
            "Read it first, then decide."
        )
    return latest


def submit(case: Case, *, by: User, draft_stamp: int) -> Case:
    """Freeze the draft as the next round, with the answers to the action points of the round before, unless
    it has blocking findings or leaves a point unanswered (6.2, steps 1 to 3).
    """
    with transition(case, "submit", by=by) as context:
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


def _review(case: Case, name: str, verdict: Verdict, rationale: str, *, by: User, round_number: int) -> Case:
    """The shape of a verdict: on the latest round, with its rationale.

    Where two experts are needed, the first of them decides nothing yet, and can't be the second one too.
    """
    with transition(case, name, by=by) as context:
        round_ = _round(context.case, round_number)
        if context.case.needs_two_experts and verdict in DECIDING:
            agreeing = round_.reviews.filter(verdict=verdict)
            if agreeing.filter(expert=by).exists():
                raise SecondExpertNeeded(
                    f"You have answered so already. Case {context.case.pk} needs a second expert of the same mind."
                )
            if not agreeing.exists():
                context.verb, context.to = "answer_of_first_expert", State.IN_REVIEW
        context.reason = canned_texts.check_own_words(check_text(rationale, "the rationale"))
        context.text_digest = round_.digest
        context.details = {"round": round_.number} | ({"verdict": verdict.value} if context.verb else {})
        Review.objects.create(round=round_, expert=by, verdict=verdict, rationale=context.reason)
    return context.case


def request_changes(
    case: Case,
    *,
    by: User,
    round_number: int,
    rationale: str,
    action_points: Sequence[tuple[str, str]],
) -> Case:
    """Send the case back with what is to change, as (section, text) pairs, at least one (6.2, step 3)."""
    with transition(case, "request_changes", by=by) as context:
        round_ = _round(context.case, round_number)
        if not action_points:
            raise TextMissing("Name at least one action point, and the section that it concerns.")
        context.reason = canned_texts.check_own_words(check_optional_text(rationale, "the rationale"))
        review = Review.objects.create(
            round=round_, expert=by, verdict=Verdict.REQUEST_CHANGES, rationale=context.reason
        )
        for section, text in action_points:
            if section not in SECTION_BY_KEY:
                raise UnknownSection(f"“{section}” is no section of the template.")
            point = canned_texts.check_own_words(check_text(text, "what is to change in each action point"))
            ActionPoint.objects.create(review=review, section=section, text=point)
        context.text_digest = round_.digest
        context.details = {"round": round_.number, "action_points": len(action_points)}
    return context.case


def advise(case: Case, *, by: User, round_number: int, rationale: str) -> Case:
    """Give advice on a fast-track case: it binds nobody (6.3, step 3)."""
    return _review(case, "advise", Verdict.ADVICE, rationale, by=by, round_number=round_number)


def approve(case: Case, *, by: User, round_number: int, rationale: str) -> Case:
    """Approve the round for registration (6.2, step 4)."""
    return _review(case, "approve", Verdict.APPROVE, rationale, by=by, round_number=round_number)


def forward_report(case: Case, *, by: User, round_number: int, report: str) -> Case:
    """Send the experts' report to the approval body, and wait for its direction (6.2, step 4)."""
    return _review(case, "forward_report", Verdict.REPORT, report, by=by, round_number=round_number)


def decline(case: Case, *, by: User, round_number: int, reason: str) -> Case:
    """Decline the request (RFC 8126, section 4.5: expert review can end so)."""
    return _review(case, "decline", Verdict.DECLINE, reason, by=by, round_number=round_number)


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
    with transition(case, "direct", by=by) as context:
        round_ = _round(context.case, round_number)
        context.to = State.APPROVED if is_approved else State.DECLINED
        context.reason = check_optional_text(reason, "the reason")
        context.details = {"reference": _reference(reference, "body's decision"), "round": round_.number}
    return context.case


def appeal(case: Case, *, by: User, reason: str) -> Case:
    """Ask the approval body to decide on a declined case: once."""
    with transition(case, "appeal", by=by) as context:
        context.reason = check_text(reason, "why the decision should be looked at again")
        context.case.appealed_at = timezone.now()
    return context.case


def recognise(case: Case, *, by: User, reference: str, for_later_cases: bool = False) -> Case:
    """Recognise the requesting body, for this case or for later ones too (6.3)."""
    with transition(case, "recognise", by=by) as context:
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


def refuse_recognition(case: Case, *, by: User, reference: str) -> Case:
    """Refuse it: the case goes on under the community procedure, with everything it holds (6.3)."""
    with transition(case, "refuse_recognition", by=by) as context:
        context.details = {"reference": _reference(reference, "decision")}
        context.case.recognition = Recognition.REFUSED
        context.case.procedure = Procedure.COMMUNITY
    return context.case


def request_completion(case: Case, *, by: User, round_number: int | None = None) -> Case:
    """The recognised body asks for the registration to be completed (6.3, step 4)."""
    with transition(case, "request_completion", by=by) as context:
        context.details = {"round": _round(context.case, round_number).number}
    return context.case


def assign(case: Case, *, by: User, round_number: int | None = None) -> Case:
    """Register the approved round: claim the NID, or give the next number, or add the next version."""
    with transition(case, "assign", by=by) as context:
        case = context.case
        round_ = _round(case, round_number)
        if case.is_revision and case.namespace is not None:
            revision = registration.register_revision(case.namespace, round_.template)
        elif case.kind == Kind.INFORMAL:
            revision = registration.register_informal(round_.template, registrant=case.registrant)
        else:
            revision = registration.register_formal(round_.template, registrant=case.registrant)
        case.revision, case.namespace = revision, revision.namespace
        context.nid = revision.namespace.nid
        context.text_digest = revision.digest
        context.details = {"version": revision.version, "round": round_.number}
    return case


def return_to_registrant(case: Case, *, by: User, reason: str) -> Case:
    """Send an approved case back instead of assigning it, saying why."""
    with transition(case, "return_to_registrant", by=by) as context:
        context.reason = check_text(reason, "why it can't be assigned")
    return context.case


def withdraw(case: Case, *, by: User, reason: str = "") -> Case:
    """Take the request back. The case and its record stay readable."""
    with transition(case, "withdraw", by=by) as context:
        context.reason = check_optional_text(reason, "the reason")
    return context.case
