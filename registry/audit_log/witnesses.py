"""Witnesses, which the registry asks for cosignatures of its published heads: https://c2sp.org/tlog-witness."""

import base64
import re
from dataclasses import dataclass
from http import HTTPStatus

from django.core.exceptions import ImproperlyConfigured

from registry.audit_log.attestations import NotAttested, last_size_of, pairs_of, post, quoted
from registry.audit_log.cosignatures import WitnessKey, cosignature_of
from registry.audit_log.models import Cosignature, SignedHead
from registry.audit_log.proofs import Tree
from registry.audit_log.signed_notes import MalformedKey, MalformedNote, UntrustedNote
from registry.core.outgoing.https_requests import Reply

MAX_KEY = 300  # characters, as in the column
SIZE = re.compile(rb"(0|[1-9][0-9]{0,17})\n")


class NotCosigned(NotAttested):
    """A witness did not cosign a head."""

    title = "No cosignature"


class HeadContradicted(NotCosigned):
    """A witness has cosigned a head that this one does not continue: the log was rewritten, or there are two of it."""

    title = "Another view of the log"


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness: its verifier key, and the address below which it takes requests."""

    key: WitnessKey
    address: str

    @property
    def name(self) -> str:
        return self.key.name

    @property
    def failure(self) -> str:
        return f"The witness {self.name} did not cosign."

    @property
    def last_size(self) -> int:
        """The size of the largest head that it cosigned, 0 before the first one."""
        return last_size_of(Cosignature.objects.filter(key=str(self.key)))

    def ask(self, head: SignedHead) -> bool:
        """Ask it to cosign a head, and keep the cosignature; return whether it did.

        It did not if it has cosigned a larger head that was published. That happens if the process ended before the cosignature
        was kept, and the larger head is asked for next. Raises NotCosigned, HeadContradicted or an exception of
        `registry.core.outgoing`.
        """
        known = self.last_size
        if known >= head.size:  # another process asked
            return False
        reply = self._submit(head, known)
        stated = _size_in(reply)
        if stated is not None and stated != known:
            if stated > head.size:
                return _is_ahead(head, stated)
            reply, known = self._submit(head, stated), stated
        is_other = reply.status == HTTPStatus.CONFLICT and known == head.size and _size_in(reply) is None
        if known and (is_other or reply.status == HTTPStatus.UNPROCESSABLE_ENTITY):
            raise HeadContradicted(
                f"It has cosigned a head of {known} events, which the head of {head.size} events does not continue: it refuses with "
                f"{quoted(reply)}. The log was rewritten, or another copy of the registry publishes heads with the same key. "
                "Run `manage.py verify_audit_log`, and compare both heads (docs/audit-log.md, “A split view”)."
            )
        if reply.status != HTTPStatus.OK:
            raise NotCosigned(f"It refused the head of {head.size} events with {quoted(reply)}.")
        try:
            signed = cosignature_of(head.note, reply.body.decode(errors="replace"), self.key)
        except (MalformedNote, UntrustedNote) as fault:
            raise NotCosigned(
                f"Its reply about the head of {head.size} events is not a cosignature. {fault}"
            ) from fault
        values = {"line": signed.text, "at": signed.at}
        _, is_new = Cosignature.objects.get_or_create(head=head, key=str(self.key), defaults=values)
        return is_new

    def _submit(self, head: SignedHead, known: int) -> Reply:
        """Send a head, with the proof that it continues one of `known` events."""
        hashes = Tree.of(head).consistency(known) if known else []
        lines = [f"old {known}", *(base64.b64encode(each).decode() for each in hashes), "", head.note]
        url = f"{self.address.rstrip('/')}/add-checkpoint"
        return post(url, "text/plain; charset=utf-8", "\n".join(lines).encode())


def witnesses() -> tuple[Witness, ...]:
    """Return the witnesses of LOG_WITNESSES. Raises ImproperlyConfigured."""
    try:
        found = [Witness(WitnessKey.parse(key), address) for key, address in pairs_of("LOG_WITNESSES")]
    except MalformedKey as fault:
        raise ImproperlyConfigured(f"LOG_WITNESSES: {fault}") from fault
    if len({each.key.public for each in found}) < len(found):
        raise ImproperlyConfigured("LOG_WITNESSES: a key is there twice. Each witness has a key of its own.")
    if any(len(str(each.key)) > MAX_KEY for each in found):
        raise ImproperlyConfigured(f"LOG_WITNESSES: a key has more than {MAX_KEY} characters.")
    return tuple(found)


def _is_ahead(head: SignedHead, stated: int) -> bool:
    """Return False if a head of this size was published. Raises HeadContradicted if none was."""
    if SignedHead.objects.filter(size__gte=stated).exists():
        return False
    raise HeadContradicted(
        f"It has cosigned a head of {stated} events, but the last published head has {head.size}. The database was restored "
        "from an older state, or another copy of the registry publishes heads with the same key (docs/audit-log.md, “A split view”)."
    )


def _size_in(reply: Reply) -> int | None:
    """Return the size that a witness states when it refuses, None in other replies."""
    found = SIZE.fullmatch(reply.body) if reply.status == HTTPStatus.CONFLICT else None
    return int(found[1]) if found else None
