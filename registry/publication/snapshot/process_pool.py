"""A pool of worker processes, each with its own database connection.

The workers are forked from multiprocessing's fork server, which has no threads or connections. A fork of this
process could wait indefinitely for a lock that another thread held.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from http import HTTPStatus
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar

from django.conf import settings
from django.db import connection

from registry.core.exceptions import RegistryError

Task = TypeVar("Task")
Result = TypeVar("Result")

# The number of tasks per process that are queued or finished ahead of the consumer.
TASKS_AHEAD = 3
# Seconds for one task, which usually takes one or two. A process that takes longer is stuck and ends itself.
TASK_TIMEOUT = 600


class WorkerDied(RegistryError):
    """A worker process ended before it finished its task."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "A worker process died"

    def __init__(self) -> None:
        super().__init__(
            f"It was killed, perhaps because memory was short, or was stuck for {TASK_TIMEOUT} seconds. The published "
            "snapshot has not changed. Run the command again, with --jobs 1 if the problem persists."
        )


def available_cores() -> int:
    """Return the number of cores that this process may use, or the number of cores if that is unknown."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def map_in_processes(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, *, timeout: int = TASK_TIMEOUT
) -> Iterator[Result]:
    """Apply `work` to each task and yield the results in order. Raises WorkerDied if a process dies."""
    environment = connection.settings_dict["NAME"], settings.STORAGES["staticfiles"]["BACKEND"]
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("forkserver"), _set_up, environment)
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(pool.submit(_in_time, timeout, work, task))
            if len(waiting) > jobs * TASKS_AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as broken:
        raise WorkerDied from broken
    finally:
        pool.shutdown(cancel_futures=True)


def _set_up(database: str, assets: str) -> None:
    """Set up a worker with the database and the assets of its parent, which ends it: Ctrl-C in a terminal is for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.alarm(TASK_TIMEOUT)
    Thread(target=_end_with_parent, daemon=True).start()
    import django

    settings.STORAGES["staticfiles"]["BACKEND"] = assets
    django.setup()
    connection.settings_dict["NAME"] = database
    signal.alarm(0)


def _in_time(timeout: int, work: Callable[[Task], Result], task: Task) -> Result:
    """Run a task with a timeout. SIGALRM ends a stuck process, and the parent notices.

    A process of the fork server has no handler for it: `registry.core.processes.interruptions` is called by programs.
    """
    signal.alarm(timeout)
    try:
        return work(task)
    finally:
        signal.alarm(0)


def _end_with_parent() -> None:
    """End this process if its parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
