"""What people choose to get by mail: at once, once a day in one mail, or not at all."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from registry.accounts.daily_mail import send_digests
from registry.accounts.models import RoleName, User
from registry.cases import comments
from registry.cases.audiences import subscribe
from registry.cases.deadlines import deadline_of
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.mail import delivery, outbox
from registry.mail.kinds import ALWAYS_SENT, KIND_OF_MAIL, KINDS, REMINDERS, Delivery
from registry.mail.models import HeldMail, MailPreference, Message
from registry.mail.preferences import choose, deliveries_of, key_for
from tests.api.client import TokenClient
from tests.cases.transitions.rounds import next_round
from tests.support.browser import signed_in
from tests.support.databases import at_once, refusals
from tests.support.factories import a_body, a_case_in_review, a_person

PAGE = "/account/notifications/"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def case(registrant: User, expert: User) -> Case:
    with time_machine.travel(NOON, tick=False):
        case = a_case_in_review(by=registrant)
    Message.objects.all().delete()
    return case


def comment(case: Case, by: User, text: str = "Which gardens?") -> None:
    comments.comment(case, by=by, text=text, round_number=1)


def to(name: str) -> set[str]:
    return set(Message.objects.filter(name=name).values_list("to", flat=True))


def test_a_kind_is_turned_off(case: Case, registrant: User, participant: User) -> None:
    choose(registrant, {"comments": Delivery.OFF})
    comment(case, participant)
    assert to("comment") == set()
    assert not HeldMail.objects.exists()
    choose(registrant, {"comments": Delivery.AT_ONCE})
    comment(case, participant, "Which trees?")
    assert to("comment") == {registrant.email}


def test_each_recipient_gets_a_mail_as_they_chose(case: Case, registrant: User, participant: User) -> None:
    subscribe(case, by=participant)
    other = a_person(email="other@example.org")
    subscribe(case, by=other)
    choose(registrant, {"comments": Delivery.DAILY})
    choose(participant, {"comments": Delivery.OFF})
    comment(case, a_person(email="author@example.org"))
    assert to("comment") == {other.email}
    assert [held.person for held in HeldMail.objects.all()] == [registrant]


def test_a_decision_that_asks_the_registrant_is_always_sent(
    case: Case, registrant: User, expert: User
) -> None:
    choose(registrant, {kind.name: Delivery.OFF for kind in KINDS})
    points = [("syntax", "Say whether zeros lead.")]
    functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    assert registrant.email in to("request_changes")
    second = next_round(case, purpose="Trees and hedges.")
    assert registrant.email not in to("submit")
    approved = functions.approve(second, by=expert, round_number=2, rationale="Sound.")
    assert registrant.email not in to("approve")
    functions.return_to_registrant(approved, by=a_person_who_administers(), reason="The address is wrong.")
    assert registrant.email in to("return_to_registrant")


def test_on_the_fast_track_what_asks_the_registrant_for_completion_is_always_sent(
    registrant: User, expert: User, liaison: User
) -> None:
    choose(registrant, {kind.name: Delivery.OFF for kind in KINDS})
    case = a_case_in_review(by=registrant, body=a_body())
    case = functions.recognise(case, by=liaison, reference="Minutes")
    assert registrant.email in to("recognise")
    functions.advise(case, by=expert, round_number=1, rationale="Add an example.")
    assert registrant.email in to("advise")
    next_round(case, purpose="Trees and hedges.")
    assert registrant.email not in to("submit")


def a_person_who_administers() -> User:
    return a_person(email="administrator-2@example.org", roles=(RoleName.ADMINISTRATOR,))


def test_those_who_can_act_are_notified_unless_they_turn_off_that_kind(
    registrant: User, expert: User, other_expert: User
) -> None:
    choose(expert, {"followed": Delivery.OFF})
    choose(other_expert, {"tasks": Delivery.OFF})
    a_case_in_review(by=registrant)
    assert to("submit") == {registrant.email, expert.email}


def test_some_mail_is_of_no_kind() -> None:
    for name in ("post_to_list", "invite_co_editor", "token_changed", "remove_second_factors", "grant_role"):
        assert name not in KIND_OF_MAIL


def test_a_digest_is_sent_in_the_morning_of_the_person(
    case: Case, registrant: User, participant: User
) -> None:
    registrant.time_zone = "Asia/Tokyo"  # 7:00 is 22:00 UTC
    registrant.save()
    choose(registrant, {"comments": Delivery.DAILY})
    with time_machine.travel(NOON, tick=False):
        comment(case, participant, "The first.")
        comment(case, participant, "The second.")
        assert send_digests() == []
    with time_machine.travel(NOON + 9 * HOUR, tick=False):
        assert send_digests() == []
    with time_machine.travel(NOON + 10 * HOUR, tick=False):
        assert [digest.person for digest in send_digests()] == [registrant]
        assert send_digests() == []
    mail = Message.objects.get(name="digest")
    assert mail.to == registrant.email
    assert mail.subject.startswith("2 mails")
    assert mail.subject.endswith("2026-03-03")
    assert mail.body.index("The first.") < mail.body.index("The second.")
    assert mail.body.count("Hello,") == 1
    assert mail.body.endswith(f"{PAGE}\n")
    assert "You get this mail because" not in mail.body
    assert not HeldMail.objects.exists()


def test_a_mail_after_the_morning_waits_for_the_next(case: Case, registrant: User, participant: User) -> None:
    choose(registrant, {"comments": Delivery.DAILY})
    with time_machine.travel(NOON, tick=False):
        comment(case, participant)
    with time_machine.travel(NOON + 11 * HOUR, tick=False):
        assert send_digests() == []
    with time_machine.travel(NOON + 26 * HOUR, tick=False):  # the worker was down at 7:00
        assert len(send_digests()) == 1


def test_held_mail_waits_while_the_address_is_not_confirmed(
    case: Case, registrant: User, participant: User
) -> None:
    choose(registrant, {"comments": Delivery.DAILY})
    with time_machine.travel(NOON, tick=False):
        comment(case, participant)
    registrant.emailaddress_set.update(verified=False)
    with time_machine.travel(NOON + 24 * HOUR, tick=False):
        assert send_digests() == []
        registrant.emailaddress_set.update(verified=True)
        assert len(send_digests()) == 1


def test_held_mail_is_sent_also_if_the_person_then_chooses_at_once(
    case: Case, registrant: User, participant: User
) -> None:
    choose(registrant, {"comments": Delivery.DAILY})
    with time_machine.travel(NOON, tick=False):
        comment(case, participant)
    choose(registrant, {"comments": Delivery.AT_ONCE})
    with time_machine.travel(NOON + 24 * HOUR, tick=False):
        assert len(send_digests()) == 1


class Killed(BaseException):
    """The end of a worker, which no code handles."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("moment", ["after", "before"])
