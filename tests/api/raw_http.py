"""HTTP by hand, for what no client library would send: octets into a socket, and the answers that come out."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"


@dataclass(frozen=True)
class Answer:
    """One answer, as far as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """A connection on which any octets can be sent."""

    def __init__(self, server: socket.socket, stream: BinaryIO) -> None:
        self._server = server
        self._stream = stream

    def send(self, octets: bytes) -> None:
        self._server.sendall(octets)

    def end(self) -> None:
        """Say that nothing more will come."""
        self._server.shutdown(socket.SHUT_WR)

    def answer(self, method: str = "GET") -> Answer | None:
        """The next answer, which is one to `method`; None when the server has closed the connection."""
        try:
            first = self._stream.readline()
        except ConnectionResetError:
            return None
        if not first:
            return None
        status = int(first.split()[1])
        lines = iter(self._stream.readline, b"\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (each.decode().partition(":") for each in lines)
        }
        has_body = method != "HEAD" and status >= 200 and status not in (204, 304)
        return Answer(status, headers, self._body(headers) if has_body else b"")

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") == "chunked":
            return b"".join(iter(self._chunk, b""))
        if "content-length" in headers:
            return self._stream.read(int(headers["content-length"]))
        return self._stream.read()

    def _chunk(self) -> bytes:
        chunk = self._stream.read(int(self._stream.readline(), 16))
        assert self._stream.readline() == b"\r\n"
        return chunk


@contextmanager
def connected(port: int) -> Iterator[Connection]:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as server, server.makefile("rb") as stream:
        yield Connection(server, stream)


def request(method: bytes, target: bytes, headers: bytes = b"", body: bytes = b"") -> bytes:
    return method + b" " + target + b" HTTP/1.1\r\n" + HOST + headers + b"\r\n" + body


def get(target: bytes, headers: bytes = b"") -> bytes:
    return request(b"GET", target, headers)


def post(target: bytes, headers: bytes, body: bytes) -> bytes:
    """What is sent, with no more headers than these: also no length."""
    return request(b"POST", target, JSON + headers, body)
