"""What was written comes back when the session has ended or the form has expired."""

import pytest
from django.test import Client
from django.urls import reverse

from registry.accounts.models import User
from registry.registrations.models import Comment
from tests.browsing import signed_in
from tests.factories import a_case_in_review

WORDS = "An hour's work on one sentence."
HERE = "http://testserver"


@pytest.fixture
def address(registrant: User) -> str:
    return reverse("registrations:comment", args=[a_case_in_review(by=registrant).pk])


def test_whoever_is_signed_out_gets_their_words_back(client: Client, address: str) -> None:
    answer = client.post(address, {"round_number": "1", "text": WORDS}, headers={"Origin": HERE})
    assert answer.status_code == 403
    assert "An hour&#x27;s work" in answer.text
    assert "Sign in" in answer.text
    assert not Comment.objects.exists()


def test_an_expired_form_gives_its_words_back(address: str, participant: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(participant)
    answer = strict.post(address, {"round_number": "1", "text": WORDS}, headers={"Origin": HERE})
    assert answer.status_code == 403
    assert "An hour&#x27;s work" in answer.text
    assert not Comment.objects.exists()


@pytest.mark.parametrize(
    "origin", ["https://elsewhere.example", "null", "", HERE + "\n", "http://testsérver", HERE + ":1"]
)
def test_another_site_can_not_put_its_words_on_ours(address: str, participant: User, origin: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(participant)
    for sender in (strict, Client()):
        answer = sender.post(address, {"text": WORDS}, headers={"Origin": origin} if origin else {})
        assert answer.status_code in {302, 403}
        assert "An hour" not in answer.text


def test_markup_and_passwords_are_not_given_back(client: Client, address: str) -> None:
    typed = {"text": "<script>alert('twelve')</script>", "password1": "a secret long enough"}
    answer = client.post(address, typed, headers={"Origin": HERE})
    assert "<script>alert" not in answer.text
    assert "a secret long enough" not in answer.text


def test_a_button_without_words_leads_to_sign_in(client: Client, address: str) -> None:
    answer = client.post(address, {"text": "Short"}, headers={"Origin": HERE})
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_login"))


def test_nothing_changes_for_whoever_is_signed_in(address: str, participant: User) -> None:
    answer = signed_in(participant).post(
        address, {"round_number": "1", "text": WORDS}, headers={"Origin": HERE}
    )
    assert answer.status_code == 302
    assert Comment.objects.get().text == WORDS
