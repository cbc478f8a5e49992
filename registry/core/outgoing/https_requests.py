"""One HTTPS request with limits, sent to the address that was checked.

The certificate is verified for the name of the host. Redirects are returned, not followed. Proxies are not used.
"""

import http.client
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Timer
from urllib.parse import quote, urljoin

from registry.core.exceptions import RegistryError
from registry.core.http.urls import Target, TargetNotAllowed, parse_url
from registry.core.outgoing.dns_lookups import SECONDS, IPAddress
from registry.core.outgoing.public_addresses import public_addresses

# The characters of a Location that are not encoded.
URL_CHARACTERS = "%:/?#[]@!$&'()*+,;=~"
REDIRECTS = frozenset([301, 302, 303, 307, 308])


class RequestFailed(RegistryError):
    """The server did not send a response."""

    title = "The request failed"


class ConnectionFailed(RequestFailed):
    """There is no connection to the server, or it broke off."""


class CertificateRejected(RequestFailed):
    """The certificate of the server is not valid for its host."""


class RequestTimedOut(RequestFailed):
    """The server exceeded a limit."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Seconds for a connection to one address, for each wait, and for all together with the look-up; bytes of the body."""

    connect: float = 10
    wait: float = 10
    total: float = 30
    body: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server replied. `location` is the absolute URL of a redirect, "" for other replies.

    `body` has the bytes that were read, none of a redirect.
    """

    status: int
    location: str
    body: bytes


def request(
    method: str,
    url: str,
    headers: Mapping[str, str],
    limits: RequestLimits = RequestLimits(),
    body: bytes | None = None,
    trusted_hosts: Collection[str] = (),
) -> Reply:
    """Send one request. Raises TargetNotAllowed, HostNotFound, AddressNotPublic or RequestFailed.

    `trusted_hosts`: those that the operator named, which may be in a private network.
    """
    target = parse_url(url, trusted_hosts)
    until = time.monotonic() + limits.total
    is_trusted = target.host in trusted_hosts
    addresses = public_addresses(target.host, min(SECONDS, limits.total), is_trusted=is_trusted)
    context = ssl.create_default_context()
    with _connected(target, addresses, limits, until) as plain:
        plain.settimeout(limits.wait)
        try:
            tls = context.wrap_socket(plain, server_hostname=target.host, do_handshake_on_connect=False)
        except OSError as failure:  # the server has reset the connection
            raise _explained(failure, limits, is_late=False) from failure
        connection = http.client.HTTPSConnection(target.host, target.port, context=context)
        connection.sock = tls  # so it opens none of its own
        with tls, _aborted_at(until, tls) as is_aborted:
            try:
                tls.do_handshake()
                connection.request(method, target.path, body, dict(headers) | {"Connection": "close"})
                reply = _read(connection.getresponse(), url, limits)
            except (OSError, http.client.HTTPException) as failure:
                raise _explained(failure, limits, is_late=is_aborted()) from failure
            if is_aborted():  # a body without a length ends with the connection
                raise _too_late(limits)
    return reply


def _connected(
    target: Target, addresses: list[IPAddress], limits: RequestLimits, until: float
) -> socket.socket:
    """A connection to the first of the addresses that accepts one."""
    failure: OSError | None = None
    for address in addresses:
        seconds = min(limits.connect, until - time.monotonic())
        if seconds <= 0:
            break
        try:
            return socket.create_connection((str(address), target.port), timeout=seconds)
        except OSError as this:
            failure = this
    if failure is None or isinstance(failure, TimeoutError):
        raise RequestTimedOut(f"{target.host} did not accept a connection in time.") from failure
    raise ConnectionFailed(f"{target.host} accepts no connection: {failure.strerror}.") from failure


@contextmanager
def _aborted_at(until: float, tls: ssl.SSLSocket) -> Iterator[Callable[[], bool]]:
    """Shut the socket down at a time, so that a server that sends single bytes cannot hold the connection."""
    is_late = Event()

    def abort() -> None:
        is_late.set()
        with suppress(OSError):
            socket.socket.shutdown(tls, socket.SHUT_RDWR)  # without TLS, which is in use

    timer = Timer(max(0, until - time.monotonic()), abort)
    timer.daemon = True
    timer.start()
    try:
        yield is_late.is_set
    finally:
        timer.cancel()
        timer.join()


def _read(response: http.client.HTTPResponse, url: str, limits: RequestLimits) -> Reply:
    """Read the body, up to its limit."""
    location = response.getheader("Location") if response.status in REDIRECTS else None
    if location is not None:
        return Reply(response.status, _absolute(url, location), b"")
    body = response.read(limits.body)
    if response.length and len(body) < limits.body:
        raise http.client.IncompleteRead(body, response.length)
    return Reply(response.status, "", body)


def _absolute(url: str, location: str) -> str:
    """The URL that a Location means. Servers send UTF-8, which http.client reads as Latin-1."""
    encoded = quote(location.encode("latin-1"), safe=URL_CHARACTERS)
    try:
        return urljoin(url, encoded)
    except ValueError as fault:
        raise TargetNotAllowed(f"The server redirects to a malformed URL: {fault}.") from fault


def _explained(
    failure: OSError | http.client.HTTPException, limits: RequestLimits, *, is_late: bool
) -> RequestFailed:
    match failure:
        case _ if is_late:
            return _too_late(limits)
        case TimeoutError():
            return RequestTimedOut(f"The server sent nothing for {limits.wait:g} seconds.")
        case ssl.SSLCertVerificationError():
            return CertificateRejected(f"The certificate is not valid: {failure.verify_message}.")
        case http.client.HTTPException():
            return RequestFailed("The reply is not HTTP, or it broke off.")
        case _:
            return ConnectionFailed("The server closed the connection, or failed to encrypt it.")


def _too_late(limits: RequestLimits) -> RequestTimedOut:
    return RequestTimedOut(f"The reply took longer than {limits.total:g} seconds.")
