"""Synchronises a local copy, and kills its own process at a step: a request, or a statement in the database.

Arguments: the address of the registry, the file of the copy, and the number of steps before the kill. A sync that ends
before prints the number of its steps.
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from typing import Any

import httpx
from urnregistry import LocalCopy, Registry


def main(url: str, file: str, steps: str) -> None:
    left, taken = int(steps), 0

    def step(_what: object = None) -> None:
        nonlocal taken
        if taken == left:
            os.kill(os.getpid(), signal.SIGKILL)
        taken += 1

    class Connection(sqlite3.Connection):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.set_trace_callback(step)

    class Transport(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            step()
            return super().handle_request(request)

    connect: Callable[..., Any] = sqlite3.connect
    sqlite3.connect = lambda *arguments, **options: connect(*arguments, factory=Connection, **options)  # type: ignore[assignment]
    with Registry(url, transport=Transport()) as registry, LocalCopy(file) as copy:
        registry.sync(copy)
    print(taken)


if __name__ == "__main__":
    main(*sys.argv[1:])
