"""Cosignatures of checkpoints by witnesses: `cosignature/v1` with Ed25519, of https://c2sp.org/tlog-cosignature."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from registry.audit_log.signed_notes import MalformedNote, UntrustedNote, VerifierKey, signatures_of

COSIGNATURE = b"\x04"  # the signature type
HEADER = "cosignature/v1"
TIME_LENGTH = 8
LATEST = 253_402_300_799  # seconds from 1970 to the end of the year 9999, which is as far as dates go


@dataclass(frozen=True, slots=True)
class WitnessKey(VerifierKey):
    """The public key of a witness. Raises MalformedKey."""

    signature_type: ClassVar[bytes] = COSIGNATURE
    form: ClassVar[str] = "verifier key of a witness, such as witness.example.org+1c0a…+B…"

    def verifies(self, signature: bytes, text: str) -> bool:
        """Whether a signature, which begins with its time in 8 octets, is one of the text of a checkpoint."""
        seconds = int.from_bytes(signature[:TIME_LENGTH], "big")
        signed = f"{HEADER}\ntime {seconds}\n{text}"
        return VerifierKey.verifies(self, signature[TIME_LENGTH:], signed)


@dataclass(frozen=True, slots=True)
class SignedLine:
    """A signature line of a witness, without its line break, and the time that the witness states."""

    text: str
    at: datetime


def cosignature_of(note: str, lines: str, key: WitnessKey) -> SignedLine:
    """Return the line of a witness among signature lines, for the checkpoint in a note.

    Lines of other keys are ignored, as https://c2sp.org/tlog-witness asks. Raises MalformedNote or UntrustedNote.
    """
    text, separator, _ = note.rpartition("\n\n")
    if "\n\n" in f"\n{lines}":  # what is before it would be read as text
        raise MalformedNote("There is an empty line among the signature lines.")
    signatures = signatures_of(f"{text}{separator}{lines}")
    for line, each in zip(lines.split("\n"), signatures, strict=False):
        seconds = int.from_bytes(each.octets[:TIME_LENGTH], "big")
        if (each.name, each.key_id) != (key.name, key.key_id) or seconds > LATEST:
            continue
        if key.verifies(each.octets, f"{text}\n"):
            return SignedLine(line, datetime.fromtimestamp(seconds, UTC))
    raise UntrustedNote(f"No line is a valid cosignature of {key.name}.")
