"""Cached public pages: each shows every change that was committed before the request."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Event, Thread

import psycopg
import pytest
from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from registry.accounts.models import User
from registry.cases.models import State
from registry.core.http import page_cache
from registry.core.http.internal_requests import build_request
from registry.core.http.page_cache import cached_until_changed
from registry.core.models import ChangeToken
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.resolution.models import Basis, ConfirmedHost, ServiceHealth
from tests.support.databases import rolled_back_in
from tests.support.factories import a_case_in_review, a_draft, a_namespace, a_profile, put_in_state

PAGES = ["/", "/namespaces/", "/namespaces/trees/"]
TRIGGERED = "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgfoid = 'core_renew_change_token'::regproc"
# Its result depends on its arguments and on the table of namespaces.
FUNCTION = "namespaces_listed"
CHANGES_MADE = 150


@pytest.fixture(autouse=True)
def _nothing_is_kept() -> Iterator[None]:
    caches["pages"].clear()
    yield
    caches["pages"].clear()


@pytest.fixture
def trees(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(
        by=registrant, expert=expert, administrator=administrator, namespace_identifier="trees"
    )


def rendered(path: str) -> bytes:
    """The page that is rendered for a visitor with a cookie that means nothing."""
    return Client(headers={"cookie": "theme=x"}).get(path).content


def test_a_page_that_did_not_change_takes_one_query(
    client: Client, trees: Namespace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for page in PAGES:
        first = client.get(page)
        with django_assert_num_queries(1):
            again = client.get(page)
        with django_assert_num_queries(1):
            unchanged = client.get(page, headers={"if-none-match": first["ETag"]})
        assert (again.content, dict(again.headers)) == (first.content, dict(first.headers))
        assert (unchanged.status_code, unchanged["ETag"]) == (304, first["ETag"])
        assert "Last-Modified" in first
        assert first.content == rendered(page)


CHANGES: dict[str, Callable[[Namespace, User], object]] = {
    "the row": lambda trees, by: Namespace.objects.filter(pk=trees.pk).update(purpose="Names bushes."),
    "another namespace": lambda trees, by: Namespace.objects.create(
        nid="bush", kind="formal", registered_on="2026-11"
    ),
    "a deprecation": lambda trees, by: deprecate(trees, by=by, statement="Felled."),
    "a profile": lambda trees, by: set_profile(
        trees, by=by, profile=a_profile("trees", title="Old trees"), basis="The files.", replaces=0
    ),
    "a name of a person": lambda trees, by: User.objects.filter(pk=by.pk).update(name="Another Name"),
    "a confirmed host": lambda trees, by: ConfirmedHost.objects.create(
        namespace=trees, host="trees.example", basis=Basis.DNS, evidence="A record.", confirmed_by=by
    ),
    "a case": lambda trees, by: a_case_in_review(by=trees.registrant or by, namespace_identifier="shrubs"),
    "a state": lambda trees, by: put_in_state(
        a_draft(by=trees.registrant or by, namespace_identifier="shrubs"), State.IN_REVIEW
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("change", CHANGES)
def test_a_page_shows_each_change(client: Client, trees: Namespace, administrator: User, change: str) -> None:
    before = {page: client.get(page).content for page in PAGES}
    CHANGES[change](trees, administrator)
    after = {page: client.get(page).content for page in PAGES}
    assert after == {page: rendered(page) for page in PAGES}
    assert after != before or change == "a state"


def test_a_page_shows_that_a_host_is_withdrawn_and_a_service_is_down(
    client: Client, trees: Namespace, administrator: User
) -> None:
    CHANGES["a confirmed host"](trees, administrator)
    assert b"trees.example" in client.get("/namespaces/trees/").content
    health = ServiceHealth.objects.create(namespace=trees, template="https://trees.example/{pq}")
    ConfirmedHost.objects.all().delete()
    assert b"trees.example" not in client.get("/namespaces/trees/").content
    for change in (lambda: ServiceHealth.objects.update(failures=0), health.delete):
        before = tokens()
        change()
        assert tokens() != before


def tokens() -> list[object]:
    return [*ChangeToken.objects.order_by("pk").values_list("token", flat=True)]


@pytest.mark.exhaustive
def test_every_table_that_a_kept_page_reads_renews_the_token(the_demonstration: str, client: Client) -> None:
    with rolled_back_in(the_demonstration), CaptureQueriesContext(connection) as queries:
        for page in (
            "/",
            "/namespaces/",
            *(f"/namespaces/{nid}/" for nid in Namespace.objects.values_list("nid", flat=True)),
        ):
            assert client.get(page).status_code == 200
        names = {name for query in queries.captured_queries for name in re.findall(r"\w+", query["sql"])}
        read = names.intersection(connection.introspection.table_names())
        with connection.cursor() as cursor:
            cursor.execute(TRIGGERED)
            renewing = {name for (name,) in cursor.fetchall()}
    assert FUNCTION in names
    assert {"namespaces_namespace", "cases_case", "resolution_servicehealth"} < read
    assert read - renewing == {"core_changetoken"}


@pytest.mark.exhaustive
def test_the_page_of_every_namespace_is_kept(the_demonstration: str, client: Client) -> None:
    with rolled_back_in(the_demonstration):
        pages = [f"/namespaces/{nid}/" for nid in Namespace.objects.values_list("nid", flat=True)]
        rendered_again = []
        for page in pages:
            first = client.get(page).content
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page).content == first
            if len(queries) > 1:
                rendered_again.append((page, len(first)))
    assert len(pages) > 100
    assert rendered_again == []


def test_a_draft_of_a_case_changes_no_page(registrant: User) -> None:
    before = tokens()
    draft = a_draft(by=registrant, namespace_identifier="shrubs")
    draft.save()
    assert tokens() == before


def test_a_sign_in_changes_no_page(registrant: User) -> None:
    before = tokens()
    registrant.last_login = registrant.date_joined
    registrant.save()
    assert tokens() == before


def kept(path: str, view: Callable[[HttpRequest], HttpResponse], **headers: str) -> bool:
    """Whether the response of a view is kept."""
    calls = []

    @cached_until_changed
    def counted(request: HttpRequest) -> HttpResponse:
        calls.append(request)
        return view(request)

    for _ in range(2):
        counted(RequestFactory(headers=headers).get(path))
    return len(calls) == 1


def with_token(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_token(request))


def with_nonce(request: HttpRequest) -> HttpResponse:
    request._csp_nonce = "nonce"  # type: ignore[attr-defined]  # as django-csp sets it
    return HttpResponse("nonce")


def with_cookie(_request: HttpRequest) -> HttpResponse:
    response = HttpResponse("cookie")
    response.set_cookie("name", "value")
    return response


@pytest.mark.usefixtures("db")
def test_only_pages_for_everyone_are_kept() -> None:
    def plain(_request: HttpRequest) -> HttpResponse:
        return HttpResponse("for everyone")

    assert kept("/", plain)
    assert not kept("/?q=trees", plain)
    assert not kept("/", plain, cookie="sessionid=x")
    assert not kept("/", plain, hx_request="true")
    assert not kept("/token/", with_token)
    assert not kept("/nonce/", with_nonce)
    assert not kept("/cookie/", with_cookie)
    assert not kept("/missing/", lambda _request: HttpResponse(status=404))
    assert not kept("/long/", lambda _request: HttpResponse("x" * (page_cache.MAX_LENGTH + 1)))


@pytest.mark.usefixtures("db")
def test_a_page_of_the_snapshot_is_not_kept(client: Client) -> None:
    @cached_until_changed
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse("a copy" if getattr(request, "is_snapshot", False) else "the registry")

    answers = [
        view(each).content for each in (build_request("/"), RequestFactory().get("/"), build_request("/"))
    ]
    assert answers == [b"a copy", b"the registry", b"a copy"]


def test_a_change_during_the_rendering_is_shown_by_the_next_request(trees: Namespace) -> None:
    @cached_until_changed
    def view(_request: HttpRequest) -> HttpResponse:
        shown = Namespace.objects.get(nid="trees").holder
        Namespace.objects.filter(nid="trees", holder__lt="3").update(holder=str(len(shown_before)))
        shown_before.append(shown)
        return HttpResponse(shown)

    Namespace.objects.filter(nid="trees").update(holder="0")
    shown_before: list[str] = [""]
    assert [view(RequestFactory().get("/x/")).content for _ in range(5)] == [b"0", b"1", b"2", b"3", b"3"]


@pytest.mark.usefixtures("real_database")
def test_changes_wait_for_no_other_and_are_shown_when_they_are_committed(client: Client) -> None:
    for nid in ("trees", "bush"):
        Namespace.objects.create(nid=nid, kind="formal", purpose="old")
    with ExitStack() as stack:
        first, second = (stack.enter_context(other_connection()) for _ in range(2))
        for one, nid in ((first, "trees"), (second, "bush")):
            one.execute("SET lock_timeout = '10s'")
            one.execute("UPDATE namespaces_namespace SET purpose = 'new' WHERE nid = %s", [nid])
        expected = {"trees": b"old", "bush": b"old"}
        assert shown(client) == expected
        for one, nid in ((second, "bush"), (first, "trees")):
            one.commit()
            expected[nid] = b"new"
            assert shown(client) == expected
        first.execute("UPDATE namespaces_namespace SET purpose = 'newer'")
        first.rollback()
        assert shown(client) == expected
    assert len(tokens()) == 2


def other_connection() -> psycopg.Connection:
    """A connection to the database of the test, whose transactions are committed explicitly."""
    return psycopg.connect(**connection.get_connection_params())


def shown(client: Client) -> dict[str, bytes]:
    """The purposes on the pages of the namespaces, each of which is asked for twice."""
    found = {}
    for nid in ("trees", "bush"):
        first, again = (client.get(f"/namespaces/{nid}/").content for _ in range(2))
        assert first == again
        purpose = re.search(rb'<p class="lede">(\w+)</p>', first)
        found[nid] = purpose[1] if purpose else b""
    return found


def commit_years(committed: list[int], is_over: Event) -> None:
    """Register the namespace in one year after the other, each committed; `committed` ends with the newest."""
    try:
        with other_connection() as writer:
            for year in range(1001, 1001 + CHANGES_MADE):
                writer.execute("UPDATE namespaces_namespace SET registered_on = %s", [f"{year}-01"])
                writer.commit()
                committed.append(year)
    finally:
        is_over.set()


@pytest.mark.usefixtures("real_database")
def test_no_reader_gets_a_page_from_before_a_committed_change() -> None:
    Namespace.objects.create(nid="trees", kind="formal", registered_on="1000-01")
    committed, stale, is_over = [1000], [], Event()

    def read() -> None:
        client = Client()
        while not is_over.is_set():
            for page in PAGES:
                least = committed[-1]
                year = re.search(rb'<time[^>]+datetime="(1\d{3})-01"', client.get(page).content)
                if year is None or int(year[1]) < least:
                    stale.append((page, least, year and year[1]))
        connection.close()

    writer = Thread(target=commit_years, args=[committed, is_over], daemon=True)
    threads = [writer, Thread(target=read, daemon=True), Thread(target=read, daemon=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (committed[-1], stale) == (1000 + CHANGES_MADE, [])
