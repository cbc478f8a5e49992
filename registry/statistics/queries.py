"""The queries behind the charts. Each chart takes a fixed number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate, islice
from operator import add
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Case as CaseExpression
from django.db.models import Count, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Left
from django.utils import timezone

from registry.accounts.models import User
from registry.cases.deadlines import WITH_REGISTRANT, overdue, with_deadline
from registry.cases.models import OPEN_STATES, PUBLIC_STATES, STATES_WITH_BODY, Case
from registry.namespaces.models import Kind, Namespace
from registry.statistics.charts import Chart, Curve, Row
from registry.subnamespaces.models import Status, SubNamespace

AGE_BANDS = (("under a week", 7), ("1 to 4 weeks", 28), ("1 to 3 months", 91), ("over 3 months", None))
OPEN_AND_PUBLIC = tuple(state for state in PUBLIC_STATES if state in OPEN_STATES)
YEAR = timedelta(days=365)
KINDS = tuple(str(kind.label) for kind in Kind)

# The duration of each submitted case, from the audit log, as `deadlines.time_spent` divides it. The parameters are its
# WITH_REGISTRANT and STATES_WITH_BODY. Nothing recognises a body after its case has left the fast track.
_ENDED_CASES_SQL = """
    WITH transitions AS (
        SELECT case_number, number, at, from_state, to_state, lead(at) OVER case_events AS until,
               bool_or(verb = 'recognise' OR details @> '{"recognised": true}') OVER case_events
               AND NOT bool_or(verb = 'leave_fast_track') OVER case_events AS is_recognised
        FROM audit_log_event
        WHERE case_number IS NOT NULL AND to_state <> ''
        WINDOW case_events AS (PARTITION BY case_number ORDER BY number)
    ), cases AS (
        SELECT min(at) FILTER (WHERE from_state = 'draft' AND to_state <> 'withdrawn') AS submitted,
               max(at) AS ended,
               (array_agg(to_state ORDER BY number DESC))[1] AS outcome,
               coalesce(sum(until - at) FILTER (
                   WHERE to_state = ANY(%s) OR is_recognised AND to_state = ANY(%s)
               ), interval '0') AS with_requester
        FROM transitions GROUP BY case_number
    ), ended AS (
        SELECT extract(year FROM ended AT TIME ZONE 'UTC')::int AS year, outcome,
               CASE WHEN outcome <> 'withdrawn' THEN ended - submitted END AS gross,
               CASE WHEN outcome <> 'withdrawn' THEN ended - submitted - with_requester END AS net
        FROM cases WHERE submitted IS NOT NULL AND outcome IN ('registered', 'declined', 'withdrawn')
    )
    SELECT year,
           percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY net),
           percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY gross),
           count(*) FILTER (WHERE outcome = 'registered'),
           count(*) FILTER (WHERE outcome = 'declined'),
           count(*) FILTER (WHERE outcome = 'withdrawn')
    FROM ended GROUP BY GROUPING SETS ((year), ()) HAVING count(*) > 0 ORDER BY year NULLS FIRST
