"""request_changes: the expert says what is to change, each point tied to a section of the template."""

import pytest

from registry.accounts.models import User
from registry.cases.case_detail import rounds_of
from registry.cases.drafts.replies import open_points_of
from registry.cases.models import ActionPoint, Case, Review, State, Verdict
from registry.cases.workflow import functions
from registry.cases.workflow.committed_texts import digest_of_points
from registry.cases.workflow.exceptions import StaleRound, UnknownSection
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from tests.cases.traces import NO_WORDS, UNSTORABLE, digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round

POINTS = [("purpose", "Say who benefits."), ("syntax", "Say whether zeros lead.")]


def request(case: Case, by: User, **changes: object) -> Case:
    asked = {"round_number": 1, "rationale": "A useful idea.", "action_points": POINTS} | changes
    return functions.request_changes(case, by=by, **asked)  # type: ignore[arg-type]


def test_the_case_goes_back_with_a_review_and_its_points(in_review: Case, expert: User) -> None:
    with one_event(
        verb="request_changes",
        by=expert,
        case=in_review.pk,
        moved=("in_review", "changes_requested"),
        reason="A useful idea.",
        text=digest_of_round(in_review, 1),
        details={"round": 1, "action_points": 2, "points_digest": digest_of_points(POINTS)},
    ):
        case = request(in_review, expert)
    assert case.state == State.CHANGES_REQUESTED
    assert case.state_since > in_review.state_since
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.round.number) == (Verdict.REQUEST_CHANGES, expert, 1)
    assert [(point.section, point.text) for point in review.action_points.all()] == POINTS


def test_each_point_is_shown_with_its_section(in_review: Case, expert: User) -> None:
    case = request(in_review, expert)
    sections = {part.section.key: part.points for part in rounds_of(case)[0].sections}
    assert [point.text for point in sections["purpose"]] == ["Say who benefits."]
    assert [point.text for point in sections["syntax"]] == ["Say whether zeros lead."]
    assert not sections["resolution"]


def test_the_points_stay_with_their_round_and_are_not_open_after_the_next(
    in_review: Case, expert: User
) -> None:
    request(in_review, expert)
    case = Case.objects.get(pk=next_round(in_review).pk)
    assert open_points_of(case) == []
    assert ActionPoint.objects.filter(review__round__number=1).count() == 2


def test_the_rationale_is_optional(in_review: Case, expert: User) -> None:
    assert request(in_review, expert, rationale="  ").state == State.CHANGES_REQUESTED
    assert Review.objects.get().rationale == ""


def test_an_action_point_is_required(in_review: Case, expert: User) -> None:
    with refused(TextMissing, "at least one action point"):
        request(in_review, expert, action_points=[])


@pytest.mark.parametrize("words", NO_WORDS)
def test_an_action_point_requires_a_text(words: str, in_review: Case, expert: User) -> None:
    with refused(TextMissing):
        request(in_review, expert, action_points=[*POINTS, ("assignment", words)])


@pytest.mark.parametrize("section", ["", "purposes", "purpose\n", "Purpose", "pürpose", "purpose" * 20])
def test_an_action_point_requires_a_section(section: str, in_review: Case, expert: User) -> None:
    with refused(UnknownSection):
        request(in_review, expert, action_points=[*POINTS, (section, "Say more.")])


@pytest.mark.parametrize("words", UNSTORABLE)
def test_unstorable_text_is_rejected(words: str, in_review: Case, expert: User) -> None:
    with refused(UnstorableCharacter, "U+"):
        request(in_review, expert, rationale=words)
    with refused(UnstorableCharacter, "U+"):
        request(in_review, expert, action_points=[*POINTS, ("purpose", f"x{words}")])


def test_too_long_text_is_rejected(in_review: Case, expert: User) -> None:
    with refused(TextTooLong, "50,000"):
        request(in_review, expert, rationale="x" * 50_001)
    assert request(in_review, expert, rationale="x" * 50_000).state == State.CHANGES_REQUESTED


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", [-1, 0, 1, 3])
def test_a_stale_round_is_rejected(number: int, in_review: Case, expert: User) -> None:
    next_round(in_review)
    with refused(StaleRound, "round 2 is the latest"):
        request(in_review, expert, round_number=number)
