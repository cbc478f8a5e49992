"""The worker: runs jobs until a signal, across interruptions of the database.

procrastinate's own worker ends when it loses the database, in most cases with status 0.
"""

import asyncio
import logging
import signal
from contextlib import suppress
from time import monotonic

import psycopg
from django.db import connection
from procrastinate.contrib.django import app
from procrastinate.exceptions import ConnectorException

logger = logging.getLogger(__name__)

PAUSE = 2.0  # seconds before the next attempt to connect


class DatabaseLost(Exception):
    """The worker could not use the database for longer than it may wait."""


async def work(patience: float) -> None:
    """Run jobs until SIGINT or SIGTERM. Raises DatabaseLost if no worker could start for `patience` seconds."""
    stopped, loop, lost = asyncio.Event(), asyncio.get_running_loop(), 0.0
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    while not stopped.is_set():
        started, reason = await _work_until(stopped)
        if stopped.is_set():
            return
        lost = lost if lost and not started else monotonic()
        if monotonic() - lost > patience:
            raise DatabaseLost(f"The database was not available (--patience {patience:.0f}): {reason}")
        logger.warning("The worker lost the database and connects again: %s", reason)
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), PAUSE)


async def _work_until(stopped: asyncio.Event) -> tuple[bool, str]:
    """Run procrastinate's worker until it ends or is stopped. Return whether it had connections, and why it ended."""
    connected = asyncio.Event()
    worker, stop = asyncio.create_task(_run(connected)), asyncio.create_task(stopped.wait())
    await asyncio.wait({worker, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    worker.cancel()
    try:
        await worker
    except (asyncio.CancelledError, ConnectorException, psycopg.OperationalError) as error:
        return connected.is_set(), str(error.__cause__ or error).strip()
    return connected.is_set(), "a part of the worker failed"


async def _run(connected: asyncio.Event) -> None:
    await asyncio.to_thread(_try_to_connect)  # the pool would try for half a minute
    connector = app.connector.get_worker_connector()  # type: ignore[attr-defined]
    with app.replace_connector(connector):
        async with app.open_async():
            connected.set()
            await app.run_worker_async(install_signal_handlers=False)


def _try_to_connect() -> None:
    psycopg.connect(**connection.get_connection_params()).close()
