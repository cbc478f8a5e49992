"""Writing and verification of the audit log."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, models, transaction
from django.utils import timezone

from registry.audit_log.models import BrokenAuditLog, ChainHead, Event, LogPosition
from registry.audit_log.personal_data import identities_of
from registry.core.database.bulk_copy import copy_insert
from registry.core.database.prepared_reader import prepared

# The number of the last event that was written in this context: for responses, which reset it.
last_written: ContextVar[int] = ContextVar("last_written", default=0)


def append(
    verb: str,
    *,
    by: AbstractBaseUser | None,
    case: int | None = None,
    nid: str = "",
    from_state: str = "",
    to_state: str = "",
    reason: str = "",
    text_digest: str = "",
    **details: Any,
) -> Event:
    """Write one event in the transaction of the change that it records.

    The head is locked until the transaction ends, so that concurrent writers can't fork the chain and a
    rollback leaves no gap. Call this last in a transaction. Readers never wait. `by` is None for actions of
    the registry itself. `person` among the details is the key of the account that the event concerns.
    """
    event = Event(
        actor=cast(Any, by),  # of settings.AUTH_USER_MODEL, in a package above this one
        verb=verb,
        case_number=case,
        nid=nid,
        from_state=from_state,
        to_state=to_state,
        reason=reason,
        text_digest=text_digest,
        details=details,
        identities=identities_of(actor=by.pk if by else None, person=details.get("person")),
    )
    with _appending() as head:
        _chain(event, head)
        event.save(force_insert=True)
    return event


def append_all(events: Iterable[Event]) -> None:
    """Write many events in order with COPY, like `append`.

    The events have no number, time or digests. The iterable must not use the database connection.
    """
    with _appending() as head:
        copy_insert(Event, (_chain(event, head) for event in events))


@prepared
def _head(key: int) -> models.QuerySet[ChainHead]:
    return ChainHead.objects.select_for_update().filter(pk=key)


@contextmanager
def _appending() -> Iterator[ChainHead]:
    """Lock the head until the transaction ends; save it after the block, with the events chained to it."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "An event must be written in the transaction of the change that it records."
        )
    (head,) = ChainHead.objects.raw(*_head(1))
    yield head
    head.save(update_fields=["number", "digest"])
    last_written.set(head.number)


def _chain(event: Event, head: ChainHead) -> Event:
    """Chain `event` to `head`, and advance the head to it."""
    event.number, event.at, event.previous = head.number + 1, timezone.now(), head.digest
    event.digest = event.computed_digest()
    head.number, head.digest = event.number, event.digest
    return event


def verified() -> Iterator[Event]:
    """Yield every event in order after verifying it. Raises BrokenAuditLog at the first that does not verify.

    Concurrent writes do not interfere: the head is read first, and events up to it are final.
    """
    head, last = LogPosition.current(), LogPosition()
    for event in Event.objects.filter(number__lte=head.number).order_by("number").iterator(chunk_size=2000):
        if event.number != last.number + 1:
            raise BrokenAuditLog(
                f"Event {last.number + 1} is missing: event {event.number} comes after event {last.number}."
            )
        if event.previous != last.digest:
            raise BrokenAuditLog(
                f"Event {event.number} does not contain the digest of event {last.number}: the chain is broken."
            )
        if event.digest != event.computed_digest():
            raise BrokenAuditLog(f"Event {event.number} was changed after it was written.")
        last = event.position
        yield event
    if head != last:
        raise BrokenAuditLog(
            f"According to the head, {head.number} events were written, but the log ends at event {last.number}."
        )
    beyond = Event.objects.filter(number__gt=models.Subquery(ChainHead.objects.values("number")[:1]))
    if stray := beyond.order_by("number").first():
        raise BrokenAuditLog(f"Event {stray.number} comes after the head: the registry did not write it.")
