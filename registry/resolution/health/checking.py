"""Checking one service: requests for its examples.

A service works if the reply to an example has a status of success, after up to five redirects. Each redirect is
checked like the address itself: https, a valid certificate, and a host with public addresses only.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from threading import Lock

from django.conf import settings

from registry.core.exceptions import RegistryError
from registry.core.http.urls import TargetNotAllowed, parse_url
from registry.core.outgoing.https_requests import (
    CertificateRejected,
    ConnectionFailed,
    Reply,
    RequestFailed,
    RequestLimits,
    request,
)
from registry.core.outgoing.public_addresses import AddressNotPublic, HostNotFound
from registry.core.validators import shortened
from urnsyntax.profiles import Profile


class Pacer:
    """Gives turns to threads that request from hosts."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._free_at: dict[str, float] = {}
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._lock = Lock()

    @contextmanager
    def turn(self, host: str) -> Iterator[None]:
        """Wait until no other request to the host runs, and the pause after the last one is over."""
        with self._lock:
            lock = self._locks[host]
        with lock:
            time.sleep(max(0, self._free_at.get(host, 0) - time.monotonic()))
            try:
                yield
            finally:
                self._free_at[host] = time.monotonic() + self._pause


MAX_EXAMPLES = 3
MAX_REDIRECTS = 5
LIMITS = RequestLimits()
# A server with these replies is there, and may serve people; it refuses programs, or requires payment.
REFUSES_PROGRAMS = frozenset(
    [
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.PAYMENT_REQUIRED,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS,
    ]
)


class Outcome(StrEnum):
    """What a check found. An undecided one says nothing about the service."""

    WORKS = "works"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, and a sentence about it. `was_reached`: some server replied."""

    outcome: Outcome
    detail: str
    was_reached: bool = True


@dataclass(frozen=True, slots=True)
class CheckedService:
    """The services of a namespace that share an address template, to be checked once."""

    nid: str
    title: str
    template: str
    host: str
    accept: str
    examples: tuple[tuple[str, str], ...]
    """Pairs of a URN and its address."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A service, and what its check found."""

    service: CheckedService
    finding: Finding


class TooManyRedirects(RegistryError):
    """The address redirects further than the check follows."""

    title = "Too many redirects"


class RedirectRefused(RegistryError):
    """The address redirects to one that must not be requested."""

    title = "The redirect is not followed"


def services_of(profile: Profile) -> Iterator[CheckedService]:
    """The services of a profile, one for each address template."""
    for template in dict.fromkeys(each.template for each in profile.services):
        sharing = [each for each in profile.services if each.template == template]
        first = sharing[0]
        urns = dict.fromkeys(urn for each in sharing for urn in each.examples)
        addresses = ((urn, _address(profile, urn, template)) for urn in urns)
        yield CheckedService(
            nid=profile.nid,
            title=first.title,
            template=template,
            host=first.host,
            accept=f"{first.media_type}, */*;q=0.1" if first.media_type else "*/*",
            examples=tuple(pair for pair in addresses if pair[1])[:MAX_EXAMPLES],
        )


def _address(profile: Profile, urn: str, template: str) -> str:
    found = (each.address for each in profile.services_for(urn) if each.service.template == template)
    return next(found, "")


def check(service: CheckedService, pacer: Pacer) -> CheckResult:
    """Request the examples of a service until one works. Does not use the database."""
    findings: list[Finding] = []
    for urn, address in service.examples:
        finding = _try_example(urn, address, service.accept, pacer)
        if finding.outcome == Outcome.WORKS:
            return CheckResult(service, finding)
        findings.append(finding)
        if not finding.was_reached:
            break  # another example would not be reached either
    without = Finding(Outcome.FAILS, "None of its examples has an address.")
    return CheckResult(service, findings[0] if findings else without)


def _try_example(urn: str, address: str, accept: str, pacer: Pacer) -> Finding:
    try:
        status = _final_status(address, accept, pacer)
    except (TargetNotAllowed, HostNotFound, AddressNotPublic, RequestFailed) as failure:
        return Finding(Outcome.FAILS, str(failure), was_reached=False)
    except (TooManyRedirects, RedirectRefused) as failure:
        return Finding(Outcome.FAILS, str(failure))
    said = f"The reply to {shortened(urn, 60)} is {_name_of(status)}."
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Finding(Outcome.WORKS, said)
    if status in REFUSES_PROGRAMS:
        return Finding(Outcome.UNDECIDED, f"{said} The server may refuse programs only.")
    return Finding(Outcome.FAILS, said)


def _name_of(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _final_status(address: str, accept: str, pacer: Pacer) -> int:
    """The status of the reply after all redirects."""
    reply = _reply(address, accept, pacer)
    for _ in range(MAX_REDIRECTS):
        if not reply.location:
            return reply.status
        reply = _reply_to_redirect(reply.location, accept, pacer)
    if reply.location:
        raise TooManyRedirects(f"There are more than {MAX_REDIRECTS} redirects.")
    return reply.status


def _reply_to_redirect(address: str, accept: str, pacer: Pacer) -> Reply:
    """The reply to the address of a redirect. The reason for a refusal must not tell what the DNS of this host knows."""
    try:
        return _reply(address, accept, pacer)
    except TargetNotAllowed as refusal:
        raise RedirectRefused(f"There is a redirect that is not followed. {refusal}") from refusal
    except (HostNotFound, AddressNotPublic) as refusal:
        host = shortened(parse_url(address).host, 60)
        raise RedirectRefused(f"There is a redirect to {host}, which has no public address.") from refusal


def _reply(address: str, accept: str, pacer: Pacer) -> Reply:
    """The reply to HEAD, or to GET if a server does not reply to HEAD with success."""
    try:
        reply = _requested("HEAD", address, accept, pacer)
    except (ConnectionFailed, CertificateRejected):
        raise
    except RequestFailed:
        return _requested("GET", address, accept, pacer)
    is_success = HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES
    return reply if is_success or reply.location else _requested("GET", address, accept, pacer)


def _requested(method: str, address: str, accept: str, pacer: Pacer) -> Reply:
    headers = {"User-Agent": settings.USER_AGENT, "Accept": accept, "Accept-Encoding": "identity"}
    with pacer.turn(parse_url(address).host):
        return request(method, address, headers, LIMITS)
