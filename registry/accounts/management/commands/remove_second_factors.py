"""`manage.py remove_second_factors`: for a person who lost every device and recovery code."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from registry.accounts.models import User
from registry.accounts.second_factors.confirmation import remove_second_factors
from registry.core.management.base import RegistryCommand

EPILOG = """\
example:
  manage.py remove_second_factors expert@example.org --reason "Lost the telephone; recognised in a video call."

Make sure first that the request comes from the person: the password alone can then sign in. The person and all
administrators get a mail, and the audit log gets an event. Roles that decide are suspended until the person adds
a second factor.

exit status: 0 they are removed; 1 there is no such account, or it has none; 2 usage error.
"""


class Command(RegistryCommand):
    help = "Remove the passkeys, the authenticator app and the recovery codes of an account."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="the e-mail address of the account")
        parser.add_argument("--reason", required=True, help="the reason, for the audit log and the mails")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(email__iexact=options["email"]).first()
        if person is None:
            raise CommandError(f"No account has the address “{options['email']}”.")
        remove_second_factors(person, reason=options["reason"])
        self.stdout.write(f"The second factors of {person.email} are removed.")