def test_a_killed_worker_loses_no_mail_and_sends_none_twice(
    moment: str, real_database: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    registrant, author = a_person(email="registrant@example.org"), a_person(email="author@example.org")
    with time_machine.travel(NOON, tick=False):
        case = a_case_in_review(by=registrant)
        choose(registrant, {"comments": Delivery.DAILY})
        comment(case, author)
    post = outbox.post

    def die(*arguments: Any, **options: Any) -> None:
        if moment == "after":
            post(*arguments, **options)
        raise Killed

    monkeypatch.setattr(outbox, "post", die)
    with time_machine.travel(NOON + 24 * HOUR, tick=False):
        with pytest.raises(Killed):
            send_digests()
        assert (HeldMail.objects.count(), to("digest")) == (1, set())
        monkeypatch.undo()
        assert len(send_digests()) == 1
        assert send_digests() == []
    assert Message.objects.filter(name="digest").count() == 1


@pytest.mark.exhaustive
def test_two_workers_send_one_digest(real_database: None) -> None:
    registrant, author = a_person(email="registrant@example.org"), a_person(email="author@example.org")
    with time_machine.travel(NOON, tick=False):
        case = a_case_in_review(by=registrant)
        choose(registrant, {"comments": Delivery.DAILY})
        for number in range(20):
            comment(case, author, f"Number {number}.")
    answers = at_once([partial(send_digests, NOON + 24 * HOUR)] * 4)
    assert refusals(answers) == []
    assert sum(len(digests) for digests in answers if not isinstance(digests, Exception)) == 1
    assert Message.objects.get(name="digest").subject.startswith("20 mails")
    assert not HeldMail.objects.exists()


def test_the_page_saves_a_choice(registrant: User) -> None:
    client = signed_in(registrant)
    assert PAGE in client.get("/account/").text
    page = client.get(PAGE)
    assert ALWAYS_SENT in page.text
    assert 'name="tasks"' not in page.text
    chosen = {kind.name: "at_once" for kind in deliveries_of(registrant)}
    answer = client.post(PAGE, chosen | {"comments": "daily", "reminders": "off"}, follow=True)
    assert "Your choice is saved." in answer.text
    saved = dict(MailPreference.objects.values_list("kind", "delivery"))
    assert saved == chosen | {"comments": "daily", "reminders": "off"}
    assert client.post(PAGE, chosen | {"comments": "weekly"}).status_code == 422


def test_people_with_a_role_also_choose_its_mail(expert: User) -> None:
    page = signed_in(expert).get(PAGE).text
    assert 'name="tasks"' in page
    assert 'name="summary"' in page


def test_the_page_needs_a_sign_in() -> None:
    assert Client().get(PAGE).status_code == 302


def test_the_api_reads_and_changes_it(expert: User) -> None:
    program = TokenClient(expert)
    assert program.get("account/notifications/").json() == {kind.name: "at_once" for kind in KINDS}
    answer = program.patch("account/notifications/", {"comments": "daily", "summary": "off"})
    assert answer.json()["comments"] == "daily"
    assert program.get("account/notifications/").json()["summary"] == "off"
    for wrong in ({"comments": "weekly"}, {"security": "off"}, {"summary": "daily"}):
        assert program.patch("account/notifications/", wrong).status_code == 400


def test_one_click_sets_the_same_choice(case: Case, registrant: User) -> None:
    context = {"case": case, "deadline": deadline_of(case)}
    (mail,) = outbox.post("due_soon", to=[registrant.email], context=context)
    link = delivery.compose(mail).extra_headers["List-Unsubscribe"].strip("<>")
    path = link.removeprefix("http://localhost:8000")
    assert "Stop this mail?" in Client().get(path).text
    assert deliveries_of(registrant)[REMINDERS] == Delivery.AT_ONCE
    assert "The registry no longer sends you this mail." in Client().post(path).text
    assert deliveries_of(registrant)[REMINDERS] == Delivery.OFF
    assert "You had turned off this mail before" in Client().post(path).text


def test_a_link_to_a_former_address_changes_nothing(case: Case, registrant: User) -> None:
    path = reverse("cases:unsubscribe_by_mail", args=[key_for("comments", registrant)])
    registrant.email = "new@example.org"
    registrant.save()
    answer = Client().post(path)
    assert answer.status_code == 410
    assert "Nothing was changed." in answer.text
    assert not MailPreference.objects.exists()


def test_mail_that_is_always_sent_has_no_link(
    registrant: User, case: Case, expert: User, participant: User
) -> None:
    subscribe(case, by=participant)
    points = [("syntax", "Say whether zeros lead.")]
    functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    headers = {
        mail.to: delivery.compose(mail).extra_headers
        for mail in Message.objects.filter(name="request_changes")
    }
    assert "List-Unsubscribe" not in headers[registrant.email]
    assert "List-Unsubscribe" in headers[participant.email]
