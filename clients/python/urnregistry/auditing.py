"""Auditing a whole registry: every event and every text that it publishes, against one signed head.

All leaves are read from the tiles, and the root above them is computed. Each event of the API is compared with its leaf, each
version of a text or a profile in the file of the whole registry with the event that registered it, and each list of
sub-namespaces with the events of all its versions (`lists`).
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any, TypeAlias

from urnregistry.errors import LogChanged, LogGap, Problem, ProofRefused
from urnregistry.exchange import Exchange
from urnregistry.leaves import check_leaf
from urnregistry.lists import LIST, Texts, check_complete, check_list, check_versions, paths_of_list
from urnregistry.members import as_nid, whole
from urnregistry.messages import Flow, Request
from urnregistry.monitoring import (
    NOT_FOUND,
    WIDTH,
    HeadContradicted,
    Trust,
    Waiting,
    check_kept,
    grow,
    leaves_of,
    newest_head,
    root_of,
)
from urnregistry.proofs import (
    HASH_LENGTH,
    Checkpoint,
    digest_of_json,
    digest_of_version,
    leaf_hash,
)
from urnregistry.records import Event
from urnregistry.syncing import FILE, MAX_LINE, known_form, page_of_events, position_of
from urnregistry.templates import verify_text

# What the events that register a version are about. Actions of many names write lists of sub-namespaces.
REGISTERING = {"assign": "version", "import_text": "version", "set_profile": "profile"}
Tell: TypeAlias = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Audit:
    """What agrees with the newest head, and how many texts were registered after it: the next head has to prove these.

    `events_without_leaf` are those of earlier releases, whose digests only the registry can compute.
    """

    head: Checkpoint
    note: str
    public_events: int
    events_without_leaf: int
    versions: int
    profiles: int
    lists: int
    later: int


def audit(
    exchange: Exchange,
    /,
    trust: Trust,
    *,
    kept: str | None = None,
    patience: float = 600,
    tell: Tell = lambda done, total: None,
    waiting: Waiting = lambda seconds: None,
) -> Flow[Audit]:
    """Compare all that the registry publishes with its newest head, which has to continue one that was kept, if there is one.

    `tell` gets how many events were compared, and how many there are. `patience` is how many seconds to wait for cosignatures;
    `waiting` gets this number once, when the wait begins. Raises ProofRefused, LogBehind, LogGap or LogChanged at the first
    contradiction.
    """
    earlier = trust.head_in(kept) if kept is not None else None
    with tempfile.TemporaryFile() as file:
        # Before the events, so that each text in it has been registered by one of them.
        response = yield from exchange.send(Request(FILE, into=file))
        note, head = yield from newest_head(exchange, trust, patience, waiting)
        if earlier:
            check_kept(earlier, head, note)
        texts, last, counts = yield from _compare_events(exchange, head, earlier, note, tell)
        last = yield from _read_later(exchange, last, texts)
        file.seek(0)
        with known_form():
            checked, nids = _compare_texts(file, texts, position_of(response))
    with_list = {nid for kind, nid in texts if kind == LIST}
    # Of each namespace, because a list that no event registered contradicts the log, too.
    for nid in sorted(with_list | nids):
        last, numbers = yield from _compare_list(exchange, nid, last, texts, is_logged=nid in with_list)
        checked += [(LIST, number) for number in numbers]
    kinds = [kind for kind, number in checked if number <= head.size]
    later = len(checked) - len(kinds)
    of_texts, of_profiles, of_lists = map(kinds.count, ("version", "profile", LIST))
    return Audit(head, note, *counts, of_texts, of_profiles, of_lists, later)


def _compare_events(
    exchange: Exchange, head: Checkpoint, earlier: Checkpoint | None, note: str, tell: Tell
) -> Flow[tuple[Texts, Event | None, tuple[int, int]]]:
    """Return the texts of the events of the head, the last event, and how many events are public, and have no leaf."""
    frontier, texts, last = list[tuple[int, bytes]](), Texts(), None
    public = without_leaf = 0
    for start in range(0, head.size, WIDTH):
        leaves = yield from leaves_of(exchange, start // WIDTH, head.size)
        events = yield from _events(exchange, start, len(leaves))
        for leaf, event in zip(leaves, events, strict=True):
            _compare(leaf, event, last)
            grow(frontier, leaf_hash(leaf))
            if earlier and event.number == earlier.size and root_of(frontier) != earlier.root:
                raise HeadContradicted(
                    f"The log does not have the head of {earlier.size} events that was kept.", note
                )
            public, without_leaf = public + event.is_public, without_leaf + (event.leaf is None)
            _note(texts, event)
            last = event
        tell(start + len(leaves), head.size)
    if root_of(frontier) != head.root:
        raise HeadContradicted(f"The events of the log do not lead to its head of {head.size} events.", note)
    return texts, last, (public, without_leaf)


def _read_later(exchange: Exchange, last: Event | None, texts: Texts) -> Flow[Event | None]:
    """Note the texts of the events after the last one that was read. Return the last event."""
    has_more = True
    while has_more:
        since = last.number if last else 0
        events, has_more = yield from page_of_events(exchange, since, WIDTH)
        for number, event in enumerate(events, since + 1):
            _check_number(event, number)
            check_leaf(event, last)
            _note(texts, event)
            last = event
        has_more = has_more and bool(events)
    return last


def _compare_list(
    exchange: Exchange, nid: str, last: Event | None, texts: Texts, *, is_logged: bool
) -> Flow[tuple[Event | None, list[int]]]:
    """Compare a list of sub-namespaces with its events. Return the last event, and the numbers of these events.

    Unless `is_logged`, there may be no list.
    """
    path, path_of_versions = paths_of_list(exchange.api, nid)
    with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as versions:
        try:
            response = yield from exchange.send(Request(path, into=file))
        except Problem as problem:
            if is_logged or problem.status != NOT_FOUND:
                raise
            return last, []
        # Later than the list, so that it has each version that the list shows. So do the events.
        of_versions = yield from exchange.send(Request(path_of_versions, into=versions))
        last = yield from _read_later(exchange, last, texts)
        file.seek(0)
        versions.seek(0)
        with known_form(path):
            position = position_of(response, path)
        with known_form(path_of_versions):
            end = position_of(of_versions, path_of_versions)
            numbers, listed = check_versions(nid, versions, texts, position, end)
        with known_form(path):
            check_list(nid, file, listed)
        return last, numbers


def _events(exchange: Exchange, since: int, count: int) -> Flow[list[Event]]:
    """Return these events of the API, whose pages may be shorter."""
    found = list[Event]()
    while len(found) < count:
        page, _ = yield from page_of_events(exchange, since + len(found), count - len(found))
        if not page:
            raise LogGap(f"Event {since + len(found) + 1} is missing.")
        for event in page:
            _check_number(event, since + len(found) + 1)
            found.append(event)
    return found[:count]


def _check_number(event: Event, number: int) -> None:
    if event.number != number:
        raise LogGap(f"Event {number} is missing: event {event.number} is in its place.")


def _compare(leaf: bytes, event: Event, last: Event | None) -> None:
    """Compare an event of the API with its leaf in the tiles, and with the event before it."""
    stated = event.leaf.encode() if event.leaf else bytes.fromhex(event.digest) if event.digest else None
    if stated != leaf and not (stated is None and not event.is_public and len(leaf) == HASH_LENGTH):
        raise LogChanged(f"Event {event.number} of the API is not the one in the tiles of the log.")
    check_leaf(event, last)


def _note(texts: Texts, event: Event) -> None:
    kind, version = REGISTERING.get(event.verb or "", LIST), (event.details or {}).get("version")
    if event.nid and event.text_digest and isinstance(version, int):
        texts.setdefault((kind, event.nid), {})[version] = event.text_digest, event.number


def _compare_texts(file: IO[bytes], texts: Texts, position: int) -> tuple[list[tuple[str, int]], set[str]]:
    """Compare each text in the file with the event that registered it. Return the kinds of the texts with these events, and the
    NIDs of all namespaces.

    The file has all that was registered up to the event `position`.
    """
    checked, nids = [], set[str]()
    for kind, nid, version, digest in _texts_in(file, nids):
        logged, number = texts.get((kind, nid), {}).pop(version, ("", 0))
        if logged != digest:
            raise LogChanged(
                f"No event registered version {version} of the {'profile' if kind == 'profile' else 'text'} of “{nid}” as it is now."
            )
        checked.append((kind, number))
    of_texts = (versions.values() for (kind, _), versions in texts.items() if kind != LIST)
    check_complete(chain.from_iterable(of_texts), position)
    return checked, nids


def _texts_in(file: IO[bytes], nids: set[str]) -> Iterator[tuple[str, str, int, str]]:
    """The kind, NID, version and digest of each text. The NIDs of namespaces, also of those without a text, are added to `nids`."""
    while line := file.readline(MAX_LINE):
        namespace: dict[str, Any] = json.loads(line)
        nid = as_nid(namespace["nid"])
        nids.add(nid)
        for version in namespace["versions"]:
            try:
                digest = digest_of_version(version)
                verify_text(version["text"], version["sections"])
            except ProofRefused as fault:
                raise LogChanged(f"Version {version['version']} of “{nid}”: {fault}") from fault
            yield "version", nid, whole(version["version"]), digest
        for version in namespace["versions_of_profile"]:
            yield "profile", nid, whole(version["version"]), digest_of_json(version["content"])
