"""Proofs of the audit log, checked without a registry: that an event is in the log (https://c2sp.org/tlog-proof), and that a version
of a namespace is the one of the event.

Only the verifier key of the log is trusted, which you noted before. `registry.example.org/audit-log+1c0a…+A…` is one. A
policy (`policies`) asks for cosignatures of witnesses as well.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from urnregistry.errors import NotChecked, ProofRefused
from urnregistry.policies import Policy
from urnregistry.signed_notes import MAX_TEXT, SIGNATURE, decoded, demand, is_valid, parse_key, signatures_of

HASH_LENGTH = 32
NUMBER = "(0|[1-9][0-9]{0,17})"
# The leaf, the index, the path and the signed head of a proof; the text, the name, the size, the root and the signatures of a head.
PROOF = re.compile(rf"c2sp\.org/tlog-proof@v1\nextra (.*)\nindex {NUMBER}\n((?:.+\n){{0,63}})\n((?s:.*))")
HEAD = re.compile(rf"((.*)\n{NUMBER}\n(.*)\n)\n((?:{SIGNATURE.pattern}\n)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a signed head says: the name of the log, the number of its events, and the root hash of their tree."""

    origin: str
    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class ProvenEvent:
    """An event that is in the log. `members` are those of its leaf; none in an event of format 1, whose leaf is a digest.

    `cosigners` are the witnesses of the policy that cosigned the head, with the times in seconds since 1970.
    """

    number: int
    members: Mapping[str, Any]
    head: Checkpoint
    cosigners: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        what = f"event {self.number} of {self.head.origin}"
        if not self.members:
            return f"The log has {what}. Its content is not public, so it can't be compared."
        if not self.members["is_public"]:
            return f"The log has {what}, which is not public."
        about = f" of “{self.members['nid']}”" if self.members["nid"] else ""
        return f"The log has {what}: {self.members['verb']}{about} at {self.members['at']}."


def verify_proof(text: str, keys: Iterable[str], policy: Policy | None = None) -> ProvenEvent:
    """Check a proof with the verifier keys of the log, and its cosignatures by a policy, which can name keys of logs too.

    Raises ProofRefused, or ValueError for a key that is none.
    """
    leaf, index, path, note = _parts(text)
    head = verify_head(note, (*keys, *(policy.logs if policy else ())))
    cosigners = policy.check(note) if policy else {}
    demand(index < head.size, f"The proof is about event {index + 1}, but its head has {head.size} events.")
    what = "The event, its number and the path do not lead to the root hash that the log signed: something was changed."
    demand(root_of_inclusion(leaf_hash(leaf), index, head.size, path) == head.root, what)
    members = leaf_members(leaf)
    number = members["number"] if members else index + 1
    demand(number == index + 1, f"The leaf says that it is event {number}, and stands at {index + 1}.")
    return ProvenEvent(index + 1, members, head, cosigners)


def verify_head(note: str, keys: Iterable[str]) -> Checkpoint:
    """Return what a signed head says, if a key signed it. Raises ProofRefused."""
    found = HEAD.fullmatch(note)
    text, origin, size, root, lines = found.group(1, 2, 3, 4, 5) if found else ("", "", "", "", "")
    is_head = len(decoded(root)) == HASH_LENGTH and all(decoded(each) for _, each in SIGNATURE.findall(lines))
    demand(is_head, "The text is not a head of the log in the format of c2sp.org/tlog-checkpoint.")
    for name, key_id, public in map(parse_key, keys):
        for signature in signatures_of(name, key_id, lines):
            if name == origin and is_valid(public, signature, text.encode()):
                return Checkpoint(origin, int(size), decoded(root))
    raise ProofRefused(f"The signed head of {size} events has no valid signature of a key that you trust.")


