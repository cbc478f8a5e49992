"""A password has at least 12 characters, wherever it is set."""

from collections.abc import Callable

import pytest
from django.test import Client

from registry.accounts.models import User
from tests.support.browser import signed_in
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db
SHORTEST = "quite-unique"  # 12 characters, none of them in the account


def sign_up(_person: User, password: str) -> None:
    typed = {"email": "newcomer@example.org", "password1": password, "password2": password}
    Client().post("/accounts/signup/", typed)


def change(person: User, password: str) -> None:
    typed = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    signed_in(person).post("/accounts/password/change/", typed)


def set_first(person: User, password: str) -> None:
    person.set_unusable_password()
    person.save()
    signed_in(person).post("/accounts/password/set/", {"password1": password, "password2": password})


WAYS: dict[str, tuple[Callable[[User, str], None], str]] = {
    "sign-up": (sign_up, "newcomer@example.org"),
    "change": (change, "registrant@example.org"),
    "first password": (set_first, "registrant@example.org"),
}


@pytest.mark.parametrize(("way", "email"), WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(("password", "is_accepted"), [(SHORTEST[:-1], False), (SHORTEST, True)])
def test_a_password_has_at_least_12_characters(
    way: Callable[[User, str], None], email: str, password: str, is_accepted: bool, registrant: User
) -> None:
    way(registrant, password)
    person = User.objects.filter(email=email).first()
    assert (person is not None and person.check_password(password)) is is_accepted
