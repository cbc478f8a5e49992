"""Processes that render beside this one.

Nothing here imports a model: a new process comes by this module before Django is ready in it.
"""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar

import django
from django.db import connection

Task = TypeVar("Task")
Result = TypeVar("Result")

# So many tasks of a process wait for it or are done before the first of them is taken.
AHEAD = 3


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def in_processes(work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Iterator[Result]:
    """What `work` makes of each task, in their order, on this process's database."""
    spawned = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, spawned, _begin, (connection.settings_dict["NAME"],))
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(pool.submit(work, task))
            if len(waiting) > jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(database: str) -> None:
    connection.settings_dict["NAME"] = database
    Thread(target=_end_with_parent, daemon=True).start()
    django.setup()


def _end_with_parent() -> None:
    """Nobody is left to take what is rendered when the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
