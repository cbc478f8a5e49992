"""`manage.py worker`: send mail and webhooks, and run the periodic jobs."""

import asyncio
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand
from registry.core.processes.worker import DatabaseLost, work

EPILOG = """\
examples:
  manage.py worker                   until SIGINT or SIGTERM
  manage.py worker --patience 60     end sooner without a database, for a service manager that restarts it

Several workers can run at the same time. A worker that loses the database connects again.

A signal ends the worker when its jobs are done. After 10 seconds the worker says what it waits for; after 30 it ends
anyway. Another worker sends the mail that it was sending.

exit status: 0 stopped by a signal; 1 the database was not available for the seconds of --patience, or something did not end
within 30 seconds of the signal.
"""


class Command(RegistryCommand):
    help = (
        "Run the jobs of the registry: mail, webhooks, reminders, checks of services, heads of the audit log."
    )
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--patience",
            type=int,
            default=600,
            metavar="SECONDS",
            help="how long to wait for a database that is not available (default: %(default)s)",
        )

    def handle(self, *args: Any, patience: int, **options: Any) -> None:
        try:
            asyncio.run(work(patience))
        except DatabaseLost as error:
            raise CommandError(str(error)) from error
