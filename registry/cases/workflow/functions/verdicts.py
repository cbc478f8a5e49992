"""Functions of transitions: verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from registry.accounts.models import User
from registry.actions.engine import performs
from registry.audit_log.models import Event
from registry.cases import canned_texts
from registry.cases.models import (
    DECIDING_VERDICTS,
    ActionPoint,
    Case,
    Review,
    State,
    TakenBackReview,
    Verdict,
)
from registry.cases.workflow.committed_texts import digest_of_points
from registry.cases.workflow.declarations.actions import FIRST_VERDICT, REQUIRE_TWO_EXPERTS
from registry.cases.workflow.declarations.reviews import (
    ADVISE,
    APPROVE,
    DECLINE,
    FORWARD_REPORT,
    REQUEST_CHANGES,
    TAKE_BACK,
    VERDICTS,
    deciding_on,
)
from registry.cases.workflow.exceptions import PlaceholderLeft, SecondExpertNeeded, UnknownSection
from registry.cases.workflow.subject import CASE, CaseContext, check_latest_round
from registry.core.validators import TextMissing, TextRefused, check_optional_text, check_text, shortened
from registry.registration_template.sections import SECTION_BY_KEY

NEEDED = 2


@dataclass(frozen=True, slots=True)
class Tally:
    """The deciding verdicts on the latest round, by their label in lower case, with the experts who gave them."""

    experts: dict[str, list[str]]

    @property
    def is_split(self) -> bool:
        """Whether the experts disagree."""
        return len(self.experts) > 1

    def __str__(self) -> str:
        given = (f"{len(who)} of {NEEDED}: {label} ({', '.join(who)})" for label, who in self.experts.items())
        return "; ".join(given)


def tally_of(case: Case, reviews: Iterable[Review]) -> Tally | None:
    """The tally of a case in review that two experts decide; None without a verdict."""
    if not case.needs_two_experts or case.state != State.IN_REVIEW:
        return None
    experts: dict[str, list[str]] = {}
    for review in reviews:
        if review.verdict in DECIDING_VERDICTS and not review.is_taken_back and review.at >= case.state_since:
            experts.setdefault(VERDICTS[review.verdict].label, []).append(str(review.expert))
    return Tally(experts) if experts else None


# A place that a drafted report leaves to the experts.
RECOMMENDATION = "[replace this with the recommendation and the reasons]"


def _review(context: CaseContext, rationale: str, *, round_number: int) -> None:
    """Record a verdict on the latest round, with its rationale. Transition and verdict have the same name.

    If two experts are required, the first verdict does not change the state, and the second must be another expert's.
    """
    verdict, by = Verdict(context.event_type.name), context.actor
    round_ = check_latest_round(context.case, round_number)
    if context.case.needs_two_experts and verdict in DECIDING_VERDICTS:
        given = deciding_on(round_)
        if given.filter(expert=by).exists():
            raise SecondExpertNeeded(
                f"You have already given a verdict on this round. Case {context.case.pk} needs that of another expert."
            )
        if not given.filter(verdict=verdict).exists():
            context.event_type, context.to = FIRST_VERDICT, State.IN_REVIEW
    elif verdict in DECIDING_VERDICTS:
        _check_did_not_lower(context.case, by)
    context.reason = canned_texts.check_not_only_canned(check_text(rationale, "the rationale"))
    if RECOMMENDATION in context.reason:
        raise PlaceholderLeft(
            f"The report still contains “{RECOMMENDATION}”. Write what the experts recommend, and why."
        )
    context.text_digest = round_.digest
    context.details = {"round": round_.number} | (
        {"verdict": verdict.value} if context.event_type is FIRST_VERDICT else {}
    )
    Review.objects.create(
        round=round_,
        expert=by,
        verdict=verdict,
        rationale=context.reason,
        case_since=context.case.state_since,
    )


def _check_did_not_lower(case: Case, by: User) -> None:
    """Raise SecondExpertNeeded if `by` recorded that one expert is enough: they can't then decide alone."""
    required = (
        Event.objects.filter(case_number=case.pk, verb=REQUIRE_TWO_EXPERTS.name).order_by("number").last()
    )
    if required is not None and required.actor_id == by.pk:
        raise SecondExpertNeeded(
            "You recorded that one expert is enough for this case, so another expert decides it."
        )


@performs(REQUEST_CHANGES, CASE)
def request_changes(
    context: CaseContext, *, round_number: int, action_points: Sequence[tuple[str, str]], rationale: str = ""
) -> None:
    """Return the case with action points: (section, text) pairs, at least one (6.2, step 3)."""
    round_ = check_latest_round(context.case, round_number)
    if not action_points:
        raise TextMissing(
            "Enter at least one action point, and choose its section.", argument="action_points"
        )
    context.reason = canned_texts.check_not_only_canned(check_optional_text(rationale, "the rationale"))
    review = Review.objects.create(
        round=round_,
        expert=context.actor,
        verdict=Verdict.REQUEST_CHANGES,
        rationale=context.reason,
        case_since=context.case.state_since,
    )
    points = [_checked_point(number, *each) for number, each in enumerate(action_points, 1)]
    for section, text in points:
        ActionPoint.objects.create(review=review, section=section, text=text)
    context.text_digest = round_.digest
    context.details = {"round": round_.number, "action_points": len(action_points)}
    context.details["points_digest"] = digest_of_points(points)


def _checked_point(number: int, section: str, text: str) -> tuple[str, str]:
    """The section and the text of the action point with this number. Raises a TextRefused that names the point."""
    try:
        if section not in SECTION_BY_KEY:
            wrong = f"“{shortened(section)}” is not a section of the template"
            problem = wrong if section else "the section is missing"
            raise UnknownSection(f"Action point {number}: {problem}. Choose a section.")
        return section, check_text(text, f"the text of action point {number}")
    except TextRefused as refusal:
        refusal.argument, refusal.row = "action_points", number
        raise


@performs(ADVISE, CASE)
def advise(context: CaseContext, *, round_number: int, rationale: str) -> None:
    """Give advice on a fast-track case, which does not bind the requesting body (6.3, step 3)."""
    _review(context, rationale, round_number=round_number)


@performs(APPROVE, CASE)
def approve(context: CaseContext, *, round_number: int, rationale: str) -> None:
    """Approve the round for registration (6.2, step 4)."""
    _review(context, rationale, round_number=round_number)


@performs(FORWARD_REPORT, CASE)
def forward_report(context: CaseContext, *, round_number: int, report: str) -> None:
    """Forward the experts' report to the approval body, which decides the case (6.2, step 4).

    The report can't be changed later, so one with an unfilled place is refused.
    """
    _review(context, report, round_number=round_number)


@performs(DECLINE, CASE)
def decline(context: CaseContext, *, round_number: int, reason: str) -> None:
    """Decline the request, a possible result of expert review (RFC 8126, Section 4.5)."""
    _review(context, reason, round_number=round_number)


@performs(TAKE_BACK, CASE)
def take_back(context: CaseContext, *, reason: str) -> None:
    """Take back the latest verdict. The time in review counts from the same moment as before the verdict."""
    context.reason = check_text(reason, "the reason")
    given = Review.objects.verdicts().filter(expert=context.actor, round__case=context.case)
    review = given.select_related("round").latest("pk")
    TakenBackReview.objects.create(review=review)
    context.since = review.case_since
    context.details = {"round": review.round.number, "verdict": review.verdict}
