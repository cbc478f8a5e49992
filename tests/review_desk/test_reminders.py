"""Reminders and the summary of a day: when they go, to whom, and that they go once."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import call_command

from registry.accounts.models import User
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.mail.bounces import record_bounce
from registry.mail.models import Message
from registry.review_desk.experts import actions
from registry.review_desk.experts import actions as expert_actions
from registry.review_desk.models import Reminder, ReminderKind, SentSummary
from registry.review_desk.reminders import SHOWN, DailySummary, due_reminders, send_reminders, send_summaries
from tests.support.factories import a_case_in_review

START = datetime(2026, 3, 2, 12, tzinfo=UTC)


def after(**span: float) -> datetime:
    return START + timedelta(**span)


@pytest.fixture
def case(registrant: User, expert: User) -> Case:
    """In review since START; an expert is there."""
    with time_machine.travel(START, tick=False):
        return a_case_in_review(by=registrant)


def told(name: str) -> list[str]:
    return sorted(Message.objects.filter(name=name).values_list("to", flat=True))


def kinds(now: datetime) -> list[str]:
    return [each.kind.value for each in due_reminders(now)]


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (after(days=10, hours=23), []),
        (after(days=11, minutes=1), ["before"]),
        (after(days=13, hours=23), ["before"]),
        (after(days=14, minutes=1), ["after"]),
        (after(days=20, hours=23), ["after"]),
        (after(days=21, minutes=1), ["escalated", "after"]),
    ],
)
def test_reminders_are_due_by_state_and_day(now: datetime, expected: list[str], case: Case) -> None:
    assert kinds(now) == expected


def test_each_reminder_is_sent_once_per_stay_in_a_state(
    case: Case, registrant: User, expert: User, leader: User
) -> None:
    for days in (11.1, 11.2, 14.1, 14.2, 21.1, 21.2):
        with time_machine.travel(after(days=days), tick=False):
            send_reminders()
    assert told("due_soon") == told("overdue") == [expert.email]
    assert told("escalated") == [leader.email]
    assert set(Reminder.objects.values_list("kind", flat=True)) == set(ReminderKind.values)
    with time_machine.travel(after(days=22), tick=False):
        points = [("purpose", "Say more.")]
        functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    with time_machine.travel(after(days=22 + 87.1), tick=False):
        send_reminders()
    assert told("due_soon") == [expert.email, registrant.email]


def test_the_reminder_shows_the_state_and_that_no_deadline_decides(case: Case) -> None:
    with time_machine.travel(after(days=16), tick=False):
        send_reminders()
    mail = Message.objects.get(name="overdue")
    assert mail.subject == f"Case {case.pk} (example-trees): overdue since 2026-03-16"
    body = " ".join(mail.body.split())
    assert "with the designated experts for 16 days, overdue by 2 days" in body
    assert "A missed deadline does not decide the case" in body
    assert f"Designated experts review it here: http://localhost:8000/desk/cases/{case.pk}/" in body


def test_the_reminder_of_the_registrant_leads_to_the_draft(case: Case, expert: User) -> None:
    with time_machine.travel(after(days=1), tick=False):
        points = [("purpose", "Say more.")]
        functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    with time_machine.travel(after(days=1 + 91), tick=False):
        send_reminders()
    body = " ".join(Message.objects.get(name="overdue").body.split())
    assert f"Edit the draft here: http://localhost:8000/cases/{case.pk}/edit/" in body
    assert "say so in a comment on the case" in body
    assert "hand it over" not in body


def test_the_reminder_of_an_administrator_leads_to_the_assignment(
    case: Case, expert: User, administrator: User
) -> None:
    with time_machine.travel(after(days=1), tick=False):
        functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    with time_machine.travel(after(days=9), tick=False):
        send_reminders()
    body = " ".join(Message.objects.get(name="overdue").body.split())
    assert f"Administrators register it here: http://localhost:8000/desk/assignments/#case-{case.pk}" in body


def test_only_the_holder_is_reminded(case: Case, expert: User, other_expert: User) -> None:
    expert_actions.take_case(case, by=expert)
    with time_machine.travel(after(days=12), tick=False):
        send_reminders()
    assert told("due_soon") == [expert.email]


def test_absent_people_are_not_reminded_and_the_deadline_stays(
    case: Case, expert: User, other_expert: User
) -> None:
    expert_actions.take_case(case, by=expert)
    with time_machine.travel(after(days=14.5), tick=False):
        first, last = after(days=14).date(), after(days=20).date()
        actions.add_absence(by=expert, first_day=first, last_day=last)
        send_reminders()
    assert told("overdue") == [other_expert.email]


def test_if_all_experts_are_away_all_are_reminded(case: Case, expert: User) -> None:
    with time_machine.travel(after(days=12), tick=False):
        actions.add_absence(by=expert, first_day=after(days=12).date(), last_day=after(days=12).date())
        send_reminders()
    assert told("due_soon") == [expert.email]


def test_without_a_leader_administrators_are_notified(case: Case, administrator: User) -> None:
    with time_machine.travel(after(days=22), tick=False):
        send_reminders()
    assert told("escalated") == [administrator.email]


def test_the_administrators_and_the_registry_have_their_own_days(
    case: Case, expert: User, administrator: User
) -> None:
    with time_machine.travel(after(days=1), tick=False):
        functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    with time_machine.travel(after(days=8, minutes=5), tick=False):
        send_reminders()
    assert told("overdue") == [administrator.email]


def test_no_reminder_is_sent_for_a_case_that_left_its_state(case: Case, registrant: User) -> None:
    with time_machine.travel(after(days=15), tick=False):
        functions.withdraw(case, by=registrant)
        assert send_reminders() == []


def test_the_summary_comes_once_a_day_in_the_reader_s_morning(case: Case, expert: User) -> None:
    expert.time_zone = "Asia/Tokyo"
    expert.save()
    sent = {}
    for hour in range(24):
        now = datetime(2026, 3, 10, hour, tzinfo=UTC)
        with time_machine.travel(now, tick=False):
            sent[hour] = [each.day.isoformat() for each in send_summaries()]
    # 0 o'clock UTC is 9 in the morning in Tokyo, and 22 o'clock is 7 in the morning of the next day.
    assert {hour: days for hour, days in sent.items() if days} == {0: ["2026-03-10"], 22: ["2026-03-11"]}
    mail = Message.objects.filter(name="day_summary").latest("pk")
    assert mail.body.startswith("Hello,\n\nThese are your tasks")
    assert f"Case {case.pk}: example-trees: with the designated experts for" in mail.body
    assert f"\n    http://localhost:8000/desk/cases/{case.pk}/\n" in mail.body


def test_the_summary_of_an_administrator_leads_to_the_assignment(
    case: Case, expert: User, administrator: User
) -> None:
    with time_machine.travel(after(hours=1), tick=False):
        functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    with time_machine.travel(after(days=1), tick=False):
        (summary,) = send_summaries()
    ((line,),) = (section.lines for section in summary.sections)
    assert summary.person == administrator
    assert line.path == f"/desk/assignments/#case-{case.pk}"


def test_what_no_other_mail_tells_is_in_one_summary(registrant: User, administrator: User) -> None:
    with time_machine.travel(START, tick=False):
        record_bounce(registrant.email, "550 no such user")
    with time_machine.travel(after(hours=20), tick=False):
        (summary,) = send_summaries()
    assert summary.person == administrator
    assert lines_of(summary) == [f"New in your inbox: Mail to {registrant.email} came back"]
    mail = Message.objects.get(name="day_summary")
    assert "http://localhost:8000/desk/outbox/#bounced\n" in mail.body
    assert "All tasks:\nhttp://localhost:8000/inbox/\n" in mail.body
    with time_machine.travel(after(days=2), tick=False):
        assert send_summaries() == []


def test_what_came_in_an_absence_is_in_the_next_summary(registrant: User, administrator: User) -> None:
    SentSummary.objects.create(person=administrator, day=START.date())
    with time_machine.travel(after(days=1), tick=False):
        record_bounce(registrant.email, "550 no such user")
    with time_machine.travel(after(days=10), tick=False):
        (summary,) = send_summaries()
        assert len(summary.sections) == 1
    with time_machine.travel(after(days=11), tick=False):
        assert send_summaries() == []


def lines_of(summary: DailySummary) -> list[str]:
    return [
        f"{section.label}: {line.text.partition(':')[0]}"
        for section in summary.sections
        for line in section.lines
    ]


def test_a_case_about_which_experts_disagree_is_in_the_summary(
    case: Case, expert: User, other_expert: User
) -> None:
    with time_machine.travel(after(hours=1), tick=False):
        people.require_two_experts(case, by=expert, required=True, reason="It is new.")
        functions.approve(case, by=expert, round_number=1, rationale="Sound.")
        functions.decline(case, by=other_expert, round_number=1, reason="Not needed.")
    with time_machine.travel(after(days=1), tick=False):
        summaries = {each.person: lines_of(each) for each in send_summaries()}
    assert f"Experts disagree: Case {case.pk}" in summaries[expert]


def test_a_group_is_named_whose_first_cases_stand_in_earlier_groups(case: Case, expert: User) -> None:
    with time_machine.travel(START + timedelta(seconds=1), tick=False):
        for number in range(SHOWN):
            a_case_in_review(by=case.registrant, namespace_identifier=f"example-{chr(97 + number)}")
    with time_machine.travel(after(days=15), tick=False):
        (summary,) = send_summaries()
    first = summary.sections[-1]
    assert (first.label, first.lines, first.has_more) == ("Awaiting first review", [], True)


def test_an_empty_summary_is_not_sent(expert: User, administrator: User) -> None:
    with time_machine.travel(START, tick=False):
        assert send_summaries() == []


def test_absent_people_get_no_summary(case: Case, expert: User) -> None:
    with time_machine.travel(after(days=1), tick=False):
        actions.add_absence(by=expert, first_day=after(days=1).date(), last_day=after(days=2).date())
        assert send_summaries() == []
    with time_machine.travel(after(days=3), tick=False):
        assert [each.person for each in send_summaries()] == [expert]


def test_the_command_can_preview_before_sending(case: Case, expert: User) -> None:
    with time_machine.travel(after(days=15), tick=False):
        for _ in range(2):
            dry = json.loads(said("--dry-run", "--json"))
            assert dry["reminders"] == [{"case": case.pk, "kind": "after", "to": [expert.email]}]
            assert dry["sent"] is False
        assert "to expert@example.org" in said()
        assert json.loads(said("--json")) == {
            "sent": True,
            "reminders": [],
            "summaries": [],
            "digests": [],
        }
    assert told("overdue") == told("day_summary") == [expert.email]


def said(*options: str) -> str:
    out = StringIO()
    call_command("send_reminders", *options, stdout=out)
    return out.getvalue()
