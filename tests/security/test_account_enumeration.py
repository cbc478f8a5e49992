"""Sign-up does not tell which accounts exist: not by its response, and not by its work."""

from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client

from registry.accounts.models import User
from registry.mail.models import Message
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that have been hashed."""
    passwords: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        passwords.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    return passwords


def sign_up(email: str) -> tuple[Any, ...]:
    client = Client()
    typed = {"email": email, "password1": PASSWORD, "password2": PASSWORD}
    answer = client.post("/accounts/signup/", typed)
    page = client.get(answer["Location"])
    shown = page.text.replace(email, "").partition("<main")[2]
    return answer.status_code, answer["Location"], sorted(client.cookies), shown


def test_the_response_is_the_same_for_a_new_and_a_known_address(registrant: User) -> None:
    assert sign_up("newcomer@example.org") == sign_up(registrant.email)
    assert {message.name for message in Message.objects.all()} == {
        "email_confirmation_signup",
        "account_already_exists",
    }


def test_so_is_the_work(registrant: User, hashed: list[str]) -> None:
    counts = []
    for email in ("newcomer@example.org", registrant.email):
        hashed.clear()
        sign_up(email)
        counts.append(len(hashed))
    assert counts == [1, 1]


def test_a_reset_looks_the_same(registrant: User) -> None:
    answers = [
        Client().post("/accounts/password/reset/", {"email": email}, follow=True)
        for email in (registrant.email, "nobody@example.org")
    ]
    assert len({(answer.status_code, answer.request["PATH_INFO"]) for answer in answers}) == 1
    assert Message.objects.count() == 2
