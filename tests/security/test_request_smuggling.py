"""Requests whose end two servers could see in different places (RFC 9112, Sections 6.3 and 11.2), sent by hand.

Each attack contains a second request, in its body or behind an end that is in doubt, and another request follows on the same
connection. The registry repeats the ID of a request, so each answer tells which request it belongs to.
"""

import itertools
import json
import socket
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from registry.namespaces.models import Kind, Namespace
from tests.api.raw_http import Answer, Connection
from tests.security.test_proxy_headers import BEHIND_A_PROXY
from tests.support.databases import a_fresh_database
from tests.support.proxies import caddy, nginx
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes, pytest.mark.slow]

DIRECT, NGINX, CADDY = "the program", "nginx", "Caddy"
LOOKUP, CHECK, LOGIN = b"/api/v1/namespaces/isbn/", b"/api/v1/urns/check/", b"/accounts/login/"
# What a proxy would set, and what real ones replace.
HOST = b"Host: registry.example.org\r\nX-Forwarded-Proto: https\r\nClientaddress: 192.0.2.1\r\n"
NUMBERS = itertools.count(1)


def request(
    id_: bytes, headers: bytes = b"", body: bytes = b"", *, start: bytes = b"GET " + LOOKUP + b" HTTP/1.1"
) -> bytes:
    return start + b"\r\n" + HOST + b"X-Request-ID: " + id_ + b"\r\n" + headers + b"\r\n" + body


@dataclass(frozen=True)
class Served:
    ports: dict[str, int]
    log: Path

    def connect(self, stack: ExitStack, front: str) -> Connection:
        client = stack.enter_context(socket.create_connection(("127.0.0.1", self.ports[front]), timeout=60))
        if front != DIRECT:
            trusting = ssl._create_unverified_context()
            client = stack.enter_context(trusting.wrap_socket(client, server_hostname="registry.example.org"))
        return Connection(client, stack.enter_context(client.makefile("rb")))

    def answers(self, front: str, octets: bytes) -> list[Answer]:
        """All answers on one connection, until the server closes it."""
        with ExitStack() as stack:
            connection = self.connect(stack, front)
            with suppress(ConnectionError, ssl.SSLError):  # refused before it was read to the end
                connection.send(octets)
            found = []
            with suppress(ssl.SSLError):  # closed without a word
                while answer := connection.answer():
                    found.append(answer)
            return [each for each in found if each.status != 100]

    def logged(self, ending: str) -> list[str]:
        """The IDs of requests of one attack that reached the registry."""
        lines = (line for line in self.log.read_text().splitlines() if line.startswith("{"))
        return [each for line in lines if (each := json.loads(line).get("request_id", "")).endswith(ending)]


