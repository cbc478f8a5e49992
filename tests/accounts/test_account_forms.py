"""The forms of django-allauth have the labels and messages of this site."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from tests.support.factories import PASSWORD, a_person

pytestmark = pytest.mark.django_db
REVOKES_TOKENS = "A new password revokes all your API tokens."


@pytest.fixture
def person() -> User:
    return a_person(email="registrant@example.org")


@pytest.mark.parametrize("name", ["login", "signup", "reset_password"])
def test_forms_ask_for_an_e_mail_address_without_placeholders(client: Client, name: str) -> None:
    response = client.get(reverse(f"account_{name}"))
    assertContains(response, "E-mail address")
    assert "placeholder=" not in response.content.decode().partition("<main")[2]


def test_only_accounts_with_tokens_are_warned_that_a_password_revokes_them(
    client: Client, person: User
) -> None:
    assertNotContains(client.get(reverse("account_signup")), REVOKES_TOKENS)
    client.force_login(person)
    response = client.get(reverse("account_change_password"))
    assertContains(response, REVOKES_TOKENS, count=1)
    assertContains(response, "New password (again)")


def test_a_wrong_current_password_is_named(client: Client, person: User) -> None:
    client.force_login(person)
    typed = {
        "oldpassword": f"not {PASSWORD}",
        "password1": "another horse battery",
        "password2": "another horse battery",
    }
    response = client.post(reverse("account_change_password"), typed)
    assertContains(response, "This is not your current password.", status_code=422)
