"""Signatures of heads of the log: https://c2sp.org/signed-note with Ed25519, of https://c2sp.org/tlog-checkpoint."""

import base64
import hashlib
from collections.abc import Iterable, Iterator

from urnregistry.errors import LogError, PackageMissing

ED25519 = b"\x01"
KEY_ID_LENGTH = 4


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
        for signature in _signatures_of(name, key_id, signatures):
            if _is_valid(public, signature, f"{text}\n".encode()):
                return
    raise WrongSignature(f"The signed head of {size} events has no valid signature of a key that you trust.")


def parse_key(key: str) -> tuple[str, bytes, bytes]:
    """Return the name, the ID and the 32 octets of a verifier key. Raises ValueError."""
    name, _, rest = key.partition("+")
    key_id, _, encoded = rest.partition("+")
    octets = _decoded(encoded)
    expected = hashlib.sha256(name.encode() + b"\n" + octets).digest()[:KEY_ID_LENGTH]
    if len(octets) != 33 or octets[:1] != ED25519 or key_id != expected.hex():
        raise ValueError(
            f"“{key[:80]}” is not a verifier key, such as registry.example.org/audit-log+1c0a…+A…."
        )
    return name, expected, octets[1:]


def _signatures_of(name: str, key_id: bytes, lines: str) -> Iterator[bytes]:
    for line in lines.splitlines():
        dash, _, rest = line.partition(" ")
        signer, _, encoded = rest.partition(" ")
        octets = _decoded(encoded)
        if dash == "\N{EM DASH}" and signer == name and octets[:KEY_ID_LENGTH] == key_id:
            yield octets[KEY_ID_LENGTH:]


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:  # binascii.Error, or characters beyond ASCII
        return b""


def _is_valid(public: bytes, signature: bytes, text: bytes) -> bool:
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
