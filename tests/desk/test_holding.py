"""Taking a case, handing it over, giving it back, and being away."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.desk import actions as desk
from registry.desk.models import Absence, Holding
from registry.errors import NotForYou
from registry.mail.models import Message
from registry.registrations import actions, acts
from registry.registrations.models import Registration, State
from tests.desk.conftest import SignIn
from tests.factories import a_draft


def holder(case: Registration) -> User | None:
    held = Holding.objects.current().filter(registration=case).first()
    return held.person if held else None


def away(person: User, days: int = 2) -> Absence:
    today = timezone.now().date()
    return desk.be_away(by=person, first_day=today, last_day=today + timedelta(days=days))


def test_an_expert_takes_a_case_in_the_queue_and_comes_back_to_it(
    case: Registration, expert: User, signed_in: SignIn
) -> None:
    client = signed_in(expert)
    answer = client.post(f"/desk/cases/{case.pk}/take/", {"next": "desk"}, follow=True)
    assert answer.redirect_chain == [("/desk/", 302)]
    assert "You have taken this case." in answer.content.decode()
    assert holder(case) == expert


def test_taking_twice_is_taking_once(case: Registration, expert: User) -> None:
    assert desk.take(case, by=expert) == desk.take(case, by=expert)
    assert Holding.objects.count() == 1


def test_what_somebody_has_can_not_be_taken_from_them_but_can_be_answered(
    case: Registration, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    desk.take(case, by=expert)
    page = signed_in(other_expert).post(f"/desk/cases/{case.pk}/take/")
    assert page.status_code == 409
    assert f"{expert} has case {case.pk} since" in page.content.decode()
    assert holder(case) == expert
    assert actions.approve(case, by=other_expert, round_number=1, rationale="Sound.").state == State.APPROVED


def test_what_somebody_has_who_is_away_can_be_taken(
    case: Registration, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    desk.take(case, by=expert)
    absence = away(expert)
    page = signed_in(other_expert).get("/desk/").content.decode()
    assert f"but is away until {absence.last_day:%Y-%m-%d}" in page
    desk.take(case, by=other_expert)
    assert holder(case) == other_expert
    assert Holding.objects.filter(registration=case, person=expert, ended_at__isnull=False).count() == 1


def test_what_somebody_has_who_stepped_back_can_be_taken(
    case: Registration, expert: User, other_expert: User
) -> None:
    desk.take(case, by=expert)
    acts.recuse(case, by=expert)
    desk.take(case, by=other_expert)
    assert holder(case) == other_expert


def test_a_case_is_handed_over_and_whoever_gets_it_is_told(
    case: Registration, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    desk.take(case, by=expert)
    client = signed_in(expert)
    assert str(other_expert) in client.get(f"/desk/cases/{case.pk}/hand-over/").content.decode()
    answer = client.post(f"/desk/cases/{case.pk}/hand-over/", {"to": other_expert.pk})
    assert answer.status_code == 302
    assert holder(case) == other_expert
    (mail,) = Message.objects.filter(name="hand_over")
    assert mail.to == other_expert.email
    assert f"/desk/cases/{case.pk}/" in mail.body


def test_a_case_is_handed_only_to_who_can_act_in_it(
    case: Registration,
    registrant: User,
    expert: User,
    other_expert: User,
    participant: User,
    signed_in: SignIn,
) -> None:
    desk.take(case, by=expert)
    acts.recuse(case, by=other_expert)
    for person in (registrant, participant, other_expert):
        with pytest.raises(desk.NoExpertThere):
            desk.hand_over(case, by=expert, to=person)
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/hand-over/")
    assert "No other expert can act in this case" in page.content.decode()


def test_only_who_holds_a_case_or_leads_hands_it_over(
    case: Registration, expert: User, other_expert: User, leader: User, administrator: User
) -> None:
    with pytest.raises(desk.NotHeld):
        desk.hand_over(case, by=other_expert, to=expert)
    with pytest.raises(NotForYou):
        desk.hand_over(case, by=administrator, to=expert)
    desk.hand_over(case, by=leader, to=expert)
    with pytest.raises(desk.NotHeld):
        desk.hand_over(case, by=other_expert, to=other_expert)
    desk.hand_over(case, by=leader, to=other_expert)
    assert holder(case) == other_expert


def test_the_leader_who_is_no_expert_sees_the_review_and_decides_nothing(
    case: Registration, leader: User, signed_in: SignIn
) -> None:
    client = signed_in(leader)
    page = client.get(f"/desk/cases/{case.pk}/").content.decode()
    assert "Hand it over" in page
    assert "Take this case" not in page
    assert "Keep ticks and notes" not in page
    assert client.get(f"/desk/cases/{case.pk}/verdict/approve/").status_code == 404
    assert client.post(f"/desk/cases/{case.pk}/take/").status_code == 404


def test_a_case_is_given_back(case: Registration, expert: User, signed_in: SignIn) -> None:
    desk.take(case, by=expert)
    assert signed_in(expert).post(f"/desk/cases/{case.pk}/give-back/").status_code == 302
    assert holder(case) is None
    assert signed_in(expert).post(f"/desk/cases/{case.pk}/give-back/").status_code == 409


def test_nothing_is_taken_that_is_closed_one_s_own_or_not_public(
    case: Registration, registrant: User, expert: User
) -> None:
    own = a_draft(by=expert, namespace_identifier="example-shrubs")
    with pytest.raises(NotForYou):
        desk.take(own, by=expert)
    with pytest.raises(NotForYou):
        desk.take(case, by=registrant)
    actions.withdraw(case, by=registrant)
    with pytest.raises(desk.CaseClosed):
        desk.take(case, by=expert)


def test_two_hold_no_case_at_once(case: Registration, expert: User, other_expert: User) -> None:
    desk.take(case, by=expert)
    with pytest.raises(IntegrityError, match="one_holds_a_case"), transaction.atomic():
        Holding.objects.create(registration=case, person=other_expert)


def test_an_absence_is_noted_shown_and_taken_back(
    expert: User, other_expert: User, signed_in: SignIn
) -> None:
    client, today = signed_in(expert), timezone.now().date()
    days = {"first_day": today, "last_day": today + timedelta(days=3)}
    assert client.post("/desk/away/", days).status_code == 302
    absence = Absence.objects.get()
    assert f"{expert}: from {today}" in signed_in(other_expert).get("/desk/away/").content.decode()
    assert signed_in(other_expert).post(f"/desk/away/{absence.pk}/end/").status_code == 404
    assert client.post(f"/desk/away/{absence.pk}/end/").status_code == 302
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
def test_days_that_can_not_be_are_refused(
    first: object, last: object, expert: User, signed_in: SignIn
) -> None:
    page = signed_in(expert).post("/desk/away/", {"first_day": first, "last_day": last})
    assert page.status_code == 422
    assert not Absence.objects.exists()
