"""How lists and searches are read: each from the index that is made for it, and no more of it than is taken.

A plan says which index the database would read, its counters how much it did read. That these tests would see an
index go is tested too.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from registry.namespaces import search
from registry.namespaces.models import Kind
from registry.namespaces.search import (
    KEYSETS,
    Order,
    SearchQuery,
    Status,
    search_namespaces,
    search_page,
)
from tests.namespaces.search_rows import keyset_of, many, some_profiles
from tests.support.databases import in_sql

SIZE = 4000
PAGE = 20
# What a search takes here at most, and so how much of the index it may read: five times as much, for some texts and for
# more and more of them.
MAX_RESULTS = 100
TAKEN = MAX_RESULTS + 1  # which tells whether there are more
READ = len(search.CLOSEST_FIRST) * 5 * TAKEN + PAGE + 1


@pytest.fixture(scope="module")
def all_known(the_test_database: None, django_db_blocker: Any) -> Iterator[None]:
    """So many that it takes a while to write them: once for all tests, in a transaction around theirs."""
    with django_db_blocker.unblock(), undone():
        many(SIZE)
        yield


@pytest.fixture(autouse=True)
def known(all_known: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(search, "MAX_RESULTS", MAX_RESULTS)
    with undone():
        yield


@contextmanager
def undone() -> Iterator[None]:
    """Roll back all changes at the end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@dataclass(frozen=True)
class Reading:
    """One place in a plan where rows are read."""

    how: str
    index: str
    rows: float


def readings(statement: str, settings_of: str = "") -> list[Reading]:
    """Where the statement reads when it runs, with the settings that a function of the database has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT unnest(proconfig) FROM pg_proc WHERE proname = %s", [settings_of])
        for (setting,) in cursor.fetchall():
            cursor.execute("SELECT set_config(%s, %s, true)", setting.split("="))
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement.replace('%', '%%')}")
        (answer,) = cursor.fetchone()
    plan = answer if isinstance(answer, list) else json.loads(answer)
    return [
        Reading(
            each["Node Type"],
            each.get("Index Name", each.get("Relation Name", "")),
            each["Actual Rows"] * each["Actual Loops"],
        )
        for each in nodes_of(plan[0]["Plan"])
        if "Scan" in each["Node Type"]
        and each["Node Type"] not in {"CTE Scan", "WorkTable Scan", "Subquery Scan"}
    ]


def nodes_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes_of(below)


def value_of(statement: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()[0]


# Words


WORDS = ["things", "names holder", "holder 499", "nowhere", "nowhere things", "thi", "th", "t", "urn-3", "n", "of",
         "names things of kind 7", "kind 7 holder 107", "urn 12345"]  # fmt: skip


OTHER_KEYS = ["", "namespaces_since_key('2015-10-20')", "namespaces_since_key('2010-05')", "'#with-grammar'::tsquery",
              "'#without-grammar'::tsquery", "'#organisation-1'::tsquery"]  # fmt: skip


def check_words_are_read_from_their_index(words: str, other_key: str = "") -> None:
    keys = "namespaces_keys(%s, '', '{}')" + (f" || {other_key}" if other_key else "")
    statement = value_of(f"SELECT namespaces_found_query({keys}, {5 * TAKEN})", words)
    by_words, from_table = sorted(
        readings(statement, "namespaces_found"), key=lambda each: each.how, reverse=True
    )
    assert (by_words.how, by_words.index) == ("Bitmap Index Scan", "namespaces_by_words")
    assert (from_table.how, from_table.index) == ("Bitmap Heap Scan", "namespaces_namespace")
    assert from_table.rows <= 5 * TAKEN


def test_words_are_read_only_from_their_index() -> None:
    some_profiles(one_in=500)
    for words, other_key in product(WORDS, OTHER_KEYS):
        check_words_are_read_from_their_index(words, other_key)


def counters() -> tuple[int, int, int]:
    """How often this transaction has read the whole table and the index of words, and how many rows by any index."""
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT seq_scan, pg_stat_get_xact_numscans('namespaces_by_words'::regclass), idx_tup_fetch
            FROM pg_stat_xact_user_tables WHERE relname = 'namespaces_namespace'
        """)
        whole, by_words, rows = cursor.fetchone()
    return whole, by_words, rows


