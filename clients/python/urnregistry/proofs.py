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
from typing import TYPE_CHECKING, Any

from urnregistry.errors import RegistryError
from urnregistry.signed_notes import WrongSignature, decoded, verify_note

if TYPE_CHECKING:
    from urnregistry.policies import Policy

HEADER = "c2sp.org/tlog-proof@v1"
NUMBER = re.compile("0|[1-9][0-9]{0,17}")
HASH_LENGTH = 32
MAX_PATH = 63
MAX_TEXT = 1_000_000  # characters of a proof
ANOTHER_FORM = "The file is not a proof in the format of c2sp.org/tlog-proof@v1"


class ProofRefused(RegistryError):
    """A proof does not show what it should. The text says why."""


class NotChecked(ProofRefused):
    """A file is no proof, or no version, at all, so that nothing was checked."""


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


def verify_proof(text: str, keys: Iterable[str], policy: "Policy | None" = None) -> ProvenEvent:
    """Check a proof with the verifier keys of the log, and its cosignatures by a policy, which can name keys of logs too.

    Raises ProofRefused, or ValueError for a key that is none.
    """
    leaf, index, path, note = _parts(text)
    head = verify_head(note, (*keys, *(policy.logs if policy else ())))
    cosigners = policy.check(note) if policy else {}
    if index >= head.size:
        raise ProofRefused(f"The proof is about event {index + 1}, but its head has {head.size} events.")
    if root_of_inclusion(leaf_hash(leaf), index, head.size, path) != head.root:
        raise ProofRefused(
            "The event, its number and the path do not lead to the root hash that the log signed: something was changed."
        )
    members = leaf_members(leaf)
    if members and members["number"] != index + 1:
        raise ProofRefused(f"The leaf says that it is event {members['number']}, and stands at {index + 1}.")
    return ProvenEvent(index + 1, members, head, cosigners)


def verify_head(note: str, keys: Iterable[str]) -> Checkpoint:
    """Return what a signed head says, if a key signed it. Raises ProofRefused."""
    above, _, below = note.partition("\n\n")
    lines, (*signatures, last) = above.split("\n"), below.split("\n")
    is_signed = not last and all(map(_is_signature, signatures))
    root = decoded(lines[2]) if len(lines) == 3 and NUMBER.fullmatch(lines[1]) else b""
    if not is_signed or len(root) != HASH_LENGTH:
        raise ProofRefused("The text is not a head of the log in the format of c2sp.org/tlog-checkpoint.")
    try:
        verify_note(note, int(lines[1]), lines[2], keys)
    except WrongSignature as fault:
        raise ProofRefused(str(fault)) from fault
    return Checkpoint(lines[0], int(lines[1]), root)


def verify_version(proven: ProvenEvent, version: Mapping[str, Any]) -> None:
    """Check that a version of a namespace, as JSON of the API, is the one that the event registered. Raises ProofRefused."""
    try:
        digest, nid, number = digest_of_version(version), version["nid"], version["version"]
    except (LookupError, TypeError, AttributeError) as fault:
        raise NotChecked("The file is not a version of a namespace in the JSON of the API.") from fault
    recorded = proven.members
    if not recorded or not recorded["is_public"] or recorded["text_digest"] is None:
        raise ProofRefused(f"Event {proven.number} is not about a text.")
    if (recorded["nid"], recorded["details"].get("version")) != (nid, number):
        raise ProofRefused(
            f"Event {proven.number} is about version {recorded['details'].get('version')} of “{recorded['nid']}”, "
            f"not about version {number} of “{nid}”."
        )
    if recorded["text_digest"] != digest:
        raise ProofRefused(
            f"The text has the digest {digest}, the log {recorded['text_digest']}: it was changed."
        )


def digest_of_version(version: Mapping[str, Any]) -> str:
    """Return the digest of a version: of its sections without empty ones, with commitments in place of the registrant's texts.

    Raises ProofRefused if a text of the registrant, or the stated digest, differs from it.
    """
    sections = {name: value for name, value in version["sections"].items() if value}
    registrant = {name: value for name, value in (sections.pop("registrant", None) or {}).items() if value}
    for name, each in (version["commitments"] or {}).items():
        if each["salt"] is not None and salted(each["salt"], registrant.get(name)) != each["digest"]:
            raise ProofRefused(f"“{name}” of the registrant differs from its commitment: it was changed.")
        registrant[name] = each["digest"]
    if registrant:
        sections["registrant"] = registrant
    digest = digest_of_json(sections)
    if digest != version["digest"]:
        raise ProofRefused(f"The text has the digest {digest}, and not {version['digest']}, which it states.")
    return digest


def verify_actor(proven: ProvenEvent, name: str, salt: str) -> None:
    """Check the name of the person who acted, with the salt in `actor_salt` of the API. Raises ProofRefused."""
    if proven.members.get("actor") != salted(salt, {"shown": name}):
        raise ProofRefused(f"The log does not say that “{name}” made event {proven.number}.")


def leaf_hash(leaf: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of_inclusion(found: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """RFC 9162, Section 2.1.3.2: return the root to which a path leads; None if its length does not fit."""
    at, last = index, size - 1
    for each in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            found = node_hash(each, found)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, each)
        at, last = at >> 1, last >> 1
    return None if last else found


def salted(salt: str, value: Any) -> str:
    """Return the commitment to a value: SHA-256 of the salt and its JSON, in hexadecimal."""
    return hashlib.sha256(f"{salt}{canonical_json(value)}".encode()).hexdigest()


def digest_of_json(value: Any) -> str:
    """Return the digest of a text that is JSON, such as a profile, as the log has it."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """Return the JSON of texts, lists and objects, whose names are in ASCII (RFC 8785)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _parts(text: str) -> tuple[bytes, int, list[bytes], str]:
    """Return the leaf, the index, the path and the signed head of a proof. Raises ProofRefused."""
    above, empty, note = text.replace("\r\n", "\n").partition("\n\n")
    lines = above.split("\n")
    if len(text) > MAX_TEXT or not empty or len(lines) < 3 or lines[0] != HEADER:
        raise NotChecked(f"{ANOTHER_FORM}.")
    extra, index = lines[1].removeprefix("extra "), lines[2].removeprefix("index ")
    if extra == lines[1] or index == lines[2] or not NUMBER.fullmatch(index):
        raise NotChecked(f"{ANOTHER_FORM}: the leaf or the index is missing.")
    path = [decoded(each) for each in lines[3:]]
    if len(path) > MAX_PATH or any(len(each) != HASH_LENGTH for each in path):
        raise NotChecked(f"{ANOTHER_FORM}: a hash has another length.")
    return decoded(extra), int(index), path, note


def leaf_members(leaf: bytes) -> Mapping[str, Any]:
    """Return the members of a leaf of format 2; none of one of format 1. Raises ProofRefused."""
    if len(leaf) == HASH_LENGTH:
        return {}
    try:
        members = json.loads(leaf, object_pairs_hook=_object)
        if members["format"] != 2:
            raise ProofRefused(f"The leaf has format {members['format']}, which this program does not know.")
    except (ValueError, LookupError, TypeError, RecursionError) as fault:
        raise ProofRefused("The leaf is not an event in JSON.") from fault
    known: Mapping[str, Any] = members
    return known


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(members := dict(pairs)) != len(pairs):
        raise ValueError("A name is there twice.")
    return members


def _is_signature(line: str) -> bool:
    parts = line.split(" ")
    return len(parts) == 3 and parts[0] == "\N{EM DASH}" and bool(decoded(parts[2]))
