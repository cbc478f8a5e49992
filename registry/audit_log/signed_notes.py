"""Texts signed with Ed25519 in the format https://c2sp.org/signed-note, the textual forms of its keys, and
checkpoints of the log as such notes (https://c2sp.org/tlog-checkpoint).
"""

import base64
import binascii
import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Self

from registry.audit_log.merkle import HASH_LENGTH
from registry.core.exceptions import RegistryError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


ED25519 = b"\x01"  # the signature type of a log
KEY_LENGTH = 32
KEY_ID_LENGTH = 4
PRIVATE = "PRIVATE+KEY+"
MAX_SIGNATURES = 100  # a verifier must accept 16
MAX_NAMED = 3
SIGNATURE_PATTERN = re.compile("\N{EM DASH} ([^ ]+) ([A-Za-z0-9+/=]+)")
CONTROL_CHARACTER = re.compile(r"[\x00-\x09\x0b-\x1f]")


class MalformedKey(RegistryError):
    """A text is not a key in the form of signed notes."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Malformed key"


class MalformedNote(RegistryError):
    """A text is not a signed note."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Malformed note"


class UntrustedNote(RegistryError):
    """A note has no valid signature of a trusted key. Its text must be ignored."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Untrusted note"


class WrongSignature(UntrustedNote):
    """The signature of a trusted key is wrong: the note was changed, or its signature was made up."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key. `str()` is its textual form, NAME+ID+KEY. Raises MalformedKey."""

    name: str
    public: bytes

    # The signature type, and how messages name such a key.
    signature_type: ClassVar[bytes] = ED25519
    form: ClassVar[str] = "verifier key, such as registry.example.org/audit-log+1c0a…+A…"

    def __post_init__(self) -> None:
        _check_name(self.name)

    @property
    def key_id(self) -> bytes:
        named = self.name.encode() + b"\n" + self.signature_type + self.public
        return hashlib.sha256(named).digest()[:KEY_ID_LENGTH]

    def __str__(self) -> str:
        return (
            f"{self.name}+{self.key_id.hex()}+{base64.b64encode(self.signature_type + self.public).decode()}"
        )

    @classmethod
    def parse(cls, text: str) -> Self:
        name, key_id, public = _parse_key(text, cls.form, cls.signature_type)
        key = cls(name, public)
        _check_key_id(key, key_id)
        return key

    def verifies(self, signature: bytes, text: str) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, whose seed is not part of its `repr()`. Raises MalformedKey."""

    name: str
    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        _check_name(self.name)

    @classmethod
    def generate(cls, name: str) -> "SigningKey":
        return cls(name, secrets.token_bytes(KEY_LENGTH))

    @classmethod
    def parse(cls, text: str) -> "SigningKey":
        form = "private key as `manage.py make_signing_key` writes it"
        if not text.startswith(PRIVATE):
            raise MalformedKey(f"The text is not a {form}.")
        name, key_id, seed = _parse_key(text.removeprefix(PRIVATE), form)
        key = cls(name, seed)
        _check_key_id(key.verifier, key_id)
        return key

    def to_text(self) -> str:
        """Return the secret in its textual form, PRIVATE+KEY+NAME+ID+SEED."""
        seed = base64.b64encode(ED25519 + self.seed).decode()
        return f"{PRIVATE}{self.name}+{self.verifier.key_id.hex()}+{seed}"

    @property
    def verifier(self) -> VerifierKey:
        return VerifierKey(self.name, self._private.public_key().public_bytes_raw())

    @property
    def _private(self) -> "Ed25519PrivateKey":
        # Most web processes never sign; the library takes 7 MB.
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.seed)

    def sign(self, text: str) -> str:
        """Return `text`, which ends with a line break, as a note with one signature. Raises MalformedNote."""
        if not text.endswith("\n") or CONTROL_CHARACTER.search(text):
            raise MalformedNote("The text of a note consists of lines, without other control characters.")
        signature = base64.b64encode(self.verifier.key_id + self._private.sign(text.encode())).decode()
        return f"{text}\n\N{EM DASH} {self.name} {signature}\n"


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature line of a note: the name and the ID of the key, and the signature itself."""

    name: str
    key_id: bytes
    octets: bytes


def text_of(note: str) -> str:
    """Return the text of a note without checking its signatures. Raises MalformedNote."""
    return _split(note)[0]


def signatures_of(note: str) -> list[Signature]:
    """Return the signatures of a note without checking them. Raises MalformedNote."""
    return _split(note)[1]


