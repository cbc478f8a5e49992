"""The account page: name, data and closing."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.closing import close_account
from registry.accounts.forms import NameForm
from registry.accounts.models import Recognition, User
from registry.accounts.tokens import make_token
from registry.mail import outbox
from tests.support.browser import signed_in
from tests.support.factories import a_body, a_case_in_review, a_draft, a_namespace, a_person

ACCOUNT, NAME, DATA, CLOSE = "/account/", "/account/name/", "/account/data.json", "/account/close/"


def test_the_header_links_to_the_account_page_and_it_to_all_others(registrant: User) -> None:
    client = signed_in(registrant)
    assert f'href="{ACCOUNT}"' in client.get("/mine/").text
    page = client.get(ACCOUNT)
    assert registrant.name in page.text
    linked = [
        NAME,
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/accounts/connections/",
        "/account/sessions/",
        "/accounts/tokens/",
    ]
    for address in (*linked, "/accounts/webhooks/", "/accounts/time-zone/", DATA, CLOSE):
        assert f'href="{address}' in page.text, address
        assert client.get(address).status_code == 200, address


def test_addresses_are_shown_with_their_state(registrant: User) -> None:
    registrant.emailaddress_set.create(email="second@example.org", verified=False, primary=False)
    page = signed_in(registrant).get(ACCOUNT).text
    assert page.index("registrant@example.org") < page.index("second@example.org")
    assert "primary" in page
    assert "not confirmed" in page


def test_a_name_is_changed_for_everyone(registrant: User, client: Client) -> None:
    case = a_case_in_review(by=registrant)
    signed_in(registrant).post(NAME, {"name": "  Rowan   Example "})
    registrant.refresh_from_db()
    assert registrant.name == "Rowan Example"
    assert "Rowan Example" in client.get(case.get_absolute_url()).text


def test_a_name_that_is_saved_late_does_not_open_a_closed_account(registrant: User) -> None:
    form = NameForm({"name": "Rowan Example"}, instance=User.objects.get(pk=registrant.pk))
    assert form.is_valid()
    close_account(registrant, by=None, reason="Asked for.")
    form.save()
    registrant.refresh_from_db()
    assert (registrant.name, registrant.is_active) == ("Rowan Example", False)
    assert not registrant.has_usable_password()


@pytest.mark.parametrize("name", ["Registry Support", "adm1nistrator", "a\u202eb", "x" * 201])
def test_a_name_that_misleads_is_refused_and_not_lost(name: str, registrant: User) -> None:
    answer = signed_in(registrant).post(NAME, {"name": name})
    assert answer.status_code == 422
    assert name in answer.text
    registrant.refresh_from_db()
    assert registrant.name == "Registrant"


def test_those_who_have_a_role_can_say_so(expert: User) -> None:
    assert signed_in(expert).post(NAME, {"name": "Expert Example"}).status_code == 302


def test_the_data_names_what_the_person_made_and_no_secret(registrant: User, participant: User) -> None:
    case = a_case_in_review(by=registrant)
    token, secret = make_token(by=registrant, name="Example program", scopes=["read"])
    make_token(by=participant, name="Their program", scopes=["read"])
    outbox.post_rendered("comment", to=registrant.email, subject="A comment", body="A secret link")
    answer = signed_in(registrant).get(DATA)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer.headers["Cache-Control"]
    data: dict[str, Any] = answer.json()
    assert data["accounts.User"][0]["email"] == registrant.email
    assert data["cases.Case"][0]["id"] == case.pk
    assert [each["name"] for each in data["accounts.Token"]] == ["Example program"]
    assert [each["subject"] for each in data["mail.Message"]][-1:] == ["A comment"]
    for kept in (secret, token.digest, registrant.password, "A secret link", "Their program"):
        assert kept not in answer.text


def test_an_account_is_closed_after_a_confirmation(expert: User) -> None:
    client = signed_in(expert)
    assert client.post(CLOSE).status_code == 422
    make_token(by=expert, name="Example program", scopes=["read"])
    answer = client.post(CLOSE, {"is_meant": "on"}, follow=True)
    assert "Your account is closed." in answer.text
    expert.refresh_from_db()
    assert not expert.is_active
    assert not expert.granted_roles.exists()
    assert not expert.tokens.filter(revoked_at=None).exists()
    assert client.get(ACCOUNT).status_code == 302


def left(client: Client) -> str:
    """What the page asks for; the account is not closed without it."""
    page = client.get(CLOSE)
    assert client.post(CLOSE, {"is_meant": "on"}).status_code == 409
    return page.text


def test_namespaces_are_handed_on_and_cases_ended_first(
    registrant: User, expert: User, administrator: User
) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    draft = a_draft(by=registrant, namespace_identifier="example-birds")
    page = left(signed_in(registrant))
    assert "Hand on the namespace “example-trees”" in page
    assert f"Delete the draft of case {draft.pk}" in page
    registrant.refresh_from_db()
    assert registrant.is_active


def test_the_last_of_a_duty_appoints_another_one(administrator: User, participant: User) -> None:
    assert "only administrator" in left(signed_in(administrator))
    a_body(recognition=Recognition.RECOGNISED).representatives.set([participant])
    assert "only representative" in left(signed_in(participant))


def test_after_a_while_the_password_is_asked_for(registrant: User) -> None:
    client = signed_in(registrant)
    session = client.session
    session["signed_in_at"] = 0
    session.save()
    for address in (DATA, CLOSE):
        assert client.get(address).status_code == 403
    assert a_person(email="another@example.org").is_active
