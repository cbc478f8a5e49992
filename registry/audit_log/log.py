"""Writing the record, and proving that it holds."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import connection, models, transaction
from django.utils import timezone

from registry.audit_log.models import GENESIS, BrokenAuditLog, ChainHead, Event
from registry.core.bulk_copy import copy_insert

if TYPE_CHECKING:  # the record stands on the ground: it knows people by their key alone
    from registry.accounts.models import User


def append(
    verb: str,
    *,
    by: "User | None",
    case: int | None = None,
    nid: str = "",
    from_state: str = "",
    to_state: str = "",
    reason: str = "",
    text_digest: str = "",
    **details: Any,
) -> Event:
    """Write one event, inside the transaction of the change that it records.

    Locks the head until that transaction ends, so two writers can't fork the chain and a rolled back
    change leaves no gap; call it last. Readers never wait. `by` is None when the registry itself acts.
    """
    event = Event(
        actor=by,
        verb=verb,
        case_number=case,
        nid=nid,
        from_state=from_state,
        to_state=to_state,
        reason=reason,
        text_digest=text_digest,
        details=details,
    )
    with _appending() as head:
        _chain(event, head)
        event.save(force_insert=True)
    return event


def append_all(events: Iterable[Event]) -> None:
    """Write many events as `append` writes one, in their order, by COPY.

    They come without number, time and digests. Whatever makes them asks no database meanwhile.
    """
    with _appending() as head:
        copy_insert(Event, (_chain(event, head) for event in events))


@contextmanager
def _appending() -> Iterator[ChainHead]:
    """The head, locked until the transaction ends, and moved on to what was chained to it meanwhile."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("An event is written with the change that it records.")
    head = ChainHead.objects.select_for_update().get(pk=1)
    yield head
    head.save(update_fields=["number", "digest"])


def _chain(event: Event, head: ChainHead) -> Event:
    """Make `event` the one that follows `head`, and the head with it."""
    event.number, event.at, event.previous = head.number + 1, timezone.now(), head.digest
    event.digest = event.computed_digest()
    head.number, head.digest = event.number, event.digest
    return event


def verified() -> Iterator[Event]:
    """Every event in order, each proven to fit; raises BrokenAuditLog at the first that does not.

    Events written meanwhile do not disturb it: the head is read first, and what stands before it is final.
    """
    head = ChainHead.objects.get(pk=1)
    number, digest = 0, GENESIS
    for event in Event.objects.filter(number__lte=head.number).order_by("number").iterator(chunk_size=2000):
        if event.number != number + 1:
            raise BrokenAuditLog(f"Event {number + 1} is missing: after {number} comes {event.number}.")
        if event.previous != digest:
            raise BrokenAuditLog(f"Event {event.number} does not follow event {number}: the chain is cut.")
        if event.digest != event.computed_digest():
            raise BrokenAuditLog(f"Event {event.number} was changed after it was written.")
        number, digest = event.number, event.digest
        yield event
    if (head.number, head.digest) != (number, digest):
        raise BrokenAuditLog(
            f"The head says that {head.number} events were written; the record ends at {number}."
        )
    beyond = Event.objects.filter(number__gt=models.Subquery(ChainHead.objects.values("number")[:1]))
    if stray := beyond.order_by("number").first():
        raise BrokenAuditLog(
            f"Event {stray.number} stands after the head: it was not written by the registry."
        )
