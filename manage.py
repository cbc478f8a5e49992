#!/usr/bin/env python3
"""Django's command line. To set up and start the database too: `python3 run.py manage COMMAND`."""

import os
import signal
import sys


def main() -> None:
    if os.getpid() == 1:  # of a container: the kernel ignores signals to it for which there is no handler
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    if sys.argv[1:] in (["version"], ["--version"]):  # Django would print its own
        from registry.core.version import version

        print(version())
        return
    from registry.core.processes.interruptions import raise_lost_interruptions

    raise_lost_interruptions()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    os.environ.setdefault(
        "PGAPPNAME", f"urn-registry {sys.argv[1] if len(sys.argv) > 1 else ''}"
    )  # in pg_stat_activity
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    from registry.devserver import database

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        if advice := database.explain(error):
            sys.exit(advice)
        raise
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell reports SIGINT; transactions that were open are undone


if __name__ == "__main__":
    main()
