"""A case can be set to need two experts of one mind; without that the first answer decides."""

import pytest

from registry.accounts.models import RoleName, User
from registry.actions.declarations import ConditionNotMet
from registry.audit_log.models import Event
from registry.cases.models import Case, Review, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import SecondExpertNeeded, TransitionNotAllowed
from registry.cases.workflow.functions import people
from registry.core.validators import TextMissing
from registry.mail.models import Message
from tests.support.browser import signed_in
from tests.support.factories import a_body, a_case_in_review, a_person

DECIDE = {
    "approve": (functions.approve, "rationale", State.APPROVED),
    "decline": (functions.decline, "reason", State.DECLINED),
}


@pytest.fixture
def case(registrant: User, expert: User) -> Case:
    case = a_case_in_review(by=registrant)
    return people.require_two_experts(case, by=expert, required=True, reason="It touches many others.")


def answer(case: Case, verdict: str, by: User) -> Case:
    action, words, _ = DECIDE[verdict]
    return action(case, by=by, round_number=1, **{words: "As I see it."})


@pytest.mark.parametrize("verdict", DECIDE)
def test_a_second_equal_verdict_decides(verdict: str, case: Case, expert: User, other_expert: User) -> None:
    assert answer(case, verdict, expert).state == State.IN_REVIEW
    first = Event.objects.latest("number")
    assert (first.verb, first.details) == ("first_verdict", {"round": 1, "verdict": verdict})
    assert answer(case, verdict, other_expert).state == DECIDE[verdict][2]
    assert Event.objects.latest("number").verb == verdict
    assert Review.objects.filter(verdict=verdict).count() == 2


def test_different_verdicts_decide_nothing_until_two_agree(
    case: Case, expert: User, other_expert: User
) -> None:
    assert answer(case, "approve", expert).state == State.IN_REVIEW
    assert answer(case, "decline", other_expert).state == State.IN_REVIEW
    third = a_person(email="third-expert@example.org", roles=(RoleName.EXPERT,))
    assert answer(case, "approve", third).state == State.APPROVED


def test_one_expert_cannot_give_both_verdicts(case: Case, expert: User) -> None:
    answer(case, "approve", expert)
    with pytest.raises(SecondExpertNeeded):
        answer(case, "approve", expert)
    assert Review.objects.count() == 1


def test_one_expert_alone_does_not_disagree(case: Case, expert: User) -> None:
    answer(case, "approve", expert)
    with pytest.raises(SecondExpertNeeded):
        answer(case, "decline", expert)
    assert Review.objects.count() == 1


def test_one_expert_can_always_ask_for_changes(case: Case, expert: User) -> None:
    asked = functions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say more.")]
    )
    assert asked.state == State.CHANGES_REQUESTED


def test_the_first_verdict_decides_when_one_expert_suffices(
    case: Case, expert: User, other_expert: User
) -> None:
    people.require_two_experts(case, by=expert, required=False, reason="It is plain.")
    assert answer(case, "approve", other_expert).state == State.APPROVED


def test_who_lowers_the_requirement_does_not_then_decide_alone(case: Case, expert: User) -> None:
    people.require_two_experts(case, by=expert, required=False, reason="It is plain.")
    for verdict in DECIDE:
        with pytest.raises(SecondExpertNeeded):
            answer(case, verdict, expert)
    assert not Review.objects.exists()


def test_a_leader_who_gave_a_verdict_does_not_lower_the_requirement(case: Case, other_expert: User) -> None:
    both = (RoleName.EXPERT, RoleName.LEADER)
    first, second = (a_person(email=f"{name}-leader@example.org", roles=both) for name in ("first", "second"))
    answer(case, "approve", first)
    for person in (first, other_expert):
        with pytest.raises(SecondExpertNeeded):
            people.require_two_experts(case, by=person, required=False, reason="It is plain.")
    people.require_two_experts(case, by=second, required=False, reason="It is plain.")
    assert answer(case, "approve", other_expert).state == State.APPROVED


@pytest.mark.exhaustive
def test_the_pages_show_who_gave_which_verdict(case: Case, expert: User, other_expert: User) -> None:
    answer(case, "approve", expert)
    for address in (case.get_absolute_url(), f"/desk/cases/{case.pk}/"):
        assert f"1 of 2: Approve ({expert})" in signed_in(other_expert).get(address).text
    answer(case, "decline", other_expert)
    for address in (case.get_absolute_url(), f"/desk/cases/{case.pk}/"):
        page = signed_in(other_expert).get(address).text
        assert "The experts disagree." in page
        assert f"1 of 2: Approve ({expert}); 1 of 2: Decline ({other_expert})" in page


def test_a_disagreement_goes_to_the_leader(case: Case, expert: User, other_expert: User) -> None:
    leader = a_person(email="leader@example.org", roles=(RoleName.LEADER,))
    answer(case, "approve", expert)
    assert not Message.objects.filter(name="experts_disagree").exists()
    answer(case, "decline", other_expert)
    mail = Message.objects.get(name="experts_disagree")
    assert mail.to == leader.email
    assert f"/desk/cases/{case.pk}/" in mail.body
    page = signed_in(leader).get("/desk/").text
    disputed = page.partition('id="disputed"')[2].partition("</section>")[0]
    assert f"Case {case.pk}:" in disputed


def test_the_experts_are_notified_that_a_second_verdict_is_needed(
    case: Case, expert: User, other_expert: User
) -> None:
    Message.objects.all().delete()
    answer(case, "approve", expert)
    mails = Message.objects.filter(name="first_verdict")
    assert other_expert.email in {mail.to for mail in mails}
    assert "a second expert is needed" in mails[0].subject


def test_it_needs_a_reason(case: Case, expert: User) -> None:
    with pytest.raises(TextMissing):
        people.require_two_experts(case, by=expert, required=False, reason=" \n")


def test_experts_can_require_two_experts_only_during_review(case: Case, expert: User) -> None:
    functions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("purpose", "More.")]
    )
    with pytest.raises(TransitionNotAllowed):
        people.require_two_experts(case, by=expert, required=False, reason="Late.")


def test_reviews_on_the_fast_track_are_advice_however_many(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant, body=a_body())
    with pytest.raises(ConditionNotMet):
        people.require_two_experts(case, by=expert, required=True, reason="Please.")


@pytest.mark.exhaustive
def test_the_page_shows_that_a_second_verdict_is_needed(case: Case, expert: User) -> None:
    page = signed_in(expert).post(
        f"/cases/{case.pk}/approve/", {"round_number": 1, "rationale": "Good."}, follow=True
    )
    text = page.content.decode()
    assert "takes effect when a second expert gives the same" in text
    assert "Reviewed as the first of two experts" in text
