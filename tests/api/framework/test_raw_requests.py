"""Requests that no client library would send, over plain sockets: each gets a response, and affects no other client.

After each of them the next request, on a connection of its own, is answered right.
"""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.models import Scope
from registry.accounts.tokens import make_token
from registry.devserver.processes import SERVER_COMMAND
from registry.namespaces.models import Kind, Namespace
from registry.registration_template.formatting import format_template
from tests.api.raw_http import HOST, Answer, Connection, connected, get, post, request
from tests.support.databases import a_fresh_database
from tests.support.factories import a_draft, a_person, a_template
from tests.support.servers import a_free_port, serving
from tests.urns.test_slashes import ENDS

LOOKUP, CHECK, COMPARE = b"/api/v1/namespaces/isbn", b"/api/v1/urns/check/", b"/api/v1/urns/compare/"
NIDS, CASES = b"/api/v1/nids/", b"/api/v1/cases/"
GOOD, PAIR = b'["urn:isbn:1"]', b'{"first": "urn:isbn:1", "second": "urn:isbn:1"}'
CHUNKED = b"Transfer-Encoding: chunked\r\n"
KB_64 = 64 * 1024
CLOSED = 0  # without an answer


@dataclass(frozen=True)
class Served:
    """A server, and a person with a token and a draft."""

    port: int
    authorization: bytes
    case: bytes
    process: Any


@pytest.fixture(autouse=True)
def counted() -> None:
    """The server counts requests in the database that it shares with this module."""


@pytest.fixture(scope="module")
def served(the_test_database: None, django_db_blocker: Any) -> Iterator[Served]:
    with django_db_blocker.unblock(), a_fresh_database():
        Namespace.objects.create(nid="isbn", kind=Kind.FORMAL)
        registrant = a_person(email="registrant@example.org")
        case = CASES + f"{a_draft(by=registrant).pk}/".encode()
        _, secret = make_token(by=registrant, name="Example", scopes=tuple(Scope))
        port = a_free_port()
        with serving(port, API_READS_A_MINUTE="100000") as process:
            yield Served(port, f"Authorization: Bearer {secret}\r\n".encode(), case, process)


@pytest.fixture(autouse=True)
def afterwards(served: Served) -> Iterator[None]:
    yield
    with connected(served.port) as connection:
        check_lookup(connection)
    assert served.process.poll() is None


def check_lookup(connection: Connection) -> None:
    connection.send(get(LOOKUP))
    answer = connection.answer()
    assert answer
    assert (answer.status, answer.json["nid"]) == (200, "isbn")


def check_answer(answer: Answer | None, status: int) -> None:
    """The answer has this status, and where the registry gave it, and not the server, it is no page."""
    if answer is None:
        assert status == CLOSED
        return
    assert answer.status == status, answer
    if "x-request-id" not in answer.headers:
        assert answer.body == b""
        assert status >= 400
    elif status >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json["status"] == status
    else:
        assert not answer.headers.get("content-type", "").startswith("text/html")


def with_header(line: bytes) -> bytes:
    return get(LOOKUP, line + b"\r\n")


