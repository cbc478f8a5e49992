"""Recovery of form input after the session has ended or the form has expired."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from registry.accounts.models import User
from registry.cases.models import Comment
from tests.support.browser import fields_of, signed_in
from tests.support.factories import PASSWORD, a_case_in_review, a_draft

WORDS = "An hour's work on one sentence."
HERE = "http://testserver"


def token_in(page: Any) -> str:
    return fields_of(page, "/accounts/login/")["csrfmiddlewaretoken"]


@pytest.fixture
def address(registrant: User) -> str:
    return reverse("cases:comment", args=[a_case_in_review(by=registrant).pk])


def test_input_is_recovered_after_sign_out(client: Client, address: str) -> None:
    answer = client.post(address, {"round_number": "1", "text": WORDS}, headers={"Origin": HERE})
    assert answer.status_code == 403
    assert "An hour&#x27;s work" in answer.text
    assert "Sign in" in answer.text
    assert not Comment.objects.exists()


def test_the_page_of_an_expired_form_contains_its_texts(address: str, participant: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(participant)
    answer = strict.post(address, {"round_number": "1", "text": WORDS}, headers={"Origin": HERE})
    assert answer.status_code == 403
    assert "An hour&#x27;s work" in answer.text
    assert not Comment.objects.exists()


@pytest.mark.parametrize(
    "origin", ["https://elsewhere.example", "null", "", HERE + "\n", "http://testsérver", HERE + ":1"]
)
def test_input_from_another_site_is_not_shown(address: str, participant: User, origin: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(participant)
    for sender, there in ((strict, address), (Client(), address), (Client(), "/nothing-here/")):
        answer = sender.post(there, {"text": WORDS}, headers={"Origin": origin} if origin else {})
        assert answer.status_code in {302, 403, 404}
        assert "An hour" not in answer.text
        assert "Send again</button>" not in answer.text


def test_markup_and_passwords_are_not_given_back(client: Client, address: str) -> None:
    typed = {"text": "<script>alert('twelve')</script>", "password1": "a secret long enough"}
    answer = client.post(address, typed, headers={"Origin": HERE})
    assert "<script>alert" not in answer.text
    assert "a secret long enough" not in answer.text


def test_fields_that_the_page_filled_in_are_not_shown_as_texts(client: Client, address: str) -> None:
    typed = {"text": WORDS, "next_step": "Ask for an example.", "attached": "A list of places."}
    filled = {"next": "/inbox/?kind=review", "at": "finding-resolution-1", "kept_texts": "0" * 32}
    answer = client.post(address, typed | filled, headers={"Origin": HERE})
    assert dict(answer.context["recovered_texts"]) == {
        "Text": WORDS,
        "Next step": "Ask for an example.",
        "Attached": "A list of places.",
    }


@pytest.mark.parametrize("name", ["password", "password1", "oldpassword"])
def test_a_form_with_a_password_is_not_offered_again(registrant: User, name: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    typed = {"login": registrant.email, name: "a secret long enough"}
    answer = strict.post("/accounts/login/", typed, headers={"Origin": HERE})
    assert answer.status_code == 403
    assert "a secret long enough" not in answer.text
    assert "Send again</button>" not in answer.text
    assert 'href="/accounts/login/"' in answer.text


def sent_again(walker: Client, answer: Any) -> Any:
    """Submit the recovered form again."""
    path = answer.request["PATH_INFO"]
    return walker.post(path, fields_of(answer, path), headers={"Origin": HERE}, follow=True)


TYPED = ["x", "Two\r\nlines, and\ttabs", "“Quoted” & <marked>\r\n", "\r\n at the beginning", "٣ ä " * 5_000]


@pytest.mark.parametrize("text", TYPED)
def test_a_form_whose_token_has_changed_is_sent_again_by_one_button(
    address: str, participant: User, text: str
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(participant)
    answer = strict.post(
        address,
        {"round_number": "1", "text": text, "csrfmiddlewaretoken": "x" * 64},
        headers={"Origin": HERE},
    )
    assert (answer.status_code, Comment.objects.count()) == (403, 0)
    assert sent_again(strict, answer).status_code == 200
    assert Comment.objects.get().text == text.strip()


def test_without_script_signing_in_elsewhere_and_two_buttons_lose_nothing(
    address: str, participant: User
) -> None:
    strict = Client(enforce_csrf_checks=True)
    opened = strict.get("/accounts/login/")
    typed = {"round_number": "1", "text": WORDS, "csrfmiddlewaretoken": token_in(opened)}
    answer = strict.post(address, typed, headers={"Origin": HERE})
    assert "You are signed out" in answer.text
    in_another_window = {"login": participant.email, "password": PASSWORD}
    strict.post("/accounts/login/", in_another_window | {"csrfmiddlewaretoken": token_in(opened)})
    answer = sent_again(strict, answer)  # signing in has changed the token
    assert "Send again" in answer.text
    sent_again(strict, answer)
    assert Comment.objects.get().text == WORDS


def test_input_is_recovered_after_sign_in_as_another_user(registrant: User, participant: User) -> None:
    draft = a_draft(by=registrant)
    answer = signed_in(participant).post(
        reverse("cases:edit", args=[draft.pk]), {"purpose": WORDS}, headers={"Origin": HERE}
    )
    assert answer.status_code == 404
    assert "An hour&#x27;s work" in answer.text


def test_the_page_of_a_refusal_contains_the_texts(registrant: User, participant: User) -> None:
    """The case is public but its draft is not, so the registry, not Django, rejects the request."""
    case = a_case_in_review(by=registrant)
    answer = signed_in(participant).post(
        reverse("cases:edit", args=[case.pk]), {"purpose": WORDS}, headers={"Origin": HERE}
    )
    assert answer.status_code == 404
    assert "An hour&#x27;s work" in answer.text


def test_a_button_of_a_form_without_fields_leads_to_sign_in(client: Client, address: str) -> None:
    answer = client.post(address, {"csrfmiddlewaretoken": "x" * 64}, headers={"Origin": HERE})
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_login"))


def test_requests_of_signed_in_users_are_unchanged(address: str, participant: User) -> None:
    answer = signed_in(participant).post(
        address, {"round_number": "1", "text": WORDS}, headers={"Origin": HERE}
    )
    assert answer.status_code == 302
    assert Comment.objects.get().text == WORDS
