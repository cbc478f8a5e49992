"""How cases are found among many: each question by the index that is made for it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.copying import copy_in
from registry.namespaces.models import Kind
from registry.registrations.findings import surroundings_of
from registry.registrations.models import Registration, State, Submission
from registry.registrations.rivals import rivals_of
from tests.databases import in_sql
from tests.factories import a_case_in_review
from tests.namespaces.test_search_plans import readings

SIZE = 10_000


@pytest.fixture
def many(registrant: User) -> None:
    """Public cases, every second one open."""
    states = [State.IN_REVIEW, State.WITHDRAWN]
    cases = (
        Registration(
            kind=Kind.FORMAL, requested_nid=f"far-{number}", state=states[number % 2], registrant=registrant
        )
        for number in range(SIZE)
    )
    copy_in(Registration, cases)
    keys = list(Registration.objects.values_list("pk", flat=True))
    rounds = (Submission(registration_id=pk, round=1, content={}, submitted_by=registrant) for pk in keys)
    copy_in(Submission, rounds)
    for table in ("registration", "submission"):
        in_sql(f"ANALYZE registrations_{table}")


def read(queries: CaptureQueriesContext) -> list[set[tuple[str, str]]]:
    """How each question for cases was answered: by which scan of which index or table."""
    asked = [each["sql"] for each in queries if 'FROM "registrations_registration"' in each["sql"]]
    return [{(each.how, each.index) for each in readings(sql)} for sql in asked]


def test_those_that_look_alike_are_looked_up(many: None, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    with CaptureQueriesContext(connection) as queries:
        surroundings_of(case, case.content)
        rivals_of(case)
    assert len(read(queries)) == 2
    for scans in read(queries):
        ways = {("Bitmap Index Scan", f"open_cases_by_{way}") for way in ("nid", "shape")}
        assert ways <= scans, scans
        assert ("Seq Scan", "registrations_registration") not in scans


def test_the_list_is_read_in_its_order_and_no_further_than_it_is_shown(many: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        list(Registration.objects.public().open_first()[:50])
    (asked,) = queries
    assert ("cases_open_first", 50) in {(each.index, each.rows) for each in readings(asked["sql"])}


def test_a_page_goes_on_after_the_one_before_it_where_open_cases_end_too(many: None) -> None:
    cases = Registration.objects.public().open_first()
    pages = []
    for at in (0, SIZE // 2 - 20, SIZE - 20):
        last = cases[at]
        with CaptureQueriesContext(connection) as queries:
            pages.append(list(cases.after(last.is_closed, last.pk)[:50]))
        assert all(("Seq Scan", "registrations_registration") not in scans for scans in read(queries))
        assert pages[-1] == list(cases[at + 1 : at + 51])
    assert [len({case.is_closed for case in page}) for page in pages] == [1, 2, 1]
