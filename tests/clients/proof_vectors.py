"""Proofs for both clients: a small log, made from the texts of C2SP and RFC 9162 alone, and what a verifier must say of it."""

import base64
import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from urnregistry.witness import WitnessKey

from registry.audit_log.signed_notes import SigningKey
from registry.core.canonical_json import canonical
from registry.registration_template.commitments import commit_to
from registry.registration_template.formatting import format_template
from registry.registration_template.sections import Registrant
from registry.registration_template.template import RegistrationTemplate
from tests.audit_log.test_tiles import mth

LOG = SigningKey("registry.example.org/audit-log", bytes(range(32)))
ANOTHER_LOG = SigningKey(LOG.name, bytes(32))
WITNESS = WitnessKey("witness.example.org", bytes([1] * 32))
ANOTHER_WITNESS = WitnessKey("witness.example.net", bytes([2] * 32))
POLICY = f"""log {LOG.verifier}
witness first {WITNESS.verifier}
witness second {ANOTHER_WITNESS.verifier}
group either any first second
quorum either
"""
SIZE, INDEX = 7, 4
TEMPLATE = RegistrationTemplate(
    namespace_identifier="example-trees",
    version=2,
    date="2026-01-31",
    registrant=Registrant(
        organization="Bäume “Öffentlich” 🌳",
        address="1 Example Street\nExampleton",
        email="trees@example.org",
        other="Fast track: this line is not the field.",
    ),
    purpose=f"{'Words that are folded at 72 columns 🌳 '.rstrip()} and go on. " * 5 + "End.",
    syntax="Purpose: not a title\n\n  indented = 1*DIGIT",
)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a verifier gets."""

    proof: str
    keys: tuple[str, ...] = (str(LOG.verifier),)
    policy: str | None = None
    version: dict[str, Any] | None = None
    text: str | None = None


def a_version(template: RegistrationTemplate = TEMPLATE) -> dict[str, Any]:
    commitments = commit_to(template.registrant)
    return {
        "nid": template.namespace_identifier,
        "version": template.version,
        "digest": template.digest(commitments),
        "sections": template.to_json(),
        "commitments": commitments,
    }


def a_proof(members: dict[str, Any], *, index: int = INDEX, log: SigningKey = LOG) -> str:
    """The proof of one leaf among others, below a head with the cosignature of the first witness."""
    leaves = [f"leaf {number}".encode() for number in range(SIZE)]
    leaves[INDEX] = canonical({"format": 2, "number": INDEX + 1, "is_public": True} | members).encode()
    hashed = [hashlib.sha256(b"\x00" + each).digest() for each in leaves]
    root, path = mth(hashed), path_of(INDEX, hashed)
    text = f"{log.name}\n{SIZE}\n{_encoded(root)}\n"
    hashes = "".join(f"{_encoded(each)}\n" for each in path)
    return (
        f"c2sp.org/tlog-proof@v1\nextra {_encoded(leaves[INDEX])}\nindex {index}\n{hashes}\n"
        f"{log.sign(text)}{WITNESS.cosign(text, 1_790_000_000)}"
    )


def path_of(index: int, hashes: list[bytes]) -> list[bytes]:
    """RFC 9162, Section 2.1.3.1."""
    if len(hashes) == 1:
        return []
    half = 1 << ((len(hashes) - 1).bit_length() - 1)
    if index < half:
        return [*path_of(index, hashes[:half]), mth(hashes[half:])]
    return [*path_of(index - half, hashes[half:]), mth(hashes[:half])]


def _encoded(octets: bytes) -> str:
    return base64.b64encode(octets).decode()


VERSION = a_version()
MEMBERS: dict[str, Any] = {
    "verb": "assign",
    "nid": "example-trees",
    "at": "2026-01-31T12:00:00Z",
    "text_digest": VERSION["digest"],
    "details": {"version": 2},
}
TEXT = format_template(TEMPLATE)
GOOD = Evidence(proof=a_proof(MEMBERS), policy=POLICY, version=VERSION, text=TEXT)


def _version(**members: Any) -> Evidence:
    return replace(GOOD, version=VERSION | members)


def _sections(**sections: Any) -> Evidence:
    return _version(sections=VERSION["sections"] | sections)


ERASED = _version(
    sections=VERSION["sections"] | {"registrant": VERSION["sections"]["registrant"] | {"email": "[erased]"}},
    commitments=VERSION["commitments"]
    | {"email": {"salt": None, "digest": VERSION["commitments"]["email"]["digest"]}},
)
# What is good, and the part of the refusal by both clients of what is not.
CASES: dict[str, tuple[Evidence, str]] = {
    "all": (GOOD, ""),
    "the proof alone": (Evidence(proof=GOOD.proof), ""),
    "the key in the policy alone": (replace(GOOD, keys=()), ""),
    "line breaks of Windows": (
        replace(GOOD, proof=GOOD.proof.replace("\n", "\r\n"), text=TEXT.replace("\n", "\r\n")),
        "",
    ),
    "an erased address": (
        replace(ERASED, text=TEXT.replace("trees@example.org", "[erased]")),
        "",
    ),
    "another index": (
        Evidence(proof=GOOD.proof.replace("index 4", "index 5")),
        "do not lead to the root hash",
    ),
    "another key": (
        replace(GOOD, keys=(str(ANOTHER_LOG.verifier),), policy=None),
        "no valid signature of a key that you trust",
    ),
    "another log": (
        replace(GOOD, proof=a_proof(MEMBERS, log=ANOTHER_LOG)),
        "no valid signature of a key that you trust",
    ),
    "no cosignature of the other witness": (
        replace(GOOD, policy=POLICY.replace("quorum either", "quorum second")),
        "lacks cosignatures",
    ),
    "too few cosignatures": (
        replace(GOOD, policy=POLICY.replace("either any", "either all")),
        "lacks cosignatures",
    ),
    "an index beyond the head": (
        Evidence(proof=GOOD.proof.replace("index 4", "index 7")),
        "but its head has 7 events",
    ),
    "another number": (
        replace(GOOD, proof=a_proof(MEMBERS | {"number": 4})),
        "The leaf says that it is event 4",
    ),
    "another format": (replace(GOOD, proof=a_proof(MEMBERS | {"format": 3})), "format"),
    "an event that is not public": (
        replace(GOOD, proof=a_proof(MEMBERS | {"is_public": False})),
        "not about",
    ),
    "another version": (_version(version=3), "not about version 3 of “example-trees”"),
    "another namespace": (_version(nid="example-birds"), "not about version 2 of “example-birds”"),
    "the text of another version": (_sections(purpose="Another purpose."), "The text has the digest"),
    "an added section": (_sections(security="None."), "The text has the digest"),
    "another registrant": (
        _sections(registrant=VERSION["sections"]["registrant"] | {"email": "birds@example.org"}),
        "“email” of the registrant differs from its commitment",
    ),
    "another digest": (_version(digest="0" * 64), "The text has the digest"),
    "another word": (
        replace(GOOD, text=TEXT.replace("Exampleton", "Elsewhere")),
        "From the section “Registrant” on, the text differs",
    ),
    "another line": (
        replace(GOOD, text=TEXT.replace("Date:", "Date: ")),
        "From the section “Date” on, the text differs",
    ),
    "an added line": (replace(GOOD, text=f"{TEXT}More.\n"), "goes on after the last section"),
    "a version without sections": (
        replace(GOOD, version={"nid": "example-trees"}, text=None),
        "is not a version of a namespace",
    ),
    "no proof": (Evidence(proof="c2sp.org/tlog-proof@v2\n"), "is not a proof"),
}


def as_json() -> str:
    """The cases as `clients/typescript/test/proofs.test.ts` reads them."""
    return json.dumps(
        [
            {"name": name, "evidence": _given(each), "refusal": refusal}
            for name, (each, refusal) in CASES.items()
        ]
    )


def _given(evidence: Evidence) -> dict[str, Any]:
    return {name: value for name, value in asdict(evidence).items() if value is not None}


def changes(text: str) -> list[str]:
    """The text with one character changed, at each place."""
    return [f"{text[:at]}{'C' if each == 'B' else 'B'}{text[at + 1 :]}" for at, each in enumerate(text)]
