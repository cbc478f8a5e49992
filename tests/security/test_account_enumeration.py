"""Forms and operations that take an address do not tell which accounts exist: not by the response, and not by the work.

The work is measured as the database sees it: the statements of a request, without their values.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.cases.models import Case
from registry.mail.models import Message
from registry.namespaces.models import Kind, Namespace, Origin
from tests.api.client import TokenClient
from tests.mail.messages import delivered
from tests.organisations.conftest import an_organisation
from tests.support.browser import page, signed_in
from tests.support.factories import PASSWORD, a_case_in_review, a_draft, a_person, add_co_editor

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
    a_person(email="unverified@example.org", is_verified=False)
    answers = [
        Client().post("/accounts/password/reset/", {"email": email}, follow=True)
        for email in (registrant.email, "unverified@example.org", "nobody@example.org")
    ]
    assert len({(answer.status_code, answer.request["PATH_INFO"]) for answer in answers}) == 1
    assert Message.objects.count() == 3


def test_a_reset_hashes_and_mails_as_much(registrant: User, hashed: list[str]) -> None:
    a_person(email="unverified@example.org", is_verified=False)
    for email in (registrant.email, "unverified@example.org", "nobody@example.org"):
        hashed.clear()
        Message.objects.all().delete()
        Client().post("/accounts/password/reset/", {"email": email})
        assert (hashed, [each.to for each in Message.objects.all()]) == ([], [email])


def test_a_refused_sign_in_hashes_as_much(registrant: User, hashed: list[str]) -> None:
    a_person(email="closed@example.org", is_active=False)
    counts = []
    for email in (registrant.email, "closed@example.org", "nobody@example.org"):
        hashed.clear()
        answer = Client().post("/accounts/login/", {"login": email, "password": "wrong password"})
        assert answer.status_code == 422
        counts.append(len(hashed))
    assert counts == [1, 1, 1]


# Addresses that a signed-in person gives

VARYING = re.compile(r"""'(?:[^']|'')*'|"[A-Za-z0-9]{64}"|[0-9]+""")


@pytest.fixture
def addresses(participant: User) -> tuple[str, ...]:
    a_person(email="unverified@example.org", is_verified=False)
    a_person(email="closed@example.org", is_active=False)
    return participant.email, "unverified@example.org", "closed@example.org", "nobody@example.org"


def traces(ask: Callable[[str], Any], email: str) -> tuple[int, str, str, list[str]]:
    """The response and the statements of a request, without what differs between any two requests."""
    with CaptureQueriesContext(connection) as statements:
        answer = ask(email)
    texts = (answer.headers.get("Location", ""), answer.text.replace(email, "ADDRESS"))
    location, text = (VARYING.sub("?", each) for each in texts)
    return answer.status_code, location, text, [VARYING.sub("?", each["sql"]) for each in statements]


def check_all_alike(ask: Callable[[str], Any], addresses: tuple[str, ...], status: int) -> None:
    ask("first@example.org")  # what the process reads once
    known, *others = (traces(ask, email) for email in addresses)
    assert known[0] == status
    for other in others:
        assert other == known


def a_namespace_of(registrant: User) -> Namespace:
    nid = f"example-{Namespace.objects.count()}"
    return Namespace.objects.create(nid=nid, kind=Kind.FORMAL, origin=Origin.IANA, registrant=registrant)


def test_offers_of_a_namespace(registrant: User, addresses: tuple[str, ...]) -> None:
    browser, program = signed_in(registrant), TokenClient(registrant)

    def on_the_page(email: str) -> Any:
        path = f"/namespaces/{a_namespace_of(registrant).nid}/offer-transfer/"
        return browser.post(path, {"to": email, "reason": ""})

    def with_the_api(email: str) -> Any:
        return program.post(f"namespaces/{a_namespace_of(registrant).nid}/transfers/", {"to": email})

    check_all_alike(on_the_page, addresses, 302)
    check_all_alike(with_the_api, addresses, 201)
    assert set(delivered("offer_transfer")) == {registrant.email, addresses[0]}


def test_the_page_of_an_offer(registrant: User, addresses: tuple[str, ...]) -> None:
    browser = signed_in(registrant)

    def read(email: str) -> Any:
        offer = a_namespace_of(registrant).transfers.create(offered_by=registrant, email=email)
        shown = browser.get(offer.get_absolute_url())
        browser.post(offer.get_absolute_url(), {"decision": "withdraw", "reason": ""})
        return shown

    check_all_alike(read, addresses, 200)


@pytest.mark.parametrize("start", [a_draft, a_case_in_review])
def test_invitations_and_their_withdrawal(
    start: Callable[..., Case], registrant: User, addresses: tuple[str, ...]
) -> None:
    browser, program = signed_in(registrant), TokenClient(registrant)
    cases = {
        email: [start(by=registrant).pk for _ in range(2)] for email in ("first@example.org", *addresses)
    }

    def invite(email: str) -> Any:
        return program.post(f"cases/{cases[email][0]}/invite-co-editor/", {"email": email})

    def invite_on_the_page(email: str) -> Any:
        return browser.post(page("transition", cases[email][1], "invite-co-editor"), {"email": email})

    def withdraw(email: str) -> Any:
        return program.post(f"cases/{cases[email][0]}/withdraw-invitation/", {"email": email})

    check_all_alike(invite, addresses, 200)
    check_all_alike(invite_on_the_page, addresses, 302)
    check_all_alike(withdraw, addresses, 200)
    for mail in ("invite_co_editor", "withdraw_invitation"):
        assert set(delivered(mail)) == {addresses[0]}


def test_invitations_of_members_and_their_withdrawal(registrant: User, addresses: tuple[str, ...]) -> None:
    browser, program = signed_in(registrant), TokenClient(registrant)
    asked = ("first@example.org", *addresses)
    on_pages = {email: an_organisation(by=registrant, name=f"Arboretum {n}") for n, email in enumerate(asked)}
    by_api = {email: an_organisation(by=registrant, name=f"Garden {n}") for n, email in enumerate(asked)}

    def invite(email: str) -> Any:
        path = f"organisations/{by_api[email].pk}/invitations/"
        return program.post(path, {"email": email, "part": "editor"})

    def invite_on_the_page(email: str) -> Any:
        path = f"/organisations/{on_pages[email].pk}/members/"
        return browser.post(path, {"email": email, "part": "editor"})

    def withdraw(email: str) -> Any:
        (invitation,) = by_api[email].invitations.all()
        path = f"organisations/{by_api[email].pk}/invitations/{invitation.pk}/withdraw/"
        return program.post(path)

    check_all_alike(invite, addresses, 201)
    check_all_alike(invite_on_the_page, addresses, 302)
    check_all_alike(withdraw, addresses, 204)
    for mail in ("invite_member", "withdraw_membership_invitation"):
        assert set(delivered(mail)) - {registrant.email} == {addresses[0]}


def test_removal_of_a_co_editor(registrant: User, co_editor: User, addresses: tuple[str, ...]) -> None:
    case = add_co_editor(a_draft(by=registrant), by=registrant, user=co_editor)
    for person, status in ((registrant, 409), (co_editor, 404)):
        program = TokenClient(person)
        check_all_alike(
            lambda email, program=program: program.post(
                f"cases/{case.pk}/remove-co-editor/", {"email": email}
            ),
            addresses,
            status,
        )
