"""Reminders before a case is due, when it is overdue, and to the leader of the experts when it is long overdue; and
daily summaries of tasks.

Reminders do not change the state of a case. Each is sent once for each time that a case is in a state.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from registry.accounts.daily_mail import MORNING
from registry.accounts.models import RoleName, User, addresses
from registry.accounts.time_zones import time_zone_name_of
from registry.accounts.waiting import KINDS, SORTS, items_of, waiting_rows
from registry.cases.audiences import able_to_act, editor_addresses, editors, leaders
from registry.cases.deadlines import deadline_of, overdue
from registry.cases.inbox import desks_of
from registry.cases.models import REGISTRANT_STATES, Case, State
from registry.cases.permissions import is_expert, is_liaison
from registry.mail import outbox
from registry.review_desk.experts.queue import QueueRow, queue_pages
from registry.review_desk.models import Absence, CaseAssignment, Reminder, ReminderKind, SentSummary

SHOWN = 10
NEW_FOR = timedelta(days=30)  # without an earlier summary
# With each group that can contain a case of these: a case stands in the first of its groups only.
SUMMARY_GROUPS = ("overdue", "disputed", "mine", "resubmitted", "first")


# The pages on which other roles than experts act.
PAGE_BY_ROLE = {
    RoleName.ADMINISTRATOR: "review_desk:assignments",
    RoleName.LIAISON: "review_desk:approval_requests",
}


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A case in a summary, in words, and the path of the page on which the person acts in it."""

    text: str
    path: str


@dataclass(frozen=True, slots=True)
class SummarySection:
    """One section of a summary: its heading, a line for each case, and whether there are more."""

    label: str
    lines: list[SummaryLine]
    has_more: bool


@dataclass(frozen=True, slots=True)
class DailySummary:
    """The summary for one person and one day."""

    person: User
    day: date
    sections: list[SummarySection]


def due_summaries(now: datetime | None = None) -> Iterator[DailySummary]:
    """The summaries to send: after MORNING in the person's time zone, if they have tasks and are not away."""
    now = now or timezone.now()
    people = User.objects.filter(is_active=True, granted_roles__isnull=False).distinct().order_by("pk")
    for person in people.prefetch_related("granted_roles"):
        local = now.astimezone(ZoneInfo(time_zone_name_of(person)))
        if local.hour < MORNING or _has_summary_or_is_away(person, local.date()):
            continue
        if sections := sections_for(person, now):
            yield DailySummary(person, local.date(), sections)


def _has_summary_or_is_away(person: User, day: date) -> bool:
    """Whether the person got the summary of the day, or is away."""
    had = SentSummary.objects.filter(person=person, day=day).exists()
    return had or Absence.objects.on(day).filter(person=person).exists()


def sections_for(person: User, now: datetime) -> list[SummarySection]:
    """The tasks of a person in their roles."""
    found = []
    if person.roles & {RoleName.EXPERT, RoleName.LEADER}:
        pages = [page for page in queue_pages(person, limit=SHOWN) if page.group.slug in SUMMARY_GROUPS]
        found += [
            SummarySection(page.group.label, [_line(row) for row in page.rows], bool(page.after))
            for page in pages
        ]
    for desk in desks_of(person, at_most=SHOWN):
        if desk.role != RoleName.EXPERT:
            page = reverse(PAGE_BY_ROLE[desk.role])
            lines = [
                SummaryLine(f"{task.case}: {deadline_of(task.case, now)}", f"{page}#case-{task.case.pk}")
                for task in desk.tasks
            ]
            found.append(SummarySection(f"As {desk.label}", lines, desk.has_more))
    found.append(_without_mail(person, now))
    return [each for each in found if each.lines or each.has_more]


def _without_mail(person: User, now: datetime) -> SummarySection:
    """What waits in the inbox of a person since the day of their last summary, and of which no other mail tells."""
    kinds = [each.name for each in KINDS.values() if each.is_in_summary]
    last = SentSummary.objects.filter(person=person).aggregate(Max("day"))["day__max"]
    zone = ZoneInfo(time_zone_name_of(person))
    since = datetime.combine(last, time(MORNING), zone) if last else now - NEW_FOR
    rows = waiting_rows(person, Q(inbox_since__gt=since), kinds).order_by(*SORTS["oldest"])
    items = items_of(rows[: SHOWN + 1], person)
    lines = [SummaryLine(f"{each.line.title}: {each.line.task}", each.line.path) for each in items[:SHOWN]]
    return SummarySection("New in your inbox", lines, len(items) > SHOWN)


def _line(row: QueueRow) -> SummaryLine:
    who = f"; assigned to {row.assignment.person}" if row.assignment and not row.is_mine else ""
    return SummaryLine(f"{row.case}: {row.deadline}{who}", reverse("review_desk:review", args=[row.case.pk]))


def send_summaries(now: datetime | None = None) -> list[DailySummary]:
    """Send the due summaries. Mail and `SentSummary` are created in one transaction, so none is sent twice."""
    return [summary for summary in due_summaries(now) if _sent_summary(summary)]


@transaction.atomic
def _sent_summary(summary: DailySummary) -> bool:
    _, is_new = SentSummary.objects.get_or_create(person=summary.person, day=summary.day)
    if is_new:
        context = {"summary": summary}
        outbox.post("day_summary", to=addresses([summary.person]), context=context)
    return is_new


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
    return [due for due in due_reminders(now) if _sent_reminder(due, now)]


@transaction.atomic
def _sent_reminder(due: DueReminder, now: datetime) -> bool:
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
    """The expert to whom the case is assigned, otherwise the people who can act; the leaders if it is long overdue."""
    if kind == ReminderKind.ESCALATED:
        return addresses(leaders())
    people = _whose_turn(case)
    away = set(Absence.objects.on(now.date()).filter(person__in=people).values_list("person", flat=True))
    here = [person for person in people if person.pk not in away]
    held = CaseAssignment.objects.current_of(case).first()
    holder = [person for person in here if held and person.pk == held.person_id]
    return addresses(holder or here or people)


def _whose_turn(case: Case) -> list[User]:
    if case.state in REGISTRANT_STATES:
        return editors(case)
    able = able_to_act(case)
    if case.state != State.IN_REVIEW:
        return able
    acts = is_liaison if case.is_fast_track else is_expert
    return [person for person in able if acts(person, case)]
