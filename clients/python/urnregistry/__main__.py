"""`python -m urnregistry`, and the command `urnregistry`."""

import signal
import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the command. Once the package is loaded, Ctrl-C ends it without a traceback, at its end, too."""
    try:
        from urnregistry.cli import main

        status = main()
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)


if __name__ == "__main__":
    run()
