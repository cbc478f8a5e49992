"""Proofs: that an event is in a published head (https://c2sp.org/tlog-proof), and that a head continues an earlier one.

Both are computed from tiles. A proof of an event is about a published head that has the event. For each configured witness, the
first one that it cosigned is a candidate, and the one with the most of their cosignatures is chosen, the first of equals: a policy may
ask for several. Without any, it is the first head with a cosignature, or the first one.
"""

import base64
from collections.abc import Iterable, Mapping
from http import HTTPStatus

from django.conf import settings
from django.db import models

from registry.audit_log.merkle import HASH_LENGTH, complete_root, complete_subtrees, folded
from registry.audit_log.models import Event, SignedHead
from registry.audit_log.tiles import HASH_BITS, WIDTH, read_hashes
from registry.core.database.prepared_reader import prepared
from registry.core.exceptions import RegistryError

HEADER = "c2sp.org/tlog-proof@v1"


class ProofUnknown(RegistryError):
    """No published head has this event, or there is no such event."""

    status = HTTPStatus.NOT_FOUND
    title = "No proof yet"


class Tree:
    """The Merkle tree of the first `size` events. A proof reads all tiles that it needs at once.

    `frontier` has the roots of its complete subtrees (`merkle.Frontier`), if they are known: these are not read.
    """

    def __init__(self, size: int, frontier: Iterable[bytes] = ()) -> None:
        self.size = size
        self._known = dict(zip(complete_subtrees(0, size), frontier, strict=False))

    @classmethod
    def of(cls, head: SignedHead) -> "Tree":
        return cls(head.size, map(bytes.fromhex, head.frontier))

    def _roots(self, ranges: Iterable[tuple[int, int]]) -> list[bytes]:
        """Return MTH(D[start:end]) of RFC 6962, Section 2.1, of ranges that the algorithms of that section name."""
        parts = [list(complete_subtrees(*each)) for each in ranges]
        tiles = self._read(
            {_tile_of(*each)[:2] for part in parts for each in part if each not in self._known}
        )
        found = [[self._known.get(each) or _root_in(tiles, *each) for each in part] for part in parts]
        return [folded(hashes) for hashes in found]

    def _read(self, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        """Return the tiles at these levels and indexes, as far as the tree has them."""
        ordered = sorted(places)
        ends = (min((index + 1) * WIDTH, self.size >> (HASH_BITS * level)) for level, index in ordered)
        extents = [(level, index * WIDTH, end) for (level, index), end in zip(ordered, ends, strict=True)]
        return dict(zip(ordered, read_hashes(*extents), strict=True))

    def inclusion(self, index: int) -> list[bytes]:
        """Return PATH(index, D[size]) of RFC 6962, Section 2.1.1: from the sibling of the leaf to the child of the root."""
        path, start, end = list[tuple[int, int]](), 0, self.size
        while end - start > 1:
            middle = start + largest_half(end - start)
            if index < middle:
                path.append((middle, end))
                end = middle
            else:
                path.append((start, middle))
                start = middle
        return self._roots(reversed(path))

    def consistency(self, earlier: int) -> list[bytes]:
        """Return PROOF(earlier, D[size]) of RFC 6962, Section 2.1.2; empty for an equal size."""
        proof, start, end, is_known = list[tuple[int, int]](), 0, self.size, True
        while earlier != end:
            middle = start + largest_half(end - start)
            if earlier <= middle:
                proof.append((middle, end))
                end = middle
            else:
                proof.append((start, middle))
                start, is_known = middle, False
        if not is_known:
            proof.append((start, end))
        return self._roots(reversed(proof))


def _tile_of(start: int, height: int) -> tuple[int, int, int]:
    """Return the level and the index of the tile with the hashes of a complete subtree, and the first of them in it."""
    level = height // HASH_BITS
    index, at = divmod(start >> (HASH_BITS * level), WIDTH)
    return level, index, at


def _root_in(tiles: Mapping[tuple[int, int], bytes], start: int, height: int) -> bytes:
    level, index, at = _tile_of(start, height)
    width = 1 << (height % HASH_BITS)
    return complete_root(tiles[level, index][at * HASH_LENGTH : (at + width) * HASH_LENGTH])


def largest_half(count: int) -> int:
    """Return the largest power of two below `count`."""
    return 1 << ((count - 1).bit_length() - 1)


def proof_of(number: int) -> str:
    """Return the proof that the event is in the log, with its leaf as extra data. Raises ProofUnknown."""
    event = next(iter(Event.objects.raw(*_event(number))), None)
    if event is None:
        raise ProofUnknown(f"The audit log has no event {number}.")
    values = {"number": number, "witnesses": settings.LOG_WITNESSES[::2]}  # pairs of a key and an address
    head = next(iter(SignedHead.objects.raw(HEAD_OF_PROOF, values)), None)
    if head is None:
        raise ProofUnknown(
            f"No head with event {number} has been published yet. A head is published every hour if there are new events: "
            "try again then."
        )
    return f"{steps_to(event, Tree.of(head))}{head.note}{vars(head)['signatures']}"


def steps_to(event: Event, tree: Tree) -> str:
    """Return what stands above the head in the proof that an event is in the tree of the head."""
    path = tree.inclusion(event.number - 1)
    lines = [HEADER, f"extra {_encoded(event.leaf)}", f"index {event.number - 1}", *map(_encoded, path)]
    return "".join(f"{line}\n" for line in (*lines, ""))


@prepared
def _event(number: int) -> models.QuerySet[Event]:
    return Event.objects.filter(number=number)


# With the lines of its cosignatures as in `SignedHead.cosigned_note`.
HEAD_OF_PROOF = """
SELECT head.*, coalesce(
    (SELECT string_agg(line || E'\n', '' ORDER BY id) FROM audit_log_cosignature WHERE head_id = size), ''
) AS signatures
FROM audit_log_signedhead AS head WHERE size = coalesce(
    (
        SELECT first.size FROM unnest(%(witnesses)s::text[]) AS witness, LATERAL (
            SELECT min(head_id) AS size FROM audit_log_cosignature WHERE key = witness AND head_id >= %(number)s
        ) AS first
        WHERE first.size IS NOT NULL
        ORDER BY (
            SELECT count(*) FROM audit_log_cosignature WHERE head_id = first.size AND key = ANY(%(witnesses)s)
        ) DESC, first.size
        LIMIT 1
    ),
    (SELECT min(head_id) FROM audit_log_cosignature WHERE head_id >= %(number)s),
    (SELECT min(size) FROM audit_log_signedhead WHERE size >= %(number)s)
)
"""


def event_of_text(nid: str, *, version: int, digest: str) -> int:
    """Return the number of the event with which a version of a text of a namespace was registered. Raises ProofUnknown."""
    # Found by the digest, of which there are a few events: a namespace may have a million. The index has no empty ones.
    of_text = Event.objects.filter(text_digest=digest).exclude(text_digest="")
    events = of_text.filter(nid=nid, details__version=version).order_by("number")
    number: int | None = events.values_list("number", flat=True).first()
    if number is None:
        raise ProofUnknown(
            f"The audit log has no event of version {version} of “{nid}” with the digest {digest}."
        )
    return number


def versions_without_proof(nid: str, digests: Iterable[str]) -> set[tuple[int, str]]:
    """Return the versions of texts of a namespace that no published head has yet, of those with these digests."""
    of_texts = Event.objects.filter(text_digest__in=digests).exclude(text_digest="")
    events = of_texts.filter(nid=nid).with_proofs().filter(models.Q(is_proven=False)).order_by()
    return set(events.values_list("details__version", "text_digest"))


def consistency_proof(first: SignedHead, second: SignedHead) -> list[str]:
    """Return the proof that the later one of two heads continues the other, as hashes in base64."""
    earlier, later = sorted((first, second), key=lambda head: head.size)
    return [_encoded(each) for each in Tree.of(later).consistency(earlier.size)]


def _encoded(octets: bytes) -> str:
    return base64.b64encode(octets).decode()
