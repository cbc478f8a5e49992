"""Daily summaries: a mail in the morning to each person with a role who has tasks."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from registry.accounts.daily_mail import MORNING
from registry.accounts.models import RoleName, User, addresses
from registry.accounts.time_zones import time_zone_name_of
from registry.cases.deadlines import deadline_of
from registry.cases.inbox import desks_of
from registry.mail import outbox
from registry.review_desk.experts.queue.pages import QueueRow, queue_pages
from registry.review_desk.models import Absence, SentSummary

SHOWN = 10
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
    return [each for each in found if each.lines or each.has_more]


def _line(row: QueueRow) -> SummaryLine:
    who = f"; assigned to {row.claim.person}" if row.claim and not row.is_mine else ""
    return SummaryLine(f"{row.case}: {row.deadline}{who}", reverse("review_desk:review", args=[row.case.pk]))


def send_summaries(now: datetime | None = None) -> list[DailySummary]:
    """Send the due summaries. Mail and `SentSummary` are created in one transaction, so none is sent twice."""
    return [summary for summary in due_summaries(now) if _sent(summary)]


@transaction.atomic
def _sent(summary: DailySummary) -> bool:
    _, is_new = SentSummary.objects.get_or_create(person=summary.person, day=summary.day)
    if is_new:
        context = {"summary": summary}
        outbox.post("day_summary", to=addresses([summary.person]), context=context)
    return is_new
