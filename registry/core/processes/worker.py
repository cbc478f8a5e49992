"""The worker: runs jobs until a signal, across interruptions of the database, and not in a restored copy of it.

procrastinate's own worker ends when it loses the database, in most cases with status 0. There is one for each queue, in one
process, so that the jobs of a queue have slots that those of another can't take.
"""

import asyncio
import faulthandler
import logging
import signal
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from django.db import Error, connection
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from registry.core.jobs import QUEUES
from registry.core.processes.served_database import note_end, reason_to_wait, serve

if TYPE_CHECKING:
    from procrastinate import JobContext
    from procrastinate.app import WorkerOptions
    from procrastinate.middleware import AsyncCallNext

logger = logging.getLogger(__name__)

PAUSE = 2.0  # seconds before the next attempt to connect, or the next look at a restored copy
# In seconds after a signal: when the worker says what it waits for, and when the process is ended. Service managers wait longer.
END_NOTICE = 10.0
END_TIMEOUT = 30.0

T = TypeVar("T")


class Workers:
    """Workers that run at the same time, and end together."""

    def __init__(self, workers: Iterable[Worker]) -> None:
        self._workers = tuple(workers)
        self._runs: tuple[asyncio.Task[None], ...] = ()

    @property
    def is_running(self) -> bool:
        """Whether they can be stopped. Before, what starts them is to be cancelled."""
        return bool(self._runs)

    async def run(self) -> None:
        """Run until they are stopped, or one of them ends. Raises what the first of them raised. Must not be cancelled."""
        self._runs = tuple(asyncio.create_task(each.run()) for each in self._workers)  # type: ignore[no-untyped-call]
        await asyncio.wait(self._runs, return_when=asyncio.FIRST_COMPLETED)
        while unended := [each for each in self._runs if not each.done()]:
            self.stop()
            await asyncio.wait(unended, timeout=PAUSE)
        await asyncio.gather(*self._runs)

    def stop(self) -> None:
        """Ask them to end. A start is cancelled; call it again, because a cancellation can be lost.

        A worker that fetches jobs is not cancelled, because a second cancellation would abandon jobs.
        """
        for worker, run in zip(self._workers, self._runs, strict=True):
            if worker.run_task:
                worker.stop()  # type: ignore[no-untyped-call]
            else:
                run.cancel()


class DatabaseLost(Exception):
    """The worker could not use the database for longer than it may wait."""


async def work(patience: float) -> None:
    """Run jobs until SIGINT or SIGTERM. Raises DatabaseLost if no worker could start for `patience` seconds.

    To be run by a process of its own, which ends END_TIMEOUT seconds after the signal at the latest, with status 1.
    """
    stopped, loop, lost = asyncio.Event(), asyncio.get_running_loop(), 0.0
    lost_at: datetime | None = None
    # A thread for each slot of each queue, and one for what the worker itself asks the database. By default there are fewer.
    loop.set_default_executor(
        ThreadPoolExecutor(len(QUEUES) * app.worker_defaults["concurrency"] + 1, "jobs")
    )

    def stop() -> None:
        if not stopped.is_set():
            stopped.set()
            # By a thread outside of Python: even if threads of jobs or of the database never return.
            faulthandler.dump_traceback_later(END_TIMEOUT, exit=True)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
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
    connected, jobs = asyncio.Event(), set[str]()

    async def note_job(run_job: "AsyncCallNext", context: "JobContext", _worker: Worker) -> Any:
        jobs.add(name := f"{context.job.task_name}[{context.job.id}]")
        try:
            return await run_job()
        finally:
            jobs.discard(name)

    def worker_of(queue: str) -> Worker:
        options: WorkerOptions = {
            **app.worker_defaults,
            "queues": [queue],
            "name": queue,
            "install_signal_handlers": False,
            "worker_middleware": [note_job],
        }
        return Worker(app, **options)

    workers = Workers(map(worker_of, QUEUES))
    run, stop = asyncio.create_task(_run(workers, connected, lost_at)), asyncio.create_task(stopped.wait())
    await asyncio.wait({run, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    await _end(run, workers, jobs)
    try:
        await run
    except (asyncio.CancelledError, ConnectorException, psycopg.OperationalError, Error) as error:
        return connected.is_set(), str(error.__cause__ or error).strip()
    return connected.is_set(), "a part of the worker failed"


async def _end(run: "asyncio.Task[None]", workers: Workers, jobs: Collection[str]) -> None:
    """Wait until the workers have ended, and say what they wait for if that takes long.

    Their start is cancelled again and again: one cancellation is lost if it comes just when something that
    `asyncio.wait_for` of Python 3.11 waits for is done.
    """
    begun, is_said = monotonic(), False
    while not run.done():
        if workers.is_running:
            workers.stop()
        else:
            run.cancel()
        await asyncio.wait({run}, timeout=PAUSE)
        if monotonic() - begun >= END_NOTICE and not run.done() and not is_said:
            waits_for, is_said = ", ".join(sorted(jobs)) or "the database", True
            logger.warning(
                "The worker waits for %s, and ends within %.0f s.", waits_for, END_TIMEOUT - END_NOTICE
            )


async def _run(workers: Workers, connected: asyncio.Event, lost_at: datetime | None) -> None:
    await asyncio.to_thread(_try_to_connect)  # the pool would try for half a minute
    await _wait_for_release(connected, lost_at)
    connector = app.connector.get_worker_connector()  # type: ignore[attr-defined]
    try:
        with app.replace_connector(connector):
            try:
                await app.open_async()
                connected.set()
                app.perform_import_paths()  # type: ignore[no-untyped-call]
                await workers.run()
            finally:
                await app.close_async()  # also what was opened in part
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
