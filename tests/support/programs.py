"""Programs that tests run beside them."""

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Seconds that a program has to end by itself: more than a worker takes at most.
PATIENCE = 60


@contextmanager
def running(
    command: Sequence[str | Path], *, end: signal.Signals = signal.SIGTERM, **options: Any
) -> Iterator["subprocess.Popen[Any]"]:
    """Run a program during the block, with the options of `Popen`. Then end it by a signal.

    One that does not end is killed, and fails the test with TimeoutExpired.
    """
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.send_signal(end)
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate(timeout=PATIENCE)
            raise
