"""`events/stream/`: what there is, what comes, in order and once, without connections, in bounded numbers."""

import json
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from registry.accounts.models import User
from registry.accounts.tokens import make_token
from registry.api.events import feed as feed_module
from registry.api.events import stream
from registry.api.events.feed import feed
from registry.audit_log.models import LogPosition
from tests.api.client import check_problem
from tests.support.databases import at_once, refusals
from tests.support.factories import a_case_in_review, a_draft, a_person
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until
from tests.webhooks.conftest import an_event

STREAM = "/api/v1/events/stream/"
EVENT = re.compile(rb"id: ([0-9]+)\ndata: (.+)\n\n")


def events_in(content: bytes) -> list[dict[str, Any]]:
    found = EVENT.findall(content)
    events = [json.loads(data) for _, data in found]
    assert [int(number) for number, _ in found] == [each["number"] for each in events]
    return events


def read(client: Client, query: str = "", **headers: str) -> bytes:
    response = client.get(f"{STREAM}{query}", headers=headers)
    assert (response.status_code, response["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
    return b"".join(response.streaming_content)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _no_stream_is_left() -> Iterator[None]:
    yield
    assert [each for each in feed._subscriptions if each.until > time.monotonic()] == []
    feed._subscriptions.clear()
    wait_until(lambda: "event-feed" not in {each.name for each in threading.enumerate()})


# What there is


def test_the_public_events_are_those_of_the_list(client: Client, registrant: User) -> None:
    make_token(by=registrant, name="Private", scopes=["read"])
    a_draft(by=registrant, namespace_identifier="example-oaks")
    a_case_in_review(by=registrant)
    an_event(reason="Two\nlines, and\r\u2028three.")
    listed = client.get("/api/v1/events/?page_size=1000").json()["results"]
    public = [each for each in listed if each["is_public"]]
    content = read(client, "?since=0")
    assert content.startswith(b"retry: 1000\n\n")
    assert events_in(content) == public
    assert 0 < len(public) < len(listed)
    assert events_in(read(client, f"?since={public[0]['number']}")) == public[1:]
    assert events_in(read(client, "?since=0", **{"Last-Event-ID": str(public[0]["number"])})) == public[1:]


def test_without_a_number_a_stream_begins_with_the_next_event(client: Client) -> None:
    number = an_event().number
    assert read(client) == b"retry: 1000\n\n: alive\nid: %d\n\n" % number


@pytest.mark.parametrize(
    ("query", "expected"),
    [("nid=isbn", [1, 3]), ("verb=set_profile", [3]), ("nid=ISSN&verb=deprecate", [2]), ("case=1", [])],
)
def test_the_filters_are_those_of_the_list(client: Client, query: str, expected: list[int]) -> None:
    first = LogPosition.current().number
    for nid, verb in (("isbn", "deprecate"), ("issn", "deprecate"), ("isbn", "set_profile")):
        an_event(nid, verb)
    content = read(client, f"?since={first}&{query}")
    assert [each["number"] - first for each in events_in(content)] == expected
    if not expected:  # the ID alone tells the client how far it is
        assert content.endswith(b"id: %d\n\n" % (first + 3))


@pytest.mark.parametrize("number", ["x", "-1", "1.5", "١", "0" * 40])
def test_an_id_that_is_no_number_is_refused(client: Client, number: str) -> None:
    response = client.get(STREAM, headers={"Last-Event-ID": number})
    problem = check_problem(response, 400, "invalid-parameter")
    assert problem["errors"][0]["parameter"] == "Last-Event-ID"


def test_a_client_of_a_longer_log_is_told_so(client: Client) -> None:
    for query, headers in (("?since=4711", {}), ("", {"Last-Event-ID": "4711"})):
        assert check_problem(client.get(STREAM + query, headers=headers), 409, "log-behind")["last"] == 0


def test_other_media_types_and_parameters_are_refused(client: Client) -> None:
    check_problem(client.get(STREAM, headers={"Accept": "application/json"}), 406, "not-acceptable")
    check_problem(client.get(f"{STREAM}?page_size=1"), 400, "invalid-parameter")
    assert client.get(STREAM, headers={"Accept": "text/event-stream"}).status_code == 200


def test_head_starts_no_stream(client: Client) -> None:
    response = client.head(STREAM)
    assert (response.status_code, response.streaming) == (200, False)
    assert not feed._subscriptions


def test_many_events_come_in_several_streams(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "MAX_EVENTS", 2)
    monkeypatch.setenv("EVENT_STREAM_SECONDS", "60")
    numbers = [an_event().number for _ in range(5)]
    monkeypatch.setattr(stream.feed, "next", None)  # nothing is waited for while there are more
    last, found = numbers[0] - 1, []
    while len(found) < 4:
        read_now = [
            each["number"] for each in events_in(read(client, "?since=0", **{"Last-Event-ID": str(last)}))
        ]
        found += read_now
        last = found[-1]
    assert found == numbers[:4]


def test_each_stream_has_a_place_until_it_ends(
    real_database: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENT_STREAMS", "2")
    left = client.get(STREAM)  # its client leaves before the beginning, and the server does not close it
    monkeypatch.setenv("EVENT_STREAM_SECONDS", "60")
    first, second = client.get(STREAM), client.get(STREAM)
    assert (left.status_code, first.status_code, second.status_code) == (200, 200, 200)
    full = client.get(STREAM, headers={"Last-Event-ID": "0"})
    assert (full.status_code, full["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
    assert full.content == b": too many streams are open\nretry: 30000\nid: 0\n\n"
    first.close()
    third = client.get(STREAM)
    assert third.status_code == 200
    assert b"retry: 30000" in client.get(STREAM).content
    second.close()
    third.close()
    assert not feed._subscriptions


def test_one_client_does_not_take_all_streams(
    real_database: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENT_STREAM_SECONDS", "60")
    monkeypatch.setenv("EVENT_STREAMS", "9")
    monkeypatch.setenv("EVENT_STREAMS_OF_A_CLIENT", "2")
    person = a_person(email="participant@example.org")
    # The tokens of an account share its streams.
    tokens = [f"Bearer {make_token(by=person, name=each, scopes=['read']).secret}" for each in "abc"]
    with ExitStack() as streams:

        def ask(**request: Any) -> Any:
            return streams.enter_context(closing(client.get(STREAM, **request)))

        first, second, refused = (ask() for _ in range(3))
        assert [each.streaming for each in (first, second, refused)] == [True, True, False]
        problem = check_problem(refused, 429, "too-many-requests")
        assert problem["detail"].startswith("You have 2 event streams, the most at a time")
        assert 0 < int(refused["Retry-After"]) <= 60
        others = [
            ask(REMOTE_ADDR="198.51.100.7"),
            *(ask(headers={"Authorization": each}) for each in tokens),
        ]
        assert [each.status_code for each in others] == [200, 200, 200, 429]
        assert [each.streaming for each in others] == [True, True, True, False]
        first.close()
        assert ask().streaming
    assert not feed._subscriptions


def test_a_process_warns_of_refused_streams_once_a_minute(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    [seldom] = stream.logger.filters
    monkeypatch.setattr(seldom, "_paused_until", 0.0)
    monkeypatch.setenv("EVENT_STREAMS", "0")

    def warnings() -> int:
        caplog.clear()
        assert [b"retry: 30000" in client.get(STREAM).content for _ in range(3)] == [True] * 3
        return sum(each.name == stream.__name__ for each in caplog.records)

    monkeypatch.setattr(stream, "WARNING_INTERVAL", float("inf"))
    assert (warnings(), warnings()) == (1, 0)
    monkeypatch.setattr(seldom, "_paused_until", 0.0)
    assert warnings() == 1


# What comes


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the log often, and let streams last until the test has what it waits for."""
    monkeypatch.setattr(feed_module, "INTERVAL", 0.02)
    monkeypatch.setenv("EVENT_STREAM_SECONDS", "60")
    monkeypatch.setenv("EVENT_STREAMS", "9")


def follow(client: Client, last: int, query: str = "") -> Iterator[dict[str, Any]]:
    """The events from a stream on which the test can stop."""
    response = client.get(STREAM + query, headers={"Last-Event-ID": str(last)})
    assert response.status_code == 200, response.content
    try:
        for chunk in response.streaming_content:
            yield from events_in(chunk)
    finally:
        response.close()


def test_events_come_as_they_are_committed_and_only_those_that_are_wanted(
    real_database: None, quick: None
) -> None:
    def events(query: str, count: int) -> list[int]:
        found = follow(Client(), 0, query)
        numbers = [next(found)["number"] for _ in range(count)]
        assert connection.connection is not None  # of the request, in this thread
        found.close()  # type: ignore[attr-defined]
        return numbers

    def write() -> None:
        for nid in ("isbn", "issn", "isbn"):
            wait_until(lambda: len(feed._subscriptions) == 2)
            an_event(nid)

    assert at_once([lambda: events("", 3), lambda: events("?nid=isbn", 2), write]) == [
        [1, 2, 3],
        [1, 3],
        None,
    ]


@pytest.mark.exhaustive
def test_no_event_is_lost_or_repeated_while_streams_begin_and_end(
    real_database: None, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MAX_EVENTS", 3)
    monkeypatch.setattr(feed_module, "MAX_EVENTS", 3)
    count = 120

    def read_all(pauses: int) -> list[int]:
        numbers: list[int] = []
        while len(numbers) < count:
            found = follow(Client(), numbers[-1] if numbers else 0)
            for event in found:
                numbers.append(event["number"])
                if len(numbers) % pauses == 0 or len(numbers) == count:
                    break
            found.close()  # type: ignore[attr-defined]
        return numbers

    def write() -> None:
        for _ in range(count):
            an_event()

    outcomes = at_once([lambda: read_all(7), lambda: read_all(11), lambda: read_all(50), write])
    assert refusals(outcomes) == []
    assert outcomes[:3] == [list(range(1, count + 1))] * 3


@pytest.mark.parametrize("is_before", [True, False])
def test_an_event_beside_the_subscription_is_sent_once(
    real_database: None, quick: None, monkeypatch: pytest.MonkeyPatch, is_before: bool
) -> None:
    """The log grows while a stream begins, and the thread of another stream has already seen it."""
    other = Client().get(STREAM)
    next(iter(other.streaming_content))
    with ThreadPoolExecutor(1) as server:
        waiting = server.submit(next, iter(other.streaming_content))
        subscribe = feed.subscribe

        def grow() -> None:
            number = an_event().number
            wait_until(lambda: feed._position == number)

        def subscribe_beside(*arguments: Any) -> bool:
            if is_before:
                grow()
            is_added = subscribe(*arguments)
            if not is_before:
                grow()
            return is_added

        wait_until(lambda: feed._position is not None)
        monkeypatch.setattr(feed, "subscribe", subscribe_beside)
        found = follow(Client(), 0)
        assert next(found)["number"] == 1
        waiting.result(30)
    an_event()
    assert next(found)["number"] == 2
    found.close()  # type: ignore[attr-defined]
    other.close()


def test_a_stream_waits_without_a_database_connection(real_database: None, quick: None) -> None:
    response = Client().get(STREAM)
    content = iter(response.streaming_content)
    next(content)
    connection.close()
    connections: list[Any] = []

    def wait() -> bytes:
        chunk = next(content)
        connections.append(connection.connection)
        return bytes(chunk)

    with ThreadPoolExecutor(1) as server:
        chunk = server.submit(wait)
        event = an_event()
        assert [each["number"] for each in events_in(chunk.result(30))] == [event.number]
    assert connections == [None]
    response.close()


def test_a_client_that_is_too_slow_continues_after_the_last_event_that_it_has(
    real_database: None, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "MAX_WAITING", 2)
    response, other = Client().get(STREAM), Client().get(STREAM)
    slow, fast = iter(response.streaming_content), iter(other.streaming_content)
    next(slow), next(fast)
    for number in range(1, 5):
        an_event()
        assert [each["number"] for each in events_in(next(fast))] == [number]
    other.close()
    found = [each["number"] for each in events_in(b"".join(slow))]
    assert found == list(range(1, len(found) + 1))
    assert [each["number"] for each in follow_all(found[-1] if found else 0)] == list(
        range(len(found) + 1, 5)
    )


def follow_all(last: int) -> list[dict[str, Any]]:
    response = Client().get(STREAM, headers={"Last-Event-ID": str(last)})
    first = next(iter(response.streaming_content))
    response.close()
    return events_in(first)


def test_without_the_database_all_streams_end(
    real_database: None, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> Any:
        raise OperationalError

    monkeypatch.setattr(feed_module, "_events_after", fail)
    assert b"".join(Client().get(STREAM).streaming_content).endswith(b"id: 0\n\n")  # type: ignore[arg-type]


# A server as in a deployment


class Streams:
    """Connections to a server, closed after the test."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connections: list[HTTPConnection] = []

    def get(self, path: str = STREAM, **headers: str) -> HTTPResponse:
        server = HTTPConnection("127.0.0.1", self._port, timeout=60)
        self._connections.append(server)
        server.request("GET", path, headers={"Host": "localhost"} | headers)
        return server.getresponse()

    def close(self) -> None:
        for each in self._connections:
            each.close()


def next_event(response: HTTPResponse) -> dict[str, Any]:
    content = b""
    while not (found := events_in(content)):
        line = response.readline()
        assert line, "the stream has ended"
        content += line
    return found[0]


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_streams_of_a_server_leave_threads_to_others_and_end(real_database: None) -> None:
    port = a_free_port()
    with (
        serving(port, threads=4, EVENT_STREAMS="2", EVENT_STREAM_SECONDS="8"),
        closing(Streams(port)) as server,
    ):
        streams = [server.get() for _ in range(2)]
        assert [each.status for each in streams] == [200, 200]
        with server.get() as full:
            assert (full.status, b"retry: 30000" in full.read()) == (200, True)
        event = an_event()
        assert [next_event(each)["number"] for each in streams] == [event.number] * 2
        for _ in range(20):
            with server.get("/api/v1/events/") as listed:
                assert json.loads(listed.read())["last"] == event.number
        assert [events_in(each.read()) for each in streams] == [[], []]  # they end by themselves
        later = an_event().number
        with server.get(**{"Last-Event-ID": str(event.number)}) as again:
            assert next_event(again)["number"] == later


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_the_place_of_a_client_that_left_is_free_again(real_database: None) -> None:
    port = a_free_port()
    with serving(port, threads=4, EVENT_STREAMS="1", EVENT_STREAM_SECONDS="5"):
        with closing(Streams(port)) as server:
            assert server.get().status == 200
        with closing(Streams(port)) as server:
            wait_until(lambda: server.get().read(1) == b"r")  # of `retry`; a full server begins otherwise
