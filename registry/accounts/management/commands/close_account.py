"""`manage.py close_account`: close an account from the command line."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from registry.accounts.closing import close_account
from registry.accounts.models import User
from registry.core.management.base import RegistryCommand

EPILOG = """\
example:
  manage.py close_account expert@example.org --reason "Left the registry on 2026-11-01."

The person can no longer sign in: roles, sessions and API tokens end at once. Cases, namespaces and the audit log keep
the account. The only administrator can't be closed.

exit status: 0 the account is closed; 1 there is no such account, or it can't be closed; 2 usage error.
"""


class Command(RegistryCommand):
    help = "Close an account: end its roles, sessions and API tokens."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="the e-mail address of the account")
        parser.add_argument("--reason", required=True, help="the reason, for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        account = User.objects.filter(email__iexact=options["email"]).first()
        if account is None:
            raise CommandError(f"No account has the address “{options['email']}”.")
        close_account(account, by=None, reason=options["reason"])
        self.stdout.write(f"The account {account.email} is closed.")
