"""Signatures of heads of the log: https://c2sp.org/signed-note with Ed25519, of https://c2sp.org/tlog-checkpoint, and those of
witnesses, https://c2sp.org/tlog-cosignature.
"""

import base64
import hashlib
import re

from urnregistry.errors import PackageMissing, ProofRefused

MAX_TEXT = 1_000_000  # characters of a proof or a policy
# Signature types, with which the octets of a key begin: of a log, and of a witness.
ED25519, COSIGNATURE = b"\x01", b"\x04"
KEY_LENGTH, KEY_ID_LENGTH, TIME_LENGTH = 33, 4, 8
OWNERS = {ED25519: "log", COSIGNATURE: "witness"}
FORMS = {ED25519: "registry.example.org/audit-log+1c0a…+A…", COSIGNATURE: "witness.example.org+1c0a…+B…"}
SIGNATURE = re.compile("^\N{EM DASH} ([^ \n]*) ([^ \n]+)$", re.MULTILINE)


def demand(is_met: bool, otherwise: str) -> None:
    """Raise ProofRefused with a sentence unless a condition is met."""
    if not is_met:
        raise ProofRefused(otherwise)


def cosigned_at(note: str, key: str) -> int | None:
    """Return the time of a valid cosignature by the witness of a verifier key, in seconds since 1970; None without one.

    Raises ValueError for a key that is none.
    """
    name, key_id, public = parse_key(key, COSIGNATURE)
    text, _, signatures = note.rpartition("\n\n")
    for signature in signatures_of(name, key_id, signatures):
        at = int.from_bytes(signature[:TIME_LENGTH], "big")
        if is_valid(public, signature[TIME_LENGTH:], cosigned_text(f"{text}\n", at)):
            return at
    return None


def cosigned_text(text: str, at: int) -> bytes:
    """Return what a witness signs: the text of a checkpoint, and the time in seconds since 1970."""
    return f"cosignature/v1\ntime {at}\n{text}".encode()


def key_id_of(name: str, octets: bytes) -> bytes:
    """Return the ID of a key, which is its type and then its public part."""
    return hashlib.sha256(name.encode() + b"\n" + octets).digest()[:KEY_ID_LENGTH]


def parse_key(key: str, kind: bytes = ED25519) -> tuple[str, bytes, bytes]:
    """Return the name, the ID and the 32 octets of a verifier key of a log, or of a witness. Raises ValueError."""
    name, _, rest = key.partition("+")
    key_id, _, encoded = rest.partition("+")
    octets = decoded(encoded)
    expected = key_id_of(name, octets)
    owner = OWNERS.get(octets[:1]) if len(octets) == KEY_LENGTH and key_id == expected.hex() else None
    if owner == OWNERS[kind]:
        return name, expected, octets[1:]
    other = f": it is one of a {owner}" if owner else ""
    raise ValueError(f"“{key[:80]}” is not a verifier key of a {OWNERS[kind]}, like {FORMS[kind]}{other}.")


def signatures_of(name: str, key_id: bytes, lines: str) -> list[bytes]:
    """Return the signatures in signature lines by the key with this name and ID."""
    found = [decoded(encoded) for signer, encoded in SIGNATURE.findall(lines) if signer == name]
    return [octets.removeprefix(key_id) for octets in found if octets.startswith(key_id)]


def decoded(text: str) -> bytes:
    """Decode base64 in its one form, without bits that mean nothing; return no octets for another text."""
    try:
        octets = base64.b64decode(text, validate=True)
    except ValueError:  # binascii.Error, or characters beyond ASCII
        return b""
    return octets if base64.b64encode(octets).decode() == text else b""


def is_valid(public: bytes, signature: bytes, text: bytes) -> bool:
    try:  # it is optional, and needed here alone
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    except ImportError as fault:
        raise PackageMissing("To check signatures, run: pip install 'urnregistry[signatures]'.") from fault
    except InvalidSignature:
        return False
    return True
