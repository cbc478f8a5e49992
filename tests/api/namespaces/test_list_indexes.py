"""GET /api/v1/namespaces/ is read from indexes, in every order and with every filter."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.api.namespaces.test_list import LIST, ORDERS
from tests.namespaces.search_rows import many, some_profiles
from tests.support.databases import a_filled_database, rolled_back_in

FILTERS = [
    "",
    "&kind=informal",
    "&status=deprecated",
    "&kind=formal&status=active",
    "&updated_since=2015-10-20",
    "&grammar=true",
    "&grammar=true&kind=informal&status=deprecated",
    "&grammar=false&kind=formal",
]


def check_reads_no_whole_table(queries: CaptureQueriesContext) -> None:
    lists = [each["sql"] for each in queries.captured_queries if 'FROM "namespaces_namespace"' in each["sql"]]
    assert lists
    with connection.cursor() as cursor:
        for sql in lists:
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "Seq Scan on namespaces_namespace" not in plan, plan
            assert "Index" in plan, plan


def fill() -> None:
    many(6000)
    some_profiles()


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


@pytest.fixture
def six_thousand(filled: str, django_db_blocker: Any) -> Iterator[None]:
    """Instead of `db`: six thousand namespaces, some with rules."""
    with django_db_blocker.unblock(), rolled_back_in(filled):
        yield


@pytest.mark.exhaustive
@pytest.mark.parametrize("ordering", [each for each, _ in ORDERS])
def test_every_list_is_read_from_indexes(client: Client, ordering: str, six_thousand: None) -> None:
    for chosen in FILTERS:
        with CaptureQueriesContext(connection) as queries:
            first = client.get(f"{LIST}?ordering={ordering}&page_size=20{chosen}").json()
            client.get(first["next"])
        check_reads_no_whole_table(queries)


@pytest.mark.exhaustive
@pytest.mark.parametrize("asked", ["registrant=holder+499", "q=kind", "q=kind&registrant=holder+7"])
def test_words_are_found_by_their_index(client: Client, asked: str, six_thousand: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"{LIST}?{asked}&page_size=5").json()["results"]
    check_reads_no_whole_table(queries)
