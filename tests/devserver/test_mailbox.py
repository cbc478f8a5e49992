"""The mailbox of the demonstration, which no deployment has."""

import re

import pytest
from django.test import Client
from pytest_django import Settings

from registry.accounts.models import User
from registry.mail import outbox
from registry.mail.models import Message
from tests.support.factories import PASSWORD

MAILBOX = "/demo/mailbox/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def demonstration(settings: Settings) -> None:
    settings.IS_DEMONSTRATION = True


def a_mail(to: str, body: str = "Hello.") -> Message:
    return outbox.post_rendered("comment", to=to, subject=f"To {to}", body=body)


def test_a_newcomer_confirms_an_address_without_the_terminal(client: Client, demonstration: None) -> None:
    assert f'href="{MAILBOX}"' in client.get("/").text
    typed = {"email": "newcomer@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client.post("/accounts/signup/", typed)
    link = re.search(r'href="[^"]*(/accounts/confirm-email/[^"?]+)', client.get(MAILBOX).text)
    assert link
    client.post(link[1])
    assert User.objects.get(email="newcomer@example.org").is_verified


def test_the_newest_mails_come_first_by_address_and_page(client: Client, demonstration: None) -> None:
    for number in range(21):
        a_mail(f"person-{number}@example.org")
    text = client.get(MAILBOX).text
    assert text.index("person-20@") < text.index("person-19@")
    assert "person-0@" not in text
    after = re.search(r'href="(\?after=\d+)"', text)
    assert after
    assert "person-0@" in client.get(MAILBOX + after[1]).text
    assert client.get(MAILBOX, {"to": "PERSON-0@example.org"}).text.count("<article") == 1
    assert "No mails to x\ufffd" not in client.get(MAILBOX, {"to": "x\0"}).text


def test_a_mail_is_shown_as_text(client: Client, demonstration: None) -> None:
    a_mail("person@example.org", "<b>Bold</b>\njavascript:alert(1) https://example.org/a?b=1&c=2.")
    text = client.get(MAILBOX).text
    assert "&lt;b&gt;Bold" in text
    assert 'href="https://example.org/a?b=1&amp;c=2"' in text
    assert 'href="javascript' not in text


def test_a_deployment_has_neither_mailbox_nor_banner(
    client: Client, administrator: User, settings: Settings
) -> None:
    settings.IS_DEMONSTRATION = False
    a_mail("person@example.org")
    assert client.get(MAILBOX).status_code == 404
    client.force_login(administrator)
    answer = client.get(MAILBOX)
    assert answer.status_code == 404
    assert "person@example.org" not in answer.text
    assert MAILBOX not in client.get("/mine/").text
