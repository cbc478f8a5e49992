"""Errors and progress on the terminal."""

import sys


class BenchmarkError(Exception):
    """A requirement of the benchmark is missing; the message states how to install it."""


def show_progress(message: str) -> None:
    """Print progress if standard error is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message}")
        sys.stderr.flush()
