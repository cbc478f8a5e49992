"""`manage.py demo`: load the demonstration data."""

import json
from argparse import ArgumentParser
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from registry.core.management.base import RegistryCommand
from registry.devserver.demonstration import PASSWORD, Demonstration, load_demonstration

EPILOG = """\
examples:
  manage.py demo          create missing demonstration data; existing data is not changed
  manage.py demo --json   print JSON

The command creates accounts, including an administrator, with a public password. If DATABASE_URL is set, it
therefore requires --with-known-passwords.

exit status: 0 the data exists; 2 rejected.
"""


class Command(RegistryCommand):
    help = "Load demonstration data: IANA's namespaces, accounts for every role, cases in every state."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--with-known-passwords",
            action="store_true",
            help="also run on a database that DATABASE_URL names, where anyone can then sign in as administrator",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.IS_DEMONSTRATION and not options["with_known_passwords"]:
            raise CommandError(
                "DATABASE_URL names a database, and the password of the demonstration accounts is public. Nothing was "
                "changed. To create the accounts anyway, use --with-known-passwords.",
                returncode=2,
            )
        if not find_spec("time_machine"):
            raise CommandError(
                "The demonstration needs packages that a deployment does not. Nothing was changed. Install "
                "requirements-development.txt first.",
                returncode=2,
            )
        demonstration = load_demonstration()
        if options["json"]:
            self._print_json(demonstration)
        else:
            self._print(demonstration)

    def _print_json(self, demonstration: Demonstration) -> None:
        people = [
            {"email": each.email, "name": each.name, "roles": list(each.roles)}
            for each in demonstration.accounts
        ]
        result = {"made": demonstration.made, "people": people, "password": PASSWORD}
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))

    def _print(self, demonstration: Demonstration) -> None:
        for each in demonstration.made:
            self.stdout.write(f"Created: {each}")
        if not demonstration.made:
            self.stdout.write("The demonstration data exists; nothing was changed.")
        self.stdout.write(f"\nAccounts (password: {PASSWORD}):")
        for account in demonstration.accounts:
            self.stdout.write(f"  {account.email:32} {account.role_labels}")
