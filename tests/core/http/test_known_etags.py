"""Confirmed lists: one query for the tokens of changes, and never a 304 after a change."""

import re
from collections.abc import Iterator
from threading import Event, Thread
from time import monotonic

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.api.framework import conditional
from registry.api.framework.conditional import _etags as known_etags
from registry.cases.comments import comment
from registry.cases.workflow import functions
from registry.namespaces.models import Namespace
from tests.api.client import V1
from tests.core.http.test_page_cache import CHANGES_MADE, TRIGGERED, commit_years
from tests.support.databases import rolled_back_in
from tests.support.factories import a_case_in_review, a_namespace

# Of the throttle and of the tokens themselves.
NOT_SHOWN = {"core_changetoken", "core_counter"}


@pytest.fixture(autouse=True)
def _nothing_is_known() -> Iterator[None]:
    known_etags.clear()
    yield
    known_etags.clear()


@pytest.fixture
def lists(registrant: User, expert: User, administrator: User) -> list[str]:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = a_case_in_review(by=registrant, namespace_identifier="example-birds")
    comment(case, by=expert, round_number=1, text="Which birds?")
    functions.approve(case, by=expert, round_number=1, rationale="It is sound.")
    return addresses(case.pk, "example-trees")


def addresses(case: int, nid: str) -> list[str]:
    paths = (
        "namespaces/",
        "namespaces/?q=trees",
        "cases/",
        "cases/?q=birds&expert=Expert",
        "events/",
        "services/",
    )
    of_case = (f"cases/{case}/{name}/" for name in ("comments", "reviews", "events"))
    return [f"{V1}{path}" for path in (*paths, *of_case, f"namespaces/{nid}/events/")]


def test_a_known_list_is_confirmed_with_the_same_headers_and_without_reading_it(
    client: Client, lists: list[str]
) -> None:
    for address in lists:
        etag = client.get(address)["ETag"]
        with CaptureQueriesContext(connection) as reading:
            first = client.get(address, headers={"if-none-match": etag})
        with CaptureQueriesContext(connection) as queries:
            again = client.get(address, headers={"if-none-match": etag})
        assert (first.status_code, again.status_code, again.content) == (304, 304, b"")
        changing = {"RateLimit"}
        assert {name: value for name, value in again.items() if name not in changing} == {
            name: value for name, value in first.items() if name not in changing
        }
        # The case or the namespace is looked up before its list.
        of_whole_registry = address.partition("?")[0].count("/") == 4
        assert tables_in(queries) <= NOT_SHOWN if of_whole_registry else len(queries) < len(reading), address
        assert client.get(address, headers={"if-none-match": '"another"'}).status_code == 200


def tables_in(queries: CaptureQueriesContext) -> set[str]:
    names = {name for query in queries.captured_queries for name in re.findall(r"\w+", query["sql"])}
    return names.intersection(connection.introspection.table_names())


@pytest.mark.exhaustive
def test_every_table_that_a_list_reads_renews_the_token(the_demonstration: str, client: Client) -> None:
    with rolled_back_in(the_demonstration), CaptureQueriesContext(connection) as queries:
        cases = [each["number"] for each in client.get(f"{V1}cases/").json()["results"]]
        for case in cases:
            for address in addresses(case, "isbn"):
                assert client.get(address).status_code == 200
        with connection.cursor() as cursor:
            cursor.execute(TRIGGERED)
            renewing = {name for (name,) in cursor.fetchall()}
        read = tables_in(queries)
    assert {"cases_comment", "cases_review", "accounts_user", "namespaces_namespace"} < read
    # The head of the log advances with an event, and stored entries are emptied with their namespace. The salt of a name is
    # written with an event, and erased with the name of the account.
    others = {"audit_log_chainhead", "namespaces_cachedlookup", "audit_log_personaldata"}
    assert read - renewing <= NOT_SHOWN | others


@pytest.mark.usefixtures("real_database")
@pytest.mark.exhaustive
def test_no_list_is_confirmed_after_a_committed_change() -> None:
    Namespace.objects.create(nid="trees", kind="formal", registered_on="1000-01")
    committed, stale, is_over = [1000], [], Event()

    def read() -> None:
        client, etag, seen = Client(), "", 0
        while not is_over.is_set():
            least = committed[-1]
            response = client.get(f"{V1}namespaces/?kind=formal", headers={"if-none-match": etag})
            if response.status_code == 200:
                etag = response["ETag"]
                seen = int(response.json()["results"][0]["registered_on"][:4])
            if seen < least:
                stale.append((least, seen))
        connection.close()

    writer = Thread(target=commit_years, args=[committed, is_over], daemon=True)
    threads = [writer, Thread(target=read, daemon=True), Thread(target=read, daemon=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (committed[-1], stale) == (1000 + CHANGES_MADE, [])


def test_an_etag_is_known_for_an_hour_and_with_a_limited_number_of_others(
    client: Client, lists: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{V1}events/"
    etag = client.get(address)["ETag"]

    def confirming() -> int:
        """The number of queries of a conditional request."""
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address, headers={"if-none-match": etag}).status_code == 304
        return len(queries)

    reading, known = confirming(), confirming()
    assert known < reading
    now = monotonic()
    monkeypatch.setattr(conditional, "monotonic", lambda: now + conditional.MAX_AGE + 1)
    assert (confirming(), confirming()) == (reading, known)
    monkeypatch.setattr(conditional, "MAX_ETAGS", 1)
    client.get(f"{V1}cases/", headers={"if-none-match": etag})
    assert len(known_etags) == 1
    assert confirming() == reading
