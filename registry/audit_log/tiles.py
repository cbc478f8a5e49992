"""The Merkle tree of the log in tiles, and the leaves in bundles, as files that never change: https://c2sp.org/tlog-tiles.

A tile at level 0 has the hashes of 256 leaves. A tile at a higher level has the hashes of 256 full tiles below it, which are
rows (`TileHash`). The hourly job writes those of all committed events; a head writes, in its transaction, those that it needs
and that are missing. A tile of more than the newest published head is not served.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

from django.db import connection, transaction
from django.db.models import Max

from registry.audit_log.merkle import HASH_LENGTH, complete_root
from registry.audit_log.models import BrokenAuditLog, Event, LogPosition, SignedHead, TileHash, hash_in_tree
from registry.core.exceptions import RegistryError

HASH_BITS = 8
WIDTH = 2**HASH_BITS
LEVELS = 8  # 256 ** 8 is more than a number of an event can be
INDEX = re.compile("((?:x[0-9]{3}/)*)([0-9]{3})")
LENGTH_OCTETS = 2
READ_AT_ONCE = 20_000  # events
TILES_AT_ONCE = 400  # of which a transaction writes the hashes, from 102,400 events: about 0.2 seconds
# Without the queryset of Django, whose objects cost more than the hashes.
DIGESTS = """
SELECT number, digest, salts IS NULL FROM audit_log_event WHERE number > %s AND number <= %s ORDER BY number
"""
# The hashes of a tile as one value. The digest of an event of format 2 is the hash of its leaf.
LEAF_HASHES = """(
SELECT string_agg(
    CASE WHEN salts IS NULL THEN encode(sha256('\\x00'::bytea || decode(digest, 'hex')), 'hex') ELSE digest END,
    '' ORDER BY number
) FROM audit_log_event WHERE number > %s AND number <= %s
)"""
HASHES = """(
SELECT string_agg(hash, '' ORDER BY index) FROM audit_log_tilehash WHERE level = %s AND index >= %s AND index < %s
)"""


class TileUnknown(RegistryError):
    """No published head has this tile."""

    status = HTTPStatus.NOT_FOUND
    title = "No such tile"


class TileNotWritten(RegistryError):
    """The hashes of a tile are not written yet: an earlier release published its head, or the worker does not run."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "Tile not written yet"
    headers = {"Retry-After": "600"}


class MalformedPlace(RegistryError, ValueError):
    """A text is not the place of a tile. It is a ValueError for the converter of URLs."""

    status = HTTPStatus.NOT_FOUND
    title = "Malformed place"


