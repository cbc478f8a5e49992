"""The verdicts of the experts on a round."""

from collections.abc import Sequence

from registry.accounts.models import User
from registry.cases.discussion import canned_texts
from registry.cases.models import ActionPoint, Case, Review, State, Verdict
from registry.cases.workflow.action_table import ANSWER_OF_FIRST_EXPERT
from registry.cases.workflow.definition import Transition, action_of
from registry.cases.workflow.engine import check_latest_round, transition
from registry.cases.workflow.exceptions import SecondExpertNeeded, UnknownSection
from registry.cases.workflow.table import ADVISE, APPROVE, DECLINE, FORWARD_REPORT, REQUEST_CHANGES
from registry.core.validators import TextMissing, check_optional_text, check_text
from registry.registration_template.sections import SECTION_BY_KEY

# The verdicts that end a review. A request for changes decides nothing, so one expert can always make it.
DECIDING = frozenset({Verdict.APPROVE, Verdict.DECLINE, Verdict.REPORT})


def _review(definition: Transition, case: Case, rationale: str, *, by: User, round_number: int) -> Case:
    """Give a verdict on the latest round, with its rationale. The name of the transition is that of the verdict.

    Where two experts are needed, the first of them decides nothing yet, and can't be the second one too.
    """
    verdict = Verdict(definition.name)
    with transition(definition, case, by=by) as context:
        round_ = check_latest_round(context.case, round_number)
        if context.case.needs_two_experts and verdict in DECIDING:
            agreeing = round_.reviews.filter(verdict=verdict)
            if agreeing.filter(expert=by).exists():
                raise SecondExpertNeeded(
                    f"You have answered so already. Case {context.case.pk} needs a second expert of the same mind."
                )
            if not agreeing.exists():
                context.event_type, context.to = ANSWER_OF_FIRST_EXPERT, State.IN_REVIEW
        context.reason = canned_texts.check_own_words(check_text(rationale, "the rationale"))
        context.text_digest = round_.digest
        context.details = {"round": round_.number} | (
            {"verdict": verdict.value} if context.event_type is ANSWER_OF_FIRST_EXPERT else {}
        )
        Review.objects.create(round=round_, expert=by, verdict=verdict, rationale=context.reason)
    return context.case


@action_of(REQUEST_CHANGES)
def request_changes(
    case: Case,
    *,
    by: User,
    round_number: int,
    action_points: Sequence[tuple[str, str]],
    rationale: str = "",
) -> Case:
    """Send the case back with what is to change, as (section, text) pairs, at least one (6.2, step 3)."""
    with transition(REQUEST_CHANGES, case, by=by) as context:
        round_ = check_latest_round(context.case, round_number)
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


@action_of(ADVISE)
def advise(case: Case, *, by: User, round_number: int, rationale: str) -> Case:
    """Give advice on a fast-track case: it binds nobody (6.3, step 3)."""
    return _review(ADVISE, case, rationale, by=by, round_number=round_number)


@action_of(APPROVE)
def approve(case: Case, *, by: User, round_number: int, rationale: str) -> Case:
    """Approve the round for registration (6.2, step 4)."""
    return _review(APPROVE, case, rationale, by=by, round_number=round_number)


@action_of(FORWARD_REPORT)
def forward_report(case: Case, *, by: User, round_number: int, report: str) -> Case:
    """Send the experts' report to the approval body, and wait for its direction (6.2, step 4)."""
    return _review(FORWARD_REPORT, case, report, by=by, round_number=round_number)


@action_of(DECLINE)
def decline(case: Case, *, by: User, round_number: int, reason: str) -> Case:
    """Decline the request (RFC 8126, section 4.5: expert review can end so)."""
    return _review(DECLINE, case, reason, by=by, round_number=round_number)