def verify_version(proven: ProvenEvent, version: Mapping[str, Any]) -> None:
    """Check that a version of a namespace, as JSON of the API, is the one that the event registered. Raises ProofRefused."""
    try:
        digest, nid, number = digest_of_version(version), version["nid"], version["version"]
    except (LookupError, TypeError, AttributeError) as fault:
        raise NotChecked("The file is not a version of a namespace in the JSON of the API.") from fault
    recorded, expected = proven.members, proven.members.get("text_digest")
    demand(bool(recorded.get("is_public") and expected), f"Event {proven.number} is not about a text.")
    logged = recorded["nid"], recorded["details"].get("version")
    what = f"Event {proven.number} is about version {logged[1]} of “{logged[0]}”, not about version {number} of “{nid}”."
    demand(logged == (nid, number), what)
    demand(digest == expected, f"The text has the digest {digest}, the log {expected}: it was changed.")


def digest_of_version(version: Mapping[str, Any]) -> str:
    """Return the digest of a version: of its sections without empty ones, with commitments in place of the registrant's texts.

    Raises ProofRefused if a text of the registrant, or the stated digest, differs from it.
    """
    registrant = {name: text for name, text in (version["sections"].get("registrant") or {}).items() if text}
    for name, each in (version["commitments"] or {}).items():
        is_same = each["salt"] is None or digest_of_json(registrant.get(name), each["salt"]) == each["digest"]
        demand(is_same, f"“{name}” of the registrant differs from its commitment: it was changed.")
        registrant[name] = each["digest"]
    sections = {**version["sections"], "registrant": registrant}
    digest = digest_of_json({name: value for name, value in sections.items() if value})
    what = f"The text has the digest {digest}, and not {version['digest']}, which it states."
    demand(digest == version["digest"], what)
    return digest


def leaf_hash(leaf: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of_inclusion(found: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root to which a path leads (RFC 9162, Section 2.1.3.2); None if its length does not fit.

    Up to the level `inner`, the ancestor of the leaf is not the last node of its level: it has a sibling, to the left if the bit of
    the index is 1. From there on it is the last, and the path has only the hashes to its left.
    """
    inner = (index ^ (size - 1)).bit_length()
    if len(path) != inner + (index >> inner).bit_count():
        return None
    for level, each in enumerate(path):
        found = node_hash(each, found) if level >= inner or index >> level & 1 else node_hash(found, each)
    return found


def digest_of_json(value: Any, salt: str = "") -> str:
    """Return the digest of a text that is JSON, such as a profile, as the log has it; with a salt, the commitment to a value."""
    return hashlib.sha256(f"{salt}{canonical_json(value)}".encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """Return the JSON of texts, lists and objects, whose names are in ASCII (RFC 8785)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _parts(text: str) -> tuple[bytes, int, list[bytes], str]:
    """Return the leaf, the index, the path and the signed head of a proof. Raises NotChecked."""
    found = PROOF.fullmatch(text.replace("\r\n", "\n")) if len(text) <= MAX_TEXT else None
    path = [decoded(each) for each in found[3].split("\n")[:-1]] if found else []
    if not found or any(len(each) != HASH_LENGTH for each in path):
        raise NotChecked("The file is not a proof in the format of c2sp.org/tlog-proof@v1, or is damaged.")
    return decoded(found[1]), int(found[2]), path, found[4]


def leaf_members(leaf: bytes) -> Mapping[str, Any]:
    """Return the members of a leaf of format 2; none of one of format 1. Raises ProofRefused."""
    if len(leaf) == HASH_LENGTH:
        return {}
    try:
        members: dict[str, Any] = json.loads(leaf, object_pairs_hook=_object)
        demand(members["format"] == 2, f"The leaf has format {members['format']}, which is not known here.")
    except (ValueError, LookupError, TypeError, RecursionError) as fault:
        raise ProofRefused("The leaf is not an event in JSON.") from fault
    return members


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    demand(len(dict(pairs)) == len(pairs), "An object in the leaf has a name twice.")
    return dict(pairs)
