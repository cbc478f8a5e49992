"""Authorities that state when a published head existed: tokens of RFC 3161 about the octets of its note."""

import base64
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from registry.audit_log.attestations import NotAttested, last_size_of, pairs_of, post, quoted
from registry.audit_log.models import SignedHead, Timestamp


class NotStamped(NotAttested):
    """An authority did not give a time stamp of a head."""

    title = "No time stamp"


@dataclass(frozen=True, slots=True)
class Authority:
    """A time-stamping authority: the address that takes requests (RFC 3161, Section 3.4), and the roots that it is checked by."""

    address: str
    roots: tuple[x509.Certificate, ...]

    @property
    def name(self) -> str:
        """The host, by which pages and addresses call it."""
        return urlsplit(self.address).hostname or ""

    @property
    def failure(self) -> str:
        return f"The time-stamping authority {self.name} gave no time stamp."

    @property
    def last_size(self) -> int:
        """The size of the largest head that it stamped, 0 before the first one."""
        return last_size_of(Timestamp.objects.filter(authority=self.name))

    def ask(self, head: SignedHead) -> bool:
        """Ask it for a token about the note of a head, and keep its reply; return whether it is new.

        Nothing is kept that does not verify: the signature up to a root, the extended key usage, the nonce, and the SHA-256 of
        the note. Raises NotStamped or an exception of `registry.core.outgoing`.
        """
        note = head.note.encode()
        asked = TimestampRequestBuilder(note, HashAlgorithm.SHA256).build()
        reply = post(self.address, "application/timestamp-query", asked.as_bytes())
        if reply.status != HTTPStatus.OK:
            raise NotStamped(f"It refused the head of {head.size} events with {quoted(reply)}.")
        try:
            found = decode_timestamp_response(reply.body)
            VerifierBuilder(roots=list(self.roots), nonce=asked.nonce).build().verify_message(found, note)
        except (ValueError, VerificationError) as fault:
            raise NotStamped(
                f"Its reply about the head of {head.size} events is not a time stamp of it. {fault}"
            ) from fault
        values = {"reply": base64.b64encode(found.as_bytes()).decode(), "at": found.tst_info.gen_time}
        _, is_new = Timestamp.objects.get_or_create(head=head, authority=self.name, defaults=values)
        return is_new


def authorities() -> tuple[Authority, ...]:
    """Return the authorities of LOG_TIMESTAMP_AUTHORITIES. Raises ImproperlyConfigured."""
    pairs = pairs_of("LOG_TIMESTAMP_AUTHORITIES")
    found = tuple(Authority(address, _certificates(file)) for address, file in pairs)
    if len({each.name for each in found}) < len(found):
        raise ImproperlyConfigured("LOG_TIMESTAMP_AUTHORITIES: a host is there twice.")
    return found


def _certificates(file: str) -> tuple[x509.Certificate, ...]:
    try:
        return tuple(x509.load_pem_x509_certificates(Path(settings.BASE_DIR, file).read_bytes()))
    except (OSError, ValueError) as fault:
        raise ImproperlyConfigured(
            f"LOG_TIMESTAMP_AUTHORITIES: {file} is not a readable file with certificates in PEM. {fault}"
        ) from fault
