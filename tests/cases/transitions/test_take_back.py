"""take_back: the expert takes back the latest verdict, until someone acted on it, or for an hour."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.actions.declarations import ConditionNotMet
from registry.cases.audiences import able_to_act
from registry.cases.models import Case, Review, State, TakenBackReview
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.cases.workflow.functions import people
from registry.cases.workflow.functions.verdicts import tally_of
from registry.core.exceptions import NotPermitted
from registry.core.validators import TextMissing
from registry.mail.models import Message
from registry.review_desk.experts.queue import next_case
from registry.review_desk.reminders import send_reminders
from tests.api.client import TokenClient
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round
from tests.support.browser import fields_of, page, signed_in
from tests.support.factories import a_person

REASON = "The answer was meant for another case."
BOTH = (RoleName.EXPERT, RoleName.ADMINISTRATOR)


def approve(case: Case, by: User) -> Case:
    return functions.approve(case, by=by, round_number=1, rationale="Sound.")


def take_back(case: Case, by: User) -> Case:
    return functions.take_back(case, by=by, reason=REASON)


@pytest.fixture
def two_experts(in_review: Case, expert: User) -> Case:
    return people.require_two_experts(in_review, by=expert, required=True, reason="It affects others.")


def test_the_case_is_in_review_again_as_before(in_review: Case, expert: User) -> None:
    since = in_review.state_since
    with one_event(
        verb="approve",
        by=expert,
        case=in_review.pk,
        moved=("in_review", "approved"),
        reason="Sound.",
        text=digest_of_round(in_review, 1),
        details={"round": 1},
    ):
        case = approve(in_review, expert)
    with one_event(
        verb="take_back",
        by=expert,
        case=in_review.pk,
        moved=("approved", "in_review"),
        reason=REASON,
        text=digest_of_round(in_review, 1),
        details={"round": 1, "verdict": "approve"},
    ):
        case = take_back(case, expert)
    assert (case.state, case.state_since) == (State.IN_REVIEW, since)
    assert Review.objects.get().is_taken_back
    assert not Review.objects.verdicts()
    assert next_case(expert, after=0) == case
    assert approve(case, expert).state == State.APPROVED


def test_a_report_is_taken_back(in_review: Case, expert: User, liaison: User) -> None:
    case = people.anticipate_standards_action(in_review, by=expert, anticipated=True, reason="A draft.")
    case = functions.forward_report(case, by=expert, round_number=1, report="We recommend registration.")
    assert take_back(case, expert).state == State.IN_REVIEW
    case = functions.forward_report(case, by=expert, round_number=1, report="We recommend a change.")
    functions.direct(case, by=liaison, is_approved=True, reference="Minutes")
    with refused(ConditionNotMet, "unless someone has acted"):
        take_back(case, expert)


def test_only_the_expert_who_gave_it_takes_it_back(approved: Case, expert: User, other_expert: User) -> None:
    with refused(NotPermitted):
        take_back(approved, other_expert)
    expert.granted_roles.all().delete()
    with refused(NotPermitted):
        take_back(approved, User.objects.get(pk=expert.pk))


def test_not_after_an_hour(approved: Case, expert: User) -> None:
    given = Review.objects.get().at
    an_hour_later = time_machine.travel(given + timedelta(minutes=61), tick=False)
    with an_hour_later, refused(ConditionNotMet, "for an hour"):
        take_back(approved, expert)
    with time_machine.travel(given + timedelta(minutes=59), tick=False):
        assert take_back(approved, expert).state == State.IN_REVIEW


def test_not_after_someone_acted_on_it(approved: Case, expert: User, administrator: User) -> None:
    functions.return_to_registrant(approved, by=administrator, reason="The address is wrong.")
    with refused(TransitionNotAllowed):
        take_back(approved, expert)
    case = next_round(Case.objects.get(pk=approved.pk), purpose="Trees and hedges.")
    with refused(ConditionNotMet):
        take_back(case, expert)


def test_a_reason_is_required(approved: Case, expert: User) -> None:
    with refused(TextMissing):
        functions.take_back(approved, by=expert, reason=" ")


def test_the_first_of_two_experts(two_experts: Case, expert: User, other_expert: User) -> None:
    case = take_back(approve(two_experts, expert), expert)
    assert case.state == State.IN_REVIEW
    assert tally_of(case, case.rounds.get().reviews.all()) is None
    assert approve(case, other_expert).state == State.IN_REVIEW
    assert approve(case, expert).state == State.APPROVED


def test_the_second_of_two_experts(two_experts: Case, expert: User, other_expert: User) -> None:
    case = approve(approve(two_experts, expert), other_expert)
    with refused(NotPermitted):
        take_back(case, expert)
    case = take_back(case, other_expert)
    assert str(tally_of(case, case.rounds.get().reviews.all())) == f"1 of 2: Approve ({expert})"
    declined = functions.decline(case, by=other_expert, round_number=1, reason="Not unique.")
    assert declined.state == State.IN_REVIEW


def test_a_first_verdict_stands_once_another_expert_disagrees(
    two_experts: Case, expert: User, other_expert: User
) -> None:
    case = approve(two_experts, expert)
    case = functions.decline(case, by=other_expert, round_number=1, reason="Not unique.")
    with refused(NotPermitted):
        take_back(case, expert)
    assert take_back(case, other_expert).state == State.IN_REVIEW


def test_a_leader_who_lowers_the_requirement_acts_on_it(two_experts: Case, expert: User) -> None:
    leader = a_person(email="leader@example.org", roles=(RoleName.EXPERT, RoleName.LEADER))
    case = approve(two_experts, expert)
    case = people.require_two_experts(case, by=leader, required=False, reason="It is plain.")
    with refused(ConditionNotMet):
        take_back(case, expert)


def test_the_case_does_not_wait_for_it(approved: Case, expert: User, administrator: User) -> None:
    assert able_to_act(approved) == [administrator]


def test_reminders_are_not_sent_again(in_review: Case, expert: User) -> None:
    later = timezone.now() + timedelta(days=12)
    with time_machine.travel(later, tick=False):
        assert [reminder.case for reminder in send_reminders()] == [in_review]
        take_back(approve(in_review, expert), expert)
        assert send_reminders() == []


def test_who_approved_does_not_register_it_even_so(in_review: Case) -> None:
    both = a_person(email="both@example.org", roles=BOTH)
    other = a_person(email="other@example.org", roles=(RoleName.EXPERT,))
    case = approve(take_back(approve(in_review, both), both), other)
    with refused(NotPermitted):
        functions.assign(case, by=both)


def test_everyone_who_was_notified_is_notified_again(
    in_review: Case, expert: User, administrator: User
) -> None:
    case = approve(in_review, expert)
    notified = set(Message.objects.filter(name="approve").values_list("to", flat=True))
    take_back(case, expert)
    again = set(Message.objects.filter(name="take_back").values_list("to", flat=True))
    assert administrator.email in notified
    assert notified <= again


def test_the_page_asks_for_a_reason_and_shows_the_result(approved: Case, expert: User) -> None:
    client, address = signed_in(expert), page("transition", approved.pk, "take-back")
    assert address in client.get(approved.get_absolute_url()).text
    form = client.get(address)
    assert "Your verdict will no longer count" in form.text
    shown = client.post(address, fields_of(form, address) | {"reason": REASON}, follow=True).text
    assert "Approved, taken back" in shown
    assert "Took back the verdict on round 1" in shown
    assert f"/desk/cases/{approved.pk}/verdict/approve/" in shown
    assert TakenBackReview.objects.count() == 1


@pytest.mark.exhaustive
def test_the_review_page_offers_it_to_the_first_of_two_experts(
    two_experts: Case, expert: User, other_expert: User
) -> None:
    approve(two_experts, expert)
    address = page("transition", two_experts.pk, "take-back")
    desk = f"/desk/cases/{two_experts.pk}/"
    assert address in signed_in(expert).get(desk).text
    assert address not in signed_in(other_expert).get(desk).text


def test_the_api_takes_it_back(approved: Case, expert: User) -> None:
    program = TokenClient(expert)
    assert program.get(f"cases/{approved.pk}/reviews/").json()["results"][0]["taken_back_at"] is None
    assert program.post(f"cases/{approved.pk}/take-back/", {"reason": REASON}).json()["state"] == "in_review"
    (review,) = program.get(f"cases/{approved.pk}/reviews/").json()["results"]
    assert review["verdict"] == "approve"
    assert review["taken_back_at"]
