"""Jobs of the worker (`manage.py worker`) that deliver to webhooks.

A job is deferred after the commit of an event, and every minute for what such a job missed: retries, bulk imports, and
events of processes that were killed. Jobs carry no data, because the log and the webhooks have all of it.
"""

from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models.signals import post_save
from procrastinate import JobContext
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from registry.audit_log.models import Event
from registry.core.jobs import FIRST, OUTGOING, in_transaction
from registry.webhooks.models import Webhook


@app.periodic(cron="* * * * *")
@app.task(
    name="registry.webhooks.deliver",
    queueing_lock="registry.webhooks.deliver",
    queue=OUTGOING,
    priority=FIRST,
    pass_context=True,
)
def deliver(context: JobContext, timestamp: int) -> None:
    """Send all that is due. Ends early if the worker is stopped."""
    # Web processes load this module too, and none of them sends requests.
    from registry.webhooks.delivery import deliver_due

    deliver_due(should_stop=context.should_abort)


@app.periodic(cron="37 * * * *")
@app.task(
    name="registry.webhooks.delete_old_deliveries", queueing_lock="registry.webhooks.delete_old_deliveries"
)
def delete_old_deliveries(timestamp: int) -> None:
    from registry.webhooks.queries import delete_old_deliveries

    delete_old_deliveries()


def deliver_soon() -> None:
    """Defer a job that delivers after the commit of the caller's transaction. The minutely job does it otherwise.

    One for all events of a transaction. What a savepoint undoes does not run on commit, so that a later event defers it again.
    """
    if not any(function is _defer for _, function, _ in transaction.get_connection().run_on_commit):
        transaction.on_commit(_defer, robust=True)


def _defer() -> None:
    if Webhook.objects.open().exists():
        with suppress(AlreadyEnqueued):
            in_transaction(deliver).defer(timestamp=0)


def _after_event(**_signal: Any) -> None:
    deliver_soon()


def connect() -> None:
    """Deliver soon after each event."""
    post_save.connect(_after_event, sender=Event, dispatch_uid="webhooks")
