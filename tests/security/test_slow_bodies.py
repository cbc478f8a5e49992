"""Clients that send the body of a request slowly, or not at all: their connections are closed after a time."""

import http.client
import io
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application

from registry.core.http import capacity
from registry.core.http.capacity import MAX_BODIES, BoundedApplication
from registry.core.http.request_validation import WholeBody
from registry.core.validators import BodySize
from tests.security.test_capacity import request, respond
from tests.support.servers import a_free_port, serving

CHECK = "/api/v1/urns/check/"
PATIENCE = 90  # seconds until the test fails; a guard, not a measure


class SilentClient:
    """A body of which nothing arrives until the end of the test."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    def read(self, size: int = -1) -> bytes:
        self.ended.wait(timeout=60)
        return b""

    readline = read


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentClient]:
    monkeypatch.setattr(capacity, "MAX_WAIT", 0.05)
    monkeypatch.setattr(capacity, "BODY_TIMEOUT", 0.1)
    monkeypatch.setattr(capacity, "TIME_TO_SEND", 0)
    client = SilentClient()
    yield client
    client.ended.set()


def unreached(*_: Any) -> Any:
    raise AssertionError("Django was started")


def with_body(body: Any, length: int = 1000, path: str = "/cases/new/") -> dict[str, Any]:
    return request(path, b"x", CONTENT_LENGTH=str(length)) | {"wsgi.input": WholeBody(body, length)}


def test_a_body_that_does_not_arrive_is_refused_and_the_connection_closed(silent: SilentClient) -> None:
    status, headers, body = respond(BoundedApplication(unreached), with_body(silent))
    assert status == 408
    assert b"did not arrive in time" in body
    # Upon a response that ends early, a server has to close the connection.
    assert int(headers["Content-Length"]) > len(body)


def test_below_the_api_it_is_a_problem(silent: SilentClient) -> None:
    status, headers, body = respond(BoundedApplication(unreached), with_body(silent, path=CHECK))
    assert (status, headers["Content-Type"]) == (408, "application/problem+json")
    assert b"/problems/slow-body/" in body


def test_more_bodies_than_can_be_received_at_once_get_503(
    silent: SilentClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capacity, "MAX_BODIES", 2)
    application = BoundedApplication(unreached)
    for _ in range(2):
        assert respond(application, with_body(silent))[0] == 408
    assert respond(application, with_body(silent))[0] == 503


@pytest.mark.exhaustive
def test_a_body_is_complete_when_django_starts() -> None:
    read: list[bytes] = []

    def application(environ: Any, start_response: Any) -> list[bytes]:
        read.append(environ["wsgi.input"].read())
        start_response("200 OK", [])
        return [b""]

    for length in (1, capacity.MAX_BYTES_IN_MEMORY, capacity.MAX_BYTES_IN_MEMORY + 1):
        respond(BoundedApplication(application), with_body(io.BytesIO(b"x" * length), length))
        assert len(read.pop()) == length


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("/cases/new/", BodySize.TEMPLATE),
        (CHECK, BodySize.URNS),
        ("/accounts/login/", BodySize.SMALL),
        ("/nothing-here/", BodySize.SMALL),
    ],
)
def test_a_body_that_is_too_long_is_not_received(silent: SilentClient, path: str, limit: int) -> None:
    application = BoundedApplication(get_wsgi_application())
    status, headers, body = respond(application, with_body(silent, limit + 1, path))
    assert status == 413
    assert f"{limit:,}".encode() in body
    assert headers["Content-Type"].startswith("application/problem+json" if path == CHECK else "text/html")


# The server


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_slow_clients_are_disconnected_and_hold_no_thread(real_database: None) -> None:
    port = a_free_port()
    with serving(port, threads=None), ExitStack() as stack:
        slow = [stack.enter_context(closing(begin(port))) for _ in range(MAX_BODIES)]
        trickles = threading.Thread(target=trickle, args=(slow[0],), daemon=True)
        trickles.start()
        for client in slow:
            assert until_closed(client).startswith(b"HTTP/1.1 408 ")
        trickles.join(timeout=PATIENCE)
        # All threads that receive bodies are free again.
        for _ in range(MAX_BODIES):
            assert check_a_urn(port) == 200


def begin(port: int) -> socket.socket:
    """Send the beginning of a request."""
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    client.sendall(
        f"POST {CHECK} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n".encode()
    )
    return client


def trickle(client: socket.socket) -> None:
    """Send one byte a second until the connection is closed."""
    with suppress(OSError):
        for _ in range(PATIENCE):
            client.sendall(b"u")
            time.sleep(1)


def until_closed(client: socket.socket) -> bytes:
    received = b""
    with suppress(ConnectionResetError):
        while block := client.recv(65536):
            received += block
    return received


def check_a_urn(port: int) -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("POST", CHECK, b"urn:isbn:0451450523", {"Content-Type": "text/plain"})
        return connection.getresponse().status
