"""Witnesses, which the registry asks for cosignatures of its published heads: https://c2sp.org/tlog-witness.

A head is published before they are asked, so no witness holds it back. What a witness missed is asked again, oldest head
first, by the job that comes every five minutes.
"""

import base64
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from registry.audit_log.cosignatures import WitnessKey, cosignature_of
from registry.audit_log.models import Cosignature, SignedHead
from registry.audit_log.proofs import Tree
from registry.audit_log.signed_notes import Checkpoint, MalformedKey, MalformedNote, SigningKey, UntrustedNote
from registry.audit_log.signing_keys import signing_key
from registry.core.exceptions import RegistryError
from registry.core.outgoing.https_requests import Reply, RequestLimits, request

logger = logging.getLogger(__name__)

LIMITS = RequestLimits(connect=5, wait=10, total=20, body=16 * 1024)
# Heads that a witness is asked for after it was away: those of two days. Later heads stand for the ones before.
MAX_HEADS = 48
MAX_KEY = 300  # characters, as in the column
SIZE = re.compile(rb"(0|[1-9][0-9]{0,17})\n")
MAX_QUOTED = 200  # characters of a refusal in the log of the worker


class NotCosigned(RegistryError):
    """A witness did not cosign a head."""

    status = HTTPStatus.BAD_GATEWAY
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
    def last_size(self) -> int:
        """The size of the largest head that it cosigned, 0 before the first one."""
        last = Cosignature.objects.filter(key=str(self.key)).order_by("-head").first()
        return last.head_id if last else 0


def witnesses() -> tuple[Witness, ...]:
    """Return the witnesses of LOG_WITNESSES. Raises ImproperlyConfigured."""
    words: list[str] = settings.LOG_WITNESSES
    try:
        found = [
            Witness(WitnessKey.parse(key), address) for key, address in zip(*[iter(words)] * 2, strict=True)
        ]
    except ValueError as fault:
        raise ImproperlyConfigured("LOG_WITNESSES: an address or a key is missing.") from fault
    except MalformedKey as fault:
        raise ImproperlyConfigured(f"LOG_WITNESSES: {fault}") from fault
    if len({each.key.public for each in found}) < len(found):
        raise ImproperlyConfigured("LOG_WITNESSES: a key is there twice. Each witness has a key of its own.")
    if any(len(str(each.key)) > MAX_KEY for each in found):
        raise ImproperlyConfigured(f"LOG_WITNESSES: a key has more than {MAX_KEY} characters.")
    return tuple(found)


def ask_witnesses(*, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Ask each witness for the cosignatures that are missing, and return the number of new ones. Call it outside of a transaction.

    A witness that does not cosign a head is asked for no further one this time, and does not hold up the others.
    `should_stop` is asked before each request.
    """
    made = 0
    if (key := signing_key()) is None:
        return made
    for witness in witnesses():
        try:
            for head in missing_heads(witness, key):
                if should_stop():
                    return made
                made += ask(witness, head)
        except RegistryError as fault:
            logger.warning("The witness %s did not cosign. %s: %s", witness.name, fault.title, fault)
    return made


def missing_heads(witness: Witness, key: SigningKey) -> list[SignedHead]:
    """Return the newest heads that are larger than the last one that the witness cosigned, oldest first.

    Those that a former key signed are left out, because witnesses know the key in use.
    """
    newest = SignedHead.objects.filter(size__gt=witness.last_size).order_by("-size")[:MAX_HEADS]
    return [head for head in reversed(newest) if _is_signed(head, key)]


def ask(witness: Witness, head: SignedHead) -> bool:
    """Ask a witness to cosign a head, and keep the cosignature; return whether it did.

    It did not if it has cosigned a larger head that was published. That happens if the process ended before the cosignature
    was kept, and the larger head is asked for next. Raises NotCosigned, HeadContradicted or an exception of
    `registry.core.outgoing`.
    """
    known = witness.last_size
    reply = _submit(witness, head, known)
    stated = _size_in(reply)
    if stated is not None and stated != known:
        if stated > head.size:
            return _is_ahead(witness, head, stated)
        reply, known = _submit(witness, head, stated), stated
    is_refused = reply.status in {HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}
    if is_refused and known and _size_in(reply) is None:
        raise HeadContradicted(
            f"It has cosigned a head of {known} events, which the head of {head.size} events does not continue: it refuses with "
            f"{_quoted(reply)}. The log was rewritten, or another copy of the registry publishes heads with the same key. "
            "Run `manage.py verify_audit_log`, and compare both heads (docs/audit-log.md, “A split view”)."
        )
    if reply.status != HTTPStatus.OK:
        raise NotCosigned(f"It refused the head of {head.size} events with {_quoted(reply)}.")
    try:
        signed = cosignature_of(head.note, reply.body.decode(errors="replace"), witness.key)
    except (MalformedNote, UntrustedNote) as fault:
        raise NotCosigned(
            f"Its reply about the head of {head.size} events is not a cosignature. {fault}"
        ) from fault
    values = {"line": signed.text, "at": signed.at}
    _, is_new = Cosignature.objects.get_or_create(head=head, key=str(witness.key), defaults=values)
    return is_new


def _is_ahead(witness: Witness, head: SignedHead, stated: int) -> bool:
    """Return False if a head of this size was published. Raises HeadContradicted if none was."""
    if SignedHead.objects.filter(size__gte=stated).exists():
        return False
    raise HeadContradicted(
        f"It has cosigned a head of {stated} events, but the last published head has {head.size}. The database was restored "
        "from an older state, or another copy of the registry publishes heads with the same key (docs/audit-log.md, “A split view”)."
    )


def _submit(witness: Witness, head: SignedHead, known: int) -> Reply:
    """Send a head, with the proof that it continues one of `known` events."""
    hashes = Tree.of(head).consistency(known) if known else []
    lines = [f"old {known}", *(base64.b64encode(each).decode() for each in hashes), "", head.note]
    url = f"{witness.address.rstrip('/')}/add-checkpoint"
    headers = {"Content-Type": "text/plain; charset=utf-8", "User-Agent": "urn-registry"}
    # The operator named the host, which may be in a private network.
    trusted = {urlsplit(url).hostname or ""}
    return request("POST", url, headers, LIMITS, "\n".join(lines).encode(), trusted_hosts=trusted)


def _size_in(reply: Reply) -> int | None:
    """Return the size that a witness states when it refuses, None in other replies."""
    found = SIZE.fullmatch(reply.body) if reply.status == HTTPStatus.CONFLICT else None
    return int(found[1]) if found else None


def _quoted(reply: Reply) -> str:
    text = " ".join(reply.body.decode(errors="replace").split())[:MAX_QUOTED]
    shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    return f"status {reply.status}" + (f" (“{shown}”)" if shown else "")


def _is_signed(head: SignedHead, key: SigningKey) -> bool:
    with suppress(MalformedNote, UntrustedNote):
        return Checkpoint.verified(head.note, [key.verifier]).size == head.size
    return False
