"""A progress bar on a terminal, for work that takes more than a second."""

import sys
import time
from typing import TextIO

_DELAY, _WIDTH, _INTERVAL = 1.0, 30, 0.1
_ERASE = "\r\x1b[K"


class ProgressBar:
    """Shows the share of a source that has been read, on standard error if that is a terminal."""

    def __init__(self, total: int | None, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()
        self._start = self._drawn_at = time.monotonic()
        self._done = 0
        self._is_shown = False

    def advance(self, octets: int) -> None:
        """Add a number of octets to those read, and redraw the bar."""
        self._done += octets
        now = time.monotonic()
        if self._is_terminal and now - self._start > _DELAY and now - self._drawn_at > _INTERVAL:
            self._stream.write(_ERASE + self._bar())
            self._stream.flush()
            self._is_shown, self._drawn_at = True, now

    def erase(self) -> None:
        """Erase the bar, before a line of output or the prompt."""
        if self._is_shown:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._is_shown = False

    def _bar(self) -> str:
        read = f"{self._done / 1e6:.1f} MB"
        if not self._total:
            return read
        share = min(self._done / self._total, 1.0)
        filled = round(share * _WIDTH)
        return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {share:4.0%}  {read} of {self._total / 1e6:.1f} MB"
