"""Merkle tree hashes of a list that only grows: RFC 6962, Section 2.1 (unchanged in RFC 9162, Section 2.1.1)."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from registry.core.exceptions import RegistryError

HASH_LENGTH = 32


class MalformedFrontier(RegistryError):
    """The number or the length of the hashes does not fit the size of the tree."""


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


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
        if not self.hashes:
            return hashlib.sha256().digest()
        root = self.hashes[-1]
        for subtree in reversed(self.hashes[:-1]):
            root = node_hash(subtree, root)
        return root

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
