"""Published heads: signed notes that commit to the whole log, so that a rewritten past contradicts each of them."""

from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus

from django.db import connection, transaction

from registry.audit_log.leaves import FORMAT_2
from registry.audit_log.merkle import Frontier, MalformedFrontier
from registry.audit_log.models import BrokenAuditLog, LogPosition, SignedHead
from registry.audit_log.signed_notes import Checkpoint, MalformedNote, UntrustedNote, VerifierKey
from registry.audit_log.signing_keys import signing_key, trusted_keys
from registry.audit_log.tiles import complete_tiles, leaf_hashes
from registry.core.exceptions import RegistryError

# Until the transaction ends. Who waits for it may hold the lock of the chain; who holds it never waits for that one.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


class HeadUnknown(RegistryError):
    """No head of this size has been published, or none at all."""

    status = HTTPStatus.NOT_FOUND
    title = "No such head"


def get_head(size: int | None = None) -> SignedHead:
    """Return the published head of `size` events, or the newest one. Raises HeadUnknown."""
    heads = SignedHead.objects.all() if size is None else SignedHead.objects.filter(size=size)
    if head := heads.last():
        return head
    which = "No head" if size is None else f"No head of {size} events"
    raise HeadUnknown(f"{which} of the audit log has been published.")


def publish_head() -> SignedHead | None:
    """Sign the current head; return None without a signing key, or if it has been published.

    In the transaction of an event the head includes that event, because its writer has the lock of the chain.
    Elsewhere it includes the committed events, which are final. The tiles that the head needs are written before it, in the
    same transaction. Of two processes that sign one head, one returns it; heads are committed in the order of their sizes.
    Raises BrokenAuditLog if the log contradicts the last published head: two heads that contradict each other are never signed.
    """
    key, size = signing_key(), LogPosition.current().number
    last = _last_head()
    if key is None or size <= (last.size if last else 0):
        return None
    before = _frontier_of(last, trusted_keys()) if last else Frontier()
    frontier = before.grown(leaf_hashes(before.size, size))
    note = Checkpoint(key.name, size, frontier.root).signed(key)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK, ["audit_log.publish_head"])
        if (newest := _last_head()) and newest.size >= size:
            return None
        complete_tiles(size)
        hashes = [each.hex() for each in frontier.hashes]
        values = {"note": note, "frontier": hashes, "leaf_format": FORMAT_2}
        head, is_new = SignedHead.objects.get_or_create(size=size, defaults=values)
    return head if is_new else None


def _last_head() -> SignedHead | None:
    return SignedHead.objects.order_by("-size").first()


def sound_frontier(head: SignedHead, keys: Iterable[VerifierKey]) -> Frontier:
    """Return the frontier of a published head. Raises BrokenAuditLog unless one of `keys` signed its root."""
    try:
        return stored_frontier(head, Checkpoint.verified(head.note, keys))
    except (MalformedNote, UntrustedNote) as fault:
        raise BrokenAuditLog(f"The published head of {head.size} events is not genuine. {fault}") from fault


def stored_frontier(head: SignedHead, checkpoint: Checkpoint) -> Frontier:
    """Return the frontier in the row of a published head. Raises BrokenAuditLog unless it fits `checkpoint`."""
    with suppress(MalformedFrontier, ValueError):
        frontier = Frontier(head.size, tuple(map(bytes.fromhex, head.frontier)))
        if (checkpoint.size, checkpoint.root) == (head.size, frontier.root):
            return frontier
    raise BrokenAuditLog(f"The published head of {head.size} events was changed: its note says otherwise.")


def _frontier_of(head: SignedHead, keys: Iterable[VerifierKey]) -> Frontier:
    """Return the frontier of the last head; computed from the first event if the stored one is not sound.

    It is not if the key was replaced and the former one is no longer trusted.
    """
    try:
        return sound_frontier(head, keys)
    except BrokenAuditLog:
        frontier = Frontier().grown(leaf_hashes(0, head.size))
    if frontier.root == head.checkpoint.root:
        return frontier
    raise BrokenAuditLog(
        f"The audit log contradicts its published head of {head.size} events. Run `manage.py verify_audit_log`."
    )
