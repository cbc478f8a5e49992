"""Make people with confirmed addresses who write by API, and staff who are notified; print one token a line.

python -m benchmarks.writers 8
"""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django.setup()

from allauth.account.models import EmailAddress  # noqa: E402 - they need Django set up

from registry.accounts.models import RoleName, Scope, User  # noqa: E402
from registry.accounts.roles import grant_role  # noqa: E402
from registry.accounts.tokens import make_token  # noqa: E402


def _person(name: str) -> User:
    person = User.objects.create_user(f"{name}@example.org", None)
    EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
    return person


if __name__ == "__main__":
    for role in (RoleName.EXPERT, RoleName.ADMINISTRATOR):
        grant_role(_person(role), role, by=None)
    for number in range(int(sys.argv[1])):
        _, secret = make_token(by=_person(f"registrant-{number}"), name="Benchmark", scopes=tuple(Scope))
        print(secret)
