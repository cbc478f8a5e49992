"""The witness as a server of HTTP on this machine, for a proxy that adds HTTPS. All requests and waits are bounded."""

import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore, Thread, Timer
from time import monotonic
from types import FrameType
from typing import Any

from urnregistry.signed_notes import parse_key
from urnregistry.witness import TEXT_TYPE, Answer, State, Witness, WitnessKey, WitnessNotUsable, write_key

PATH = "/add-checkpoint"
MAX_BODY = 64 * 1024  # octets; 63 hashes, a head and 100 signatures have less
WAIT = 10.0  # seconds for each read, and between two requests of a connection
TOTAL = 60.0  # seconds of a connection
MAX_CONNECTIONS = 32

Tell = Callable[[dict[str, Any], str], object]


def make_key(file: str, name: str) -> str:
    """Write a new private key, and return its verifier key. Raises WitnessNotUsable."""
    key = WitnessKey.generate(name)
    write_key(key, Path(file))
    return key.verifier


def serve(
    state: str, key: str, logs: Iterable[str], address: tuple[str, int], tell: Tell, *, is_new: bool = False
) -> None:
    """Serve a witness until SIGTERM or SIGINT. `key` is the text of the private key.

    The state is held until the process ends, because a request may still be at work when the server does. `tell` gets
    what happens, as members and as a line. Raises WitnessNotUsable, ValueError or OSError.
    """
    private, logs = WitnessKey.parse(key.strip()), list(logs)
    for each in logs:
        parse_key(each)  # before the file of the state is made

    def contradiction(what: str, before: str, now: str) -> None:
        members = {"event": "contradiction", "what": what, "cosigned": before, "refused": now}
        tell(members, f"{what} Keep both heads, and tell others. Cosigned: {before!r}. Refused: {now!r}.")

    kept = State(Path(state), private.verifier, is_new=is_new)
    witness = Witness(private, kept, logs, on_contradiction=contradiction)
    with Server(address, witness, tell) as server, _until_told(server):
        host, port = server.server_address[:2]
        members = {"event": "start", "verifier_key": private.verifier, "host": str(host), "port": port}
        tell(members, f"The witness {private.verifier} listens at http://{host!s}:{port}{PATH}")
        server.serve_forever(poll_interval=0.2)


@contextmanager
def _until_told(server: ThreadingHTTPServer) -> Iterator[None]:
    """End the server at SIGTERM or SIGINT. A request that is not answered then is asked again."""

    def end(_number: int, _frame: FrameType | None) -> None:
        Thread(target=server.shutdown, daemon=True).start()

    before = {each: signal.signal(each, end) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


class Server(ThreadingHTTPServer):
    """A server of one witness. Connections beyond MAX_CONNECTIONS are closed at once."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], witness: Witness, tell: Tell) -> None:
        self.witness, self.tell = witness, tell
        self._free = BoundedSemaphore(MAX_CONNECTIONS)
        if not 0 <= address[1] <= 65535:
            raise WitnessNotUsable(f"{address[1]} is not a port.")
        try:
            super().__init__(address, _Handler)
        except OSError as fault:
            reason = fault.strerror or str(fault)
            raise WitnessNotUsable(
                f"The witness can't listen at {address[0]}:{address[1]}: {reason}."
            ) from fault

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        timer = Timer(TOTAL, _shut, [request])
        timer.daemon = True
        timer.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            timer.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of a fault of the witness. A client that left, or that was cut off, is none."""
        fault = sys.exception()
        if not isinstance(fault, OSError):
            text = "".join(traceback.format_exception(fault))
            self.tell({"event": "fault", "traceback": text}, f"The witness has a fault:\n{text}")


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "urnregistry-witness", ""
    timeout = WAIT

    def do_POST(self) -> None:
        if self.path != PATH:
            return self._refuse(HTTPStatus.NOT_FOUND, f"The address of the witness is {PATH}.")
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdigit()):
            return self._refuse(HTTPStatus.LENGTH_REQUIRED, "The request has no Content-Length.")
        if len(length) > 9 or int(length) > MAX_BODY:
            return self._refuse(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {MAX_BODY} octets."
            )
        body = self._read(int(length))
        if body is None:
            return self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The request ended early, or came too slowly.")
        return self._reply(self.server.witness.add_checkpoint(body))

    def do_GET(self) -> None:
        if self.path != PATH:
            return self._refuse(HTTPStatus.NOT_FOUND, f"The address of the witness is {PATH}.")
        return self._refuse(
            HTTPStatus.METHOD_NOT_ALLOWED, "A witness takes requests with POST.", Allow="POST"
        )

    def _read(self, length: int) -> bytes | None:
        body, until = b"", monotonic() + WAIT
        with suppress(OSError):
            while len(body) < length and monotonic() < until:
                part = self.rfile.read1(length - len(body))
                if not part:
                    return None
                body += part
        return body if len(body) == length else None

    def _refuse(self, status: HTTPStatus, text: str, **headers: str) -> None:
        """Reply without having read the body, so the connection ends."""
        self._reply(Answer(status, f"{text}\n"), Connection="close", **headers)

    def _reply(self, answer: Answer, **headers: str) -> None:
        body = answer.body.encode()
        self.send_response(answer.status)
        fields = {
            "Content-Type": answer.media_type,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
        }
        for name, value in (fields | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Reply to a request that is not HTTP, or has an unknown method."""
        self.close_connection = True
        self._reply(
            Answer(HTTPStatus(code), f"{message or HTTPStatus(code).phrase}.\n", TEXT_TYPE),
            Connection="close",
        )

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        status = int(code) if isinstance(code, int) else code
        self.server.tell(
            {"event": "request", "status": status},
            f"{self.command} {getattr(self, 'path', '')[:80]} {status}",
        )

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name in the library)
        """Leave out what is not a request."""
