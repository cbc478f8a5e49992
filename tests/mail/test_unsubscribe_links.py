"""Unsubscribing in one click (RFC 8058), with the link that a mail contains."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import Settings

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.audiences import subscribers_of
from registry.cases.models import Case
from registry.mail import delivery, outbox
from registry.mail.models import Message
from registry.mail.preferences import key_for
from tests.support.factories import a_case_in_review

ONE_CLICK = "List-Unsubscribe=One-Click"


@pytest.fixture
def case(registrant: User, participant: User) -> Case:
    case = a_case_in_review(by=registrant)
    Message.objects.all().delete()
    comments.comment(case, by=participant, text="Which gardens take part?", round_number=1)
    return case


def the_header(name: str = "List-Unsubscribe") -> str:
    return str(delivery.compose(Message.objects.get(name="comment")).extra_headers.get(name))


@pytest.fixture
def link(case: Case) -> str:
    """The path of the link in the header of the mail to the registrant."""
    found = re.fullmatch(r"<http://localhost:8000(/cases/unsubscribe/\S+/)>", the_header())
    assert found
    return found[1]


def test_a_mail_provider_unsubscribes_without_a_session(link: str, case: Case, registrant: User) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post(link, ONE_CLICK, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200
    assert "You are unsubscribed" in answer.text
    assert registrant not in subscribers_of(case)


def test_it_may_send_a_form_with_parts(link: str, case: Case, registrant: User) -> None:
    assert Client().post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert registrant not in subscribers_of(case)


def test_a_person_is_asked_and_a_scanner_unsubscribes_no_one(
    link: str, case: Case, registrant: User, client: Client
) -> None:
    page = client.get(link)
    assert "Stop mail about comments and changes in this case?" in page.text
    client.head(link)
    assert registrant in subscribers_of(case)
    assert page.cookies == {}


def test_one_click_is_offered_over_https_only(case: Case, settings: Settings) -> None:
    assert the_header("List-Unsubscribe-Post") == "None"
    settings.PUBLIC_ORIGIN = "https://registry.example.net"
    assert the_header("List-Unsubscribe-Post") == ONE_CLICK
    assert the_header().startswith("<https://registry.example.net/cases/unsubscribe/")


@pytest.mark.parametrize(
    "change",
    [
        lambda link: link.replace(":", ":x", 1),
        lambda link: link[:-5] + "/",
        lambda link: "/cases/unsubscribe/a-key/",
    ],
    ids=["changed", "cut", "invented"],
)
def test_a_link_that_was_not_signed_is_not_found(
    change: Callable[[str], str], link: str, case: Case, registrant: User
) -> None:
    assert Client().post(change(link)).status_code == 404
    assert registrant in subscribers_of(case)


def test_a_link_names_no_address_and_ends_with_the_account(link: str, registrant: User) -> None:
    assert registrant.email not in link
    User.objects.filter(pk=registrant.pk).update(is_active=False)
    assert Client().get(link).status_code == 404


def test_a_link_says_nothing_about_a_draft(registrant: User) -> None:
    assert Client().get(f"/cases/unsubscribe/{key_for('case-99', registrant)}/").status_code == 404


def test_mails_that_are_duties_have_no_link(registrant: User) -> None:
    mail = outbox.post_rendered("password_changed", to=registrant.email, subject="Changed", body="It was.")
    assert "List-Unsubscribe" not in delivery.compose(mail).extra_headers