"""


@dataclass(frozen=True, slots=True)
class EndedCases:
    """Durations as (median, 90th percentile), and outcomes, of the cases that ended in a year (None: all years)."""

    year: int | None
    net: Sequence[timedelta] | None
    gross: Sequence[timedelta] | None
    registered: int
    declined: int
    withdrawn: int


def _ended_cases() -> list[EndedCases]:
    with connection.cursor() as cursor:
        cursor.execute(_ENDED_CASES_SQL, [sorted(WITH_REGISTRANT), sorted(STATES_WITH_BODY)])
        return [EndedCases(*row) for row in cursor.fetchall()]


def registered_namespaces() -> Chart:
    """Return the chart of namespaces by year of registration."""
    by_year, undated = _registrations()
    return Chart(
        "registered-namespaces",
        "Registrations per year",
        "Namespaces by year of registration.",
        "Year",
        KINDS,
        [Row(year, numbers) for year, numbers in by_year.items()],
        stacked=True,
        note=_without_date(sum(undated), "They are in no year."),
    )


def growth() -> Chart:
    """Return the curve of the namespaces that were registered at the end of each year."""
    by_year, undated = _registrations()
    totals = accumulate(
        by_year.values(), lambda total, numbers: tuple(map(add, total, numbers)), initial=undated
    )
    return Curve(
        "growth",
        "Growth of the registry",
        "Namespaces that were registered at the end of each year.",
        "Year",
        KINDS,
        [Row(year, total) for year, total in zip(by_year, islice(totals, 1, None), strict=True)],
        note=_without_date(sum(undated), "They count from the first year on."),
    )


def _registrations() -> tuple[dict[str, tuple[int, ...]], tuple[int, ...]]:
    """The namespaces of each kind by year of registration, without a hole, and those without a date."""
    counts = _counts(Namespace.objects.annotate(year=Left("registered_on", 4)), "year", "kind")

    def registered_in(year: str) -> tuple[int, ...]:
        return tuple(counts.get((year, kind), 0) for kind in Kind)

    years = map(str, _year_range({int(year) for year, _kind in counts if year}))
    return {year: registered_in(year) for year in years}, registered_in("")


def _without_date(number: int, where: str) -> str:
    if not number:
        return ""
    of = "1 namespace has" if number == 1 else f"{number} namespaces have"
    return f"{of} no date of registration in IANA's registry. {where}"


def _counts(rows: QuerySet[Any], *columns: str) -> dict[tuple[Any, ...], int]:
    """The number of rows with each combination of values in these columns."""
    counted = rows.order_by().values_list(*columns).annotate(count=Count("*"))
    return {tuple(values): count for *values, count in counted}


def listed_subnamespaces() -> Chart:
    """Return the chart of the sub-namespaces in the list of each namespace, by status."""
    counts = _counts(SubNamespace.objects.all(), "namespace__nid", "status")
    return Chart(
        "listed-subnamespaces",
        "Sub-namespaces",
        "Sub-namespaces in the lists of namespaces, by status.",
        "Namespace",
        tuple(str(status.label) for status in Status),
        [
            Row(nid, tuple(counts.get((nid, status), 0) for status in Status))
            for nid in sorted({nid for nid, _status in counts})
        ],
        stacked=True,
        note="A list is as complete as its source.",
    )


def open_cases() -> Chart:
    """Return the chart of open public cases by state and time in that state."""
    counts = _counts(Case.objects.open().public().annotate(age=_age_band()), "state", "age")
    rows = [
        Row(str(state.label), tuple(counts.get((state, age), 0) for age in range(len(AGE_BANDS))))
        for state in OPEN_AND_PUBLIC
    ]
    return Chart(
        "open-cases",
        "Open cases",
        "Open cases by state, and the time in that state.",
        "State",
        tuple(name for name, _days in AGE_BANDS),
        rows,
        stacked=True,
    )


def _age_band() -> CaseExpression:
    """Return an expression for the index in AGE_BANDS."""
    now = timezone.now()
    younger = [
        When(state_since__gt=now - timedelta(days=days), then=Value(at))
        for at, (_name, days) in enumerate(AGE_BANDS)
        if days is not None
    ]
    return CaseExpression(*younger, default=Value(len(AGE_BANDS) - 1), output_field=IntegerField())


def overdue_cases() -> Chart:
    """Return the chart of open public cases with a deadline, by whether they are overdue."""
    late = overdue()
    by_state = Case.objects.open().public().filter(with_deadline()).order_by().values_list("state")
    found = by_state.annotate(on_time=Count("pk", filter=~late), late=Count("pk", filter=late))
    counts = {state: numbers for state, *numbers in found}
    rows = [
        Row(str(state.label), tuple(counts.get(state, (0, 0))))
        for state in OPEN_AND_PUBLIC
        if settings.DAYS_TO_ACT.get(state)
    ]
    return Chart(
        "overdue",
        "Overdue cases",
        "Open cases with a deadline, and how many of them are overdue.",
        "State",
        ("on time", "overdue"),
        rows,
        stacked=True,
        note="A missed deadline does not decide a case.",
    )


def reviews_by_expert() -> Chart:
    """Return the chart of the reviews of each expert, as the pages of the cases name them."""
    recent = Q(reviews__at__gt=timezone.now() - YEAR)
    of_open_case = Q(reviews__round__case__state__in=OPEN_STATES)
    experts = (
        User.objects.filter(recent | of_open_case, reviews__taken_back=None)
        .annotate(
            recent_reviews=Count("reviews", filter=recent),
            open_cases=Count("reviews__round__case", filter=of_open_case, distinct=True),
        )
        .order_by("-recent_reviews", "-open_cases", "pk")
    )
    return Chart(
        "reviews-by-expert",
        "Reviews by expert",
        "Verdicts and advice of each expert in the last 12 months, and the open cases that they reviewed.",
        "Expert",
        ("reviews in 12 months", "open cases reviewed"),
        [Row(str(each), (each.recent_reviews, each.open_cases)) for each in experts],
        note="Verdicts that were taken back are not counted.",
    )


def times_to_decision() -> Chart:
    """Return the chart of times from the first submission to registration or decline."""
    rows = [
        Row(str(each.year or "all years"), (*_days(each.net), *_days(each.gross)))
        for each in _ended_cases()
        if each.gross
    ]
    return Chart(
        "time-to-decision",
        "Time to decision",
        "Days from the first submission to registration or decline. The net time excludes the time with the "
        "registrant and with a recognised body, which decides when to request completion.",
        "Year of the decision",
        ("net, median", "net, 90th percentile", "gross, median", "gross, 90th percentile"),
        rows,
        "days",
    )


def _days(times: Sequence[timedelta] | None) -> list[float | None]:
    return [round(each / timedelta(days=1), 1) for each in times] if times else [None, None]


def outcomes() -> Chart:
    """Return the chart of outcomes of submitted cases by year."""
    counts = {
        each.year: (each.registered, each.declined, each.withdrawn) for each in _ended_cases() if each.year
    }
    return Chart(
        "outcomes",
        "Outcomes",
        "Outcomes of submitted cases, by the year in which they ended.",
        "Year",
        ("registered", "declined", "withdrawn"),
        [Row(str(year), counts.get(year, (0, 0, 0))) for year in _year_range(set(counts))],
        stacked=True,
    )


def _year_range(years: set[int]) -> range:
    """Return the range from the first to the last year, including years without data."""
    return range(min(years), max(years) + 1) if years else range(0)


CHARTS = {
    "growth": growth,
    "registered-namespaces": registered_namespaces,
    "listed-subnamespaces": listed_subnamespaces,
    "open-cases": open_cases,
    "overdue": overdue_cases,
    "reviews-by-expert": reviews_by_expert,
    "time-to-decision": times_to_decision,
    "outcomes": outcomes,
}
