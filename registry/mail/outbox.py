"""The outbox: mail is written with the change that it tells of, and leaves afterwards, by the worker."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.template import engines
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.manager import JobManager
from procrastinate.tasks import configure_task
from procrastinate.types import JSONDict

from registry.mail.models import SUBJECT_LENGTH, Message
from registry.mail.plain_text import one_line
from registry.mail.tasks import deliver

# The caller's own database connection, so that a job lives and dies with the caller's transaction. The
# app's connector is another one when the caller is itself a job.
_jobs = JobManager(DjangoConnector())


class DeliveryStatus(StrEnum):
    """Where a mail that was not sent stands."""

    WAITING = "waiting"
    BEING_SENT = "being sent"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class UnsentMessage:
    """A mail that was not sent, and when the worker will try (None: now, or not again)."""

    message: Message
    status: DeliveryStatus
    next_attempt_at: datetime | None = None


def post(
    message: str, *, to: Iterable[str], context: Mapping[str, Any], event_number: int | None = None
) -> list[Message]:
    """Write the mail named `message` to each of `to`, in the caller's transaction.

    The words are `templates/emails/<message>/subject.txt` and `body.txt`. Mails whose context has a
    `case` form a thread.
    """
    recipients = list(dict.fromkeys(to))
    if not recipients:
        return []
    subject, body = render(message, context)
    case = context.get("case")
    thread = f"case-{case.pk}" if case else ""
    return _write(
        Message(
            name=message, to=recipient, subject=subject, body=body, thread=thread, event_number=event_number
        )
        for recipient in recipients
    )


def post_rendered(name: str, *, to: str, subject: str, body: str) -> Message:
    """Write a mail whose words somebody else has rendered, in the caller's transaction."""
    (written,) = _write([Message(name=name, to=to, subject=_header(subject), body=_text(body))])
    return written


def _write(messages: Iterable[Message]) -> list[Message]:
    """The mails and the jobs that deliver them: both, or neither."""
    with transaction.atomic():
        written = Message.objects.bulk_create(messages)
        _defer(written)
    return written


def render(message: str, context: Mapping[str, Any]) -> tuple[str, str]:
    """Subject and body, in plain text."""
    words = engines["emails"]
    subject = words.get_template(f"{message}/subject.txt").render(dict(context))
    body = words.get_template(f"{message}/body.txt").render(dict(context))
    return _header(subject), _text(body)


def _text(body: str) -> str:
    return body.strip() + "\n"


def _header(text: str) -> str:
    """No newline or other control character gets into a header, and no header grows without end."""
    line = one_line(text)
    return line if len(line) <= SUBJECT_LENGTH else line[: SUBJECT_LENGTH - 1].rstrip() + "…"


def _defer(messages: Iterable[Message]) -> None:
    arguments: list[JSONDict] = [{"message_id": message.pk} for message in messages]
    configure_task(name=deliver.name, job_manager=_jobs).batch_defer(*arguments)


def unsent_messages() -> list[UnsentMessage]:
    """What waits in the outbox, oldest first."""
    return delivery_statuses_of(Message.objects.unsent(), _live_jobs())


def delivery_statuses_of(
    messages: Iterable[Message], jobs: Mapping[int, ProcrastinateJob] | None = None
) -> list[UnsentMessage]:
    """Where mails stand that were not sent; `jobs` are read for these alone, unless they are known."""
    messages = list(messages)
    if jobs is None:
        jobs = _live_jobs(args__message_id__in=[message.pk for message in messages])
    return [_status_of(message, jobs.get(message.pk)) for message in messages]


def retry(only: Iterable[int] | None = None) -> list[Message]:
    """Let the worker try everything, or `only` the mails of these numbers, again now, with all attempts ahead;
    leaves alone what it has in hand.
    """
    wanted = Message.objects.unsent() if only is None else Message.objects.unsent().filter(pk__in=only)
    with transaction.atomic():
        messages = list(wanted.select_for_update(skip_locked=True))
        _cancel(messages)
        if messages:
            _defer(messages)
    return messages


def discard(messages: QuerySet[Message]) -> None:
    """Take mails back before they leave: for the demonstration, whose made-up past nobody is told of, and for
    an administrator, who says why (`registry.review_desk.administrators.mail_actions`). What the worker has in hand it keeps.
    """
    with transaction.atomic():
        waiting = list(messages.filter(sent_at=None).select_for_update(skip_locked=True))
        _cancel(waiting)
        Message.objects.filter(pk__in=[message.pk for message in waiting]).delete()


def _cancel(messages: Iterable[Message]) -> None:
    jobs = _live_jobs()
    for message in messages:
        if job := jobs.get(message.pk):
            _jobs.cancel_job_by_id(job.pk, delete_job=True)


def _live_jobs(**which: Any) -> dict[int, ProcrastinateJob]:
    """The jobs that will deliver something yet, by the number of the mail."""
    live = ProcrastinateJob.objects.filter(task_name=deliver.name, status__in=["todo", "doing"], **which)
    return {job.args["message_id"]: job for job in live.order_by("status")}


def _status_of(message: Message, job: ProcrastinateJob | None) -> UnsentMessage:
    if job is None:
        return UnsentMessage(message, DeliveryStatus.GIVEN_UP)
    if job.status == "doing":
        return UnsentMessage(message, DeliveryStatus.BEING_SENT)
    return UnsentMessage(message, DeliveryStatus.WAITING, job.scheduled_at)
