"""How cases are found among many: each question by the index that is made for it."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.api.cases.views import KEYSETS
from registry.cases.competing_cases import competing_cases_of
from registry.cases.findings import reference_data_for
from registry.cases.models import Case, Round, State
from registry.cases.views.lists import OPEN_FIRST
from registry.core.database.bulk_copy import copy_insert
from registry.namespaces.models import Kind
from registry.namespaces.search_terms import terms_of
from registry.search.results import search_cases
from tests.namespaces.test_search_plans import readings
from tests.support.databases import a_filled_database, in_sql, rolled_back_in
from tests.support.factories import a_case_in_review, a_person

SIZE = 10_000


# Rows that take seconds to write are written once for all tests.
pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("plans of cases")]


def vacuum(*tables: str) -> None:
    """As the database does by itself after many changes: also what waits to be put into the indexes of words."""
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM (ANALYZE) {', '.join(tables)}")


def write_cases() -> None:
    """Public cases, every second one open."""
    registrant = a_person(email="registrant@example.org")
    states = [State.IN_REVIEW, State.WITHDRAWN]
    cases = (
        Case(kind=Kind.FORMAL, requested_nid=f"far-{number}", state=states[number % 2], registrant=registrant)
        for number in range(SIZE)
    )
    copy_insert(Case, cases)
    keys = list(Case.objects.values_list("pk", flat=True))
    rounds = (Round(case_id=pk, number=1, content={}, submitted_by=registrant) for pk in keys)
    copy_insert(Round, rounds)
    vacuum("cases_case", "cases_round")


def let_many_people_register() -> None:
    people = (User(email=f"person-{number}@example.org", name=f"Person {number}") for number in range(SIZE))
    copy_insert(User, people)
    in_sql(
        "UPDATE cases_case SET registrant_id = (SELECT min(id) FROM accounts_user WHERE name <> '') + cases_case.id % 5000"
    )
    vacuum("accounts_user", "cases_case")


@pytest.fixture(scope="module")
def database_with_cases(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(write_cases) as database:
        yield database


@pytest.fixture(scope="module")
def database_with_many_people(database_with_cases: str, django_db_blocker: Any) -> Iterator[str]:
    with (
        django_db_blocker.unblock(),
        a_filled_database(let_many_people_register, database_with_cases) as database,
    ):
        yield database


@pytest.fixture
def many(database_with_cases: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rolled_back_in(database_with_cases):
        yield


@pytest.fixture
def many_of_many_people(database_with_many_people: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rolled_back_in(database_with_many_people):
        yield


def read(queries: CaptureQueriesContext) -> list[set[tuple[str, str]]]:
    """How each question for cases was answered: by which scan of which index or table."""
    asked = [each["sql"] for each in queries if 'FROM "cases_case"' in each["sql"]]
    return [{(each.how, each.index) for each in readings(sql)} for sql in asked]


def test_lookalikes_are_read_from_an_index(many: None) -> None:
    case = a_case_in_review(by=User.objects.get(email="registrant@example.org"))
    with CaptureQueriesContext(connection) as queries:
        reference_data_for(case, case.draft_template, case.proposed_profile)
        competing_cases_of(case)
    assert len(read(queries)) == 2
    for scans in read(queries):
        assert {index for _, index in scans} & {"open_cases_by_nid", "open_cases_by_shape"}, scans
        assert ("Seq Scan", "cases_case") not in scans
    assert {"open_cases_by_nid", "open_cases_by_shape"} <= {
        index for scans in read(queries) for _, index in scans
    }


def test_the_list_is_read_in_its_order_and_no_further_than_it_is_shown(many: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        list(Case.objects.public().open_first()[:50])
    (asked,) = queries
    assert ("cases_open_first", 50) in {(each.index, each.rows) for each in readings(asked["sql"])}


def test_a_page_goes_on_after_the_one_before_it_where_open_cases_end_too(many: None) -> None:
    cases = Case.objects.public().open_first()
    pages = []
    for at in (0, SIZE // 2 - 20, SIZE - 20):
        last = cases[at]
        with CaptureQueriesContext(connection) as queries:
            pages.append(list(OPEN_FIRST.after(cases, (last.is_closed, last.pk))[:50]))
        assert all(("Seq Scan", "cases_case") not in scans for scans in read(queries))
        assert pages[-1] == list(cases[at + 1 : at + 51])
    assert [len({case.is_closed for case in page}) for page in pages] == [1, 2, 1]


@pytest.mark.parametrize(
    ("chosen", "indexes"),
    [
        ({"q": "lighthouses"}, {"cases_by_words"}),
        ({"registrant": "Rowan"}, {"accounts_by_name", "cases_case_registrant"}),
        ({"since": date(2990, 1, 1)}, {"cases_by_time_in_state"}),
        ({"until": date(1990, 1, 1)}, {"cases_by_time_in_state"}),
    ],
)
def test_each_filter_is_read_from_its_index(
    many_of_many_people: None, chosen: dict[str, Any], indexes: set[str]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    with CaptureQueriesContext(connection) as queries:
        list(Case.objects.searched(chosen))
    found = {each.index for each in readings(queries[-1]["sql"])}
    assert all(any(index.startswith(name) for index in found) for name in indexes), found


def test_the_search_of_open_cases_is_read_from_the_index_of_words(many: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        list(search_cases(terms_of("lighthouses")))
    assert "cases_by_words" in {each.index for each in readings(queries[-1]["sql"])}


INDEXES = {"number": "cases_case_pkey", "state": "cases_by_state", "state_since": "cases_by_time_in_state",
           "changed_at": "cases_by_change"}  # fmt: skip


@pytest.mark.parametrize("ordering", sorted(KEYSETS))
def test_every_order_of_the_api_is_read_from_its_index(many: None, ordering: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert len(KEYSETS[ordering].after(Case.objects.public(), None)[:50]) == 50
    (asked,) = queries
    rows = {each.index: each.rows for each in readings(asked["sql"])}
    assert rows[INDEXES[ordering.removeprefix("-")]] <= 60, rows
