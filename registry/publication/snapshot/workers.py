"""Processes that work beside this one, on the same database, each with a connection of its own."""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from threading import Thread
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections

Task = TypeVar("Task")
Result = TypeVar("Result")

# So many tasks of a process wait for it or are done before the first of them is taken.
AHEAD = 3
# The parent's connection as a fork sees it: never to be used, and never to be closed.
_inherited: list[Any] = []


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def in_processes(work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Iterator[Result]:
    """What `work` makes of each task, in their order."""
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _begin)
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


def _begin() -> None:
    _inherited.append(connections[DEFAULT_DB_ALIAS])
    del connections[DEFAULT_DB_ALIAS]
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """When the parent was killed, nobody is left to take what is done."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
