"""Writing and verification of the audit log."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, models, transaction
from django.utils import timezone

from registry.audit_log.leaves import FORMAT_1, FORMAT_2, FORMAT_CHANGE, new_salts
from registry.audit_log.models import BrokenAuditLog, ChainHead, Event, LogPosition
from registry.audit_log.personal_data import identities_of
from registry.audit_log.publicity import public_events
from registry.core.database.bulk_copy import copy_insert
from registry.core.exceptions import RegistryError

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
    with _appending(case) as (head, is_opened):
        _chain(event, head, is_opened=is_opened)
        event.save(force_insert=True)
    return event


def append_all(events: Iterable[Event]) -> None:
    """Write many events in order with COPY, like `append`.

    The events belong to no case, and have no number, time, salts or digests. The iterable must not use the database
    connection.
    """
    with _appending() as (head, _):
        copy_insert(Event, (_chain(event, head) for event in events))


# The details of the event that changes the format.
FORMATS = {"former_format": FORMAT_1, "format": FORMAT_2}
# The head, and whether an event made the case public. The writer of such an event holds the lock of the case, so none is written
# meanwhile.
LOCKED_HEAD = """
SELECT number, digest, last_in_format_2, EXISTS (SELECT FROM audit_log_event WHERE case_number = %s AND verb = %s)
FROM audit_log_chainhead WHERE id = 1 FOR UPDATE
"""
NEW_HEAD = "UPDATE audit_log_chainhead SET number = %s, digest = %s, last_in_format_2 = %s WHERE id = 1"


@contextmanager
def _appending(case: int | None = None) -> Iterator[tuple[ChainHead, bool]]:
    """Lock the head until the transaction ends; save it after the block, with the events chained to it.

    The second value tells whether an earlier event made the case public.
    If the last event has format 1, an event that changes the format comes first.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "An event must be written in the transaction of the change that it records."
        )
    with connection.cursor() as cursor:  # models would take longer than the statements
        cursor.execute(LOCKED_HEAD, [case, public_events().opening])
        number, digest, last_in_format_2, is_opened = cursor.fetchone()
    head = ChainHead(number=number, digest=digest, last_in_format_2=last_in_format_2)
    if head.last_in_format_2 != head.number:
        _chain(Event(verb=FORMAT_CHANGE, details=FORMATS), head).save(force_insert=True)
    yield head, is_opened
    with connection.cursor() as cursor:
        cursor.execute(NEW_HEAD, [head.number, head.digest, head.last_in_format_2])
    last_written.set(head.number)


def _chain(event: Event, head: ChainHead, *, is_opened: bool = False) -> Event:
    """Chain `event` to `head`, and advance the head to it. `is_opened`: an earlier event made its case public."""
    event.number, event.at, event.previous = head.number + 1, timezone.now(), head.digest
    public = public_events()
    is_public = public.is_public(event.verb, case=event.case_number, is_opened=is_opened)
    event.salts = new_salts(event, is_public=is_public, details=public.details)
    event.digest = event.computed_digest()
    head.number, head.digest, head.last_in_format_2 = event.number, event.digest, event.number
    return event


def verified() -> Iterator[Event]:
    """Yield every event in order after verifying it. Raises BrokenAuditLog at the first that does not verify.

    Concurrent writes do not interfere: the head is read first, and events up to it are final.
    """
    head, last = LogPosition.current(), LogPosition()
    last_format: int | None = None
    for event in Event.objects.filter(number__lte=head.number).order_by("number").iterator(chunk_size=2000):
        if event.number != last.number + 1:
            raise BrokenAuditLog(
                f"Event {last.number + 1} is missing: event {event.number} comes after event {last.number}."
            )
        if event.previous != last.digest:
            raise BrokenAuditLog(
                f"Event {event.number} does not contain the digest of event {last.number}: the chain is broken."
            )
        if not _has_its_digest(event):
            raise BrokenAuditLog(f"Event {event.number} was changed after it was written.")
        if (last_format, event.format) == (FORMAT_1, FORMAT_2) and not _changes_format(event):
            raise BrokenAuditLog(
                f"Event {event.number} has format {FORMAT_2}, the event before it has format {FORMAT_1}, and it does not say "
                "that the format changes."
            )
        last, last_format = event.position, event.format
        yield event
    if head != last:
        raise BrokenAuditLog(
            f"According to the head, {head.number} events were written, but the log ends at event {last.number}."
        )
    beyond = Event.objects.filter(number__gt=models.Subquery(ChainHead.objects.values("number")[:1]))
    if stray := beyond.order_by("number").first():
        raise BrokenAuditLog(f"Event {stray.number} comes after the head: the registry did not write it.")


def _has_its_digest(event: Event) -> bool:
    """Whether an event has the digest of its content. What the registry never wrote, such as a list of salts, has none."""
    try:
        return event.digest == event.computed_digest()
    except (RegistryError, AttributeError, LookupError, TypeError, ValueError):
        return False


def _changes_format(event: Event) -> bool:
    return (event.verb, event.details) == (FORMAT_CHANGE, FORMATS)
