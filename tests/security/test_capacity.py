"""Many clients at once: a bounded number of database connections, and 503 for clients that wait too long."""

import asyncio
import io
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from registry.core.http import capacity
from registry.core.http.capacity import MAX_LOOKUPS, MAX_REQUESTS, BoundedApplication
from registry.core.http.request_validation import WholeBody
from registry.core.validators import BodySize
from registry.namespaces.lookup import LookupReader
from tests.support.databases import in_sql
from tests.support.servers import a_free_port, serving

CLIENTS = 400
WORKERS = 2
CONNECTION_LIMIT = 50
PATHS = (
    "/",
    "/namespaces/",
    "/cases/",
    "/statistics/",
    "/api/v1/namespaces/",
    "/api/v1/namespaces/isbn/",
    "/api/v1/nids/isbn/",
    "/health",
)


# The server


@dataclass
class Received:
    """What a client received."""

    path: str
    status: int
    headers: dict[str, str]


async def get(port: int, path: str) -> Received:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head, _, _ = (await asyncio.wait_for(reader.read(), timeout=120)).decode("latin-1").partition("\r\n\r\n")
    writer.close()
    status, *lines = head.split("\r\n")
    headers = dict(line.lower().split(": ", 1) if ": " in line else (line.lower(), "") for line in lines)
    return Received(path, int(status.split()[1]), headers)


async def get_all(port: int) -> list[Received]:
    return await asyncio.gather(*(get(port, PATHS[number % len(PATHS)]) for number in range(CLIENTS)))


def count_connections() -> int:
    """Those of clients; autovacuum and the workers of parallel queries are listed beside them."""
    with connection._nodb_cursor() as cursor:  # another database, where the limit does not apply
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'",
            [connection.settings_dict["NAME"]],
        )
        return int(cursor.fetchone()[0])


@pytest.fixture
def port(demonstration_database: None, tmp_path: Path) -> Iterator[int]:
    """A server as in a deployment, on a database that accepts few connections."""
    port = a_free_port()
    with serving(port, workers=WORKERS, threads=None, log=tmp_path / "log"):
        in_sql(f'ALTER DATABASE "{connection.settings_dict["NAME"]}" CONNECTION LIMIT {CONNECTION_LIMIT}')
        connection.close()
        yield port


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_400_clients_leave_connections_to_others_and_cause_no_errors(port: int) -> None:
    counts = []
    with ThreadPoolExecutor(1) as pool:
        load = pool.submit(asyncio.run, get_all(port))
        while not load.done():
            counts.append(count_connections())
            time.sleep(0.02)
    received = load.result(240)
    statuses = Counter(each.status for each in received)
    assert statuses.keys() <= {200, 503}, statuses
    assert statuses[200] > 0
    assert 0 < max(counts) <= WORKERS * (MAX_REQUESTS + MAX_LOOKUPS)
    for each in received:
        if each.status == 503:
            assert each.headers["retry-after"] == "5"
            expected = "application/problem+json" if each.path.startswith("/api/") else "text/html"
            assert each.headers["content-type"].startswith(expected)
    until = time.monotonic() + 5
    while asyncio.run(get(port, "/health")).status != 200:
        assert time.monotonic() < until, "the registry has not recovered"
        time.sleep(0.1)


def test_health_is_200_with_a_database_and_503_without(
    real_database: None, client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    response = client.get("/health")
    assert response.status_code == 200
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        response = client.get("/health")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert str(tmp_path).encode() not in response.content


# The application


class Calls:
    """An application that counts its concurrent calls, each of which lasts until `end`."""

    def __init__(self) -> None:
        self.end = threading.Event()
        self.now, self.most = 0, 0
        self._lock = threading.Lock()

    def __call__(self, environ: Any, start_response: Callable[..., Any]) -> HttpResponse:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.end.wait(timeout=60)
        with self._lock:
            self.now -= 1
        start_response("200 OK", [])
        return HttpResponse(b"done")


def request(path: str = "/", body: bytes = b"", **environ: Any) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST" if body else "GET",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost",
        "CONTENT_LENGTH": str(len(body)) if body else "",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        **environ,
    }


