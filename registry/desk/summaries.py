"""A day's summary: in the morning, by mail, what waits for whoever holds a role. Nothing waits, nothing comes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.accounts.time_zones import zone_of
from registry.desk.models import Absence, Summary
from registry.desk.queue import Row, parts_of
from registry.mail import outbox
from registry.registrations.clocks import clock_of
from registry.registrations.waiting import desks_of

MORNING = 7
SHOWN = 10
OF_QUEUE = ("overdue", "mine", "resubmitted", "first")


@dataclass(frozen=True, slots=True)
class Waiting:
    """One heading of the summary, a line for each case, and whether there are more."""

    label: str
    lines: list[str]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Morning:
    """One person's summary of one day."""

    person: User
    day: date
    waiting: list[Waiting]


def summaries(now: datetime | None = None) -> Iterator[Morning]:
    """Those that wait to be sent: where it is morning, to whoever is here and has something waiting."""
    now = now or timezone.now()
    people = User.objects.filter(is_active=True, granted_roles__isnull=False).distinct().order_by("pk")
    for person in people.prefetch_related("granted_roles"):
        local = now.astimezone(ZoneInfo(zone_of(person)))
        if local.hour < MORNING or _is_settled(person, local.date()):
            continue
        if waiting := waiting_for(person, now):
            yield Morning(person, local.date(), waiting)


def _is_settled(person: User, day: date) -> bool:
    """Whether they had theirs today, or are away."""
    had = Summary.objects.filter(person=person, day=day).exists()
    return had or Absence.objects.on(day).filter(person=person).exists()


def waiting_for(person: User, now: datetime) -> list[Waiting]:
    """Everything that waits for a person in their roles."""
    found = []
    if person.roles & {RoleName.EXPERT, RoleName.LEADER}:
        parts = [part for part in parts_of(person, at_most=SHOWN) if part.group.slug in OF_QUEUE]
        found += [
            Waiting(part.group.label, [_line(row) for row in part.rows], bool(part.after)) for part in parts
        ]
    for desk in desks_of(person, at_most=SHOWN):
        if desk.role != RoleName.EXPERT:
            lines = [f"{task.case}: {clock_of(task.case, now)}" for task in desk.tasks]
            found.append(Waiting(f"As {desk.label}", lines, desk.has_more))
    return [each for each in found if each.lines]


def _line(row: Row) -> str:
    who = f"; {row.holding.person} has it" if row.holding and not row.is_mine else ""
    return f"{row.case}: {row.clock}{who}"


def send_summaries(now: datetime | None = None) -> list[Morning]:
    """Send them: mail and mark in one transaction each, so nobody gets two a day."""
    return [morning for morning in summaries(now) if _sent(morning)]


@transaction.atomic
def _sent(morning: Morning) -> bool:
    _, is_new = Summary.objects.get_or_create(person=morning.person, day=morning.day)
    if is_new:
        context = {"morning": morning, "origin": settings.PUBLIC_ORIGIN}
        outbox.post("day_summary", to=[morning.person.email], context=context)
    return is_new
