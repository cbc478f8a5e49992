"""Following the log of a registry by its files (https://c2sp.org/tlog-tiles), of the registry or of a mirror.

One signed head is kept. The roots of its subtrees are read from tiles and compared with it. Together with the leaves that came
after it they have to lead to the root of the newest head: so what was logged is still there, and each new event is known.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from urnregistry.errors import LogBehind, LogChanged, LogGap, Problem, ProofRefused, UnexpectedResponse
from urnregistry.exchange import Exchange
from urnregistry.messages import Flow, Request, Response, Wait
from urnregistry.proofs import (
    HASH_LENGTH,
    Checkpoint,
    digest_of_json,
    leaf_hash,
    leaf_members,
    node_hash,
    verify_head,
)
from urnregistry.signed_notes import parse_key
from urnregistry.syncing import page_of_events

if TYPE_CHECKING:
    from urnregistry.policies import Policy

API, LOG = "api/v1/", "audit-log/"
WIDTH_BITS = 8
WIDTH = 2**WIDTH_BITS
PAUSE = 30.0  # seconds between two questions for cosignatures
LENGTH_OCTETS = 2
NOT_FOUND = 404
Waiting: TypeAlias = Callable[[float], object]


class HeadContradicted(LogChanged):
    """The newest head does not continue the one that was kept. `note` is the newest one: evidence, if it is signed."""

    def __init__(self, what: str, note: str) -> None:
        super().__init__(what)
        self.note = note


class HeadNotCosigned(ProofRefused):
    """The newest head, in `note`, lacks cosignatures that the policy asks for."""

    def __init__(self, what: str, note: str) -> None:
        super().__init__(what)
        self.note = note


@dataclass(frozen=True, slots=True)
class Trust:
    """The verifier keys of the log, and the policy about cosignatures, if there is one. Raises ValueError for a key that is none."""

    keys: tuple[str, ...] = ()
    policy: "Policy | None" = None

    def __post_init__(self) -> None:
        for key in self.keys:
            parse_key(key)

    @property
    def logs(self) -> tuple[str, ...]:
        return (*self.keys, *(self.policy.logs if self.policy else ()))

    def head_in(self, note: str) -> Checkpoint:
        """Return what a signed head says. Raises ProofRefused."""
        return verify_head(note, self.logs)


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event by its leaf. `members` are those of the leaf; none in an event of format 1."""

    number: int
    members: Mapping[str, Any]

    @property
    def nid(self) -> str:
        """The NID of a public event, "" if it has none."""
        return str(self.members.get("nid") or "")

    def __str__(self) -> str:
        if not self.members:
            return f"event {self.number}: of format 1, so the log does not say what it is about"
        if not self.members["is_public"]:
            return f"event {self.number}: not public"
        about = f" of “{self.nid}”" if self.nid else ""
        return f"event {self.number}: {self.members['verb']}{about} at {self.members['at']}"


@dataclass(frozen=True, slots=True)
class Watched:
    """The newest head with its note, the number of events after the one that was kept, and those that were asked for."""

    head: Checkpoint
    note: str
    new_events: int
    events: tuple[LoggedEvent, ...] = ()


def monitor(
    exchange: Exchange,
    /,
    kept: str | None,
    trust: Trust,
    *,
    nids: Collection[str] = (),
    persons: Collection[str] = (),
    patience: float = 600,
    waiting: Waiting = lambda seconds: None,
) -> Flow[Watched]:
    """Check that the newest head continues the one that was kept, and return it with the new public events about `nids`, and those
    that `persons` made, by their names as the registry shows them.

    `nids` and `persons` add to each other. Without both all public events are returned; without a head that was kept, none are. An
    event of format 1 may be about anything, so it is always returned. If a policy asks for cosignatures, `patience` is how many
    seconds to wait for them; `waiting` gets this number once, when the wait begins. Raises ProofRefused, LogBehind or LogChanged.
    """
    earlier = trust.head_in(kept) if kept is not None else None
    try:
        note, head = yield from newest_head(exchange, trust, patience, waiting)
    except HeadNotCosigned as fault:
        # A head that contradicts the one that was kept is evidence, and no witness may cosign it.
        yield from _compared(exchange, earlier, trust.head_in(fault.note), fault.note)
        raise
    watched = yield from _compared(exchange, earlier, head, note)
    if not (nids or persons):
        return watched
    wanted = {nid.lower() for nid in nids}
    explained = [each for each in watched.events if each.members]
    made = (yield from _made_by(exchange, set(persons), explained)) if persons else ()
    told = (
        each
        for each in watched.events
        if not each.members or each.nid.lower() in wanted or each.number in made
    )
    return replace(watched, events=tuple(told))


