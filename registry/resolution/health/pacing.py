"""Pacing: one request at a time to each host, with a pause after it."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class Pacer:
    """Gives turns to threads that request from hosts."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._free_at: dict[str, float] = {}
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._lock = Lock()

    @contextmanager
    def turn(self, host: str) -> Iterator[None]:
        """Wait until no other request to the host runs, and the pause after the last one is over."""
        with self._lock:
            lock = self._locks[host]
        with lock:
            time.sleep(max(0, self._free_at.get(host, 0) - time.monotonic()))
            try:
                yield
            finally:
                self._free_at[host] = time.monotonic() + self._pause
