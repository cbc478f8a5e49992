"""The worker: runs jobs until a signal, across interruptions of the database, and not in a restored copy of it.

procrastinate's own worker ends when it loses the database, in most cases with status 0.
"""

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import TypeVar

import psycopg
from django.db import Error, connection
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import ConnectorException

from registry.core.processes.served_database import note_end, reason_to_wait, serve

logger = logging.getLogger(__name__)

PAUSE = 2.0  # seconds before the next attempt to connect, or the next look at a restored copy

T = TypeVar("T")


class DatabaseLost(Exception):
    """The worker could not use the database for longer than it may wait."""


async def work(patience: float) -> None:
    """Run jobs until SIGINT or SIGTERM. Raises DatabaseLost if no worker could start for `patience` seconds."""
    stopped, loop, lost = asyncio.Event(), asyncio.get_running_loop(), 0.0
    lost_at: datetime | None = None
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    while not stopped.is_set():
        started, reason = await _work_until(stopped, lost_at)
        if stopped.is_set():
            return
        lost_at = timezone.now() if started else lost_at
        lost = lost if lost and not started else monotonic()
        if monotonic() - lost > patience:
            raise DatabaseLost(f"The database was not available (--patience {patience:.0f}): {reason}")
        logger.warning("The worker lost the database and connects again: %s", reason)
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), PAUSE)


async def _work_until(stopped: asyncio.Event, lost_at: datetime | None) -> tuple[bool, str]:
    """Run procrastinate's worker until it ends or is stopped. Return whether it had connections, and why it ended."""
    connected = asyncio.Event()
    worker, stop = asyncio.create_task(_run(connected, lost_at)), asyncio.create_task(stopped.wait())
    await asyncio.wait({worker, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    worker.cancel()
    try:
        await worker
    except (asyncio.CancelledError, ConnectorException, psycopg.OperationalError, Error) as error:
        return connected.is_set(), str(error.__cause__ or error).strip()
    return connected.is_set(), "a part of the worker failed"


async def _run(connected: asyncio.Event, lost_at: datetime | None) -> None:
    await asyncio.to_thread(_try_to_connect)  # the pool would try for half a minute
    await _wait_for_release(connected, lost_at)
    connector = app.connector.get_worker_connector()  # type: ignore[attr-defined]
    try:
        with app.replace_connector(connector):
            async with app.open_async():
                connected.set()
                await app.run_worker_async(install_signal_handlers=False)
    finally:
        with suppress(Error):
            await _in_thread(note_end)


def _try_to_connect() -> None:
    psycopg.connect(**connection.get_connection_params()).close()


async def _wait_for_release(connected: asyncio.Event, lost_at: datetime | None) -> None:
    """Wait while this database is a restored copy, or workers are on hold. Then note that it is served."""
    said = ""
    while reason := await _in_thread(lambda: reason_to_wait(lost_at)):
        connected.set()  # --patience counts while the database does not respond
        if reason != said:
            logger.warning("%s No job runs until `manage.py outbox --retry`.", reason)
        said = reason
        await asyncio.sleep(PAUSE)
    await _in_thread(serve)


async def _in_thread(call: Callable[[], T]) -> T:
    """Return the result of a call that uses the database."""

    def with_connection() -> T:
        try:
            return call()
        finally:
            connection.close()

    return await asyncio.to_thread(with_connection)
