"""Exchange of a request and its response: problems, retries, and lookups from the cache."""

import http
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urljoin

from urnregistry.cache import LookupCache
from urnregistry.errors import Problem, UnexpectedResponse, Unreachable
from urnregistry.members import MALFORMED
from urnregistry.messages import Flow, Request, Response, Wait

T = TypeVar("T")
RETRIED = (429, 503)
# The registry is down, or cannot be reached behind a proxy. A cached response is then better than none.
AWAY = (502, 503, 504)
SEQUENCE = "Registry-Sequence"
JSON_LINES = {"Accept": "application/jsonl"}


class Source(StrEnum):
    """Where a result comes from."""

    REGISTRY = "registry"
    CONFIRMED = "confirmed"  # by the registry, from the cache (304)
    CACHE = "cache"  # without the registry; it may be out of date


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request with the response 429 or 503 is sent, and the longest pause in seconds.

    The pause is that of Retry-After. A longer one than `longest` is not waited for: the problem is raised at once.
    """

    attempts: int = 4
    longest: float = 60

    def pause(self, problem: Problem, attempt: int) -> float | None:
        """Return the seconds before the next attempt, or None if there is none."""
        if problem.status not in RETRIED or attempt >= self.attempts:
            return None
        seconds = 2.0 ** (attempt - 1) if problem.retry_after is None else problem.retry_after
        return seconds if seconds <= self.longest else None


@dataclass(slots=True)
class Position:
    """The newest event that the client has heard of, if any. Each response takes it into account, from whichever server."""

    sequence: int | None = None

    def hear(self, sequence: int) -> None:
        self.sequence = max(sequence, self.sequence or 0)


@dataclass(frozen=True, slots=True)
class Exchange:
    """The settings of a client that flows need."""

    api: str  # the address of the API, with a slash at the end
    retries: Retries
    cache: LookupCache | None = None
    is_offline: bool = False
    position: Position = field(default_factory=Position)

    def send(self, request: Request) -> Flow[Response]:
        """Return the response, which has the status 200 or 304. Raises Problem or Unreachable."""
        if self.is_offline:
            raise Unreachable(f"The client is offline; “{request.path}” is not in the cache.")
        attempt = 0
        while True:
            attempt += 1
            response: Response = yield self._positioned(request)
            if response.status in (200, 304):
                return response
            problem = problem_from(response, urljoin(self.api, request.path))
            pause = self.retries.pause(problem, attempt)
            if pause is None:
                raise problem
            yield Wait(pause)

    def _positioned(self, request: Request) -> Request:
        if self.position.sequence is None:
            return request
        return replace(request, headers={**request.headers, SEQUENCE: str(self.position.sequence)})

    def fetch(self, request: Request, parse: Callable[[Any], T]) -> Flow[T]:
        """Return the JSON of the response, parsed. Raises UnexpectedResponse, too."""
        response = yield from self.send(request)
        return parsed(response, parse)

    def fetch_cached(self, path: str, parse: Callable[[Any], T]) -> Flow[tuple[T, Source]]:
        """Like `fetch`, by a conditional request, or from the cache while the registry can't be reached."""
        address = self.api + path
        kept = self.cache.find(address) if self.cache else None
        try:
            response = yield from self.send(_conditional(Request(path), kept))
        except (Unreachable, Problem) as fault:
            if kept is None or (isinstance(fault, Problem) and fault.status not in AWAY):
                raise
            return parsed(kept, parse), Source.CACHE
        if response.status == 304 and kept:
            return parsed(kept, parse), Source.CONFIRMED
        result = parsed(response, parse)
        if self.cache:
            with suppress(OSError):  # such as a full or read-only disk
                self.cache.keep(address, response)
        return result, Source.REGISTRY


def _conditional(request: Request, kept: Response | None) -> Request:
    return replace(request, headers={"If-None-Match": kept.headers["etag"]}) if kept else request


def parsed(response: Response, parse: Callable[[Any], T]) -> T:
    try:
        return parse(json.loads(response.body.decode()))
    except MALFORMED as fault:
        raise UnexpectedResponse(
            f"The response is not in the form that the API describes: {repr(fault)[:200]}"
        ) from fault


def parsed_lines(response: Response, parse: Callable[[Any], T]) -> list[T]:
    """Parse JSON lines."""
    lines = response.body.splitlines()
    return parsed(replace(response, body=b"[%s]" % b",".join(lines)), lambda values: [*map(parse, values)])


def problem_from(response: Response, address: str) -> Problem:
    """Return what an error response says, which names its address if it says nothing."""
    try:
        members = json.loads(response.body.decode())
    except MALFORMED:
        members = None
    if not isinstance(members, dict) or "problem+json" not in response.headers.get("content-type", ""):
        members = {"title": _phrase(response.status), "detail": f"The address is {address}"}
    texts = {
        name: members[name] for name in ("type", "title", "detail") if isinstance(members.get(name), str)
    }
    return Problem(
        response.status,
        **texts,
        members=members,
        request_id=response.headers.get("x-request-id"),
        retry_after=retry_after(response),
    )


def _phrase(status: int) -> str:
    try:
        return f"{status} {http.HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def retry_after(response: Response) -> float | None:
    """Return Retry-After in seconds (RFC 9110, Section 10.2.3). A date counts from that of the response."""
    value = response.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until, now = (parsedate_to_datetime(each) for each in (value, response.headers.get("date", "")))
        return max(0.0, (until.astimezone(UTC) - now.astimezone(UTC)).total_seconds())
    except (*MALFORMED, OSError):  # of dates that no clock has
        return None
