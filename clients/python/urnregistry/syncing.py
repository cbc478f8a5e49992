"""Keeping a local copy by the log of events, and verifying it.

The registry chains its events: the digest of each is the SHA-256 digest of its content and of the digest of the event
before it. `sync` computes the digest of each event that it reads from its leaf, in which what is not public is a commitment.
Registries of earlier releases have events without leaves; their digests cannot be computed outside of the registry. Each leaf
has the digest of the event before it, also if that event was read by an earlier call.

`sync` checks that no number is missing, that the last public event of the copy and the newest event of the log have
the digests that the copy noted for them, and that the newest signed head has the root that the copy noted for its
size. It reads no other signed head. `verify` reads every event and signed head of the copy again: each event keeps its
digest, which commits to everything before it, and each signed head keeps its root.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

from urnregistry.errors import (
    CopyError,
    LogBehind,
    LogChanged,
    LogGap,
    Problem,
    ProofRefused,
    UnexpectedResponse,
    WrongSignature,
)
from urnregistry.exchange import Exchange
from urnregistry.leaves import check_leaf, explained
from urnregistry.local_copy import LocalCopy
from urnregistry.members import MALFORMED, whole
from urnregistry.messages import Flow, Request, Response
from urnregistry.namespaces import NamespaceDetail
from urnregistry.operations import path_of
from urnregistry.proofs import verify_head
from urnregistry.records import MEMBERS, Event
from urnregistry.signed_notes import decoded, parse_key

FILE = "files/urn-namespaces.jsonl"
PAGE_SIZE = 1000
MAX_LINE = 64 * 1024**2  # octets of a line of the file: a namespace with all its versions
DIGEST = re.compile("[0-9a-f]{64}")
SignedHead: TypeAlias = tuple[int, str, str]  # the number of events, the root hash and the note


@dataclass(frozen=True, slots=True)
class SyncResult:
    """The position of the copy, and how many events were read."""

    position: int
    events: int
    was_filled: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """How many events and signed heads the log still has, and how many of these heads have a trusted signature."""

    events: int
    signed_heads: int
    signatures: int


@dataclass(frozen=True, slots=True)
class Head:
    """The number and digest of the newest event."""

    number: int
    digest: str

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Head":
        if not DIGEST.fullmatch(body["digest"]):
            raise ValueError("The head of the log has no digest.")
        return cls(whole(body["number"]), body["digest"])


def sync(exchange: Exchange, /, copy: LocalCopy) -> Flow[SyncResult]:
    """Bring a copy up to date: begin it with the file of the whole registry, then read the events after it.

    Raises LogBehind, LogGap or LogChanged, and then adds nothing from there on. It may be interrupted anywhere: the next call
    continues.
    """
    was_filled = copy.position is None
    if was_filled:
        yield from _fill(exchange, copy)
    start = _position(copy, exchange)
    head = yield from _continuous_head(exchange, copy)
    signed = yield from _newest_signed_head(exchange, copy)
    while (yield from _read_page(exchange, copy, head)):
        pass
    end = _position(copy, exchange)
    copy.note_head(head.number, head.digest)
    if signed:
        copy.note_signed_head(*signed)
    return SyncResult(end, end - start, was_filled)


def verify(exchange: Exchange, /, copy: LocalCopy, keys: Sequence[str] = ()) -> Flow[Verification]:
    """Read all events and signed heads of the copy again, and compare them. `keys` are verifier keys of the log.

    Raises LogBehind, LogGap or LogChanged; WrongSignature if none of `keys` signed a head.
    """
    since = _position(copy, exchange)
    yield from _continuous_head(exchange, copy)
    first = next(copy.events(), None)
    since, count = first.number - 1 if first else since, 0
    while kept := _page_of(copy, since):
        count += yield from _compare(exchange, since, kept)
        since = kept[-1].number
    for size, (root_hash, note) in copy.signed_heads.items():
        yield from _compare_signed_head(exchange, size, root_hash)
        if keys:
            verify_note(note, size, root_hash, keys)
    heads = len(copy.signed_heads)
    return Verification(count, heads, heads if keys else 0)


def verify_note(note: str, size: int, root_hash: str, keys: Sequence[str]) -> None:
    """Check that one of the verifier keys (NAME+ID+KEY) signed this size and root hash.

    Raises WrongSignature, or ValueError for a key that is none.
    """
    for key in keys:
        parse_key(key)
    try:
        head = verify_head(note, keys)
    except ProofRefused as fault:
        raise WrongSignature(str(fault)) from fault
    if (head.size, head.root) != (size, decoded(root_hash)):
        raise WrongSignature(f"The note of the signed head of {size} events names another size or root hash.")


def _position(copy: LocalCopy, exchange: Exchange) -> int:
    if copy.position is None:
        raise CopyError("The copy is empty. Sync it first.")
    if copy.api != exchange.api:
        raise CopyError(f"This is a copy of {copy.api}, not of {exchange.api}.")
    return copy.position


def _fill(exchange: Exchange, copy: LocalCopy) -> Flow[None]:
    """Fill the copy. The last event of the file is read again by the caller, so that the copy has its digest."""
    with tempfile.TemporaryFile() as file:
        response: Response = yield from exchange.send(Request(FILE, into=file))
        file.seek(0)
        with known_form():
            copy.fill(exchange.api, max(position_of(response) - 1, 0), _lines_of(file))


@contextmanager
def known_form(file: str = FILE) -> Iterator[None]:
    """Raise UnexpectedResponse for what is malformed in a file, such as that of the whole registry."""
    try:
        yield
    except MALFORMED as fault:
        raise UnexpectedResponse(
            f"{file} is not in the form that is known here: {repr(fault)[:200]}"
        ) from fault


def position_of(response: Response, file: str = FILE) -> int:
    """Return the number of the last event that the file has. Raises UnexpectedResponse or ValueError."""
    try:
        return whole(int(response.headers["log-position"]))
    except KeyError as fault:
        what = f"{file} came without the header Log-Position: does a proxy remove it, or is the address that of another site?"
        raise UnexpectedResponse(what) from fault


def _lines_of(file: IO[bytes]) -> Iterator[NamespaceDetail]:
    while line := file.readline(MAX_LINE):
        yield NamespaceDetail.from_line(json.loads(line))


def _continuous_head(exchange: Exchange, copy: LocalCopy) -> Flow[Head]:
    """Return the head of the log. Raises LogBehind or LogChanged unless the log continues the copy."""
    position = _position(copy, exchange)
    head = yield from exchange.fetch(Request("events/head/"), Head.from_json)
    exchange.position.hear(head.number)
    if head.number < position:
        raise LogBehind(f"The copy has event {position}, but the log ends at event {head.number}.")
    noted = copy.head
    if noted and noted[0] == head.number and noted[1] != head.digest:
        raise LogChanged(f"Event {head.number} has another digest than when it was the newest.")
    if last := copy.last_public_event:
        yield from _compare(exchange, last.number - 1, [last])
    return head


def _read_page(exchange: Exchange, copy: LocalCopy, head: Head) -> Flow[bool]:
    """Add a page of events to the copy. Return whether there are more."""
    since = _position(copy, exchange)
    read, has_more = yield from page_of_events(exchange, since, PAGE_SIZE)
    last = next(copy.events(since - 1), None)
    _check_page(read, since, head, last)
    events = explained(read, last)
    if not events:
        if since < head.number:
            raise LogGap(f"The newest event is {head.number}, but no event comes after event {since}.")
        return False
    changed: list[NamespaceDetail] = []
    for nid in {each.changed_namespace for each in events if each.changed_namespace}:
        request = Request(path_of(nid))  # not from the cache, which may be out of date
        changed += [(yield from exchange.fetch(request, NamespaceDetail.from_resource))]
    copy.append(since, events, changed)
    return has_more or events[-1].number < head.number


def page_of_events(exchange: Exchange, since: int, size: int) -> Flow[tuple[list[Event], bool]]:
    request = Request("events/", {"since": since, "page_size": size, "fields": MEMBERS})
    try:
        return (yield from exchange.fetch(request, _events_in))
    except Problem as problem:
        if problem.name == "log-behind":
            raise LogBehind(problem.detail) from problem
        raise


def _events_in(body: Mapping[str, Any]) -> tuple[list[Event], bool]:
    return [Event.from_json(each) for each in body["results"]], bool(body["has_more"])


def _check_page(events: Sequence[Event], since: int, head: Head, last: Event | None) -> None:
    """Check the events after `since`, the number of the event `last` of the copy."""
    for expected, event in enumerate(events, since + 1):
        if event.number != expected:
            raise LogGap(
                f"Event {expected} is missing: event {event.number} comes after event {expected - 1}."
            )
        if event.is_public and not DIGEST.fullmatch(event.digest or ""):
            raise UnexpectedResponse(f"Event {event.number} has no digest.")
        check_leaf(event, last)
        last = event
        if event.number == head.number and event.computed_digest not in (None, head.digest):
            raise LogChanged(f"Event {event.number} does not have the digest that the head of the log names.")


def _page_of(copy: LocalCopy, since: int) -> list[Event]:
    return [event for event, _ in zip(copy.events(since), range(PAGE_SIZE), strict=False)]


def _compare(exchange: Exchange, since: int, kept: Sequence[Event]) -> Flow[int]:
    """Read these events, which follow `since`, again. Raises LogChanged or LogGap. Return how many there are."""
    left = list(kept)
    while left:
        found, _ = yield from page_of_events(exchange, since, len(left))
        if not found:
            raise LogGap(f"Event {left[0].number} is missing.")
        for then, now in zip(left, found, strict=False):
            if then.number != now.number:
                raise LogGap(f"Event {then.number} is missing: event {now.number} is in its place.")
            if not then.is_still(now):
                raise LogChanged(f"Event {then.number} is not the event that the copy has.")
        since, left = found[-1].number, left[len(found) :]
    return len(kept)


def _newest_signed_head(exchange: Exchange, copy: LocalCopy) -> Flow[SignedHead | None]:
    """Return the newest signed head, if there is one. Raises LogChanged if the copy has another one of its size."""
    try:
        size, root_hash, note = yield from _signed_head(exchange, "latest")
    except Problem as problem:
        if problem.name == "head-unknown":
            return None
        raise
    kept, _ = copy.signed_heads.get(size, (root_hash, note))
    _check_root(kept, root_hash, size)
    return size, root_hash, note


def _compare_signed_head(exchange: Exchange, size: int, root_hash: str) -> Flow[None]:
    try:
        _, now, _ = yield from _signed_head(exchange, str(size))
    except Problem as problem:
        if problem.name == "head-unknown":
            raise LogChanged(f"The signed head of {size} events was removed.") from problem
        raise
    _check_root(root_hash, now, size)


def _signed_head(exchange: Exchange, size: str) -> Flow[SignedHead]:
    request = Request(f"audit-log/heads/{size}/")
    return (yield from exchange.fetch(request, _read_signed_head))


def _read_signed_head(body: Mapping[str, Any]) -> SignedHead:
    root_hash, note = body["root_hash"], body["note"]
    if not isinstance(root_hash, str) or not isinstance(note, str):
        raise TypeError("The root hash and the note of a signed head are texts.")
    return whole(body["size"]), root_hash, note


def _check_root(then: str, now: str, size: int) -> None:
    if then != now:
        raise LogChanged(f"The signed head of {size} events has another root hash than before.")
