"""One request to real servers on loopback: limits, certificates, and the address that was checked."""

import select
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from registry.core.http.urls import TargetNotAllowed
from registry.core.outgoing import https_requests
from registry.core.outgoing.https_requests import (
    CertificateRejected,
    ConnectionFailed,
    Reply,
    RequestFailed,
    RequestLimits,
    RequestTimedOut,
    request,
)
from registry.core.outgoing.public_addresses import AddressNotPublic, HostNotFound
from tests.support.https_servers import LOOPBACK, Authority, Exchange, FakeDNS, Respond, Server, https_server

HOST = "trees.example"
QUICK = RequestLimits(connect=1, wait=0.5, total=1, body=64 * 1024)
# What a test allows beyond a limit, on a machine that is busy.
SLACK = 3

Serve = Callable[..., Server]


@pytest.fixture
def serve(authority: Authority, dns: FakeDNS, loopback_allowed: None) -> Iterator[Serve]:
    """Starts servers for `trees.example` with a valid certificate."""
    dns[HOST] = LOOPBACK
    with ExitStack() as running:

        def start(respond: Respond, certificate: Path | None = None, address: str = LOOPBACK) -> Server:
            certificate = certificate or authority.certificate(HOST)
            return running.enter_context(https_server(certificate, respond, address))

        yield start


def get(server: Server, path: str = "/", method: str = "GET", **headers: str) -> Reply:
    return request(method, f"https://{HOST}:{server.port}{path}", headers, QUICK)


def test_a_reply_has_its_status_and_the_size_of_what_was_read(serve: Serve) -> None:
    server = serve(lambda exchange: exchange.reply(body=b"x" * 1000))
    assert get(server, "/a%2Fb?c=d&e", **{"User-Agent": "registry"}) == Reply(200, "", b"x" * 1000)
    assert get(server, "/", "HEAD") == Reply(200, "", b"")
    first, second = server.received
    assert (first.method, first.path, second.method) == ("GET", "/a%2Fb?c=d&e", "HEAD")
    assert first.headers["Host"] == f"{HOST}:{server.port}"
    assert first.headers["User-Agent"] == "registry"
    assert first.headers["Connection"] == "close"


def test_a_body_is_sent_as_it_is(serve: Serve) -> None:
    server = serve(lambda exchange: exchange.reply(body=b"Thanks."))
    url, headers = f"https://{HOST}:{server.port}/", {"Content-Type": "application/json"}
    assert request("POST", url, headers, QUICK, '{"a":"ü"}'.encode()).body == b"Thanks."
    (received,) = server.received
    assert (received.method, received.body) == ("POST", '{"a":"ü"}'.encode())
    assert received.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "status", ["204 No Content", "404 Not Found", "500 Internal Server Error", "503 Busy"]
)
def test_every_status_is_a_reply(serve: Serve, status: str) -> None:
    assert get(serve(lambda exchange: exchange.reply(status))).status == int(status[:3])


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("https://other.example/x", "https://other.example/x"),
        ("/y?z#f", "https://trees.example:{port}/y?z#f"),
        ("z", "https://trees.example:{port}/a/z"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example/", "http://other.example/"),
        ("/bäume", "https://trees.example:{port}/b%C3%A4ume"),
        ("/a%20b c", "https://trees.example:{port}/a%20b%20c"),
    ],
)
def test_a_redirect_is_returned_and_not_followed(serve: Serve, location: str, expected: str) -> None:
    server = serve(lambda exchange: exchange.redirect(location))
    assert get(server, "/a/b") == Reply(302, expected.format(port=server.port), b"")
    assert len(server.received) == 1


def test_a_redirect_to_a_malformed_url_is_refused(serve: Serve) -> None:
    with pytest.raises(TargetNotAllowed, match="malformed"):
        get(serve(lambda exchange: exchange.redirect("https://[half")))


def test_of_a_long_body_only_the_beginning_is_read(serve: Serve) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while not exchange.ended.is_set():
            exchange.send(b"x" * 65536)

    beginning = Reply(200, "", b"x" * QUICK.body)
    assert get(serve(endless)) == beginning
    assert get(serve(lambda exchange: exchange.reply(body=b"x" * 10_000_000))) == beginning


# Servers that hold the connection


def hang(exchange: Exchange) -> None:
    exchange.ended.wait(30)


def trickle_head(exchange: Exchange) -> None:
    exchange.trickle(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10_000)


