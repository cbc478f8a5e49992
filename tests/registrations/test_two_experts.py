"""A case can be set to need two experts of one mind; without that the first answer decides."""

import pytest

from registry.accounts.models import RoleName, User
from registry.errors import NotForYou
from registry.mail.models import Message
from registry.record.models import Event
from registry.registrations import actions, acts
from registry.registrations.actions import SecondExpertNeeded
from registry.registrations.models import Registration, Review, State
from registry.registrations.workflow import ConditionNotMet, MoveNotOpen
from registry.words import WordsMissing
from tests.browsing import signed_in
from tests.factories import a_body, a_case_in_review, a_person

DECIDE = {
    "approve": (actions.approve, "rationale", State.APPROVED),
    "decline": (actions.decline, "reason", State.DECLINED),
}


@pytest.fixture
def case(registrant: User, expert: User) -> Registration:
    case = a_case_in_review(by=registrant)
    return acts.require_two_experts(case, by=expert, required=True, reason="It touches many others.")


def answer(case: Registration, verdict: str, by: User) -> Registration:
    action, words, _ = DECIDE[verdict]
    return action(case, by=by, round_number=1, **{words: "As I see it."})


@pytest.mark.parametrize("verdict", DECIDE)
def test_the_second_of_one_mind_decides(
    verdict: str, case: Registration, expert: User, other_expert: User
) -> None:
    assert answer(case, verdict, expert).state == State.IN_REVIEW
    first = Event.objects.latest("number")
    assert (first.verb, first.particulars) == ("answer_first", {"round": 1, "verdict": verdict})
    assert answer(case, verdict, other_expert).state == DECIDE[verdict][2]
    assert Event.objects.latest("number").verb == verdict
    assert Review.objects.filter(verdict=verdict).count() == 2


def test_two_minds_decide_nothing_until_a_third_agrees_with_one(
    case: Registration, expert: User, other_expert: User
) -> None:
    assert answer(case, "approve", expert).state == State.IN_REVIEW
    assert answer(case, "decline", other_expert).state == State.IN_REVIEW
    third = a_person(email="third-expert@example.org", roles=(RoleName.EXPERT,))
    assert answer(case, "approve", third).state == State.APPROVED


def test_nobody_is_two_experts(case: Registration, expert: User) -> None:
    answer(case, "approve", expert)
    with pytest.raises(SecondExpertNeeded):
        answer(case, "approve", expert)
    assert Review.objects.count() == 1


def test_one_expert_can_always_ask_for_changes(case: Registration, expert: User) -> None:
    asked = actions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say more.")]
    )
    assert asked.state == State.CHANGES_REQUESTED


def test_the_first_answer_decides_again_when_two_are_not_required_any_more(
    case: Registration, expert: User
) -> None:
    acts.require_two_experts(case, by=expert, required=False, reason="It is plain.")
    assert answer(case, "approve", expert).state == State.APPROVED


def test_the_experts_are_told_that_a_second_one_is_needed(
    case: Registration, expert: User, other_expert: User
) -> None:
    Message.objects.all().delete()
    answer(case, "approve", expert)
    mails = Message.objects.filter(name="answer_first")
    assert other_expert.email in {mail.to for mail in mails}
    assert "a second expert is needed" in mails[0].subject


def test_it_needs_a_reason(case: Registration, expert: User) -> None:
    with pytest.raises(WordsMissing):
        acts.require_two_experts(case, by=expert, required=False, reason=" \n")


def test_only_an_expert_says_so_and_only_in_review(
    case: Registration, expert: User, registrant: User
) -> None:
    with pytest.raises(NotForYou):
        acts.require_two_experts(case, by=registrant, required=False, reason="Mine.")
    actions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("purpose", "More.")]
    )
    with pytest.raises(MoveNotOpen):
        acts.require_two_experts(case, by=expert, required=False, reason="Late.")


def test_reviews_on_the_fast_track_are_advice_however_many(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant, body=a_body())
    with pytest.raises(ConditionNotMet):
        acts.require_two_experts(case, by=expert, required=True, reason="Please.")


def test_the_page_says_that_a_first_answer_waits_for_the_second(case: Registration, expert: User) -> None:
    page = signed_in(expert).post(
        f"/registrations/{case.pk}/approve/", {"round_number": 1, "rationale": "Good."}, follow=True
    )
    text = page.content.decode()
    assert "takes effect when a second expert gives the same" in text
    assert "Answered as the first of two experts" in text
