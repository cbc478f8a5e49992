"""The outbox: mail is written in the transaction of the change that it reports, and sent by the worker."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.template import TemplateSyntaxError, engines
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.types import JSONDict

from registry.core import jobs as queue
from registry.mail.kinds import KIND_OF_MAIL, Delivery, MailKind
from registry.mail.models import SUBJECT_LENGTH, HeldMail, Message
from registry.mail.plain_text import one_line
from registry.mail.preferences import preferences_at
from registry.mail.tasks import deliver

SUBJECT = "Subject:"
KindByAddress = Mapping[str, MailKind | None]
# Whether no mails are written in this context.
_is_silent: ContextVar[bool] = ContextVar("is_silent", default=False)
# A mail, whether it is about the recipients' own case, and its recipients.
Variant = tuple[str, bool, KindByAddress]


class DeliveryStatus(StrEnum):
    """The delivery status of an unsent mail."""

    WAITING = "waiting"
    BEING_SENT = "being sent"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class UnsentMessage:
    """An unsent mail, and the time of the next attempt (None: now, or never)."""

    message: Message
    status: DeliveryStatus
    next_attempt_at: datetime | None = None


@contextmanager
def silence() -> Iterator[None]:
    """Write no mails about what happens inside the block, now or in digests: for the demonstration."""
    token = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(token)


def post(
    message: str,
    *,
    to: Iterable[str],
    context: Mapping[str, Any],
    own: Collection[str] = (),
    event_number: int | None = None,
    needs_account: str = "",
) -> list[Message]:
    """`post_all` with one mail."""
    return post_all(
        {message: to}, context=context, own=own, event_number=event_number, needs_account=needs_account
    )


def post_all(
    recipients: Mapping[str, Iterable[str]],
    *,
    context: Mapping[str, Any],
    own: Collection[str] = (),
    event_number: int | None = None,
    needs_account: str = "",
) -> list[Message]:
    """Write the mails with these names, each to its recipients as they chose, in the caller's transaction.

    The templates get `is_yours` for the addresses in `own`: those of the people whose case it is.
    `needs_account` is an address that gets them only if it belongs to a verified account when they are sent.
    The templates are `templates/emails/<name>.txt`. Mails whose context has the same `case` form a thread.
    The recipients of a mail may be a mapping, with the kind of mail that it is for each of them.
    """
    if _is_silent.get():
        return []
    case = context.get("case")
    thread = f"case-{case.pk}" if case else ""
    kinds = {name: _with_kinds(name, addresses) for name, addresses in recipients.items()}
    chosen = preferences_at({to for each in kinds.values() for to, kind in each.items() if kind})
    messages = []
    for name, is_yours, kind_by_address in _variants(kinds, own):
        context = {**context, "is_yours": is_yours}
        at_once, held = _by_delivery(kind_by_address, chosen)
        subject, body = render(name, context) if at_once else ("", "")
        messages += [
            Message(
                name=name,
                to=recipient,
                subject=subject,
                body=body,
                kind=kind.name if kind else "",
                thread=thread,
                event_number=event_number,
                needs_account=recipient == needs_account,
            )
            for recipient, kind in at_once.items()
        ]
        hold(name, held, context)
    return _write(messages) if messages else []


def _by_delivery(
    kind_by_address: KindByAddress, chosen: Mapping[str, Mapping[str, tuple[Delivery, int]]]
) -> tuple[dict[str, MailKind | None], list[int]]:
    """The addresses that get a mail at once, each with its kind, and the accounts that get it in their next digest."""
    at_once, held = {}, []
    for recipient, kind in kind_by_address.items():
        delivery, person = chosen.get(recipient, {}).get(kind.name if kind else "", (Delivery.AT_ONCE, 0))
        if delivery == Delivery.AT_ONCE:
            at_once[recipient] = kind
        elif delivery == Delivery.DAILY:
            held.append(person)
    return at_once, held


def _variants(kinds: Mapping[str, KindByAddress], own: Collection[str]) -> Iterator[Variant]:
    """The variants of each mail that have recipients: for `own`, and for the others."""
    for name, kind_by_address in kinds.items():
        for is_yours in (True, False):
            chosen = {to: kind for to, kind in kind_by_address.items() if (to in own) is is_yours}
            if chosen:
                yield name, is_yours, chosen


def _with_kinds(name: str, addresses: Iterable[str]) -> KindByAddress:
    """The distinct addresses, each with the kind of the mail; None if it is always sent at once."""
    if isinstance(addresses, Mapping):
        return addresses
    return dict.fromkeys(addresses, KIND_OF_MAIL.get(name))


def hold(name: str, people: Iterable[int], context: Mapping[str, Any]) -> None:
    """Keep a mail for the next digests of these accounts, without greeting and footer."""
    if people and not _is_silent.get():
        subject, body = render(name, {**context, "in_digest": True})
        held = [HeldMail(person_id=person, name=name, subject=subject, body=body) for person in people]
        HeldMail.objects.bulk_create(held)


def post_rendered(name: str, *, to: str, subject: str, body: str) -> Message:
    """Write a mail that has already been rendered, in the caller's transaction."""
    (written,) = _write([Message(name=name, to=to, subject=_header(subject), body=_text(body))])
    return written


