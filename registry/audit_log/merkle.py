"""Merkle tree hashes of a list that only grows: RFC 6962, Section 2.1 (unchanged in RFC 9162, Section 2.1.1)."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from registry.core.exceptions import RegistryError

HASH_LENGTH = 32


class MalformedFrontier(RegistryError):
    """The number or the length of the hashes does not fit the size of the tree."""


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def complete_root(hashes: bytes) -> bytes:
    """Return the root of a complete tree. `hashes` are those of its leaves one after the other, as in a tile."""
    while len(hashes) > HASH_LENGTH:
        pairs = (hashes[at : at + 2 * HASH_LENGTH] for at in range(0, len(hashes), 2 * HASH_LENGTH))
        hashes = b"".join([hashlib.sha256(b"\x01" + pair).digest() for pair in pairs])
    return hashes


def complete_subtrees(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the height of the complete subtrees of a range of leaves, the largest first."""
    count = end - start
    for height in reversed(range(count.bit_length())):
        if count >> height & 1:
            yield start, height
            start += 1 << height


def folded(roots: Sequence[bytes]) -> bytes:
    """Return the root of a tree with leaves, of which these are the roots of the complete subtrees, the largest first."""
    root = roots[-1]
    for subtree in reversed(roots[:-1]):
        root = node_hash(subtree, root)
    return root


@dataclass(frozen=True, slots=True)
class Frontier:
    """The roots of the complete subtrees of a tree with `size` leaves, the largest first.

    Their sizes are the powers of two that add up to `size`, so there are at most log2(size) + 1 of them. They are
    all that is needed to compute the root, and to add entries. Raises MalformedFrontier.
    """

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if len(self.hashes) != self.size.bit_count() or any(len(each) != HASH_LENGTH for each in self.hashes):
            raise MalformedFrontier(
                f"A tree with {self.size} leaves has {self.size.bit_count()} complete subtrees, each with a hash of "
                f"{HASH_LENGTH} octets."
            )

    @property
    def root(self) -> bytes:
        """The Merkle tree hash (MTH) of the entries; that of an empty tree is the hash of an empty string."""
        return folded(self.hashes) if self.hashes else hashlib.sha256().digest()

    def extended(self, entries: Iterable[bytes]) -> "Frontier":
        """Return the frontier after these entries were added."""
        return self.grown(map(leaf_hash, entries))

    def grown(self, leaf_hashes: Iterable[bytes]) -> "Frontier":
        """Return the frontier after entries with these leaf hashes were added."""
        size, hashes = self.size, list(self.hashes)
        for node in leaf_hashes:
            full = size
            # While the last subtree is as large as the new one, both are the halves of a larger one.
            while full & 1:
                node, full = node_hash(hashes.pop(), node), full >> 1
            hashes.append(node)
            size += 1
        return Frontier(size, tuple(hashes))
