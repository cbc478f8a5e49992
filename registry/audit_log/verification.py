"""Verification of the audit log: the chain, published heads, heads that were noted earlier, and the recorded texts."""

import base64
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from django.utils import timezone

from registry.audit_log.committed_texts import changed_texts
from registry.audit_log.heads import sound_frontier, stored_frontier
from registry.audit_log.leaves import FORMAT_1
from registry.audit_log.log import verified
from registry.audit_log.merkle import Frontier
from registry.audit_log.models import BrokenAuditLog, Event, LogPosition, SignedHead, hash_in_tree
from registry.audit_log.personal_data import describe_erasures
from registry.audit_log.signed_notes import Checkpoint, VerifierKey
from registry.audit_log.tiles import TileChecker
from registry.core.database.connections import database_snapshot

MAX_NAMED = 10
PUBLISHED = "published head"
# Between the clocks of two hosts that write events.
MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class LogState:
    """The log up to an event: its position, and the frontier of its Merkle tree."""

    position: LogPosition = field(default_factory=LogPosition)
    frontier: Frontier = field(default_factory=Frontier)

    @property
    def root(self) -> str:
        """The root of the Merkle tree in base64, as in a signed head."""
        return base64.b64encode(self.frontier.root).decode()


@dataclass(frozen=True, slots=True)
class KnownEvent:
    """An event that was noted outside the database, and its source, which messages name."""

    position: LogPosition
    source: str

    @property
    def number(self) -> int:
        return self.position.number

    def fits(self, state: LogState) -> bool:
        return self.position == state.position

    def __str__(self) -> str:
        return f"Event {self.number} does not have the digest {self.position.digest} ({self.source})"


@dataclass(frozen=True, slots=True)
class KnownHead:
    """A signed head that was checked, and its source, which messages name."""

    checkpoint: Checkpoint
    source: str

    @property
    def number(self) -> int:
        return self.checkpoint.size

    def fits(self, state: LogState) -> bool:
        return self.checkpoint.root == state.frontier.root

    def __str__(self) -> str:
        root = self.checkpoint.encoded_root
        return f"The events up to {self.number} do not have the root hash {root} ({self.source})"


Known = KnownEvent | KnownHead


@dataclass(slots=True)
class FormatRange:
    """Consecutive events, and the format of their leaves."""

    format: int
    first: int
    last: int


@dataclass(slots=True)
class VerificationResult:
    """The last valid state, the number of published heads, the faults found, what was erased, notes, and the formats.

    Notes are not faults: the log is valid, but a clock was wrong when it was written.
    """

    last: LogState = field(default_factory=LogState)
    published_heads: int = 0
    are_signatures_checked: bool = True
    faults: list[str] = field(default_factory=list)
    erased: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    formats: list[FormatRange] = field(default_factory=list)
    is_chain_valid: bool = True

    @property
    def is_valid(self) -> bool:
        return not self.faults


class ClockJumps:
    """Finds events, read in order, whose time is before that of the previous event or in the future."""

    def __init__(self) -> None:
        self._latest_credible = timezone.now() + MAX_CLOCK_DIFFERENCE
        self._last: Event | None = None
        self._first_in_future: Event | None = None
        self._in_future = 0
        self._steps_back: list[str] = []  # the first ones
        self._more_steps_back = 0

    def look_at(self, event: Event) -> None:
        if self._last and event.at < self._last.at - MAX_CLOCK_DIFFERENCE:
            self._note_step_back(self._last, event)
        if event.at > self._latest_credible:
            self._first_in_future = self._first_in_future or event
            self._in_future += 1
        self._last = event

    def _note_step_back(self, before: Event, after: Event) -> None:
        if len(self._steps_back) == MAX_NAMED:
            self._more_steps_back += 1
            return
        self._steps_back.append(
            f"The clock went back: event {after.number} is dated {_shown(after.at)}, "
            f"event {before.number} {_shown(before.at)}."
        )

    def notes(self) -> list[str]:
        """Return a sentence for each of the first steps back, one for the others, and one for all times in the future."""
        notes = [*self._steps_back]
        if number := self._more_steps_back:
            notes.append(f"{number} more steps back.")
        if first := self._first_in_future:
            number = self._in_future
            notes.append(
                f"Times in the future: {number}, the first that of event {first.number} ({_shown(first.at)})."
            )
        return notes


