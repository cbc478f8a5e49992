"""Checkpoints: the size and the root hash of the log as a signed note, as in https://c2sp.org/tlog-checkpoint."""

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass

from registry.audit_log.merkle import HASH_LENGTH
from registry.audit_log.signing.signed_notes import (
    MalformedNote,
    SigningKey,
    UntrustedNote,
    VerifierKey,
    open_note,
    text_of,
)

SIZE_PATTERN = re.compile("0|[1-9][0-9]{0,17}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The origin, which identifies the log, the number of its events, and the root of their Merkle tree.

    A leaf of the tree is the digest of an event as 32 octets.
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