def test_a_search_reads_as_much_as_it_takes_and_not_as_much_as_there_is() -> None:
    some_profiles(one_in=500)
    filters = [{}, {"kind": "informal"}, {"kind": "formal", "status": "active"}, {"status": "deprecated"},
               {"has_grammar": True}, {"has_grammar": False}, {"has_grammar": True, "registrant": "exam"},
               {"registrant": "exam"}, {"registrant": "holder 7"}, {"since": "2015-10-20"}, {"since": "2010-05", "kind": "formal"}]  # fmt: skip
    for words, chosen in product(["", *WORDS], filters):
        if not words and "registrant" not in chosen:
            continue
        before = counters()
        search_namespaces(SearchQuery(words, **chosen), PAGE)
        whole, by_words, rows = (now - then for now, then in zip(counters(), before, strict=True))
        assert whole == 0, (words, chosen)
        assert by_words >= 1, (words, chosen)
        assert rows <= READ, (words, chosen)


def test_pages_of_a_search_read_no_more_than_the_first() -> None:
    for keyset in KEYSETS.values():
        before = counters()
        first = search_page(SearchQuery("things", keyset=keyset), PAGE)
        search_page(SearchQuery("things", keyset=keyset, after=first.after), PAGE)
        whole, _, rows = (now - then for now, then in zip(counters(), before, strict=True))
        assert whole == 0
        assert rows <= 2 * READ


# Lists


ORDERS = {"": "nid", "registered_on": "registration", "updated_on": "update"}
# In the middle of the list, and in the middle of those that have one date, none at all.
BEYOND = {"": [("", ""), ("", "n8")], "registered_on": [("", ""), ("2010-08-08", "n8")],
          "updated_on": [("", ""), ("2015-06-06", "n8"), ("", "n8")]}  # fmt: skip


def readings_of_list(
    kind: str,
    status: str,
    date: str,
    descends: bool,
    beyond: tuple[str, str],
    since: str = "",
    few: int = 20_000,
    grammar: str = "",
) -> list[Reading]:
    asked = [since, kind, status, grammar, date, descends, *beyond, few, PAGE]
    statement = value_of(f"SELECT namespaces_list_query({', '.join(['%s'] * len(asked))})", *asked)
    return readings(statement, "namespaces_listed")


def check_list_is_read_from_its_index(kind: str, status: str, date: str, descends: bool) -> None:
    for beyond in BEYOND[date]:
        [found] = readings_of_list(kind, status, date, descends, beyond)
        assert (found.how, found.index) == ("Index Only Scan", f"by_{ORDERS[date]}_{status}")
        assert found.rows <= PAGE


def test_every_list_is_read_from_its_index_and_no_further_than_it_is_shown() -> None:
    for kind, status, date, descends in product(Kind.values, Status.values, ORDERS, (False, True)):
        check_list_is_read_from_its_index(kind, status, date, descends)


def test_all_by_nid_are_read_from_the_index_of_nids() -> None:
    with CaptureQueriesContext(connection) as queries:
        first = search_page(SearchQuery(), PAGE)
        search_page(SearchQuery(after=first.after), PAGE)
    for each in queries.captured_queries:
        [found] = readings(each["sql"])
        assert found.index == "one_namespace_per_nid"
        assert found.rows == PAGE + 1


def test_what_is_listed_is_fetched_by_nid() -> None:
    with CaptureQueriesContext(connection) as queries:
        list(search_namespaces(SearchQuery(keyset=KEYSETS[Order.UPDATED], since="2010-06"), PAGE).namespaces)
    found = readings(queries.captured_queries[-1]["sql"])
    assert {each.index for each in found} <= {"one_namespace_per_nid", "namespaces_namespace"}, found
    assert "Seq Scan" not in {each.how for each in found}
    assert all(each.rows == PAGE for each in found)


