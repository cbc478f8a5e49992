"""How long a case has been where it is, by when it should move on, and whose time that was.

A clock only tells: silence never decides anything, and no case moves because time is up. It goes on while
somebody is out of office. The days for each state are the setting DAYS_TO_ACT.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from registry.audit_log.models import Event
from registry.cases.models import OPEN_STATES, Case, State
from registry.cases.status import status_of

# While it is in one of these the case waits for its registrant: to change it, or to appeal.
WITH_REGISTRANT = frozenset({State.CHANGES_REQUESTED, State.DECLINED})


@dataclass(frozen=True, slots=True)
class Deadline:
    """How a case stands in time: with whom, since when, and until when that should last (None: no limit)."""

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
        """As "with the designated experts for 6 days, due in 8 days"."""
        spent = f"with {self.holder[:1].lower()}{self.holder[1:]} for {in_words(self.elapsed)}"
        if self.due is None:
            return spent
        if self.is_overdue:
            return f"{spent}, overdue by {in_words(self.now - self.due)}"
        return f"{spent}, due in {in_words(self.due - self.now)}"


def deadline_of(case: Case, now: datetime | None = None) -> Deadline | None:
    """The clock of an open case; a closed one has none."""
    if not case.is_open:
        return None
    return Deadline(status_of(case).holder, case.state_since, due_at(case), now or timezone.now())


def due_at(case: Case) -> datetime | None:
    days = settings.DAYS_TO_ACT.get(case.state)
    return case.state_since + timedelta(days=days) if days else None


def overdue(now: datetime | None = None, *, by: timedelta = timedelta(0)) -> Q:
    """Open cases that should have moved on `by` ago or earlier; with a negative `by`, that soon should."""
    late = Q(pk__in=[])
    for state in OPEN_STATES:
        if days := settings.DAYS_TO_ACT.get(state):
            late |= Q(state=state, state_since__lt=(now or timezone.now()) - timedelta(days=days) - by)
    return late


@dataclass(frozen=True, slots=True)
class Shares:
    """The time since the first submission, counted apart."""

    with_registry: timedelta
    with_registrant: timedelta

    @property
    def in_words(self) -> str:
        return f"{in_words(self.with_registry)} with the registry, {in_words(self.with_registrant)} with the registrant"


def shares_of(events: Iterable[Event], now: datetime | None = None) -> Shares:
    """What the events of one case, in their order, say; an open case counts until now."""
    transitions = [event for event in events if event.to_state and event.to_state != event.from_state]
    ends = [*(event.at for event in transitions[1:]), now or timezone.now()][: len(transitions)]
    spent = {True: timedelta(0), False: timedelta(0)}
    for event, end in zip(transitions, ends, strict=True):
        is_last_word = event is transitions[-1] and event.to_state not in OPEN_STATES
        if event.to_state != State.DRAFT and not is_last_word:
            spent[event.to_state in WITH_REGISTRANT] += end - event.at
    return Shares(with_registry=spent[False], with_registrant=spent[True])


def in_words(span: timedelta) -> str:
    """A duration as people say it: "8 days", "5 hours", "less than an hour".

    >>> in_words(timedelta(days=8, hours=3)), in_words(timedelta(hours=30)), in_words(timedelta(minutes=5))
    ('8 days', '30 hours', 'less than an hour')
    >>> in_words(timedelta(days=90)), in_words(timedelta(days=800))
    ('90 days', '2 years')
    """
    hours = span // timedelta(hours=1)
    for unit, length, from_ in (("year", 8766, 730 * 24), ("day", 24, 48), ("hour", 1, 1)):
        if hours >= from_:
            count = hours // length
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return "less than an hour"
