"""Proofs: that an event is in a published head (https://c2sp.org/tlog-proof), and that a head continues an earlier one.

Both are computed from tiles. A proof of an event is about the first published head that has the event and a cosignature; if no
such head has one, about the first published head. So the path stays as it is, and cosignatures are added to it.
"""

import base64
from collections.abc import Sequence
from functools import cache
from http import HTTPStatus

from registry.audit_log.merkle import Frontier, node_hash
from registry.audit_log.models import Cosignature, Event, SignedHead
from registry.audit_log.tiles import HASH_BITS, WIDTH, hashes_of
from registry.core.exceptions import RegistryError

HEADER = "c2sp.org/tlog-proof@v1"


class ProofUnknown(RegistryError):
    """No published head has this event, or there is no such event."""

    status = HTTPStatus.NOT_FOUND
    title = "No proof yet"


class Tree:
    """The Merkle tree of the first `size` events, for one proof: it reads each tile once.

    `frontier` has the roots of its complete subtrees (`merkle.Frontier`), if they are known: these are not read.
    """

    def __init__(self, size: int, frontier: Sequence[bytes] = ()) -> None:
        self.size, start = size, 0
        self._tile, self._roots = cache(self._read), dict[tuple[int, int], bytes]()
        heights = [height for height in reversed(range(size.bit_length())) if size >> height & 1]
        for height, root in zip(heights, frontier, strict=False):
            self._roots[start, height] = root
            start += 1 << height

    @classmethod
    def of(cls, head: SignedHead) -> "Tree":
        return cls(head.size, [bytes.fromhex(each) for each in head.frontier])

    def root_of(self, start: int, end: int) -> bytes:
        """Return MTH(D[start:end]) of RFC 6962, Section 2.1, of a range that the algorithms of that section name."""
        count = end - start
        if count.bit_count() == 1:
            return self._complete(start, count.bit_length() - 1)
        half = largest_half(count)
        return node_hash(self.root_of(start, start + half), self.root_of(start + half, end))

    def _complete(self, start: int, height: int) -> bytes:
        """Return the root of a complete subtree with 2^`height` leaves: of hashes that are together in one tile."""
        if known := self._roots.get((start, height)):
            return known
        level, rest = divmod(height, HASH_BITS)
        first = start >> (HASH_BITS * level)
        tile = self._tile(level, first // WIDTH)
        at = first % WIDTH
        return Frontier().grown(tile[at : at + 2**rest]).root

    def _read(self, level: int, index: int) -> list[bytes]:
        first = index * WIDTH
        return hashes_of(level, first, min(first + WIDTH, self.size >> (HASH_BITS * level)))

    def inclusion(self, index: int) -> list[bytes]:
        """Return PATH(index, D[size]) of RFC 6962, Section 2.1.1: from the sibling of the leaf to the child of the root."""
        path, start, end = list[bytes](), 0, self.size
        while end - start > 1:
            middle = start + largest_half(end - start)
            if index < middle:
                path.append(self.root_of(middle, end))
                end = middle
            else:
                path.append(self.root_of(start, middle))
                start = middle
        return path[::-1]

    def consistency(self, earlier: int) -> list[bytes]:
        """Return PROOF(earlier, D[size]) of RFC 6962, Section 2.1.2; empty for an equal size."""
        proof, start, end, is_known = list[bytes](), 0, self.size, True
        while earlier != end:
            middle = start + largest_half(end - start)
            if earlier <= middle:
                proof.append(self.root_of(middle, end))
                end = middle
            else:
                proof.append(self.root_of(start, middle))
                start, is_known = middle, False
        if not is_known:
            proof.append(self.root_of(start, end))
        return proof[::-1]


def largest_half(count: int) -> int:
    """Return the largest power of two below `count`."""
    return 1 << ((count - 1).bit_length() - 1)


def proof_of(number: int) -> str:
    """Return the proof that the event is in the log, with its leaf as extra data. Raises ProofUnknown."""
    head = _head_with(number)
    event = Event.objects.filter(number=number).first()
    if event is None:
        raise ProofUnknown(f"The audit log has no event {number}.")
    if head is None:
        raise ProofUnknown(
            f"No head with event {number} has been published yet. A head is published every hour if there are new events: "
            "try again then."
        )
    path = Tree.of(head).inclusion(number - 1)
    lines = [
        HEADER,
        f"extra {_encoded(event.leaf)}",
        f"index {number - 1}",
        *map(_encoded, path),
        "",
        head.cosigned_note,
    ]
    return "\n".join(lines)


def _head_with(number: int) -> SignedHead | None:
    """Return the head that a proof of this event is about."""
    heads = SignedHead.objects.filter(size__gte=number).order_by("size")
    cosigned = Cosignature.objects.filter(head__gte=number).order_by("head").values("head")[:1]
    return heads.filter(size__in=cosigned).first() or heads.first()


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


def consistency_proof(first: SignedHead, second: SignedHead) -> list[str]:
    """Return the proof that the later one of two heads continues the other, as hashes in base64."""
    earlier, later = sorted((first, second), key=lambda head: head.size)
    return [_encoded(each) for each in Tree.of(later).consistency(earlier.size)]


def _encoded(octets: bytes) -> str:
    return base64.b64encode(octets).decode()