def verify(known: Iterable[Known] = (), keys: Sequence[VerifierKey] = ()) -> VerificationResult:
    """Verify one state of the database: every event and head, then the texts, unless the chain is broken.

    The signatures of published heads are checked if there are `keys`.
    """
    with database_snapshot():
        result = verify_events(known, keys)
        if result.is_chain_valid:
            texts = (f"The database differs from the audit log in {name}." for name in changed_texts())
            result.faults += _first(texts, "texts differ")
            result.erased = describe_erasures()
    return result


def verify_events(known: Iterable[Known] = (), keys: Sequence[VerifierKey] = ()) -> VerificationResult:
    """Verify every event, and that the log has the published heads and the `known` events and heads."""
    result = VerificationResult(are_signatures_checked=bool(keys))
    published, faults = _published(keys)
    result.published_heads = len(published)
    open_heads: defaultdict[int, list[Known]] = defaultdict(list)
    for each in (*known, *published):
        open_heads[each.number].append(each)
    wrong: list[Known] = []
    clock, tiles = ClockJumps(), TileChecker()
    try:
        for state in _states(clock, tiles, result.formats):
            result.last = state
            wrong += [each for each in open_heads.pop(state.position.number, []) if not each.fits(state)]
    except BrokenAuditLog as broken:
        result.faults.append(str(broken))
        result.is_chain_valid = False
        return result
    missing = [each for heads in open_heads.values() for each in heads]
    faults = [*map(_contradiction, wrong), *(_missing(each, result.last) for each in missing), *faults]
    result.faults += _first(faults, "heads differ")
    result.faults += _first(tiles.faults(), "hashes of tiles differ")
    result.notes = clock.notes()
    return result


def _states(clock: ClockJumps, tiles: TileChecker, formats: list[FormatRange]) -> Iterator[LogState]:
    """Yield the empty log, then its state after each event. Raises BrokenAuditLog.

    `clock` gets the time of each event, `tiles` the hash of its leaf, and `formats` its format.
    """
    state = LogState()
    yield state
    for event in verified():
        clock.look_at(event)
        if formats and formats[-1].format == event.format:
            formats[-1].last = event.number
        else:
            formats.append(FormatRange(event.format, event.number, event.number))
        hashed = hash_in_tree(event.digest, is_former=event.format == FORMAT_1)
        tiles.add(hashed)
        state = LogState(event.position, state.frontier.grown([hashed]))
        yield state


def _published(keys: Sequence[VerifierKey]) -> tuple[list[KnownHead], list[str]]:
    """Return the published heads, and the faults of those that are not genuine."""
    heads, faults = [], []
    for head in SignedHead.objects.iterator():
        try:
            heads.append(KnownHead(head.checkpoint, PUBLISHED))
            _ = sound_frontier(head, keys) if keys else stored_frontier(head, head.checkpoint)
        except BrokenAuditLog as fault:
            faults.append(str(fault))
    return heads, faults


def _contradiction(known: Known) -> str:
    return f"{known}: the log was rewritten before or at this event."


def _missing(known: Known, last: LogState) -> str:
    return (
        f"Event {known.number} is missing ({known.source}): the log ends at event {last.position.number}, so its "
        "newest events were removed."
    )


def _first(findings: Iterable[str], rest: str) -> list[str]:
    """Return the first findings, and the number of the others."""
    remaining = iter(findings)
    named = list(islice(remaining, MAX_NAMED))
    more = sum(1 for _ in remaining)
    return [*named, f"{more} more {rest}."] if more else named


def _shown(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