def test_a_list_reads_as_much_as_it_shows_and_not_as_much_as_there_is() -> None:
    for kind, status, date, descends in product(
        ["", *Kind.values], ["", *Status.values], ORDERS, (False, True)
    ):
        for after in ("", ".".join(BEYOND[date][-1][0 if date else 1 :])):
            before = counters()
            query = SearchQuery(kind=kind, status=status, keyset=keyset_of(date, descends), after=after)
            search_page(query, PAGE - 1)
            whole, _, rows = (now - then for now, then in zip(counters(), before, strict=True))
            assert whole == 0
            # One of each kind and status may be looked at in the table, and what is shown is fetched.
            assert rows <= 5 * PAGE


# What changed since a day


def check_changes_are_read_from_their_indexes(
    since: str, kind: str, status: str, date: str, descends: bool, few: int = 20_000
) -> None:
    in_years, by_change = f"by_{ORDERS[date]}_in_years_{status}", f"by_change_{status}"
    # Of each year no more than is shown. Of the first one, those that changed are sorted if they are few, and walked
    # to past the others, of which there are not many here, if they are not.
    years, is_walked = 2015 + 2 - int(since[:4]), changed_in_its_year(since, kind, status) >= few
    for beyond in BEYOND[date]:
        found = readings_of_list(kind, status, date, descends, beyond, since, few)
        assert {each.index for each in found} == {in_years, by_change}, found
        assert {each.how for each in found} == {"Index Only Scan"}, found
        assert sum(each.rows for each in found if each.index == in_years) <= PAGE * (years + 20 * is_walked)
        assert not is_walked or sum(each.rows for each in found if each.index == by_change) <= years


def changed_in_its_year(since: str, kind: str, status: str) -> int:
    return int(
        value_of(
            "SELECT count(*) FROM namespaces_namespace WHERE changed >= %s AND left(changed, 4) = %s"
            " AND kind = %s AND (deprecated_at IS NULL) = %s",
            since, since[:4], kind, status == "active",
        )
    )  # fmt: skip


def test_changes_are_read_from_their_indexes_in_every_order() -> None:
    for date, descends, status in product(ORDERS, (False, True), Status.values):
        for since, few in (("2010-06", 20_000), ("2010-06-15", 10), ("2015-03-01", 20_000)):
            check_changes_are_read_from_their_indexes(since, "formal", status, date, descends, few)


def test_few_with_a_grammar_among_many_are_read_from_an_index_of_their_own() -> None:
    some_profiles(one_in=500)
    for kind, status, date, descends in product(Kind.values, Status.values, ORDERS, (False, True)):
        for since in ("", "2010-06"):
            found = readings_of_list(kind, status, date, descends, ("", ""), since, grammar="with")
            index = f"by_{ORDERS[date]}_{'grammar' if status == 'active' else 'grammar_old'}"
            assert [each.index for each in found] == [index], found


# An index that is gone is missed.


@pytest.mark.sampled(6)
@pytest.mark.parametrize("date", ORDERS)
@pytest.mark.parametrize("status", Status.values)
def test_a_list_whose_index_is_gone_is_noticed(date: str, status: str) -> None:
    in_sql(f"DROP INDEX by_{ORDERS[date]}_{status}")
    with pytest.raises((AssertionError, ValueError)):
        check_list_is_read_from_its_index("formal", status, date, descends=False)


def test_a_missing_word_index_is_detected() -> None:
    in_sql("DROP INDEX namespaces_by_words")
    with pytest.raises((AssertionError, ValueError)):
        check_words_are_read_from_their_index("things")


@pytest.mark.parametrize(
    "index", ["by_change", "by_nid_in_years", "by_registration_in_years", "by_update_in_years"]
)
@pytest.mark.exhaustive
def test_changes_whose_index_is_gone_are_noticed(index: str) -> None:
    in_sql(f"DROP INDEX {index}_active")
    date = {"by_update_in_years": "updated_on", "by_registration_in_years": "registered_on"}.get(index, "")
    with pytest.raises(AssertionError):
        check_changes_are_read_from_their_indexes("2010-06", "formal", "active", date, descends=False)
