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
STEADY = 30.0  # seconds after which a worker is not one that fails at once


class DatabaseLost(Exception):
    """The worker could not use the database for longer than it may wait."""


async def work(patience: float) -> None:
    """Run jobs until SIGINT or SIGTERM. Raises DatabaseLost if no attempt in `patience` seconds led to a steady worker."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    failing_since = None
    while not stopped.is_set():
        began = monotonic()
        reason = await _work_until(stopped)
        if stopped.is_set():
            return
        if failing_since is None or monotonic() - began > STEADY:
            failing_since = monotonic()
        if monotonic() - failing_since > patience:
            raise DatabaseLost(f"The database was not available for {patience:.0f} seconds: {reason}")
        logger.warning("The worker lost the database and connects again: %s", reason)
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), PAUSE)


async def _work_until(stopped: asyncio.Event) -> str:
    """Run procrastinate's worker until it ends or is stopped, and return why it ended."""
    worker, stop = asyncio.create_task(_run()), asyncio.create_task(stopped.wait())
    await asyncio.wait({worker, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    worker.cancel()
    try:
        await worker
    except (asyncio.CancelledError, ConnectorException, psycopg.OperationalError) as error:
        return str(error.__cause__ or error).strip()
    return "a part of the worker failed"


async def _run() -> None:
    await asyncio.to_thread(_try_to_connect)  # the pool would try for half a minute
    connector = app.connector.get_worker_connector()  # type: ignore[attr-defined]
    with app.replace_connector(connector):
        async with app.open_async():
            await app.run_worker_async(install_signal_handlers=False)


def _try_to_connect() -> None:
    psycopg.connect(**connection.get_connection_params()).close()
