"""Proof that an escrow is the one that the registry wrote: the noted digest of its manifest, or a signature.

The manifest contains the digest of every file, so a proof of the manifest is a proof of the escrow.
"""

from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from registry.audit_log.signed_notes import (
    MalformedNote,
    UntrustedNote,
    VerifierKey,
    WrongSignature,
    open_note,
)
from registry.audit_log.signing_keys import signing_key, trusted_keys
from registry.core.exceptions import RegistryError
from registry.core.foreign_files import read_small

NOTE = "manifest.note"
# It differs from the first line of a checkpoint, which is the name of a key, so one can't be used as the other.
STATEMENT = "Escrow of a registry of URN namespaces, SHA-256 of manifest.json:"

UNPROVEN = (
    "Nothing proves that the registry wrote it: it agrees with its manifest, but a person who changed the files and "
    "the manifest would not be noticed."
)


class ForgedEscrow(RegistryError):
    """The manifest contradicts its signature, or what the reader knows of it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The escrow is not genuine"


class UnprovenEscrow(RegistryError):
    """Nothing proves who wrote the manifest."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The escrow is unproven"


@dataclass(frozen=True, slots=True)
class FoundEscrow:
    """The folder of an escrow, its manifest with the SHA-256 of its text, and what proves it."""

    folder: Path
    manifest: dict[str, Any]
    digest: str
    proofs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trust:
    """What the reader of an escrow knows: the digest of its manifest, or keys. Without keys, those of the settings."""

    digest: str = ""
    keys: tuple[VerifierKey, ...] = ()
    accepts_unproven: bool = False


TRUST_SETTINGS = Trust()


def signature_of(digest: str) -> str | None:
    """Return the signed note about a manifest; None without a signing key."""
    key = signing_key()
    return key.sign(_statement(digest)) if key else None


def prove(escrow: FoundEscrow, trust: Trust) -> FoundEscrow:
    """Return the escrow with its proofs; none if nothing proves or disproves it. Raises ForgedEscrow."""
    proofs = []
    if trust.digest:
        if trust.digest != escrow.digest:
            raise ForgedEscrow(f"The SHA-256 of its manifest is {escrow.digest}, not {trust.digest}.")
        proofs.append("the digest of the manifest")
    if signer := _signer(escrow, trust):
        proofs.append(f"the signature of {signer}")
    return replace(escrow, proofs=tuple(proofs))


def check_proven(escrow: FoundEscrow, trust: Trust) -> FoundEscrow:
    """Return the escrow with its proofs. Raises ForgedEscrow, or UnprovenEscrow unless that is accepted."""
    escrow = prove(escrow, trust)
    if not escrow.proofs and not trust.accepts_unproven:
        raise UnprovenEscrow(
            f"{UNPROVEN} Give the digest that was noted when it was written, with --digest, or the verifier key of "
            "the registry, with --key. To restore it nevertheless, use --unproven."
        )
    return escrow


def _signer(escrow: FoundEscrow, trust: Trust) -> VerifierKey | None:
    """Return the trusted key that signed the manifest, None if there is none and no key was given."""
    path = escrow.folder / NOTE
    try:
        text, key = open_note(read_small(path).decode(errors="replace"), trust.keys or trusted_keys())
    except WrongSignature as fault:
        raise ForgedEscrow(f"{path}: {fault}") from fault
    except (FileNotFoundError, MalformedNote, UntrustedNote) as fault:
        if not trust.keys:
            return None
        reason = (
            "is missing: the escrow is not signed." if isinstance(fault, FileNotFoundError) else str(fault)
        )
        raise ForgedEscrow(f"{path}: {reason}") from fault
    if text != _statement(escrow.digest):
        raise ForgedEscrow(
            f"{path} is not about this manifest: the manifest was changed after it was signed."
        )
    return key


def _statement(digest: str) -> str:
    return f"{STATEMENT}\n{digest}\n"
