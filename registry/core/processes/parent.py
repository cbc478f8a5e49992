"""Ends a process when the one that started it ends."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int, by: signal.Signals = signal.SIGTERM) -> None:
    """End this process by a signal if `parent`, which started it, is killed: no part of a server goes on. On Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)
        if os.getppid() != parent:  # it was killed before
            os.kill(os.getpid(), by)
