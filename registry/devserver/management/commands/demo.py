"""`manage.py demo`: load the demonstration data."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from registry.devserver.demonstration import PASSWORD, Demonstration, load_demonstration

EPILOG = """\
examples:
  manage.py demo          create missing demonstration data; existing data is not changed
  manage.py demo --json   print JSON

The command creates accounts, including an administrator, with a public password. If DATABASE_URL is set, it
therefore requires --with-known-passwords.

exit status: 0 the data exists; 2 rejected.
"""


class Command(BaseCommand):
    help = "Load demonstration data: IANA's namespaces, accounts for every role, cases in every state."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        parser.add_argument(
            "--with-known-passwords",
            action="store_true",
            help="run on a real database too, and let everybody sign in as its administrator",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object instead of sentences")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.IS_DEMONSTRATION and not options["with_known_passwords"]:
            raise CommandError(
                "DATABASE_URL names a database, so this is no demonstration: its accounts have a password that "
                "everybody knows. Nothing was changed. Say --with-known-passwords if that is what you want.",
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
        answer = {"made": demonstration.made, "people": people, "password": PASSWORD}
        self.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2))

    def _print(self, demonstration: Demonstration) -> None:
        for each in demonstration.made:
            self.stdout.write(f"Made: {each}")
        if not demonstration.made:
            self.stdout.write("The demonstration is set up already; nothing was changed.")
        self.stdout.write(f"\nSign in as one of these; the password is {PASSWORD}")
        for account in demonstration.accounts:
            self.stdout.write(f"  {account.email:32} {account.role_labels}")
