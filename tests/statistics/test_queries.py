"""The numbers behind the pictures."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.namespaces.models import Kind, Namespace
from registry.statistics import queries
from registry.statistics.charts import Chart
from tests.subnamespaces.conftest import LINES, Import, gardens, import_list
from tests.support.factories import a_case_in_review, a_draft, a_person

__all__ = ("gardens", "import_list")
pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
START = datetime(2025, 3, 1, tzinfo=UTC)


def numbers(chart: Chart) -> dict[str, tuple[float | None, ...]]:
    return {row.label: row.values for row in chart.rows}


def namespaces(*dates: str) -> None:
    for at, date in enumerate(dates):
        Namespace.objects.create(nid=f"example{at}", kind=Kind.FORMAL, registered_on=date)


def a_past(case: int, monkeypatch: pytest.MonkeyPatch, *transitions: Any) -> None:
    """Events of a case: days after START, from, to, and perhaps verb and details."""
    for days, source, target, *more in transitions:
        verb, details = (more + ["moved", {}][len(more) :])[:2]
        monkeypatch.setattr("registry.audit_log.log.timezone.now", lambda days=days: START + days * DAY)
        log.append(verb, by=None, case=case, from_state=source, to_state=target, **details)


def test_namespaces_are_counted_by_year_without_a_hole() -> None:
    namespaces("2019-05-01", "2019-11", "2022-01-31", "")
    Namespace.objects.create(nid="urn-1", kind=Kind.INFORMAL, number=1, registered_on="2022-02")
    assert numbers(queries.registered_namespaces()) == {
        "2019": (2, 0),
        "2020": (0, 0),
        "2021": (0, 0),
        "2022": (1, 1),
    }
    assert queries.registered_namespaces().note.startswith("1 namespace has no date")
    assert numbers(queries.growth()) == {"2019": (3, 0), "2020": (3, 0), "2021": (3, 0), "2022": (4, 1)}


def test_sub_namespaces_are_counted_by_namespace_and_status(import_list: Import) -> None:
    import_list(
        f'{LINES}{{"prefix": "elm", "title": "Elm", "status": "retired"}}\n'
        '{"prefix": "ash", "title": "Ash", "status": "deprecated"}\n'
    )
    Namespace.objects.create(nid="example-trees", kind=Kind.FORMAL)
    chart = queries.listed_subnamespaces()
    assert chart.series == ("active", "deprecated", "retired")
    assert numbers(chart) == {"example-gardens": (2, 1, 1)}


def test_an_empty_registry_has_empty_charts() -> None:
    assert [count().is_empty for count in queries.CHARTS.values()] == [True] * len(queries.CHARTS)


@pytest.mark.parametrize(("days", "column"), [(0, 0), (6.9, 0), (7.1, 1), (27, 1), (29, 2), (90, 2), (92, 3)])
def test_open_cases_are_counted_by_the_time_in_their_state(
    registrant: User, days: float, column: int
) -> None:
    case = a_case_in_review(by=registrant)
    Case.objects.filter(pk=case.pk).update(state_since=case.state_since - days * DAY)
    expected = [0, 0, 0, 0]
    expected[column] = 1
    assert numbers(queries.open_cases())["in review"] == tuple(expected)


def test_drafts_are_not_counted(registrant: User) -> None:
    a_draft(by=registrant)
    assert queries.open_cases().is_empty
    assert "draft" not in numbers(queries.open_cases())


@pytest.mark.parametrize(("days", "expected"), [(13, (1, 0)), (15, (0, 1))])
def test_open_cases_are_counted_by_whether_they_are_overdue(
    registrant: User, settings: Any, days: float, expected: tuple[int, int]
) -> None:
    settings.DAYS_TO_ACT = {"in_review": 14, "approved": 3}
    case = a_case_in_review(by=registrant)
    a_draft(by=registrant, namespace_identifier="shrubs")
    Case.objects.filter(pk=case.pk).update(state_since=case.state_since - days * DAY)
    assert numbers(queries.overdue_cases()) == {"in review": expected, "approved": (0, 0)}


def test_states_without_a_deadline_are_not_in_the_chart_of_overdue_cases(settings: Any) -> None:
    settings.DAYS_TO_ACT = {"in_review": 14, "approved": 0}
    assert list(numbers(queries.overdue_cases())) == ["in review"]
    settings.DAYS_TO_ACT = {}
    assert queries.overdue_cases().is_empty


def test_reviews_are_counted_by_expert(registrant: User, expert: User) -> None:
    second_expert = a_person(email="expert-2@example.org", roles=(RoleName.EXPERT,))
    declined = a_case_in_review(by=registrant)
    functions.decline(declined, by=expert, round_number=1, reason="It overlaps.")
    waiting = a_case_in_review(by=registrant, namespace_identifier="shrubs")
    points = [("syntax", "Which characters?")]
    functions.request_changes(waiting, by=expert, round_number=1, rationale="", action_points=points)
    approved = a_case_in_review(by=registrant, namespace_identifier="hedges")
    functions.approve(approved, by=second_expert, round_number=1, rationale="Sound.")
    expected = {str(expert): (2, 1), str(second_expert): (1, 1)}
    assert numbers(queries.reviews_by_expert()) == expected

    functions.take_back(Case.objects.get(pk=approved.pk), by=second_expert, reason="The wrong case.")
    assert numbers(queries.reviews_by_expert()) == {str(expert): (2, 1)}


def test_reviews_of_closed_cases_are_counted_for_a_year(
    registrant: User, expert: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = a_case_in_review(by=registrant)
    functions.decline(case, by=expert, round_number=1, reason="It overlaps.")
    in_a_year = timezone.now() + 366 * DAY
    monkeypatch.setattr("registry.statistics.queries.timezone.now", lambda: in_a_year)
    assert queries.reviews_by_expert().is_empty


def test_the_net_time_leaves_out_what_the_registrant_took(monkeypatch: pytest.MonkeyPatch) -> None:
    a_past(
        1,
        monkeypatch,
        (0, "draft", "in_review"),
        (4, "in_review", "changes_requested"),
        (14, "changes_requested", "in_review"),
        (15, "in_review", "in_review"),  # a newer round of the same review
        (17, "in_review", "approved"),
        (18, "approved", "registered"),
    )
    assert numbers(queries.times_to_decision())["2025"] == (8.0, 8.0, 18.0, 18.0)
    assert numbers(queries.outcomes()) == {"2025": (1, 0, 0)}


def test_the_time_before_an_appeal_is_the_registrants(monkeypatch: pytest.MonkeyPatch) -> None:
    transitions: list[Any] = [(0, "draft", "in_review"), (2, "in_review", "declined")]
    a_past(1, monkeypatch, *transitions)
    assert numbers(queries.times_to_decision())["all years"] == (2.0, 2.0, 2.0, 2.0)
    a_past(1, monkeypatch, (12, "declined", "awaiting_direction"))
    assert queries.times_to_decision().is_empty
    a_past(1, monkeypatch, (15, "awaiting_direction", "declined"))
    assert numbers(queries.times_to_decision())["2025"] == (5.0, 5.0, 15.0, 15.0)


@pytest.mark.parametrize(
    "recognition",
    [
        (3, "in_review", "in_review", "recognise"),
        (3, "in_review", "in_review", "submit", {"recognised": True}),
    ],
    ids=["in the case", "before"],
)
def test_the_net_time_leaves_out_what_a_recognised_body_took(
    monkeypatch: pytest.MonkeyPatch, recognition: Any
) -> None:
    a_past(
        1,
        monkeypatch,
        (0, "draft", "in_review", "submit"),
        recognition,
        (10, "in_review", "approved", "request_completion"),
        (12, "approved", "in_review", "cancel_completion"),
        (20, "in_review", "in_review", "leave_fast_track"),
        (24, "in_review", "declined", "decline"),
    )
    assert numbers(queries.times_to_decision())["2025"] == (9.0, 9.0, 24.0, 24.0)


def test_medians_and_percentiles(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in range(1, 12):
        a_past(case, monkeypatch, (0, "draft", "in_review"), (case, "in_review", "declined"))
    assert numbers(queries.times_to_decision())["all years"] == (6.0, 10.0, 6.0, 10.0)


def test_a_withdrawal_is_an_outcome_but_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    a_past(1, monkeypatch, (0, "draft", "in_review"), (1, "in_review", "withdrawn"))
    a_past(2, monkeypatch, (0, "draft", "withdrawn"))  # never submitted: not the public's business
    assert queries.times_to_decision().is_empty
    assert numbers(queries.outcomes()) == {"2025": (0, 0, 1)}
    assert Event.objects.count() == 3


def test_each_chart_needs_one_query_for_any_amount_of_data(
    registrant: User, django_assert_num_queries: Any
) -> None:
    namespaces("2019-05-01")
    a_case_in_review(by=registrant)
    for count in queries.CHARTS.values():
        with django_assert_num_queries(1):
            count()