def trickle_body(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
    exchange.trickle(b"x" * 10_000)


def trickle_body_without_a_length(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\n\r\n")
    exchange.trickle(b"x" * 10_000)


def trickle_chunks(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    exchange.trickle(b"1\r\nx\r\n" * 1_000)


def continue_for_ever(exchange: Exchange) -> None:
    while not exchange.ended.wait(0.02):
        exchange.send(b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("respond", "reason"),
    [
        (hang, "sent nothing for 0.5 seconds"),
        (trickle_head, "longer than 1 seconds"),
        (trickle_body, "longer than 1 seconds"),
        (trickle_body_without_a_length, "longer than 1 seconds"),
        (trickle_chunks, "longer than 1 seconds"),
        (continue_for_ever, "longer than 1 seconds"),
    ],
)
def test_a_server_that_holds_the_connection_is_left_in_time(
    serve: Serve, respond: Respond, reason: str
) -> None:
    server, began = serve(respond), time.monotonic()
    with pytest.raises(RequestTimedOut, match=reason):
        get(server)
    assert time.monotonic() - began < QUICK.total + SLACK


def test_a_server_that_never_completes_the_handshake_is_left_in_time(serve: Serve, dns: FakeDNS) -> None:
    began = time.monotonic()
    with socket.create_server((LOOPBACK, 0)) as listener, pytest.raises(RequestTimedOut):
        get(Server(listener.getsockname()[1]))
    assert time.monotonic() - began < QUICK.total + SLACK


def test_a_host_that_accepts_no_connection_fails(serve: Serve, authority: Authority) -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionFailed, match=r"trees\.example accepts no connection: Connection refused"):
        get(Server(port))


@pytest.mark.parametrize(
    "reply", [b"", b"SSH-2.0-OpenSSH\r\n", b"\x00" * 100, b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200]
)
def test_what_is_not_http_fails(serve: Serve, reply: bytes) -> None:
    with pytest.raises(RequestFailed):
        get(serve(lambda exchange: exchange.send(reply)))


def test_a_body_that_breaks_off_fails(serve: Serve) -> None:
    server = serve(lambda exchange: exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx"))
    with pytest.raises(RequestFailed, match="it broke off"):
        get(server)


# Certificates


def test_a_certificate_of_another_host_is_rejected(serve: Serve, authority: Authority) -> None:
    server = serve(Exchange.reply, authority.certificate("other.example"))
    with pytest.raises(CertificateRejected, match="Hostname mismatch"):
        get(server)
    assert server.received == []


def test_an_expired_certificate_is_rejected(serve: Serve, authority: Authority) -> None:
    server = serve(Exchange.reply, authority.certificate(HOST, lasts=-timedelta(hours=1)))
    with pytest.raises(CertificateRejected, match="expired"):
        get(server)


def test_a_certificate_of_an_unknown_authority_is_rejected(serve: Serve, tmp_path: Path) -> None:
    server = serve(Exchange.reply, Authority(tmp_path, "unknown").certificate(HOST))
    with pytest.raises(CertificateRejected, match="unable to get local issuer"):
        get(server)


# Addresses


def test_the_request_goes_to_the_address_that_was_checked(serve: Serve, dns: FakeDNS) -> None:
    """The DNS answers with a public address first, and with one of the cloud provider from then on."""
    server = serve(Exchange.reply)
    dns.in_turn(HOST, LOOPBACK, "169.254.169.254")
    assert get(server).status == 200
    assert dns.asked == [HOST], "a second answer could be another one"
    with pytest.raises(AddressNotPublic):
        get(server)
    assert len(server.received) == 1


def test_the_next_address_is_tried_if_the_first_accepts_no_connection(serve: Serve, dns: FakeDNS) -> None:
    server = serve(Exchange.reply)
    dns[HOST] = ["::1", LOOPBACK]  # the server listens at the second one only
    assert get(server).status == 200


def test_without_the_setting_no_request_reaches_this_machine(serve: Serve, settings: object) -> None:
    server = serve(Exchange.reply)
    settings.ALLOW_REQUESTS_TO_LOOPBACK = False  # type: ignore[attr-defined]
    with pytest.raises(AddressNotPublic):
        get(server)
    assert server.received == []


def test_an_unknown_host_is_not_found(dns: FakeDNS) -> None:
    with pytest.raises(HostNotFound, match=r"missing\.example was not found in the DNS"):
        request("GET", "https://missing.example/", {})


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://trees.example/", "only https"),
        ("ftp://trees.example/", "only https"),
        ("file:///etc/passwd", "only https"),
        ("//trees.example/", "only https"),
        ("", "visible ASCII"),
        ("https://trees.example/a b", "visible ASCII"),
        ("https://trees.example/\r\nX: y", "visible ASCII"),
        ("https://bäume.example/", "visible ASCII"),
        ("https://user@trees.example/", "user name"),
        ("https://:secret@trees.example/", "user name"),
        ("https://trees.example:0x1bb/", "malformed"),
        ("https://trees.example:99999/", "malformed"),
        ("https://[::1]/", "host of the URL is not allowed"),
        ("https://[half/", "malformed"),
        ("https://127.0.0.1/", "IP address"),
        ("https://169.254.169.254/latest/meta-data/", "IP address"),
        ("https://2130706433/", "one label"),
        ("https://0x7f.1/", "IP address"),
        ("https://localhost/", "one label"),
        ("https://db.internal/", "not a public domain"),
        ("https://trees.example%2f@internal.example/", "user name"),
        ("https:///path", "host is missing"),
    ],
)
def test_a_url_that_is_not_public_https_is_refused_before_the_dns(
    dns: FakeDNS, url: str, reason: str
) -> None:
    with pytest.raises(TargetNotAllowed, match=reason):
        request("GET", url, {})
    assert dns.asked == []


# Python's wrap_socket leaves its socket to the garbage collector if it fails so early.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_server_that_resets_at_once_fails_the_request(
    dns: FakeDNS, loopback_allowed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    dns[HOST] = LOOPBACK
    connected = https_requests._connected
    with socket.create_server((LOOPBACK, 0)) as listener:

        def reset(*arguments: Any) -> socket.socket:
            plain = connected(*arguments)
            accepted, _ = listener.accept()
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            accepted.close()
            assert select.select([plain], [], [], 10)[0]
            return plain

        monkeypatch.setattr(https_requests, "_connected", reset)
        with pytest.raises(RequestFailed):
            request("GET", f"https://{HOST}:{listener.getsockname()[1]}/", {}, QUICK)
