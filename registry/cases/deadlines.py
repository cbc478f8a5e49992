"""Deadlines of cases, and the time that cases spend with the registry, with the registrant and with a recognised body.

A missed deadline does not change the state of a case. Absences do not extend deadlines. The days for each state are
the setting DAYS_TO_ACT. A case that a recognised body has is without one: the time is under its control (RFC 8141, Section
6.3, step 3).
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Case as CaseExpression
from django.db.models import DateTimeField, ExpressionWrapper, F, Q, When
from django.db.models.expressions import Combinable
from django.utils import timezone

from registry.audit_log.models import Event
from registry.cases.models import OPEN_STATES, REGISTRANT_STATES, STATES_WITH_BODY, WITH_BODY, Case, State
from registry.cases.status import status_of

# The states in which the registrant can act: change the template, or appeal.
WITH_REGISTRANT = REGISTRANT_STATES | {State.DECLINED}


@dataclass(frozen=True, slots=True)
class Deadline:
    """Who has the case, since when, and the date by which they should act (None: no limit)."""

    holder: str
    since: datetime
    due: datetime | None
    now: datetime

    @property
    def elapsed(self) -> timedelta:
        return max(self.now - self.since, timedelta(0))

    @property
    def is_overdue(self) -> bool:
        return self.due is not None and self.now > self.due

    def __str__(self) -> str:
        """For example "with the designated experts for 6 days, due in 8 days"."""
        spent = f"with {self.holder[:1].lower()}{self.holder[1:]} for {format_duration(self.elapsed)}"
        if self.due is None:
            return spent
        if self.is_overdue:
            return f"{spent}, overdue by {format_duration(self.now - self.due)}"
        return f"{spent}, due in {format_duration(self.due - self.now)}"


def deadline_of(case: Case, now: datetime | None = None) -> Deadline | None:
    """The deadline of an open case; None if it is closed."""
    if not case.is_open:
        return None
    return Deadline(status_of(case).holder, case.state_since, due_at(case), now or timezone.now())


def due_at(case: Case) -> datetime | None:
    days = settings.DAYS_TO_ACT.get(case.state)
    return case.state_since + timedelta(days=days) if days and not case.is_with_body else None


def due_column() -> Combinable:
    """`due_at` as an expression on cases."""
    limits = [
        When(
            state=state,
            then=ExpressionWrapper(F("state_since") + timedelta(days=days), output_field=DateTimeField()),
        )
        for state, days in settings.DAYS_TO_ACT.items()
        if days
    ]
    return CaseExpression(When(WITH_BODY, then=None), *limits, output_field=DateTimeField())


def with_deadline() -> Q:
    """Open cases that have a deadline."""
    states = [state for state in OPEN_STATES if settings.DAYS_TO_ACT.get(state)]
    return Q(state__in=states) & ~WITH_BODY


def overdue(now: datetime | None = None, *, by: timedelta = timedelta(0)) -> Q:
    """Open cases that are overdue by at least `by`. A negative `by` includes cases that are due soon."""
    late = Q(pk__in=[])
    for state in OPEN_STATES:
        if days := settings.DAYS_TO_ACT.get(state):
            late |= Q(state=state, state_since__lt=(now or timezone.now()) - timedelta(days=days) - by)
    return late & ~WITH_BODY


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """The time since the first submission, divided between the registry, the registrant and a recognised body."""

    with_registry: timedelta = timedelta(0)
    with_registrant: timedelta = timedelta(0)
    with_body: timedelta = timedelta(0)

    @property
    def description(self) -> str:
        with_registry, with_registrant = map(format_duration, (self.with_registry, self.with_registrant))
        shares = f"{with_registry} with the registry, {with_registrant} with the registrant"
        return shares + (
            f", {format_duration(self.with_body)} with the requesting body" if self.with_body else ""
        )


def time_spent(events: Iterable[Event], now: datetime | None = None) -> TimeSpent:
    """The time spent according to the events of a case, oldest first. For an open case, it ends now."""
    transitions = [event for event in events if event.to_state]
    ends = [*(event.at for event in transitions[1:]), now or timezone.now()][: len(transitions)]
    spent = defaultdict[str, timedelta](timedelta)
    is_recognised = False
    for event, end in zip(transitions, ends, strict=True):
        is_recognised = (is_recognised or _recognises(event)) and event.verb != "leave_fast_track"
        is_final = event is transitions[-1] and event.to_state not in OPEN_STATES
        if event.to_state != State.DRAFT and not is_final:
            spent[_share(event.to_state, is_recognised=is_recognised)] += end - event.at
    return TimeSpent(**spent)


def _recognises(event: Event) -> bool:
    """Whether the requesting body is recognised from this event on, by a decision in the case or an earlier one."""
    return event.verb == "recognise" or bool(event.details.get("recognised"))


def _share(state: str, *, is_recognised: bool) -> str:
    if is_recognised and state in STATES_WITH_BODY:
        return "with_body"
    return "with_registrant" if state in WITH_REGISTRANT else "with_registry"


def format_duration(span: timedelta) -> str:
    """A duration in one unit: "8 days", "5 hours", "less than an hour".

    >>> format_duration(timedelta(days=8, hours=3)), format_duration(timedelta(hours=30))
    ('8 days', '30 hours')
    >>> format_duration(timedelta(minutes=5))
    'less than an hour'
    >>> format_duration(timedelta(days=90)), format_duration(timedelta(days=800))
    ('90 days', '2 years')
    """
    hours = span // timedelta(hours=1)
    for unit, length, from_ in (("year", 8766, 730 * 24), ("day", 24, 48), ("hour", 1, 1)):
        if hours >= from_:
            count = hours // length
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return "less than an hour"
