"""Keeps an interruption from being lost.

A handler of a signal may run within the callback of a weak reference, or a finalizer, wherever it happens to be called.
Python reports an exception from there (`sys.unraisablehook`) and goes on: Ctrl-C would have no effect.
"""

import atexit
import signal
import sys
import threading

# In seconds. The callback has returned by then; if not, the exception is lost, and raised once more.
DELAY = 0.01


def raise_lost_interruptions() -> None:
    """Raise again each KeyboardInterrupt and SystemExit that is lost in a callback of the main thread, which calls this.

    It takes SIGALRM and its timer, which a process that is forked from this one can't use for something else.
    """
    report = sys.unraisablehook
    lost: list[BaseException] = []

    def take(found: "sys.UnraisableHookArgs") -> None:
        error = found.exc_value
        is_in_main_thread = threading.current_thread() is threading.main_thread()
        if isinstance(error, KeyboardInterrupt | SystemExit) and is_in_main_thread:
            lost[:] = [error]
            signal.setitimer(signal.ITIMER_REAL, DELAY)
        else:
            report(found)

    def raise_again(*_: object) -> None:
        if lost:
            raise lost.pop()

    signal.signal(signal.SIGALRM, raise_again)
    sys.unraisablehook = take
    # Python then takes its handlers away, and the signal would kill the process.
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
