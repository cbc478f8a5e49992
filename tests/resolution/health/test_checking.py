"""The check of one service, against real servers on loopback."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from registry.resolution.health import checking
from registry.resolution.health.checking import (
    MAX_EXAMPLES,
    MAX_REDIRECTS,
    Finding,
    Outcome,
    Pacer,
    check,
    services_of,
)
from tests.resolution.health.conftest import Serve
from tests.support.factories import a_profile
from tests.support.https_servers import LOOPBACK, Authority, Exchange, FakeDNS, Server
from tests.support.services import a_service

URN = "urn:trees:12:4711"


def found(server: Server | None, *, host: str = "trees.example", **changes: Any) -> Finding:
    """What the check of a service on a server finds."""
    port = f":{server.port}" if server else ""
    service = a_service(template=f"https://{host}{port}/{{nss}}", **changes)
    (checked,) = services_of(a_profile("trees", services=[service]))
    return check(checked, Pacer(0)).finding


def at(server: Server, path: str = "/", host: str = "trees.example") -> str:
    return f"https://{host}:{server.port}{path}"


def test_a_service_works_if_an_example_leads_to_a_success(serve: Serve) -> None:
    server = serve(Exchange.reply)
    assert found(server, media_type="text/html") == Finding(Outcome.WORKS, f"The reply to {URN} is 200 OK.")
    (received,) = server.received
    assert (received.method, received.path) == ("HEAD", "/12%3A4711")
    assert received.headers["Accept"] == "text/html, */*;q=0.1"
    assert received.headers["User-Agent"] == f"urn-registry (+{settings.PUBLIC_ORIGIN}/services/)"


def only_get(exchange: Exchange) -> None:
    exchange.reply("200 OK" if exchange.method == "GET" else "405 Method Not Allowed", b"A tree")


def hangs_at_head(exchange: Exchange) -> None:
    exchange.reply() if exchange.method == "GET" else exchange.ended.wait(10)


def breaks_off_at_head(exchange: Exchange) -> None:
    exchange.reply() if exchange.method == "GET" else exchange.send(b"nonsense\r\n\r\n")


@pytest.mark.parametrize("respond", [only_get, hangs_at_head, breaks_off_at_head])
def test_get_decides_if_head_does_not_succeed(serve: Serve, respond: Any) -> None:
    server = serve(respond)
    assert found(server).outcome == Outcome.WORKS
    assert [method for method, _ in server.paths] == ["HEAD", "GET"]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("200 OK", Outcome.WORKS),
        ("204 No Content", Outcome.WORKS),
        ("299 Fine", Outcome.WORKS),
        ("300 Multiple Choices", Outcome.FAILS),
        ("304 Not Modified", Outcome.FAILS),
        ("400 Bad Request", Outcome.FAILS),
        ("404 Not Found", Outcome.FAILS),
        ("410 Gone", Outcome.FAILS),
        ("500 Internal Server Error", Outcome.FAILS),
        ("503 Service Unavailable", Outcome.FAILS),
        ("599 Odd", Outcome.FAILS),
        ("401 Unauthorized", Outcome.UNDECIDED),
        ("402 Payment Required", Outcome.UNDECIDED),
        ("403 Forbidden", Outcome.UNDECIDED),
        ("429 Too Many Requests", Outcome.UNDECIDED),
        ("451 Unavailable For Legal Reasons", Outcome.UNDECIDED),
    ],
)
def test_the_status_decides(serve: Serve, status: str, outcome: Outcome) -> None:
    finding = found(serve(lambda exchange: exchange.reply(status)))
    assert finding.outcome == outcome
    known = {"299 Fine": "299", "599 Odd": "599"}
    assert finding.detail.startswith(f"The reply to {URN} is {known.get(status, status)}.")
    assert finding.was_reached


def test_other_examples_are_tried_until_one_works(serve: Serve) -> None:
    examples = [f"urn:trees:1:{number}" for number in range(1, 6)]
    server = serve(lambda each: each.reply("200 OK" if each.path == "/1%3A2" else "404 Not Found"))
    assert found(server, examples=examples).detail == "The reply to urn:trees:1:2 is 200 OK."
    broken = serve(lambda exchange: exchange.reply("404 Not Found"))
    assert found(broken, examples=examples).detail == "The reply to urn:trees:1:1 is 404 Not Found."
    assert len({path for _, path in broken.paths}) == MAX_EXAMPLES


def test_services_with_one_template_are_checked_once() -> None:
    services = [
        a_service(kind=kind, examples=[f"urn:trees:1:{number}"])
        for number, kind in enumerate(["I2C", "I2L"], start=1)
    ]
    other = a_service(template="https://other.example/{nss}")
    first, second = services_of(a_profile("trees", services=[*services, other]))
    assert first.examples == (
        ("urn:trees:1:1", "https://trees.example/1%3A1"),
        ("urn:trees:1:2", "https://trees.example/1%3A2"),
    )
    assert second.host == "other.example"


# Redirects


def redirecting(times: int) -> Any:
    def respond(exchange: Exchange) -> None:
        step = int(exchange.path.removeprefix("/step/")) if exchange.path.startswith("/step/") else 0
        exchange.redirect(f"/step/{step + 1}") if step < times else exchange.reply()

    return respond


def test_up_to_five_redirects_are_followed(serve: Serve) -> None:
    assert found(serve(redirecting(MAX_REDIRECTS))).outcome == Outcome.WORKS
    server = serve(redirecting(MAX_REDIRECTS + 1))
    assert found(server) == Finding(Outcome.FAILS, "There are more than 5 redirects.")
    assert len(server.received) == MAX_REDIRECTS + 1


def test_redirects_in_a_circle_end(serve: Serve) -> None:
    server = serve(lambda exchange: exchange.redirect("/b" if exchange.path == "/a" else "/a"))
    assert found(server).detail == "There are more than 5 redirects."


def test_a_redirect_to_another_host_is_followed(serve: Serve) -> None:
    other = serve(Exchange.reply, "other.example")
    server = serve(lambda exchange: exchange.redirect(at(other, "/x", "other.example")))
    assert found(server).outcome == Outcome.WORKS
    assert other.paths == [("HEAD", "/x")]


def asks_for_credentials(exchange: Exchange) -> None:
    cookie = "session=secret; Path=/; Secure"
    if exchange.path == "/again":
        exchange.reply("401 Unauthorized", WWW_Authenticate='Basic realm="Trees"', Set_Cookie=cookie)
    else:
        exchange.reply("302 Found", Location="/again", Set_Cookie=cookie)


def test_no_credentials_and_no_compression_are_sent(serve: Serve) -> None:
    """Also if the server asks for a password and sets a cookie."""
    server = serve(asks_for_credentials)
    found(server)
    assert {each.path for each in server.received} == {"/12%3A4711", "/again"}
    for each in server.received:
        assert set(each.headers) == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
        assert each.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("location", "detail"),
    [
        ("http://trees.example/", "There is a redirect that is not followed. The URL begins with “http:”"),
        ("https://169.254.169.254/latest/meta-data/", "There is a redirect that is not followed. The host"),
        ("http://169.254.169.254/latest/meta-data/", "There is a redirect that is not followed. The URL"),
        ("https://localhost/", "There is a redirect that is not followed. The host"),
        (
            "https://user:secret@trees.example/",
            "There is a redirect that is not followed. The URL has a user",
        ),
        (
            "https://metadata.example/",
            "There is a redirect to metadata.example, which has no public address.",
        ),
        ("https://private.example/", "There is a redirect to private.example, which has no public address."),
        ("https://missing.example/", "There is a redirect to missing.example, which has no public address."),
    ],
)
def test_each_redirect_is_checked_like_the_address(
    serve: Serve, dns: FakeDNS, location: str, detail: str
) -> None:
    """What is public of a refusal is the same whether or not the DNS knows the name."""
    server = serve(lambda exchange: exchange.redirect(location))
    dns["metadata.example"], dns["private.example"] = "169.254.169.254", "10.1.2.3"
    finding = found(server)
    assert (finding.outcome, finding.was_reached) == (Outcome.FAILS, True)
    assert finding.detail.startswith(detail)
    assert "10.1.2.3" not in finding.detail


def test_a_redirect_to_the_same_name_is_looked_up_and_checked_anew(serve: Serve, dns: FakeDNS) -> None:
    server = serve(lambda exchange: exchange.redirect("/again"))
    dns.in_turn("trees.example", LOOPBACK, "169.254.169.254")
    assert found(server).detail == "There is a redirect to trees.example, which has no public address."
    assert server.paths == [("HEAD", "/12%3A4711")]


# Servers that cannot be reached, or that must not be


def test_the_address_that_was_checked_is_the_one_that_is_requested(serve: Serve, dns: FakeDNS) -> None:
    server = serve(Exchange.reply)
    dns.in_turn("trees.example", LOOPBACK, "169.254.169.254")
    assert found(server).outcome == Outcome.WORKS
    assert dns.asked == ["trees.example"]


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "10.0.0.1", "::ffff:10.0.0.1", "fd00::1", "100.64.0.1"]
)
def test_a_service_with_a_private_address_fails_without_a_request(dns: FakeDNS, address: str) -> None:
    dns["trees.example"] = address
    finding = found(None)
    assert finding == Finding(
        Outcome.FAILS, "trees.example has an address that is not public.", was_reached=False
    )


def test_without_the_setting_of_tests_loopback_is_private(serve: Serve, settings: Any) -> None:
    server = serve(Exchange.reply)
    settings.ALLOW_REQUESTS_TO_LOOPBACK = False
    assert found(server).detail == "trees.example has an address that is not public."
    assert server.received == []


def test_an_unknown_host_fails_and_its_other_examples_are_not_tried(dns: FakeDNS) -> None:
    finding = found(None, examples=["urn:trees:1:1", "urn:trees:1:2"])
    assert finding == Finding(Outcome.FAILS, "trees.example was not found in the DNS.", was_reached=False)
    assert dns.asked == ["trees.example"]


def test_a_wrong_certificate_fails(serve: Serve, authority: Authority) -> None:
    for certificate, reason in (
        (authority.certificate("other.example"), "Hostname mismatch"),
        (authority.certificate("trees.example", lasts=-timedelta(hours=1)), "expired"),
    ):
        server = serve(Exchange.reply, certificate=certificate)
        finding = found(server)
        assert (finding.outcome, server.received) == (Outcome.FAILS, [])
        assert finding.detail.startswith("The certificate is not valid")
        assert reason in finding.detail


def hangs(exchange: Exchange) -> None:
    exchange.ended.wait(10)


def trickles(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    exchange.trickle(b"x" * 1000)


def trickles_its_head(exchange: Exchange) -> None:
    exchange.trickle(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1000)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("respond", [hangs, trickles_its_head])
def test_a_server_that_hangs_fails_in_time(serve: Serve, respond: Any) -> None:
    server, began = serve(respond), time.monotonic()
    finding = found(server)
    assert (finding.outcome, finding.was_reached) == (Outcome.FAILS, False)
    assert time.monotonic() - began < 2 * checking.LIMITS.total + 3


def test_a_body_that_trickles_fails(serve: Serve) -> None:
    server = serve(lambda each: trickles(each) if each.method == "GET" else each.reply("405 No"))
    assert found(server).detail == "The reply took longer than 0.8 seconds."


def test_a_long_body_is_not_read_to_its_end(serve: Serve) -> None:
    sent = []

    def respond(exchange: Exchange) -> None:
        if exchange.method == "HEAD":
            exchange.reply("405 Method Not Allowed")
            return
        exchange.send(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(10_000):
            exchange.send(b"x" * 65536)
            sent.append(65536)

    assert found(serve(respond)).outcome == Outcome.WORKS
    assert sum(sent) < 100 * 65536