def _write(messages: Iterable[Message]) -> list[Message]:
    """Write the mails and the jobs that deliver them, atomically."""
    with transaction.atomic(savepoint=False):
        written = Message.objects.bulk_create(messages)
        _defer(written)
    return written


def render(message: str, context: Mapping[str, Any]) -> tuple[str, str]:
    """Return subject and body in plain text. The first line of the rendered template is `Subject: …`.

    The context gets `origin`, the scheme and host of all links. Times are in UTC.
    """
    template = engines["emails"].get_template(f"{message}.txt")
    with timezone.override(UTC):  # a page may be in the zone of the person who acts
        text = template.render({"origin": settings.PUBLIC_ORIGIN, **context})
    subject, _, body = text.partition("\n")
    if not subject.startswith(SUBJECT):
        raise TemplateSyntaxError(f"{message}.txt does not begin with “{SUBJECT}”.")
    return _header(subject.removeprefix(SUBJECT)), _text(body)


def _text(body: str) -> str:
    return body.strip() + "\n"


def _header(text: str) -> str:
    """Return a text for a header: without control characters and of limited length."""
    line = one_line(text)
    return line if len(line) <= SUBJECT_LENGTH else line[: SUBJECT_LENGTH - 1].rstrip() + "…"


def _defer(messages: Iterable[Message]) -> None:
    arguments: list[JSONDict] = [{"message_id": message.pk} for message in messages]
    queue.in_transaction(deliver).batch_defer(*arguments)


def retried_messages() -> QuerySet[Message]:
    """The unsent mails that are not given up."""
    numbers = _delivery_jobs().values(number=Cast(KT("args__message_id"), BigIntegerField()))
    return Message.objects.unsent().filter(pk__in=numbers)


def unsent_messages() -> list[UnsentMessage]:
    """Return the unsent mails, oldest first."""
    return delivery_statuses_of(Message.objects.unsent(), _live_jobs())


def delivery_statuses_of(
    messages: Iterable[Message], jobs: Mapping[int, ProcrastinateJob] | None = None
) -> list[UnsentMessage]:
    """Return the status of unsent mails. `jobs` are read from the database if they are not passed."""
    messages = list(messages)
    if jobs is None:
        jobs = _live_jobs(args__message_id__in=[message.pk for message in messages])
    return [_status_of(message, jobs.get(message.pk)) for message in messages]


def retry(only: Iterable[int] | None = None) -> list[Message]:
    """Retry all unsent mails, or `only` those with these numbers, now and with all attempts.

    Mails that the worker is sending are not affected.
    """
    wanted = Message.objects.unsent() if only is None else Message.objects.unsent().filter(pk__in=only)
    with transaction.atomic():
        messages = list(wanted.select_for_update(skip_locked=True))
        _cancel(messages)
        if messages:
            _defer(messages)
    return messages


def discard(messages: QuerySet[Message]) -> None:
    """Cancel unsent mails, for `registry.review_desk.administrators.mail_actions`.

    Mails that the worker is sending are not affected.
    """
    with transaction.atomic():
        waiting = list(messages.filter(sent_at=None).select_for_update(skip_locked=True))
        _cancel(waiting)
        Message.objects.filter(pk__in=[message.pk for message in waiting]).delete()


def erase(messages: QuerySet[Message]) -> int:
    """Delete mails, sent or not, with their jobs, and return their number. Waits for mails that the worker is sending."""
    with transaction.atomic():
        found = list(messages.order_by("pk").select_for_update())
        _cancel(found)
        Message.objects.filter(pk__in=[message.pk for message in found]).delete()
    return len(found)


def _cancel(messages: list[Message]) -> None:
    jobs = _live_jobs(args__message_id__in=[message.pk for message in messages])
    for message in messages:
        if job := jobs.get(message.pk):
            queue.cancel(job.pk)


def _live_jobs(**which: Any) -> dict[int, ProcrastinateJob]:
    """Return the pending delivery jobs by number of the mail."""
    return {job.args["message_id"]: job for job in _delivery_jobs().filter(**which).order_by("status")}


def _delivery_jobs() -> QuerySet[ProcrastinateJob]:
    return ProcrastinateJob.objects.filter(task_name=deliver.name, status__in=["todo", "doing"])


def _status_of(message: Message, job: ProcrastinateJob | None) -> UnsentMessage:
    if job is None:
        return UnsentMessage(message, DeliveryStatus.GIVEN_UP)
    if job.status == "doing":
        return UnsentMessage(message, DeliveryStatus.BEING_SENT)
    return UnsentMessage(message, DeliveryStatus.WAITING, job.scheduled_at)