def check_kept(earlier: Checkpoint, head: Checkpoint, note: str) -> None:
    """Raise HeadContradicted or LogBehind if two heads alone show that the one of `note` does not continue one that was kept."""
    if head.origin != earlier.origin:
        raise HeadContradicted(f"The log is named {head.origin}, and was named {earlier.origin}.", note)
    if head.size < earlier.size:
        raise LogBehind(f"The newest head has {head.size} events, but one of {earlier.size} was kept.", note)


def _compared(exchange: Exchange, earlier: Checkpoint | None, head: Checkpoint, note: str) -> Flow[Watched]:
    """Return what is new in the head of `note` after the one that was kept. Raises LogBehind or LogChanged."""
    if earlier is None:
        return Watched(head, note, 0)
    check_kept(earlier, head, note)
    if head.size == earlier.size:
        if head.root != earlier.root:
            what = f"The registry has signed another head of {head.size} events than the one that was kept."
            raise HeadContradicted(what, note)
        return Watched(head, note, 0)
    frontier = yield from _frontier(exchange, earlier, note)
    found = list[LoggedEvent]()
    for number in range(earlier.size // WIDTH, -(-head.size // WIDTH)):
        leaves = yield from leaves_of(exchange, number, head.size)
        for index, leaf in enumerate(leaves, number * WIDTH):
            if index < earlier.size:
                continue
            grow(frontier, leaf_hash(leaf))
            event = LoggedEvent(index + 1, leaf_members(leaf))
            if not event.members or event.members["is_public"]:
                found.append(event)
    if root_of(frontier) != head.root:
        what = (
            f"The events of the log do not lead from the head of {earlier.size} events that was kept to the newest one of "
            f"{head.size}: something was changed."
        )
        raise HeadContradicted(what, note)
    return Watched(head, note, head.size - earlier.size, tuple(found))


def _made_by(
    exchange: Exchange, persons: Collection[str], events: Sequence[LoggedEvent]
) -> Flow[Collection[int]]:
    """Return the numbers of the events that people made. The registry names them; their commitments are in the leaves.

    A person has the same commitment in all events, so one name with its salt tells all of them. Raises LogChanged for a salt with
    which the leaf does not have the name.
    """
    stated, commitments = set[int](), set[str]()
    leaves = {each.number: each.members for each in events}
    since, last = min(leaves, default=1) - 1, max(leaves, default=0)
    while since < last:
        page, _ = yield from page_of_events(exchange, since, WIDTH)
        for event in page:
            since = event.number
            if event.actor in persons and event.number in leaves:
                stated.add(event.number)
                if event.actor_salt is None:  # the person has another name by now
                    continue
                if digest_of_json({"shown": event.actor}, event.actor_salt) != leaves[since]["actor"]:
                    raise LogChanged(
                        f"The registry says that “{event.actor}” made event {since}, and its leaf does not."
                    )
                commitments.add(leaves[since]["actor"])
        if not page:
            raise LogGap(f"Event {since + 1} is missing.")
    return stated | {number for number, leaf in leaves.items() if leaf["actor"] in commitments}


def newest_head(
    exchange: Exchange, trust: Trust, patience: float, waiting: Waiting
) -> Flow[tuple[str, Checkpoint]]:
    """Return the newest head, once it has the cosignatures that the policy asks for. Raises HeadNotCosigned."""
    waited = 0.0
    while True:
        note = _text((yield from _file(exchange, "checkpoint")))
        head = trust.head_in(note)
        try:
            if trust.policy:
                trust.policy.check(note)
        except ProofRefused as fault:
            if waited >= patience:
                raise HeadNotCosigned(str(fault), note) from fault
        else:
            return note, head
        if not waited:
            waiting(patience)
        pause = min(PAUSE, patience - waited)
        yield Wait(pause)
        waited += pause


def _file(exchange: Exchange, path: str) -> Flow[bytes]:
    address = f"{exchange.api.removesuffix(API)}{LOG}{path}"
    response: Response = yield from exchange.send(Request(address, headers={"Accept": "*/*"}))
    return response.body


def _text(octets: bytes) -> str:
    try:
        return octets.decode()
    except UnicodeDecodeError as fault:
        raise UnexpectedResponse("The head of the log is not text in UTF-8.") from fault


def _frontier(exchange: Exchange, head: Checkpoint, newest: str) -> Flow[list[tuple[int, bytes]]]:
    """Return the heights and roots of the complete subtrees of a head, the largest first, as its tiles have them."""
    tiles, found, start = dict[int, list[bytes]](), list[tuple[int, bytes]](), 0
    for height in reversed(range(head.size.bit_length())):
        if not head.size >> height & 1:
            continue
        level, rest = divmod(height, WIDTH_BITS)
        first = start >> (WIDTH_BITS * level)
        if level not in tiles:  # all subtrees of a level are in its last tile
            tiles[level] = yield from _tile(exchange, level, first // WIDTH, head.size)
        found.append((height, _perfect(tiles[level][first % WIDTH : first % WIDTH + 2**rest])))
        start += 1 << height
    if root_of(found) != head.root:
        what = f"The tiles of the log do not have the head of {head.size} events that was kept: the past was rewritten."
        raise HeadContradicted(what, newest)
    return found


def _tile(exchange: Exchange, level: int, index: int, size: int) -> Flow[list[bytes]]:
    width = min(WIDTH, (size >> (WIDTH_BITS * level)) - index * WIDTH)
    content = yield from _first_of_tile(exchange, str(level), index, width)
    content = content[: width * HASH_LENGTH]
    if len(content) != width * HASH_LENGTH:
        raise UnexpectedResponse(f"The tile {index} of level {level} has another length than {width} hashes.")
    return [content[at : at + HASH_LENGTH] for at in range(0, len(content), HASH_LENGTH)]


def leaves_of(exchange: Exchange, index: int, size: int) -> Flow[list[bytes]]:
    """Return the leaves of a tile of level 0, of a log with `size` events."""
    width = min(WIDTH, size - index * WIDTH)
    leaves = list(_split((yield from _first_of_tile(exchange, "entries", index, width))))[:width]
    if len(leaves) != width:
        raise UnexpectedResponse(f"The bundle {index} of leaves has not {width} leaves.")
    return leaves


def _first_of_tile(exchange: Exchange, level: str, index: int, width: int) -> Flow[bytes]:
    """Return a tile that has the first `width` of its nodes. It may have more."""
    try:
        return (yield from _file(exchange, f"tile/{level}/{_place(index, width)}"))
    except Problem as problem:
        if problem.status != NOT_FOUND or width == WIDTH:
            raise
    # A mirror may have the full tile alone, which has replaced the partial one.
    return (yield from _file(exchange, f"tile/{level}/{_place(index, WIDTH)}"))


def _split(bundle: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(bundle):
        start = at + LENGTH_OCTETS
        at = start + int.from_bytes(bundle[at:start], "big")
        if at > len(bundle):
            raise UnexpectedResponse("A bundle of leaves ends within a leaf.")
        yield bundle[start:at]


def _place(index: int, width: int) -> str:
    """Return the path of a tile below its level."""
    above, last = divmod(index, 1000)
    parts = [f"{last:03}"]
    while above:
        above, group = divmod(above, 1000)
        parts.insert(0, f"x{group:03}")
    return "/".join(parts) + ("" if width == WIDTH else f".p/{width}")


def _perfect(nodes: Sequence[bytes]) -> bytes:
    """Return the root above 2^n nodes."""
    while len(nodes) > 1:
        nodes = [node_hash(nodes[at], nodes[at + 1]) for at in range(0, len(nodes), 2)]
    return nodes[0]


def grow(frontier: list[tuple[int, bytes]], node: bytes) -> None:
    """Add a leaf to the roots of complete subtrees."""
    height = 0
    while frontier and frontier[-1][0] == height:
        node, height = node_hash(frontier.pop()[1], node), height + 1
    frontier.append((height, node))


def root_of(frontier: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the root of a tree from those of its complete subtrees, the largest first (RFC 6962, Section 2.1)."""
    if not frontier:
        return hashlib.sha256().digest()
    root = frontier[-1][1]
    for _, each in reversed(frontier[:-1]):
        root = node_hash(each, root)
    return root
