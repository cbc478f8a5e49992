"""A run of the worker: turns of all webhooks that are due, several at a time, until none is."""

import logging
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore

from django.db import connection
from django.utils import timezone

from registry.audit_log.models import LogPosition
from registry.webhooks.delivery.turns import take_turn
from registry.webhooks.models import Webhook

logger = logging.getLogger(__name__)

# Webhooks that are sent to at the same time.
THREADS = 4
# A run ends after this many seconds, and the next one continues.
MAX_SECONDS = 50


# Runs of one worker at the same time. The queueing lock bounds only the jobs that have not started.
MAX_RUNS = 2
_free_runs = BoundedSemaphore(MAX_RUNS)


def deliver_due(*, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Send all that is due, and return the number of messages; 0 if this process has MAX_RUNS runs already.

    Ends early if the worker is stopped.
    """
    if not _free_runs.acquire(blocking=False):
        return 0
    try:
        return _run(should_stop)
    finally:
        _free_runs.release()


def _run(should_stop: Callable[[], bool]) -> int:
    until = time.monotonic() + MAX_SECONDS
    total = 0

    def is_over() -> bool:
        return should_stop() or time.monotonic() > until

    def in_thread(pk: int) -> int:
        try:
            return take_turn(pk, should_stop=is_over)
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS, "webhooks") as threads:
        # Webhooks without a message to send, or that another process serves, must not keep the others waiting.
        without_message: set[int] = set()
        while not is_over() and (due := _due_webhooks(without_message)):
            turns = {pk: threads.submit(in_thread, pk) for pk in due}
            sent = {pk: _messages_of(pk, turn) for pk, turn in turns.items()}
            without_message |= {pk for pk, number in sent.items() if not number}
            total += sum(sent.values())
    return total


def _messages_of(pk: int, turn: "Future[int]") -> int:
    """The number of messages of a turn. An unexpected error ends this turn only."""
    if error := turn.exception():
        logger.error("The turn of webhook %s failed.", pk, exc_info=error)
        return 0
    return turn.result()


def _due_webhooks(excluded: Collection[int]) -> list[int]:
    due = Webhook.objects.due(LogPosition.current().number, timezone.now()).exclude(pk__in=excluded)
    return list(due.values_list("pk", flat=True)[: 8 * THREADS])
