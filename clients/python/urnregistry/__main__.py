"""`python -m urnregistry`, and the command `urnregistry`. Nothing is loaded before Ctrl-C is handled."""


def run() -> None:
    """Run the command. Ctrl-C ends it without a traceback, also while the package is loaded, and at its end."""
    import os
    import signal
    import sys

    status: int = 128 + signal.SIGINT
    is_handled = (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )  # and not ignored, as with nohup
    if is_handled:
        # At once, because an exception amid an import can be lost.
        signal.signal(signal.SIGINT, lambda *_: os._exit(status))
    from urnregistry.cli import main

    try:
        if is_handled:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        status = main()
    except KeyboardInterrupt:
        pass
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)


if __name__ == "__main__":
    run()