@pytest.fixture(scope="module")
def served(
    the_test_database: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    folders = [tmp_path_factory.mktemp(name) for name in ("log", "nginx", "caddy")]
    port, log = a_free_port(), folders[0] / "log"
    with django_db_blocker.unblock(), a_fresh_database():
        Namespace.objects.create(nid="isbn", kind=Kind.FORMAL)
        with (
            serving(port, log=log, **BEHIND_A_PROXY),
            nginx(folders[1], port) as proxy,
            caddy(folders[2], port) as of_caddy,
        ):
            yield Served({DIRECT: port, NGINX: proxy.port, CADDY: of_caddy}, log)


def attack(served: Served, front: str, headers: bytes, body: bytes, start: bytes) -> list[tuple[str, int]]:
    """The answers to an attack, each with the name of the request that it belongs to and its status.

    The next client gets the right answer, and the attacker one to each request that reached the registry.
    """
    ending = f"-{next(NUMBERS)}-{front.split()[-1]}"
    inner = request(f"inner{ending}".encode())
    headers, body = (each.replace(b"INNER", inner) for each in (headers, body))
    length = str(len(body)).encode()
    outer = request(f"outer{ending}".encode(), headers.replace(b"LENGTH", length), body, start=start)
    after = request(f"after{ending}".encode(), b"Connection: close\r\n")
    answers = served.answers(front, outer + after)
    (other,) = served.answers(front, request(f"other{ending}".encode(), b"Connection: close\r\n"))
    assert (other.status, other.headers["x-request-id"]) == (200, f"other{ending}")
    wait_until(lambda: f"other{ending}" in served.logged(ending))
    found = [(each.headers.get("x-request-id", "").removesuffix(ending), each.status) for each in answers]
    reached = {each.removesuffix(ending) for each in served.logged(ending)} - {"outer", "other"}
    assert reached == {name for name, _ in found} & {"inner", "after"}
    return found


POST = b"POST " + CHECK + b" HTTP/1.1"
GET = b"GET " + LOOKUP + b" HTTP/1.1"
CHUNKED, LENGTH = b"Transfer-Encoding: chunked\r\n", b"Content-Length: LENGTH\r\n"
END = b"0\r\n\r\nINNER"

# The end is in doubt: the headers, and what follows them.
AMBIGUOUS = {
    "a length, then chunks": (b"Content-Length: 5\r\n" + CHUNKED, END),
    "a length of all, then chunks": (LENGTH + CHUNKED, END),
    "chunks, then a length": (CHUNKED + b"Content-Length: 4\r\n", b"5\r\nhello\r\n" + END),
    "HTTP/1.0 with chunks": (CHUNKED + b"Connection: keep-alive\r\n", END),
    "two lengths": (LENGTH + b"Content-Length: 0\r\n", b"INNER"),
    "two lengths, the shorter first": (b"Content-Length: 0\r\n" + LENGTH, b"INNER"),
    "a list of lengths": (b"Content-Length: LENGTH, LENGTH\r\n", b"INNER"),
    **{
        f"a length {name}": (b"Content-Length" + value + b"\r\n", b"INNER")
        for name, value in {
            "with a plus": b": +LENGTH",
            "with a minus": b": -LENGTH",
            "of 16": b": 0x1f",
            "with a point": b": LENGTH.0",
            "in two words": b": LENGTH 0",
            "beyond 64 bits": b": 18446744073709551620",
            "with a space before the colon": b" : LENGTH",
            "with a NUL": b": LENGTH\0",
        }.items()
    },
    **{
        f"{coding!r} {name}": (length + b"Transfer-Encoding" + coding + b"\r\n", END)
        for coding in (
            b": xchunked", b": chunked, gzip", b': "chunked"', b": chunked;a=b", b":", b": \x0bchunked", b": \xa0chunked",
            b": chunked\0", b" : chunked", b": chunked\r\nTransfer-Encoding: identity",
        )
        for name, length in {"alone": b"", "with a length": b"Content-Length: 5\r\n"}.items()
    },
    "chunks behind a lone carriage return": (LENGTH + b"X-Header: a\rTransfer-Encoding: chunked\r\n", END),
    "chunks behind a lone line feed": (LENGTH + b"X-Header: a\nTransfer-Encoding: chunked\r\n", END),
    "chunks in small letters": (LENGTH + b"transfer-encoding: CHUNKED\r\n", END),
    "chunks and a tab": (LENGTH + b"Transfer-Encoding:\tchunked\r\n", END),
    "a continued line": (LENGTH + b"Transfer-Encoding:\r\n chunked\r\n", END),
    **{
        f"a chunk {name}": (CHUNKED, octets)
        for name, octets in {
            "of 68 bits": b"ffffffffffffffff5\r\nhello\r\n" + END,
            "with 0x": b"0x5\r\nhello\r\n" + END,
            "with a minus": b"-1\r\n" + END,
            "with a plus": b"+0\r\n\r\nINNER",
            "with an underscore": b"1_0\r\n" + END,
            "with a NUL": b"0\0\r\n\r\nINNER",
            "with carriage returns alone": b"5\rhello\r0\r\rINNER",
            "with a longer content": b"5\r\nhelloXX0\r\n\r\nINNER",
        }.items()
    },
}  # fmt: skip
# The end is clear, and the second request is within the body, or there is none.
CLEAR = {
    "a length": (POST, LENGTH, b"INNER"),
    "a length between spaces": (POST, b"Content-Length:   LENGTH  \r\n", b"INNER"),
    "a length with zeros": (POST, b"Content-Length: 000LENGTH\r\n", b"INNER"),
    "a length of a GET": (GET, LENGTH, b"INNER"),
    "no address": (b"POST /nobody/ HTTP/1.1", LENGTH, b"INNER"),
    "another length with an underscore": (POST, LENGTH + b"Content_Length: 0\r\n", b"INNER"),
    "chunks with an underscore": (POST, LENGTH + b"Transfer_Encoding: chunked\r\n", END),
    "a length for this connection": (POST, LENGTH + b"Connection: Content-Length\r\n", b"INNER"),
    "headers for this connection": (GET, b"Connection: Clientaddress, X-Forwarded-Proto\r\n", b""),
    "100-continue": (POST, LENGTH + b"Expect: 100-continue\r\n", b"INNER"),
    "a refusal before the body is read": (b"POST " + LOGIN + b" HTTP/1.1", LENGTH, b"INNER" * 500),
    "another HTTP": (GET, b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n", b""),
    "a WebSocket": (GET, b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", b""),
}  # fmt: skip


@pytest.mark.parametrize(("headers", "body"), AMBIGUOUS.values(), ids=AMBIGUOUS)
@pytest.mark.parametrize("front", [DIRECT, NGINX])
def test_where_the_end_is_in_doubt_the_connection_is_closed(
    served: Served, front: str, headers: bytes, body: bytes
) -> None:
    """After one refusal; what follows is not read as a request."""
    (answer,) = attack(served, front, headers, body, start_of(headers))
    name, status = answer
    assert name in ("", "outer")
    assert 400 <= status < 600


@pytest.mark.parametrize(("headers", "body"), AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_caddy_reads_it_as_the_registry_does(served: Served, headers: bytes, body: bytes) -> None:
    """Go's server ends such a request by its chunks, and goes on. What follows is the attacker's next request."""
    answers = attack(served, CADDY, headers, body, start_of(headers))
    names = [name for name, _ in answers if name]
    assert names == [each for each in ("outer", "inner", "after") if each in names]
    assert answers[0][1] >= 400


def start_of(headers: bytes) -> bytes:
    return POST.replace(b"1.1", b"1.0") if b"keep-alive" in headers else POST


@pytest.mark.parametrize(("start", "headers", "body"), CLEAR.values(), ids=CLEAR)
@pytest.mark.parametrize("front", [DIRECT, NGINX, CADDY])
def test_a_body_is_not_read_as_a_request(
    served: Served, front: str, start: bytes, headers: bytes, body: bytes
) -> None:
    names = [name for name, _ in attack(served, front, headers, body, start)]
    # A server may close the connection when it refuses a request with a body that it has not read. If nginx is still sending
    # that body, it answers 502 in its own name.
    assert names in (["outer", "after"], ["outer"], ["", "after"])
    assert names == ["outer", "after"] or start.startswith(b"POST " + LOGIN)


# HTTP/2, which Caddy speaks, has lengths of its own (RFC 9113, Sections 8.1.1 and 8.2)

DATA, HEADERS, RESET, SETTINGS, GOAWAY = 0, 1, 3, 4, 7
ENDS_STREAM, ENDS_HEADERS = 1, 4
Fields = dict[str, bytes]
IN_HTTP_2: dict[str, tuple[Fields, bytes]] = {
    "nothing odd": ({}, b"INNER"),
    "a length of nothing": ({"content-length": b"0"}, b"INNER"),
    "a length that is too short": ({"content-length": b"5"}, b"helloINNER"),
    "a length that is too long": ({"content-length": b"99999"}, b"INNER"),
    "a length that is none": ({"content-length": b"+5"}, b"INNER"),
    "two lengths in one": ({"content-length": b"0, 5"}, b"INNER"),
    "chunks": ({"transfer-encoding": b"chunked"}, b"0\r\n\r\nINNER"),
    "chunks and a length": (
        {"transfer-encoding": b"chunked", "content-length": b"LENGTH"},
        b"0\r\n\r\nINNER",
    ),
    "a header of a connection": ({"connection": b"transfer-encoding"}, b"INNER"),
    "an upgrade": ({"upgrade": b"h2c"}, b"INNER"),
    "a request in a value": ({"x-header": b"a\r\n\r\nINNER"}, b""),
    "a line feed in a value": ({"x-header": b"a\n\nINNER"}, b""),
    "a header in a name": ({"x-header: a\r\ntransfer-encoding": b"chunked"}, b"0\r\n\r\nINNER"),
    "a name in capital letters": ({"Transfer-Encoding": b"chunked"}, b"0\r\n\r\nINNER"),
    "a request in the path": ({":path": b"/ HTTP/1.1\r\n\r\nINNER"}, b""),
    "a request in the method": ({":method": b"GET / HTTP/1.1\r\n\r\nINNER"}, b""),
    "a request in the host": ({":authority": b"registry.example.org\r\n\r\nINNER"}, b""),
}


def frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    return len(content).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + content


def field(name: str, value: bytes) -> bytes:
    """A field that is neither indexed nor compressed (RFC 7541, Section 6.2.2)."""
    return b"\0" + _string(name.encode()) + _string(value)


def _string(octets: bytes) -> bytes:
    """With its length as an integer of which 7 bits fit into the first octet (RFC 7541, Section 5.1)."""
    if len(octets) < 127:
        return bytes([len(octets)]) + octets
    assert len(octets) < 127 + 2**14
    rest = len(octets) - 127
    return bytes([127, rest & 127 | 128, rest >> 7]) + octets


@pytest.mark.parametrize(("fields", "body"), IN_HTTP_2.values(), ids=IN_HTTP_2)
def test_http_2_is_not_read_as_two_requests(served: Served, fields: Fields, body: bytes) -> None:
    ending = f"-{next(NUMBERS)}-2"
    inner = request(f"inner{ending}".encode())
    body = body.replace(b"INNER", inner)
    sent = {
        ":method": b"POST", ":scheme": b"https", ":authority": b"registry.example.org", ":path": CHECK,
        "x-request-id": f"outer{ending}".encode(), "content-type": b"application/json", **fields,
    }  # fmt: skip
    length = str(len(body)).encode()
    block = b"".join(
        field(name, value.replace(b"INNER", inner).replace(b"LENGTH", length)) for name, value in sent.items()
    )
    octets = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"")
    octets += frame(HEADERS, ENDS_HEADERS, 1, block) + frame(DATA, ENDS_STREAM, 1, body)
    ends = frames_until_the_end(served.ports[CADDY], octets)
    assert sum(ends.values()) >= 1
    (other,) = served.answers(CADDY, request(f"other{ending}".encode(), b"Connection: close\r\n"))
    assert (other.status, other.headers["x-request-id"]) == (200, f"other{ending}")
    wait_until(lambda: f"other{ending}" in served.logged(ending))
    assert f"inner{ending}" not in served.logged(ending)
    assert fields or f"outer{ending}" in served.logged(ending)


def frames_until_the_end(port: int, octets: bytes) -> Counter[int]:
    """How often the server ended the first stream, by the kinds of the frames; it has to, in one of three ways."""
    context = ssl._create_unverified_context()
    context.set_alpn_protocols(["h2"])
    ends = Counter[int]()
    with (
        socket.create_connection(("127.0.0.1", port), timeout=60) as plain,
        context.wrap_socket(plain, server_hostname="registry.example.org") as client,
        client.makefile("rb") as stream,
    ):
        assert client.selected_alpn_protocol() == "h2"
        client.sendall(octets)
        while not ends and (head := stream.read(9)):
            stream.read(int.from_bytes(head[:3]))
            is_end = head[3] in (RESET, GOAWAY) or (head[3] in (DATA, HEADERS) and head[4] & ENDS_STREAM)
            ends[head[3]] += bool(is_end)
            ends += Counter()  # without zeros
    return ends


# The host of links

ELSEWHERE = b"elsewhere.example"
HOSTS = {
    "another host": (b"GET %s HTTP/1.1", b"Host: elsewhere.example\r\n"),
    "a second host": (b"GET %s HTTP/1.1", b"Host: registry.example.org\r\nHost: elsewhere.example\r\n"),
    "a host before it": (b"GET %s HTTP/1.1", b"Host: elsewhere.example\r\nHost: registry.example.org\r\n"),
    "a whole address": (b"GET https://elsewhere.example%s HTTP/1.1", b"Host: registry.example.org\r\n"),
    "the host in a whole address": (b"GET https://registry.example.org%s HTTP/1.1", b"Host: elsewhere.example\r\n"),
    **{
        value: (b"GET %s HTTP/1.1", b"Host: " + value.encode() + b"\r\n")
        for value in (
            "registry.example.org@elsewhere.example", "registry.example.org:elsewhere.example",
            "registry.example.org elsewhere.example", "registry.example.org, elsewhere.example",
            "registry.example.org/elsewhere.example", "registry.example.org#elsewhere.example",
        )
    },
    **{
        f"{name}: {value}": (b"GET %s HTTP/1.1", f"Host: registry.example.org\r\n{name}: {value}\r\n".encode())
        for name, value in (
            ("X-Forwarded-Host", "elsewhere.example"), ("X_Forwarded_Host", "elsewhere.example"),
            ("X-Forwarded_Host", "elsewhere.example"), ("Forwarded", "host=elsewhere.example"),
            ("X-Host", "elsewhere.example"), ("X-Forwarded-Server", "elsewhere.example"),
            ("X-Original-URL", "https://elsewhere.example/"), ("X-Forwarded-Prefix", "//elsewhere.example"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize(("start", "host"), HOSTS.values(), ids=HOSTS)
@pytest.mark.parametrize("front", [DIRECT, NGINX, CADDY])
def test_no_answer_names_a_host_that_the_client_states(
    served: Served, front: str, start: bytes, host: bytes
) -> None:
    """Neither that to the client nor the next one, to someone else."""
    set_by_proxies = HOST.partition(b"\r\n")[2]
    for path in (b"/", b"/api/v1/", b"/accounts/password/reset/"):
        stated = start % path + b"\r\n" + host + set_by_proxies + b"Connection: close\r\n\r\n"
        plain = request(b"a", b"Connection: close\r\n", start=b"GET " + path + b" HTTP/1.1")
        for octets in (stated, plain):
            (answer,) = served.answers(front, octets)
            assert ELSEWHERE not in answer.body + repr(answer.headers).encode()
        assert answer.status == 200
