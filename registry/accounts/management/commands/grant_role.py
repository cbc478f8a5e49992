"""`manage.py grant_role`: grant a role from the command line, for example to the first administrator."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from registry.accounts.models import RoleName, User
from registry.accounts.roles import grant_role
from registry.core.http.urls import public_url
from registry.core.management.base import RegistryCommand

EPILOG = """\
examples:
  manage.py grant_role administrator@example.org administrator   the first administrator of a new registry
  manage.py grant_role expert@example.org expert                 a designated expert

The account must exist, with a confirmed address: sign up on the site first. Administrators grant further roles on the page /people/.
In the audit log, the event has no actor.

exit status: 0 the account has the role; 1 there is no such account; 2 usage error, such as an unknown role.
"""


class Command(RegistryCommand):
    help = "Grant a role to an account."
    epilog = EPILOG

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="the e-mail address of the account")
        parser.add_argument("role", metavar="ROLE", choices=RoleName.values, help=", ".join(RoleName.values))

    def handle(self, *args: Any, **options: Any) -> None:
        role = RoleName(options["role"])
        person = User.objects.with_address(options["email"])
        if person is None:
            sign_up = public_url("account_signup")
            raise CommandError(
                f"No active account has the confirmed address “{options['email']}”. Sign up first, at {sign_up}"
            )
        held_before = role in person.held_roles
        grant_role(person, role, by=None)
        now = "already has" if held_before else "now has"
        self.stdout.write(f"{person.email} {now} the role {role.label}.")
