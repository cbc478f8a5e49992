"""Assignment, hand over and release of cases, and absences."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from registry.review_desk.experts import actions
from registry.review_desk.models import Absence, CaseAssignment
from tests.review_desk.conftest import SignIn
from tests.support.factories import a_draft


def holder(case: Case) -> User | None:
    held = CaseAssignment.objects.current().filter(case=case).first()
    return held.person if held else None


def away(person: User, days: int = 2) -> Absence:
    today = timezone.now().date()
    return actions.add_absence(by=person, first_day=today, last_day=today + timedelta(days=days))


def test_an_expert_takes_a_case_in_the_queue(case: Case, expert: User, signed_in: SignIn) -> None:
    client = signed_in(expert)
    answer = client.post(f"/desk/cases/{case.pk}/claim/", {"next": "/desk/"}, follow=True)
    assert answer.redirect_chain == [("/desk/", 302)]
    assert "This case is assigned to you." in answer.content.decode()
    assert holder(case) == expert


def test_taking_a_case_is_idempotent(case: Case, expert: User) -> None:
    assert actions.take_case(case, by=expert) == actions.take_case(case, by=expert)
    assert CaseAssignment.objects.count() == 1


def test_an_assigned_case_cannot_be_taken_but_can_be_reviewed(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    review = f"/desk/cases/{case.pk}/"
    assert f'action="{review}claim/"' in signed_in(other_expert).get(review).text
    actions.take_case(case, by=expert)
    for person in (expert, other_expert):
        assert f'action="{review}claim/"' not in signed_in(person).get(review).text
    page = signed_in(other_expert).post(f"{review}claim/")
    assert page.status_code == 409
    assert f"Case {case.pk} has been assigned to {expert} since" in page.content.decode()
    assert holder(case) == expert
    assert (
        functions.approve(case, by=other_expert, round_number=1, rationale="Sound.").state == State.APPROVED
    )


def test_a_case_of_an_absent_expert_can_be_taken(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    actions.take_case(case, by=expert)
    until = away(expert).last_day
    page = signed_in(other_expert).get("/desk/").content.decode()
    assert f'who is away until <time datetime="{until}">{until}</time>' in page
    review = f"/desk/cases/{case.pk}/"
    assert f'action="{review}claim/"' in signed_in(other_expert).get(review).text
    actions.take_case(case, by=other_expert)
    assert holder(case) == other_expert
    assert CaseAssignment.objects.filter(case=case, person=expert, released_at__isnull=False).count() == 1


def test_a_case_of_a_recused_expert_can_be_taken(case: Case, expert: User, other_expert: User) -> None:
    actions.take_case(case, by=expert)
    people.recuse(case, by=expert)
    actions.take_case(case, by=other_expert)
    assert holder(case) == other_expert


def test_handing_over_a_case_notifies_the_recipient(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    actions.take_case(case, by=expert)
    client = signed_in(expert)
    assert str(other_expert) in client.get(f"/desk/cases/{case.pk}/hand-over/").content.decode()
    answer = client.post(f"/desk/cases/{case.pk}/hand-over/", {"to": other_expert.pk})
    assert answer.status_code == 302
    assert holder(case) == other_expert
    (mail,) = Message.objects.filter(name="hand_over")
    assert mail.to == other_expert.email
    assert f"/desk/cases/{case.pk}/" in mail.body
    assert "\nThe next step is due on " in mail.body


def test_a_case_is_handed_over_to_eligible_experts_only(
    case: Case,
    registrant: User,
    expert: User,
    other_expert: User,
    participant: User,
    signed_in: SignIn,
) -> None:
    actions.take_case(case, by=expert)
    people.recuse(case, by=other_expert)
    for person in (registrant, participant, other_expert):
        with pytest.raises(actions.NotEligible):
            actions.hand_over_case(case, by=expert, to=person)
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/hand-over/")
    assert "No other expert can act in this case" in page.content.decode()


def test_the_leader_who_is_no_expert_sees_the_review_and_decides_nothing(
    case: Case, leader: User, signed_in: SignIn
) -> None:
    client = signed_in(leader)
    page = client.get(f"/desk/cases/{case.pk}/").content.decode()
    assert ">Hand over<" in page
    assert ">Assign to me<" not in page
    assert "ticks and notes" not in page
    assert client.get(f"/desk/cases/{case.pk}/verdict/approve/").status_code == 404
    assert client.post(f"/desk/cases/{case.pk}/claim/").status_code == 404


def test_a_case_is_released(case: Case, expert: User, signed_in: SignIn) -> None:
    review = f"/desk/cases/{case.pk}/"
    assert actions.TAKE_CASE.effect in signed_in(expert).get(review).text
    actions.take_case(case, by=expert)
    page = signed_in(expert).get(review).text
    assert actions.RELEASE_CASE.effect in page
    assert actions.TAKE_CASE.effect not in page
    assert signed_in(expert).post(f"/desk/cases/{case.pk}/release/").status_code == 302
    assert holder(case) is None
    assert signed_in(expert).post(f"/desk/cases/{case.pk}/release/").status_code == 409


def test_closed_own_and_private_cases_cannot_be_taken(case: Case, registrant: User, expert: User) -> None:
    own = a_draft(by=expert, namespace_identifier="example-shrubs")
    with pytest.raises(NotPermitted):
        actions.take_case(own, by=expert)
    with pytest.raises(NotPermitted):
        actions.take_case(case, by=registrant)
    functions.withdraw(case, by=registrant)
    with pytest.raises(actions.CaseClosed):
        actions.take_case(case, by=expert)


def test_the_pages_of_an_assignment_are_refused_once_it_has_ended(
    case: Case, registrant: User, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    actions.take_case(case, by=expert)
    page = f"/desk/cases/{case.pk}/hand-over/"
    assert signed_in(expert).get(page).status_code == 200
    assert signed_in(other_expert).get(page).status_code == 404
    functions.withdraw(case, by=registrant)
    assert signed_in(expert).get(page).status_code == 404
    assert signed_in(expert).post(page, {"to": other_expert.pk}).status_code == 404
    assert signed_in(expert).post(f"/desk/cases/{case.pk}/claim/").status_code == 409


def test_concurrent_assignments_give_one_holder(case: Case, expert: User, other_expert: User) -> None:
    actions.take_case(case, by=expert)
    with pytest.raises(IntegrityError, match="one_open_claim_per_case"), transaction.atomic():
        CaseAssignment.objects.create(case=case, person=other_expert)


def test_an_absence_is_noted_shown_and_taken_back(
    expert: User, other_expert: User, signed_in: SignIn
) -> None:
    client, today = signed_in(expert), timezone.now().date()
    days = {"first_day": today, "last_day": today + timedelta(days=3)}
    assert client.post("/desk/absences/", days).status_code == 302
    absence = Absence.objects.get()
    page = signed_in(other_expert).get("/desk/absences/").content.decode()
    assert f'{expert}: from <time datetime="{today}">{today}</time> to <time' in page
    assert signed_in(other_expert).post(f"/desk/absences/{absence.pk}/end/").status_code == 404
    assert client.post(f"/desk/absences/{absence.pk}/end/").status_code == 302
    assert not Absence.objects.exists()


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2020, 1, 1), date(2020, 1, 2)),
        (date(2999, 1, 2), date(2999, 1, 1)),
        ("", ""),
        ("x", "2999-01-01\n1"),
    ],
)
def test_invalid_days_of_an_absence_are_rejected(
    first: object, last: object, expert: User, signed_in: SignIn
) -> None:
    page = signed_in(expert).post("/desk/absences/", {"first_day": first, "last_day": last})
    assert page.status_code == 422
    assert not Absence.objects.exists()
