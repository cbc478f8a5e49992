"""What others state about published heads: whom the settings name, which heads they are asked for, and the requests.

A head is published before anyone is asked, so that no one can delay it. Heads that lack a statement are asked for again, the oldest
first, by the job that runs every five minutes.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Max, QuerySet

from registry.audit_log.models import SignedHead
from registry.audit_log.signed_notes import Checkpoint, MalformedNote, SigningKey, UntrustedNote
from registry.audit_log.signing_keys import signing_key
from registry.core.exceptions import RegistryError
from registry.core.outgoing.https_requests import Reply, RequestLimits, request

logger = logging.getLogger(__name__)

LIMITS = RequestLimits(connect=5, wait=10, total=20, body=16 * 1024)
# At most so many heads are asked for after an absence: one is published every hour, and with some actions. Later heads stand for the
# ones before.
MAX_HEADS = 48
MAX_QUOTED = 200  # characters of a refusal in the log of the worker


class NotAttested(RegistryError):
    """Someone did not state what they were asked for."""

    status = HTTPStatus.BAD_GATEWAY
    title = "No statement about a head"


class Party(Protocol):
    """Someone who is asked: the name, and the sentence of the log of the worker if there was no statement."""

    @property
    def name(self) -> str: ...

    @property
    def failure(self) -> str: ...

    @property
    def last_size(self) -> int:
        """The size of the largest head about which a statement was kept, 0 before the first one."""

    def ask(self, head: SignedHead) -> bool:
        """Ask about a head, and keep the statement; return whether there is a new one. Raises RegistryError."""


def pairs_of(setting: str) -> list[tuple[str, str]]:
    """Return the pairs of words of a setting. Raises ImproperlyConfigured."""
    words: list[str] = getattr(settings, setting)
    try:
        return list(zip(*[iter(words)] * 2, strict=True))
    except ValueError as fault:
        raise ImproperlyConfigured(f"{setting}: the second word of a pair is missing.") from fault


def ask_each(parties: Iterable[Party], *, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Ask each of them for what is missing, and return the number of new statements. Call it outside of a transaction.

    A party that does not answer about a head is asked for no further one this time, and does not hold up the others. `should_stop` is
    asked before each request.
    """
    made = 0
    if (key := signing_key()) is None:
        return made
    for party in parties:
        try:
            for head in missing_heads(party, key):
                if should_stop():
                    return made
                made += party.ask(head)
        except RegistryError as fault:
            logger.warning("%s %s: %s", party.failure, fault.title, fault)
    return made


def last_size_of(statements: QuerySet[Any]) -> int:
    """Return the size of the largest head that statements are about, 0 without one."""
    size: int | None = statements.aggregate(last=Max("head"))["last"]
    return size or 0


def missing_heads(party: Party, key: SigningKey) -> list[SignedHead]:
    """Return the newest heads that are larger than the last one of a party, oldest first.

    Those that a former key signed are left out, because others know the key in use.
    """
    newest = SignedHead.objects.filter(size__gt=party.last_size).order_by("-size")[:MAX_HEADS]
    return [head for head in reversed(newest) if _is_signed(head, key)]


def post(url: str, media_type: str, body: bytes) -> Reply:
    """Send a request. Raises an exception of `registry.core.outgoing`."""
    headers = {"Content-Type": media_type, "User-Agent": "urn-registry"}
    # The operator named the host, which may be in a private network.
    return request("POST", url, headers, LIMITS, body, trusted_hosts={urlsplit(url).hostname or ""})


def quoted(reply: Reply) -> str:
    """Return the status and the beginning of a reply, for a sentence."""
    text = " ".join(reply.body.decode(errors="replace").split())[:MAX_QUOTED]
    shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    return f"status {reply.status}" + (f" (“{shown}”)" if shown else "")


def _is_signed(head: SignedHead, key: SigningKey) -> bool:
    with suppress(MalformedNote, UntrustedNote):
        return Checkpoint.verified(head.note, [key.verifier]).size == head.size
    return False
