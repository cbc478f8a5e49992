"""Reminders before a case is due, when it is overdue, and to the leader of the experts when it is long overdue.

Reminders do not change the state of a case. Each is sent once for each time that a case is in a state.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from registry.accounts.models import Recognition, User, addresses
from registry.cases.audiences import able_to_act, editor_addresses, editors, leaders
from registry.cases.deadlines import deadline_of, overdue
from registry.cases.models import REGISTRANT_STATES, Case, State
from registry.cases.permissions import is_expert, is_liaison
from registry.mail import outbox
from registry.review_desk.experts.queue.pages import claims_on
from registry.review_desk.models import Absence, Reminder, ReminderKind

MAIL_TEMPLATES = {
    ReminderKind.BEFORE: "due_soon",
    ReminderKind.AFTER: "overdue",
    ReminderKind.ESCALATED: "escalated",
}


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A reminder to send, with its recipients."""

    case: Case
    kind: ReminderKind
    to: list[str]


def due_reminders(now: datetime | None = None) -> Iterator[DueReminder]:
    """The reminders to send, the last kind first."""
    now = now or timezone.now()
    for kind, which in _kinds(now):
        sent = Reminder.objects.filter(case=OuterRef("pk"), state_since=OuterRef("state_since"), kind=kind)
        cases = Case.objects.public().filter(which).exclude(Exists(sent)).order_by("state_since", "pk")
        for case in cases.select_related("registrant", "namespace", "body").iterator(chunk_size=500):
            yield DueReminder(case, kind, recipients_of(case, kind, now))


def _kinds(now: datetime) -> tuple[tuple[ReminderKind, Q], ...]:
    soon = overdue(now, by=-timedelta(days=settings.DAYS_BEFORE_REMINDER)) & ~overdue(now)
    long_ago = overdue(now, by=timedelta(days=settings.DAYS_TO_ESCALATION)) & ~Q(state__in=REGISTRANT_STATES)
    return (
        (ReminderKind.ESCALATED, long_ago),
        (ReminderKind.AFTER, overdue(now)),
        (ReminderKind.BEFORE, soon),
    )


def send_reminders(now: datetime | None = None) -> list[DueReminder]:
    """Send the due reminders. Mail and `Reminder` are created in one transaction, so none is sent twice."""
    now = now or timezone.now()
    return [due for due in due_reminders(now) if _sent(due, now)]


@transaction.atomic
def _sent(due: DueReminder, now: datetime) -> bool:
    """Send a reminder, unless the state has changed or another process is sending it."""
    cases = Case.objects.select_for_update(skip_locked=True, of=("self",))
    still = cases.filter(pk=due.case.pk, state_since=due.case.state_since, state=due.case.state)
    if not still.exists():
        return False
    _, is_new = Reminder.objects.get_or_create(
        case=due.case, state_since=due.case.state_since, kind=due.kind, defaults={"at": now}
    )
    if is_new:
        context = {
            "case": due.case,
            "round": due.case.latest_round,
            "deadline": deadline_of(due.case, now),
        }
        own = editor_addresses(due.case)
        outbox.post(MAIL_TEMPLATES[due.kind], to=due.to, context=context, own=own)
    return is_new


def recipients_of(case: Case, kind: ReminderKind, now: datetime) -> list[str]:
    """The reviewer of a claimed case, otherwise the people who can act; the leaders if it is long overdue."""
    if kind == ReminderKind.ESCALATED:
        return addresses(leaders())
    people = _whose_turn(case)
    away = set(Absence.objects.on(now.date()).filter(person__in=people).values_list("person", flat=True))
    here = [person for person in people if person.pk not in away]
    held = claims_on([case]).first()
    holder = [person for person in here if held and person.pk == held.person_id]
    return addresses(holder or here or people)


def _whose_turn(case: Case) -> list[User]:
    waits_for_body = case.is_fast_track and case.recognition == Recognition.RECOGNISED
    if case.state in REGISTRANT_STATES or (case.state == State.IN_REVIEW and waits_for_body):
        return editors(case)
    able = able_to_act(case)
    if case.state != State.IN_REVIEW:
        return able
    acts = is_liaison if case.is_fast_track else is_expert
    return [person for person in able if acts(person, case)]