@dataclass(frozen=True, slots=True)
class Place:
    """The index of a tile in its level, and the number of its hashes, which is WIDTH in a full tile."""

    index: int
    width: int = WIDTH

    def __str__(self) -> str:
        """Return `<N>[.p/<W>]`, such as x001/x234/067.p/8."""
        above, last = divmod(self.index, 1000)
        parts = [f"{last:03}"]
        while above:
            above, group = divmod(above, 1000)
            parts.append(f"x{group:03}")
        partial = "" if self.width == WIDTH else f".p/{self.width}"
        return "/".join(reversed(parts)) + partial

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Parse `<N>[.p/<W>]`. Raises MalformedPlace for every other form, also of the same place."""
        index, separator, width = text.partition(".p/")
        found = INDEX.fullmatch(index)
        if not found:
            raise MalformedPlace(f"“{text[:80]}” is not the place of a tile.")
        place = cls(
            int(found[1].replace("x", "").replace("/", "") + found[2]), int(width) if separator else WIDTH
        )
        if str(place) != text or not 0 < place.width <= WIDTH:
            raise MalformedPlace(f"“{text[:80]}” is not the form of a place in a tiled log.")
        return place


def leaf_hashes(after: int, last: int) -> Iterator[bytes]:
    """Yield the hashes of the leaves of the events after `after`, up to `last`. Raises BrokenAuditLog if one is missing."""
    for first in range(after, last, READ_AT_ONCE):
        end = min(first + READ_AT_ONCE, last)
        with connection.cursor() as cursor:
            cursor.execute(DIGESTS, [first, end])
            rows = cursor.fetchall()
        for expected, (number, digest, is_former) in enumerate(rows, first + 1):
            if number != expected:
                raise BrokenAuditLog(f"Event {expected} is missing.")
            yield hash_in_tree(digest, is_former=is_former)
        if len(rows) != end - first:
            raise BrokenAuditLog(f"Event {first + len(rows) + 1} is missing.")


def write_tiles() -> None:
    """Write the hashes of the full tiles of all committed events, in short transactions: for the hourly job.

    A log may have many that are missing: those of an earlier release, or of a registry without a signing key. Tiles of
    more than the newest published head are not served.
    """
    size = LogPosition.current().number
    for level in range(1, LEVELS):
        for first, end in _missing(level, size // WIDTH**level):
            for start in range(first, end, TILES_AT_ONCE):
                with transaction.atomic():
                    _write(level, start, min(start + TILES_AT_ONCE, end))


def complete_tiles(size: int) -> None:
    """Write the hashes of the full tiles of the first `size` events that are missing, with the head of that size.

    More than TILES_AT_ONCE are left to `write_tiles`: the transaction of a head may hold the lock of the chain.
    Two processes that write the same ones write the same values; the second one waits, and writes nothing.
    """
    for level in range(1, LEVELS):
        ranges = _missing(level, size // WIDTH**level)
        if sum(end - first for first, end in ranges) > TILES_AT_ONCE:
            return
        for first, end in ranges:
            _write(level, first, end)


def _missing(level: int, needed: int) -> list[tuple[int, int]]:
    """Return the ranges of hashes of a level that no row has, of the first `needed` ones: the first, and that after the last."""
    if not needed:
        return []
    rows = TileHash.objects.filter(level=level, index__lt=needed)
    if rows.count() == needed:
        return []
    ranges, start = [], 0
    for index in rows.order_by("index").values_list("index", flat=True).iterator():
        if start < index:
            ranges.append((start, index))
        start = index + 1
    return [*ranges, (start, needed)] if start < needed else ranges


def _write(level: int, first: int, end: int) -> None:
    TileHash.objects.bulk_create(_new_hashes(level, first, end), ignore_conflicts=True)


def _new_hashes(level: int, known: int, needed: int) -> Iterator[TileHash]:
    """Yield the rows of a level from `known` to before `needed`."""
    (below,) = read_hashes((level - 1, known * WIDTH, needed * WIDTH))
    octets = WIDTH * HASH_LENGTH
    for index, at in enumerate(range(0, len(below), octets), known):
        yield TileHash(level=level, index=index, hash=complete_root(below[at : at + octets]).hex())


class TileChecker:
    """Compares the hashes of full tiles that are stored with those of events, which it gets one by one."""

    def __init__(self) -> None:
        rows = TileHash.objects.values_list("level", "index", "hash")
        self._stored = {(level, index): found for level, index, found in rows.iterator()}
        self._open: list[list[bytes]] = [[] for _ in range(LEVELS)]
        self._full = [0] * LEVELS
        self._wrong: list[tuple[int, int]] = []

    def add(self, leaf_hash: bytes) -> None:
        """Add the hash of the next leaf, and compare the tiles that it completes."""
        node = leaf_hash
        for level, tile in enumerate(self._open, 1):
            tile.append(node)
            if len(tile) < WIDTH:
                return
            node = complete_root(b"".join(tile))
            tile.clear()
            place = (level, self._full[level - 1])
            self._full[level - 1] += 1
            if self._stored.pop(place, node.hex()) != node.hex():
                self._wrong.append(place)

    def faults(self) -> Iterator[str]:
        """Yield a sentence for each stored hash that differs, or that no event stands for."""
        for level, index in sorted({*self._wrong, *self._stored}):
            yield f"The hash {index} of level {level} of the tiles is not that of the events: it was changed."


def read_tile(level: int, place: Place) -> bytes:
    """Return a tile: its hashes, 32 octets each. Raises TileUnknown, or TileNotWritten."""
    (tile,) = read_hashes((level, *_extent(level, place)))
    return tile


def read_hashes(*extents: tuple[int, int, int]) -> list[bytes]:
    """Return hashes with one statement: for each level, those from an index to before another one, one after the other.

    Those of level 0 are computed from the events, and the others are stored: a request reads the events of one tile at most.
    Raises TileNotWritten, or BrokenAuditLog if an event is missing.
    """
    if not extents:
        return []
    parts = (
        (HASHES, [level, first, end]) if level else (LEAF_HASHES, [first, end])
        for level, first, end in extents
    )
    statements, parameters = zip(*parts, strict=True)
    with connection.cursor() as cursor:
        values = [each for part in parameters for each in part]
        cursor.execute(f"SELECT {', '.join(statements)}", values)  # nosec B608  # of two constants
        found = [bytes.fromhex(each or "") for each in cursor.fetchone()]
    for octets, (level, first, end) in zip(found, extents, strict=True):
        missing = end - first - len(octets) // HASH_LENGTH
        if missing and level:
            raise TileNotWritten(
                f"The audit log lacks {missing} of the hashes {first} to {end - 1} of level {level} of its tiles. "
                "They are written every hour: try again then."
            )
        if missing:
            raise BrokenAuditLog(f"{missing} of the events {first + 1} to {end} are missing.")
    return found


def read_entries(place: Place) -> bytes:
    """Return a bundle of leaves, each after its length in two octets. Raises TileUnknown."""
    first, end = _extent(0, place)
    events = Event.objects.filter(number__gt=first, number__lte=end).order_by("number")
    leaves = (event.leaf for event in events)
    return b"".join(len(leaf).to_bytes(LENGTH_OCTETS, "big") + leaf for leaf in leaves)


def _extent(level: int, place: Place) -> tuple[int, int]:
    """Return the first hash of a tile in its level, and that after the last one. Raises TileUnknown."""
    first = place.index * WIDTH
    end, available = first + place.width, published_size() // WIDTH**level
    if end > available:
        raise TileUnknown(
            f"No published head of the audit log has a tile {place} of level {level}: the level has {available} hashes."
        )
    return first, end


def published_size() -> int:
    """Return the number of events of the newest published head, 0 before the first one."""
    size: int = SignedHead.objects.aggregate(size=Max("size", default=0))["size"]
    return size


def tiles_after(before: int, size: int) -> Iterator[tuple[int, Place]]:
    """Yield the level and the place of each tile of the head of `size` events that the head of `before` events lacks.

    Full tiles come first, level by level; then the partial tiles of each published head, as far as no full tile replaces them.
    """
    for level in range(LEVELS):
        for index in range(before // WIDTH ** (level + 1), size // WIDTH ** (level + 1)):
            yield level, Place(index)
    for level in range(LEVELS):
        yield from ((level, place) for place in _partial(level, before, size))


def _partial(level: int, before: int, size: int) -> Iterator[Place]:
    index = size // WIDTH ** (level + 1)
    start = max(before, index * WIDTH ** (level + 1))
    heads = SignedHead.objects.filter(size__gt=start, size__lte=size).values_list("size", flat=True)
    widths = {each // WIDTH**level % WIDTH for each in heads.iterator()}
    yield from (Place(index, width) for width in sorted(widths - {0}))