def respond(application: Any, environ: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    seen: list[Any] = []
    body = application(environ, lambda status, headers: seen.extend((int(status[:3]), dict(headers))))
    return seen[0], seen[1], b"".join(body)


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[BoundedApplication]:
    """An application all of whose threads are in use."""
    connection.close()  # of an earlier test
    monkeypatch.setattr(capacity, "MAX_WAIT", 0.05)
    calls = Calls()
    application = BoundedApplication(calls)
    with ThreadPoolExecutor(MAX_REQUESTS) as pool, ExitStack() as stack:
        stack.callback(calls.end.set)
        for _ in range(MAX_REQUESTS):
            pool.submit(respond, application, request())
        while calls.now < MAX_REQUESTS:
            time.sleep(0.01)
        yield application


def test_no_more_requests_run_at_once_than_there_are_threads() -> None:
    calls = Calls()
    application = BoundedApplication(calls)
    with ThreadPoolExecutor(3 * MAX_REQUESTS) as pool:
        jobs = [pool.submit(respond, application, request()) for _ in range(3 * MAX_REQUESTS)]
        while calls.now < MAX_REQUESTS:
            time.sleep(0.01)
        calls.end.set()
    assert {job.result(240)[0] for job in jobs} == {200}
    assert calls.most == MAX_REQUESTS


@pytest.mark.parametrize(("length", "most"), [(BodySize.SMALL, 2), (BodySize.SMALL + 1, 1)])
def test_one_request_with_a_large_body_runs_at_a_time(
    length: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each of them ends with a collection of garbage, which takes seconds in a process that has loaded all tests.
    monkeypatch.setattr(capacity, "MAX_WAIT", 60)
    calls, path = Calls(), "/cases/new/"
    application = BoundedApplication(calls)

    def ask() -> int:
        body = WholeBody(io.BytesIO(b"x" * length), length)
        return respond(application, request(path, b"x" * length) | {"wsgi.input": body})[0]

    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(ask) for _ in range(2)]
        # The second one begins, or would have begun by then.
        until = time.monotonic() + (0.5 if most == 1 else 60)
        while calls.now < 2 and time.monotonic() < until:
            time.sleep(0.01)
        calls.end.set()
    assert {job.result(240) for job in jobs} == {200}
    assert calls.most == most


def test_a_request_that_waits_too_long_gets_a_page_with_its_text(busy: BoundedApplication) -> None:
    form = b"csrfmiddlewaretoken=x&purpose=Names+of+lighthouses."
    status, headers, body = respond(
        busy,
        request(
            "/cases/new/",
            form,
            CONTENT_TYPE="application/x-www-form-urlencoded",
            HTTP_ORIGIN="http://localhost",
            # Django looks up no shorter keys.
            HTTP_COOKIE=f"sessionid={'s' * 32}; csrftoken={'c' * 32}",
        ),
    )
    assert (status, headers["Retry-After"]) == (503, "5")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert b"The registry is busy" in body
    assert b"Names of lighthouses." in body
    assert connection.connection is None, "the database was used"


def test_the_body_of_a_request_that_waits_too_long_is_closed(busy: BoundedApplication) -> None:
    form = b"purpose=Names"
    environ = request("/cases/new/", form) | {"wsgi.input": WholeBody(io.BytesIO(form), len(form))}
    assert respond(busy, environ)[0] == 503
    assert environ["wsgi.input"].closed


def test_below_the_api_it_gets_a_problem(busy: BoundedApplication) -> None:
    status, headers, body = respond(busy, request("/api/v1/namespaces/"))
    assert (status, headers["Retry-After"]) == (503, "5")
    assert headers["Content-Type"] == "application/problem+json"
    assert json.loads(body)["type"].endswith("/problems/unavailable/")
    assert connection.connection is None, "the database was used"


def test_static_files_do_not_wait() -> None:
    threads: list[str] = []

    def application(_environ: Any, start_response: Any) -> list[bytes]:
        threads.append(threading.current_thread().name)
        start_response("200 OK", [])
        return [b"done"]

    bounded = BoundedApplication(application, {"/static/site.css"})
    assert respond(bounded, request("/static/site.css")) == (200, {}, b"done")
    respond(bounded, request("/static/other.css"))
    assert [name.partition("_")[0] == "django" for name in threads] == [False, True]


def test_an_error_of_the_application_is_not_mistaken_for_waiting() -> None:
    def fail(*_: Any) -> Any:
        raise TimeoutError("of the application")

    with pytest.raises(TimeoutError, match="of the application"):
        respond(BoundedApplication(fail), request())


def test_a_response_is_closed_in_the_thread_of_its_connection() -> None:
    closed_in: list[str] = []

    def application(_environ: Any, start_response: Any) -> HttpResponse:
        start_response("200 OK", [])
        response = HttpResponse(b"done")
        response._resource_closers.append(lambda: closed_in.append(threading.current_thread().name))
        return response

    assert respond(BoundedApplication(application), request())[2] == b"done"
    assert [name.partition("_")[0] for name in closed_in] == ["django"]


@pytest.mark.parametrize("path", ["/registry/urn-namespaces.xml", "/api/v1/urns/check/"])
@pytest.mark.django_db
def test_streamed_responses_are_read_without_the_database(client: Client, path: str) -> None:
    """They are read in threads of the server, which are many."""
    response: Any = (
        client.post(path, b"urn:isbn:0451450523", "text/plain") if "urns" in path else client.get(path)
    )
    assert (response.status_code, response.streaming) == (200, True)

    def refuse(*_: object) -> None:
        raise AssertionError("the database was used")

    with connection.execute_wrapper(refuse):
        assert b"".join(response.streaming_content)


def test_the_fast_lookup_opens_no_more_connections_than_its_limit(
    real_database: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = LookupReader("a release")
    opened, connect = [], reader._connect

    def slow_connect() -> Any:
        opened.append(link := connect())
        time.sleep(0.05)
        return link

    monkeypatch.setattr(reader, "_connect", slow_connect)
    with ThreadPoolExecutor(5 * MAX_LOOKUPS) as pool:
        assert set(pool.map(reader.find, ["isbn"] * 5 * MAX_LOOKUPS)) == {None}
    reader.close()
    assert 1 < len(opened) <= MAX_LOOKUPS
