"""Keeps an interruption from being lost.

A handler of a signal may run within the callback of a weak reference, or a finalizer, wherever it happens to be called.
Python reports an exception from there (`sys.unraisablehook`) and goes on: Ctrl-C would have no effect.
"""

import signal
import sys

DELAY = (
    0.01  # seconds, after which the callback has returned; if not, the exception is lost and raised once more
)


def raise_lost_interruptions() -> None:
    """Raise each KeyboardInterrupt and SystemExit again that is lost in a callback. To be called in the main thread."""
    report = sys.unraisablehook
    lost: list[BaseException] = []

    def take(found: "sys.UnraisableHookArgs") -> None:
        if isinstance(found.exc_value, KeyboardInterrupt | SystemExit) and not sys.is_finalizing():
            lost[:] = [found.exc_value]
            signal.setitimer(signal.ITIMER_REAL, DELAY)
        else:
            report(found)

    def raise_again(*_: object) -> None:
        raise lost[0]

    signal.signal(signal.SIGALRM, raise_again)
    sys.unraisablehook = take
