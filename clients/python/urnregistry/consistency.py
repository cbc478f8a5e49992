"""Proofs that one head of the log continues another (RFC 9162, Section 2.1), checked without a registry."""

from collections.abc import Sequence

from urnregistry.errors import ProofRefused
from urnregistry.proofs import Checkpoint, node_hash, verify_head
from urnregistry.signed_notes import decoded


def verify_consistency(earlier: str, later: str, hashes: Sequence[str], keys: Sequence[str]) -> None:
    """Check that the log of a signed head begins with that of an earlier one. `hashes` are in base64. Raises ProofRefused."""
    first, second = verify_head(earlier, keys), verify_head(later, keys)
    if first.size > second.size or not first.size:
        raise ProofRefused(f"A head of {second.size} events does not continue one of {first.size}.")
    path = [decoded(each) for each in hashes]
    if first.size == second.size:
        is_continued = first.root == second.root and not path
    else:
        is_continued = roots_of_consistency(first, second.size, path) == (first.root, second.root)
    if not is_continued:
        raise ProofRefused(
            f"The log of {second.size} events does not begin with the {first.size} events of the earlier head, or the proof was "
            "changed. Keep both heads, and the proof, and tell others."
        )


def roots_of_consistency(first: Checkpoint, size: int, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """RFC 9162, Section 2.1.4.2: return both roots to which a proof leads; None if its length does not fit."""
    steps = [first.root, *path] if first.size.bit_count() == 1 else list(path)
    if not path:
        return None
    at, last = first.size - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    former = now = steps[0]
    for each in steps[1:]:
        if last == 0:
            return None
        if at & 1 or at == last:
            former, now = node_hash(each, former), node_hash(each, now)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            now = node_hash(now, each)
        at, last = at >> 1, last >> 1
    return None if last else (former, now)
