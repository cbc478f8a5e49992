"""A comparison of hostile input with harmless input of the same length, for code whose time grows with the length only."""

from collections.abc import Callable
from time import process_time

# Input that takes quadratic time is thousands of times slower. Less than these is noise of the machine and of the input.
FACTOR = 50
SHORTEST = 0.02


def assert_linear_time(work: Callable[[str], object], hostile: str, harmless: str) -> None:
    """Fail if `work` is much slower with the hostile text than with the harmless one, which is about as long."""
    assert _seconds(work, hostile) < FACTOR * max(_seconds(work, harmless), SHORTEST)


def _seconds(work: Callable[[str], object], text: str) -> float:
    started = process_time()
    work(text)
    return process_time() - started