REQUEST_LINES = {
    "no HTTP": (b"\x00\x01\x02\r\n\r\n", 400),
    "a TLS handshake": (bytes.fromhex("16030100a5010000a10303") + bytes(160), 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", CLOSED),
    "an empty line before": (b"\r\n\r\n" + get(LOOKUP), 200),
    "a method alone": (b"GET\r\n\r\n", 400),
    "no version": (b"GET " + LOOKUP + b"\r\n\r\n", 400),
    "two spaces": (b"GET  " + LOOKUP + b" HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "a word too many": (b"GET " + LOOKUP + b" x HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "a version to come": (b"GET " + LOOKUP + b" HTTP/1.2\r\n" + HOST + b"\r\n", 400),
    "a version in small letters": (b"GET " + LOOKUP + b" http/1.1\r\n" + HOST + b"\r\n", 400),
    "HTTP/1.0": (b"GET " + LOOKUP + b" HTTP/1.0\r\n" + HOST + b"\r\n", 200),
    "HTTP/1.0 without a host": (b"GET " + LOOKUP + b" HTTP/1.0\r\n\r\n", 400),
    "lone line feeds": (get(LOOKUP).replace(b"\r\n", b"\n"), 200),
    "an unknown method": (request(b"BREW", LOOKUP), 405),
    "TRACE": (request(b"TRACE", LOOKUP), 405),
    "CONNECT with a path": (request(b"CONNECT", LOOKUP), 405),
    "a long method": (request(b"A" * 20_000, LOOKUP), 405),
    "a method that is no word": (request(b"G(T", LOOKUP), 400),
}
TARGETS = {
    "a whole address": (get(b"http://localhost" + LOOKUP), 200),
    "an address elsewhere": (get(b"http://elsewhere.example" + LOOKUP), 200),
    "no slash before": (get(b"api/v1/"), 400),
    "nothing": (get(b""), 400),
    "a NUL": (get(LOOKUP + b"\0"), 400),
    "a NUL in the query": (get(LOOKUP + b"?\0"), 400),
    "octets that are no UTF-8": (get(LOOKUP + b"\xff"), 400),
    "such octets in the query": (get(LOOKUP + b"?\xff"), 400),
    "a letter that is not ASCII": (get("/api/v1/namespaces/é".encode()), 404),
    "a lone carriage return": (get(LOOKUP + b"\r"), 400),
    "64 kB": (get(NIDS + b"a" * KB_64), 431),
    "30 kB": (get(NIDS + b"a" * 30_000), 200),
    "30 kB of a query": (get(LOOKUP + b"?" + b"a" * 30_000), 400),
    "very many parameters": (get(LOOKUP + b"?" + b"a&" * 15_000), 400),
    "an encoded slash in a NID": (get(b"/api/v1/namespaces/is%2Fbn"), 404),
    "an encoded slash after it": (get(LOOKUP + b"%2F"), 200),
    "an encoded NUL": (get(LOOKUP + b"%00"), 404),
    "an encoded NUL in a text": (get(NIDS + b"a%00"), 200),
    "an encoded NUL in a URN": (get(b"/api/v1/urns/urn:isbn:%00"), 400),
    "an encoded NUL in the query": (get(b"/api/v1/namespaces/?q=%00"), 400),
    "encoded octets that are no UTF-8": (get(LOOKUP + b"%FF"), 404),
    "encoded line ends": (get(b"/api/v1/cases/1%0D%0AX-Header:1/reviews"), 404),
    "half of a percent-encoding": (get(LOOKUP + b"%"), 404),
    "dot segments": (get(b"/api/v1/namespaces/../namespaces/isbn"), 404),
    "encoded dot segments": (get(b"/api/v1/namespaces/%2E%2E/namespaces/isbn"), 404),
    "dot segments beyond the root": (get(b"/api/../../../etc/passwd"), 404),
}
HEADERS = {
    "no colon": (with_header(b"Accept"), 400),
    "a space before the colon": (with_header(b"X-Header : a"), 400),
    "a continued line": (with_header(b"X-Header: a\r\n b"), 400),
    "a NUL": (with_header(b"X-Header: a\0"), 400),
    "a lone carriage return": (with_header(b"X-Header: a\rb"), 400),
    "a name that is not ASCII": (with_header(b"X-\xff: a"), 400),
    "a value that is not ASCII": (with_header(b"X-Header: \xff"), 200),
    "an ETag that is not ASCII": (with_header(b"If-None-Match: \xff"), 200),
    "a token that is not ASCII": (get(b"/api/v1/token/", b"Authorization: Bearer \xff\r\n"), 401),
    "an id that is not ASCII": (with_header(b"X-Request-ID: \xff"), 200),
    "no host": (b"GET " + LOOKUP + b" HTTP/1.1\r\n\r\n", 400),
    "two hosts": (with_header(b"Host: elsewhere.example"), 400),
    "300 headers": (with_header(b"\r\n".join(b"X-%d: a" % each for each in range(300))), 431),
    "a name of 64 kB": (with_header(b"X" * KB_64 + b": a"), 431),
    **{
        f"{name} of 64 kB": (with_header(f"{name}: ".encode() + b'"a", ' * (KB_64 // 5)), 431)
        for name in ("If-None-Match", "Accept", "Cookie", "Content-Type")
    },
    "If-None-Match of 30 kB": (with_header(b"If-None-Match: " + b'"a", ' * 6_000), 200),
    "Accept of 30 kB": (with_header(b"Accept: " + b"a/b, " * 6_000), 406),
    "a cookie of 30 kB of backslashes": (with_header(b'Cookie: a="' + b"\\" * 30_000 + b'"'), 200),
    "Content-Type of 30 kB": (with_header(b"Content-Type: a/b" + b";a=b" * 7_000), 200),
    "a charset that is none": (
        get(b"/api/v1/namespaces?q=%41", b"Content-Type: a/b; charset=base64\r\n"), 200,
    ),
    "a charset in a charset that is none": (get(NIDS + b"isbn", b"Content-Type: a/b; charset*=none''a\r\n"), 200),
    "a date that is none": (with_header(b"If-Modified-Since: Sun, 99 Nov 0000 99:99:99 GMT"), 200),
}  # fmt: skip
LENGTHS = {
    "two that differ": (b"Content-Length: 14\r\nContent-Length: 5\r\n", 400),
    "two alike": (b"Content-Length: 14\r\nContent-Length: 14\r\n", 200),
    "a list": (b"Content-Length: 14, 14\r\n", 400),
    "less than nothing": (b"Content-Length: -1\r\n", 400),
    "a sign": (b"Content-Length: +14\r\n", 400),
    "no number": (b"Content-Length: abc\r\n", 400),
    "empty": (b"Content-Length:\r\n", 400),
    "more than is counted": (b"Content-Length: 99999999999999999999999\r\n", 400),
    "more than there is": (b"Content-Length: 9223372036854775807\r\n", 413),
    "more than is read": (b"Content-Length: 2097153\r\n", 413),
    "none": (b"", 400),
    "pieces": (CHUNKED, 411),
    "pieces and a length": (CHUNKED + b"Content-Length: 14\r\n", 411),
    "a length and pieces": (b"Content-Length: 14\r\n" + CHUNKED, 411),
    "pieces, packed": (b"Transfer-Encoding: gzip\r\n", 400),
    "pieces of an unknown kind": (b"Transfer-Encoding: xchunked\r\n", 400),
}
CHUNKS = {
    "as they should be": b"e\r\n" + GOOD + b"\r\n0\r\n\r\n",
    "no number": b"xyz\r\n" + GOOD + b"\r\n0\r\n\r\n",
    "less than nothing": b"-e\r\n" + GOOD + b"\r\n0\r\n\r\n",
    "more than is counted": b"f" * 20 + b"\r\n" + GOOD + b"\r\n0\r\n\r\n",
    "too little": b"5\r\n" + GOOD + b"\r\n0\r\n\r\n",
    "too much": b"1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    "no line end": b"e\r\n" + GOOD + b"0\r\n\r\n",
    "nothing": b"\r\n" + GOOD + b"\r\n0\r\n\r\n",
    "a long extension": b"e;" + b"a" * KB_64 + b"\r\n" + GOOD + b"\r\n0\r\n\r\n",
}
BROKEN_OFF = {
    "in the request line": b"GET /api/v1/na",
    "after a line as of HTTP/0.9": b"GET " + LOOKUP + b"\r\n",
    "in a header": b"GET " + LOOKUP + b" HTTP/1.1\r\nHo",
    "where lines end with carriage returns": get(LOOKUP).replace(b"\r\n", b"\r"),
    "before the body": post(CHECK, b"Content-Length: 14\r\n", b""),
    "in the body": post(CHECK, b"Content-Length: 14\r\n", GOOD[:5]),
    "in a chunk": post(CHECK, CHUNKED, b"e\r\n" + GOOD[:5]),
}


@pytest.mark.parametrize(("octets", "status"), REQUEST_LINES.values(), ids=REQUEST_LINES)
def test_a_request_line(served: Served, octets: bytes, status: int) -> None:
    check_sent(served, octets, status)


@pytest.mark.parametrize(("octets", "status"), TARGETS.values(), ids=TARGETS)
def test_a_target(served: Served, octets: bytes, status: int) -> None:
    check_sent(served, octets, status)


@pytest.mark.parametrize(("octets", "status"), HEADERS.values(), ids=HEADERS)
def test_a_header(served: Served, octets: bytes, status: int) -> None:
    check_sent(served, octets, status)


def check_sent(served: Served, octets: bytes, status: int) -> None:
    """The answer; and on the same connection, where it is open, the one that belongs to the next request."""
    with connected(served.port) as connection:
        with contextlib.suppress(ConnectionError):  # refused before it was read to the end
            connection.send(octets)
        answer = connection.answer()
        check_answer(answer, status)
        if answer and "x-request-id" in answer.headers and b" HTTP/1.0" not in octets:
            check_lookup(connection)


@pytest.mark.parametrize("target", [b"*", b"localhost:80"])
def test_an_invalid_request_target_is_rejected(served: Served, target: bytes) -> None:
    with connected(served.port) as connection:
        connection.send(request(b"OPTIONS" if target == b"*" else b"CONNECT", target))
        answer = connection.answer()
        assert answer
        assert 400 <= answer.status < 500


@pytest.mark.parametrize(("end", "slashes"), ENDS.items())
@pytest.mark.parametrize(
    ("address", "status"), [("/api/v1/urns/urn:example:a", 200), ("/resolve/urn:isbn:", 400)]
)
def test_every_slash_belongs_to_the_urn(
    served: Served, address: str, status: int, end: str, slashes: str
) -> None:
    """A text that is no URN is repeated in the problem."""
    with connected(served.port) as connection:
        connection.send(get(f"{address}{end}".encode()))
        answer = connection.answer()
    assert answer
    assert (answer.status, answer.json["urn"]) == (status, address.rpartition("/")[2] + slashes)


@pytest.mark.parametrize(("headers", "status"), LENGTHS.values(), ids=LENGTHS)
def test_content_length_is_validated(served: Served, headers: bytes, status: int) -> None:
    body = CHUNKS["as they should be"] if CHUNKED in headers else GOOD
    with connected(served.port) as connection:
        connection.send(post(CHECK, headers, body))
        check_answer(connection.answer(), status)


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("where", [CHECK, COMPARE, CASES])
def test_chunked_bodies_are_not_read(served: Served, where: bytes, chunks: bytes) -> None:
    with connected(served.port) as connection:
        with contextlib.suppress(ConnectionError):
            connection.send(post(where, served.authorization + CHUNKED, chunks))
        answer = connection.answer("POST")
        check_answer(answer, 411)
        assert answer
        assert answer.json["type"].endswith("/length-required/")


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
def test_a_lookup_does_not_wait_for_a_body(served: Served, chunks: bytes) -> None:
    with connected(served.port) as connection:
        connection.send(get(LOOKUP, CHUNKED) + chunks)
        check_answer(connection.answer(), 200)


@pytest.mark.parametrize("octets", BROKEN_OFF.values(), ids=BROKEN_OFF)
def test_an_aborted_request_does_not_affect_others(served: Served, octets: bytes) -> None:
    with connected(served.port) as connection:
        connection.send(octets)


@pytest.mark.parametrize(
    ("method", "target"), [(b"POST", CHECK), (b"PUT", b"draft/"), (b"POST", b"check/"), (b"PATCH", b"draft/")]
)
def test_a_truncated_body_is_rejected(served: Served, method: bytes, target: bytes) -> None:
    text = format_template(a_template(purpose="No longer names trees.")).encode()
    headers = b"If-Match: *\r\nContent-Type: text/plain\r\n" + served.authorization
    before = draft_to_json(served)
    with connected(served.port) as connection:
        length = f"Content-Length: {len(text)}\r\n".encode()
        target = target if target == CHECK else served.case + target
        connection.send(request(method, target, headers + length, text[:-200]))
        connection.end()
        check_answer(connection.answer(), 400)
    assert draft_to_json(served) == before


def draft_to_json(served: Served) -> bytes:
    with connected(served.port) as connection:
        connection.send(get(served.case + b"draft/", served.authorization))
        answer = connection.answer()
        assert answer
        assert answer.status == 200
        return answer.body


def test_a_slow_body_is_read_completely(served: Served) -> None:
    with connected(served.port) as connection:
        connection.send(post(COMPARE, b"Content-Length: %d\r\n" % len(PAIR), b""))
        for octet in PAIR:
            connection.send(bytes([octet]))
        answer = connection.answer("POST")
        assert answer
        assert answer.json["are_equivalent"] is True


def test_pipelined_responses_are_in_order(served: Served) -> None:
    nids = [b"nid-%d" % each for each in range(20)]
    with connected(served.port) as connection:
        connection.send(b"".join(get(NIDS + nid) + request(b"HEAD", LOOKUP) + get(LOOKUP) for nid in nids))
        for nid in nids:
            answer, head, lookup = (connection.answer(method) for method in ("GET", "HEAD", "GET"))
            assert answer
            assert head
            assert lookup
            assert answer.json["nid"] == nid.decode()
            assert lookup.json["nid"] == "isbn"
            assert (head.status, head.headers["etag"]) == (200, lookup.headers["etag"])


@pytest.mark.parametrize(
    "target", [LOOKUP, b"/api/v1/namespaces/nobody", b"/api/v1/namespaces/isbn.txt", b"/api/"]
)
def test_head_has_no_body_and_leaves_the_connection_usable(served: Served, target: bytes) -> None:
    with connected(served.port) as connection:
        connection.send(request(b"HEAD", target))
        answer = connection.answer("HEAD")
        assert answer
        assert int(answer.headers["content-length"]) > 0
        check_lookup(connection)


def test_an_unread_body_is_not_taken_for_a_request(served: Served) -> None:
    """What a lookup brings along is passed over, also where it looks like a request."""
    within = get(b"/api/v1/namespaces/nobody")
    with connected(served.port) as connection:
        connection.send(get(LOOKUP, b"Content-Length: %d\r\n" % len(within)) + within)
        check_answer(connection.answer(), 200)
        check_lookup(connection)


def test_expect_100_continue(served: Served) -> None:
    with connected(served.port) as connection:
        connection.send(post(CHECK, b"Content-Length: 14\r\nExpect: 100-continue\r\n", b""))
        told = connection.answer("POST")
        assert told
        assert told.status == 100
        connection.send(GOOD)
        answer = connection.answer("POST")
        assert answer
        assert answer.json["unknown"] == 1
        check_lookup(connection)


def test_the_deployment_guide_has_the_same_server_options() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "deployment.md").read_text()
    assert " ".join(SERVER_COMMAND) in re.sub(r"[\s\\]+", " ", guide)
