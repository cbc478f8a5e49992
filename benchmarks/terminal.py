"""Errors and progress on the terminal."""

import sys


class BenchmarkError(Exception):
    """Something that the benchmark needs is missing; the message says what, and how to get it."""


def show_progress(message: str) -> None:
    """Progress, on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message}")
        sys.stderr.flush()
