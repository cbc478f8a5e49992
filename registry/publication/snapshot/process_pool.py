"""Processes that work beside this one, on the same database, each with a connection of its own.

They come from a server that multiprocessing begins for the purpose, with neither threads nor connections; a
copy of this process could wait for ever for a lock that one of its threads held.
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

# So many tasks of a process wait for it or are done before the first of them is taken.
TASKS_AHEAD = 3
# Seconds for one task, which takes one or two: a process that takes longer is stuck, and ends itself.
TASK_TIMEOUT = 600


class WorkerDied(RegistryError):
    """A process ended in the middle of its work."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "A process that was to help has died"

    def __init__(self) -> None:
        super().__init__(
            f"It was killed, perhaps for want of memory, or did not come on for {TASK_TIMEOUT} seconds. Nothing has "
            "changed for readers. Run it again, with --jobs 1 if it happens again."
        )


def available_cores() -> int:
    """How many this process may use, where the system says so; else how many there are."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def map_in_processes(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, *, timeout: int = TASK_TIMEOUT
) -> Iterator[Result]:
    """What `work` makes of each task, in their order. Raises WorkerDied when one of the processes does."""
    surroundings = connection.settings_dict["NAME"], settings.STORAGES["staticfiles"]["BACKEND"]
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("forkserver"), _begin, surroundings)
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


def _begin(database: str, assets: str) -> None:
    """On the database and with the assets that the process has which began this one."""
    signal.alarm(TASK_TIMEOUT)
    Thread(target=_end_with_parent, daemon=True).start()
    import django

    settings.STORAGES["staticfiles"]["BACKEND"] = assets
    django.setup()
    connection.settings_dict["NAME"] = database
    signal.alarm(0)


def _in_time(timeout: int, work: Callable[[Task], Result], task: Task) -> Result:
    """The signal ends a process whatever it waits for, and the one that began it is told."""
    signal.alarm(timeout)
    try:
        return work(task)
    finally:
        signal.alarm(0)


def _end_with_parent() -> None:
    """When the parent was killed, nobody is left to take what is done."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