def open_note(note: str, keys: Iterable[VerifierKey]) -> tuple[str, VerifierKey]:
    """Return the text of a note, and the first of its signers that is one of `keys`.

    Signatures of other keys are ignored. If that of one of `keys` is wrong, the note is rejected. Raises
    MalformedNote, UntrustedNote or WrongSignature.
    """
    text, signatures = _split(note)
    known = {(key.name, key.key_id): key for key in keys}
    signers = [known.get((each.name, each.key_id)) for each in signatures]
    trusted = [key for key in signers if key]
    if not trusted:
        names = ", ".join(f"{each.name}+{each.key_id.hex()}" for each in signatures[:MAX_NAMED])
        raise UntrustedNote(f"The note is signed by {names}, which is not a key that you trust.")
    for key, signature in zip(signers, signatures, strict=True):
        if key and not key.verifies(signature.octets, text):
            raise WrongSignature(
                f"The signature of {key.name} is wrong: the note was changed, or this key did not sign it."
            )
    return text, trusted[0]


def _split(note: str) -> tuple[str, list[Signature]]:
    """Return the text of a note and its signatures. The last empty line is between them."""
    text, separator, signatures = note.rpartition("\n\n")
    lines = signatures.split("\n")
    if not separator or lines.pop() or not lines or CONTROL_CHARACTER.search(note):
        raise MalformedNote(
            "A signed note is a text, an empty line, and signatures, each a line that begins with “\N{EM DASH}”."
        )
    if len(lines) > MAX_SIGNATURES:
        raise MalformedNote(f"The note has more than {MAX_SIGNATURES} signatures.")
    return f"{text}\n", [_signature(line) for line in lines]


def _signature(line: str) -> Signature:
    found = SIGNATURE_PATTERN.fullmatch(line)
    octets = _decoded(found[2]) if found else b""
    if not found or not _is_name(found[1]) or len(octets) <= KEY_ID_LENGTH:
        raise MalformedNote(
            f"“{line[:80]}” is not a signature: “\N{EM DASH}”, the name of a key, and base64."
        )
    return Signature(found[1], octets[:KEY_ID_LENGTH], octets[KEY_ID_LENGTH:])


def _parse_key(text: str, form: str, signature_type: bytes = ED25519) -> tuple[str, str, bytes]:
    """Return the name, the key ID in hexadecimal and the 32 octets of a key."""
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    octets = _decoded(encoded)
    if len(octets) != 1 + KEY_LENGTH or octets[:1] != signature_type:
        raise MalformedKey(f"The text is not a {form}.")
    return name, key_id, octets[1:]


def _decoded(text: str) -> bytes:
    """Decode base64; return no octets if the text is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


def _check_key_id(key: VerifierKey, key_id: str) -> None:
    if key.key_id.hex() != key_id:
        raise MalformedKey(
            f"The key ID of {key.name} does not fit the key: a character is missing or changed."
        )


def _check_name(name: str) -> None:
    if not _is_name(name):
        raise MalformedKey(
            f"“{name[:80]}” can't be the name of a key: it is empty, or contains a space or “+”."
        )


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(char.isspace() or char < " " for char in name)


SIZE_PATTERN = re.compile("0|[1-9][0-9]{0,17}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The origin, which identifies the log, the number of its events, and the root of their Merkle tree.

    `leaves` says what the leaves of the tree are.
    """

    origin: str
    size: int
    root: bytes

    @property
    def encoded_root(self) -> str:
        return base64.b64encode(self.root).decode()

    def signed(self, key: SigningKey) -> str:
        """Return the signed note."""
        return key.sign(f"{self.origin}\n{self.size}\n{self.encoded_root}\n")

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Parse the text of a note; lines after the third are extensions, and ignored. Raises MalformedNote."""
        *lines, last = text.split("\n")
        if last or len(lines) < 3 or not all(lines) or not SIZE_PATTERN.fullmatch(lines[1]):
            raise MalformedNote(
                "The text of the note is not a checkpoint. Its lines are the origin, the number of events and the root hash."
            )
        return cls(lines[0], int(lines[1]), _decoded_root(lines[2]))

    @classmethod
    def of_note(cls, note: str) -> "Checkpoint":
        """Return the checkpoint in a note without checking its signature. Raises MalformedNote."""
        return cls.parse(text_of(note))

    @classmethod
    def verified(cls, note: str, keys: Iterable[VerifierKey]) -> "Checkpoint":
        """Return the checkpoint in a note that the log of one of `keys` signed. Raises MalformedNote or UntrustedNote.

        The name of a log's key is its origin, so that the key of one log does not vouch for another.
        """
        text, key = open_note(note, keys)
        checkpoint = cls.parse(text)
        if checkpoint.origin != key.name:
            raise UntrustedNote(f"The note is about the log “{checkpoint.origin}”, but {key.name} signed it.")
        return checkpoint


def _decoded_root(text: str) -> bytes:
    try:
        root = base64.b64decode(text, validate=True)
    except binascii.Error:
        root = b""
    if len(root) != HASH_LENGTH:
        raise MalformedNote(f"“{text[:80]}” is not a root hash: {HASH_LENGTH} octets in base64.")
    return root
