"""Signatures of heads of the log: https://c2sp.org/signed-note with Ed25519, of https://c2sp.org/tlog-checkpoint, and those of
witnesses, https://c2sp.org/tlog-cosignature.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator

from urnregistry.errors import LogError, PackageMissing

# Signature types: of a log, and of a witness.
ED25519, COSIGNATURE = b"\x01", b"\x04"
KEY_ID_LENGTH, TIME_LENGTH = 4, 8
NAMES = {ED25519: "registry.example.org/audit-log+1c0a…+A…", COSIGNATURE: "witness.example.org+1c0a…+B…"}


class WrongSignature(LogError):
    """A signed head has no valid signature of a trusted key, or says something else than the registry."""


def verify_note(note: str, size: int, root_hash: str, keys: Iterable[str]) -> None:
    """Check that one of the verifier keys (NAME+ID+KEY) signed this size and root hash. Raises WrongSignature.

    The name of a key is that of its log, so that the key of one log does not vouch for another.
    """
    text, _, signatures = note.rpartition("\n\n")
    for key in keys:
        name, key_id, public = parse_key(key)
        if text.split("\n") != [name, str(size), root_hash]:
            continue
        for signature in signatures_of(name, key_id, signatures):
            if is_valid(public, signature, f"{text}\n".encode()):
                return
    raise WrongSignature(f"The signed head of {size} events has no valid signature of a key that you trust.")


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


def key_id_of(name: str, kind: bytes, public: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + kind + public).digest()[:KEY_ID_LENGTH]


def parse_key(key: str, kind: bytes = ED25519) -> tuple[str, bytes, bytes]:
    """Return the name, the ID and the 32 octets of a verifier key of a log, or of a witness. Raises ValueError."""
    name, _, rest = key.partition("+")
    key_id, _, encoded = rest.partition("+")
    octets = decoded(encoded)
    expected = key_id_of(name, octets[:1], octets[1:])
    if len(octets) != 33 or octets[:1] != kind or key_id != expected.hex():
        whose = "of a witness, " if kind == COSIGNATURE else ""
        is_other = len(octets) == 33 and octets[:1] in NAMES and key_id == expected.hex()
        other = f": it is one of a {'log' if kind == COSIGNATURE else 'witness'}" if is_other else ""
        raise ValueError(f"“{key[:80]}” is not a verifier key {whose}such as {NAMES[kind]}{other}.")
    return name, expected, octets[1:]


def signatures_of(name: str, key_id: bytes, lines: str) -> Iterator[bytes]:
    for line in lines.splitlines():
        dash, _, rest = line.partition(" ")
        signer, _, encoded = rest.partition(" ")
        octets = decoded(encoded)
        if dash == "\N{EM DASH}" and signer == name and octets[:KEY_ID_LENGTH] == key_id:
            yield octets[KEY_ID_LENGTH:]


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
    except ImportError as fault:
        raise PackageMissing("To check signatures, run: pip install 'urnregistry[signatures]'.") from fault
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    except InvalidSignature:
        return False
    return True
