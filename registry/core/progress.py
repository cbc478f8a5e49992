"""Progress of long operations."""

import sys
import time
from collections.abc import Callable

# Called with the number done and the total.
ProgressCallback = Callable[[int, int], None]
INTERVAL = 0.2  # seconds between two lines


def terminal_progress(verb: str, what: str) -> ProgressCallback | None:
    """Return a callback that reports progress on standard error, None if that is not a terminal."""
    if not sys.stderr.isatty():
        return None
    shown = 0.0

    def show(done: int, total: int) -> None:
        nonlocal shown
        if done < total and time.monotonic() < shown + INTERVAL:
            return
        shown = time.monotonic()
        sys.stderr.write(f"\r{verb} {done:,} of {total:,} {what}" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return show
