"""A stolen session: it is not enough for what outlasts it, and the owner of the account learns of changes."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains

from registry.accounts.closing import close_account
from registry.accounts.models import Role, RoleName, Scope, Token, User
from registry.accounts.tokens import make_token, revoke_token, rotate_token
from registry.audit_log.models import Event
from registry.cases.models import Case, State
from registry.custody.actions.claims import claim_namespace
from registry.custody.models import NamespaceClaim
from registry.mail.kinds import KIND_OF_MAIL
from registry.mail.models import Message
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Namespace
from registry.organisations.actions.members import invite_member
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import Membership
from registry.review_desk.models import VerdictDraft
from registry.webhooks.models import Webhook
from tests.api.client import TokenClient
from tests.mail.messages import check_plain
from tests.support.browser import fields_of, signed_in
from tests.support.factories import PASSWORD, a_body, a_case_in_review, a_namespace

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "another horse battery"
MAKE = "/accounts/tokens/make/"
CONTACT = {"name": "Thief", "email": "thief@example.org", "reason": "Why not?"}
CLAIM = {"ground": "domain", "statement": "It is mine.", "links": ""}
TOKEN = {"name": "Example program", "scopes": ["read"], "days": "7"}
RATIONALE = "Sound, and useful to every garden. \N{DECIDUOUS TREE}"


def later(**time: int) -> time_machine.travel:
    return time_machine.travel(timezone.now() + timedelta(**time), tick=True)


def asks_for_password(answer: Any) -> bool:
    return answer.status_code == 403 and "Confirm your password" in answer.text


def confirm(client: Client, asked: Any, password: str = PASSWORD) -> Any:
    """Submit the page that asks for the password."""
    path = asked.request["PATH_INFO"]
    return client.post(path, fields_of(asked, path) | {"again-password": password})


def account_pages(person: User) -> dict[str, dict[str, str]]:
    """The pages that change an account, with a form that would be valid."""
    return {
        MAKE: {"name": "Example program", "scopes": "read", "days": "7"},
        "/accounts/webhooks/register/": {"url": "https://thief.example/"},
        "/accounts/email/": {"email": "thief@example.org", "action_add": ""},
        "/people/grant-role/": {"user": person.email, "role": "expert", "reason": "Why not?"},
        f"/people/{person.pk}/withdraw-role/liaison/": {"reason": "Why not?"},
    }


def test_changes_of_an_account_ask_after_a_quarter_of_an_hour(administrator: User, liaison: User) -> None:
    client = signed_in(administrator)
    with later(minutes=16):
        for address, typed in account_pages(liaison).items():
            assert asks_for_password(client.get(address)), address
            assert asks_for_password(client.post(address, typed)), address
    assert not Token.objects.exists()
    assert not Webhook.objects.exists()
    assert not EmailAddress.objects.filter(email="thief@example.org").exists()
    assert list(Role.objects.filter(user=liaison).values_list("name", flat=True)) == [RoleName.LIAISON]


def test_they_do_not_ask_before(administrator: User, liaison: User) -> None:
    client = signed_in(administrator)
    with later(minutes=14):
        for address in account_pages(liaison):
            assert client.get(address).status_code == 200, address


@pytest.fixture
def decisions(
    registrant: User, expert: User, administrator: User, liaison: User
) -> list[tuple[User, str, dict[str, str]]]:
    """A person, the page of a decision, and a form that would be valid."""
    case = a_case_in_review(by=registrant)
    namespace = a_namespace(
        by=registrant, expert=expert, administrator=administrator, namespace_identifier="example-oaks"
    )
    arboretum = create_organisation(by=registrant, name="Example Arboretum")
    rationale = {"rationale": RATIONALE, "round_number": "1"}
    return [
        (expert, f"/cases/{case.pk}/approve/", rationale),
        (expert, f"/desk/cases/{case.pk}/verdict/approve/", rationale),
        (administrator, f"/namespaces/{namespace.nid}/deprecate/", {"statement": "No longer used."}),
        (registrant, f"/namespaces/{namespace.nid}/offer-transfer/", {"to": expert.email}),
        (registrant, f"/namespaces/{namespace.nid}/contact/", CONTACT),
        (registrant, f"/organisations/{arboretum.pk}/namespaces/", {"namespaces": str(namespace.pk)}),
        (expert, f"/namespaces/{namespace.nid}/claim/", CLAIM),
    ]


def test_decisions_ask_after_a_quarter_of_an_hour(decisions: list[tuple[User, str, dict[str, str]]]) -> None:
    for person, address, typed in decisions:
        client = signed_in(person)
        with later(minutes=14):
            assert client.get(address).status_code == 200, address
        with later(minutes=16):
            assert asks_for_password(client.get(address)), address
            assert asks_for_password(client.post(address, typed)), address
    assert not Case.objects.filter(state=State.APPROVED).exists()
    assert not NamespaceClaim.objects.exists()
    namespace = Namespace.objects.select_related("contact").get(nid="example-oaks")
    assert (namespace.registrant, namespace.contact.name) == (decisions[-2][0], "")


def test_the_draft_of_a_decision_is_saved_without_the_password(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    client, address = signed_in(expert), f"/desk/cases/{case.pk}/verdict/approve/"
    with later(minutes=16):
        typed = {"rationale": RATIONALE, "round_number": "1"}
        answer = client.post(address, typed, headers={"HX-Request": "true"})
        assert (answer.status_code, answer["Draft-Status"]) == (200, "saved")
        assert asks_for_password(client.get(address, headers={"HX-Request": "true"}))
    assert VerdictDraft.objects.get().texts == {"rationale": RATIONALE}
    case.refresh_from_db()
    assert case.state == State.IN_REVIEW


@pytest.mark.exhaustive
def test_forms_without_a_page_of_their_own_ask_when_they_are_sent(
    registrant: User, expert: User, administrator: User, liaison: User
) -> None:
    body = a_body()
    case = a_case_in_review(by=registrant, body=body)
    namespace = a_namespace(
        by=registrant, expert=expert, administrator=administrator, namespace_identifier="example-oaks"
    )
    offer = offer_transfer(namespace, by=registrant, to=expert.email)
    latest = Event.objects.latest("number").number
    finding = {"round_number": "1", "section": "assignment", "code": "x", "reason": "It is plain."}
    arboretum = create_organisation(by=registrant, name="Example Arboretum")
    invitation = invite_member(arboretum, by=registrant, email=expert.email, part="contact")
    own = Membership.objects.get(user=registrant)
    members, hosts = f"/organisations/{arboretum.pk}/members/", f"/namespaces/{namespace.nid}/hosts/"
    claim = claim_namespace(namespace, by=liaison, ground="domain", statement="It is mine.")
    forms: list[tuple[User, str, dict[str, str]]] = [
        (registrant, members, {"email": "thief@example.org", "part": "representative"}),
        (registrant, f"{members}{own.pk}/", {"part": "editor"}),
        (registrant, f"{members}{own.pk}/end/", {}),
        (administrator, f"{hosts}trees.example.org/confirm/", {"basis": "registration", "reason": "Named."}),
        (administrator, f"{hosts}trees.example.org/withdraw/", {"reason": "Not theirs."}),
        (expert, f"/organisations/{arboretum.pk}/invitations/{invitation.pk}/", {"decision": "accept"}),
        (administrator, claim.get_absolute_url(), {"decision": "announce", "reason": "Mails bounce."}),
        (expert, offer.get_absolute_url(), {"decision": "accept"}),
        (expert, f"/desk/cases/{case.pk}/dismiss-finding/", finding),
        (administrator, f"/namespaces/{namespace.nid}/profile/edit/", {"basis": "Syntax.", "replaces": "0"}),
        (administrator, f"/desk/corrections/{latest}/", {"wrong": "A", "right": "B"}),
        (administrator, f"/desk/cases/{case.pk}/assign/", {"round_number": "1"}),
        (liaison, f"/desk/bodies/{body.pk}/", {"decision": "recognise_body", "reference": "Minutes 7"}),
    ]
    for person, address, typed in forms:
        client = signed_in(person)
        with later(minutes=14):
            assert not asks_for_password(client.post(address, typed | {"decision": "none"})), address
        with later(minutes=16):
            assert asks_for_password(client.post(address, typed)), address


def test_the_actions_of_editors_do_not_ask(registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    client = signed_in(registrant)
    with later(days=7):
        assert client.get(f"/cases/{case.pk}/withdraw/").status_code == 200


def test_after_the_password_the_form_is_sent_as_it_was_typed(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    client = signed_in(expert)
    with later(hours=9):
        asked = client.post(f"/cases/{case.pk}/approve/", {"rationale": RATIONALE, "round_number": "1"})
        assertContains(asked, RATIONALE, status_code=403)
        again = confirm(client, asked, "wrong password")
        assert asks_for_password(again)
        assertContains(again, RATIONALE, status_code=403)
        answer = confirm(client, again)
    assert (answer.status_code, answer["Location"]) == (302, case.get_absolute_url())
    case.refresh_from_db()
    assert case.state == State.APPROVED
    assert Event.objects.get(verb="approve").reason == RATIONALE


def test_several_values_of_a_field_are_kept(registrant: User) -> None:
    client = signed_in(registrant)
    with later(hours=1):
        asked = client.post(MAKE, TOKEN | {"scopes": ["read", "write"]})
        assert asked.text.count('name="scopes"') == 2


def test_after_the_password_a_page_is_opened(registrant: User) -> None:
    client = signed_in(registrant)
    with later(hours=1):
        answer = confirm(client, client.get(MAKE))
        assert (answer.status_code, answer["Location"]) == (302, MAKE)
        assert client.get(MAKE).status_code == 200


def test_no_form_waits_in_the_session_for_the_password_of_the_owner(registrant: User) -> None:
    """The thief sends a form and is asked for the password; then the owner gives it, on the same page."""
    thief, owner = signed_in(registrant), Client()
    with later(hours=1):
        thief.post(MAKE, TOKEN)
        owner.cookies = thief.cookies
        confirm(owner, owner.get(MAKE))
    assert not Token.objects.exists()


def test_the_password_ends_other_holders_of_the_session(registrant: User) -> None:
    client, thief = signed_in(registrant), Client()
    name = settings.SESSION_COOKIE_NAME
    thief.cookies[name] = client.cookies[name].value
    assert thief.get("/mine/").status_code == 200
    with later(hours=1):
        confirm(client, client.get(MAKE))
        assert thief.get("/mine/").status_code == 302
        assert client.get("/mine/").status_code == 200


def test_no_other_page_takes_the_password(registrant: User) -> None:
    """That of django-allauth would let its holder try passwords, and notes nothing that is asked for."""
    assert signed_in(registrant).get("/accounts/reauthenticate/").status_code == 404


def test_the_password_can_not_be_tried_without_limit(registrant: User) -> None:
    client = signed_in(registrant)
    with later(hours=1):
        asked = client.get(MAKE)
        answers = [confirm(client, asked, f"wrong {number}").status_code for number in range(12)]
        assert answers[-1] == 429
        assert confirm(client, asked).status_code == 429


def change_password(client: Client, old: str = PASSWORD) -> None:
    typed = {"oldpassword": old, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    client.post("/accounts/password/change/", typed)


def reset_password(client: Client, email: str) -> None:
    client.post("/accounts/password/reset/", {"email": email})
    body = Message.objects.filter(name="password_reset_key").latest("pk").body
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", body)
    assert link
    form = client.get(link[1], follow=True)
    client.post(form.request["PATH_INFO"], {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})


@pytest.mark.parametrize(
    "change",
    [
        lambda person: change_password(signed_in(person)),
        lambda person: reset_password(Client(), person.email),
        lambda person: (person.set_password(NEW_PASSWORD), person.save()),
    ],
    ids=["changed", "reset", "by the command"],
)
def test_a_new_password_ends_tokens_and_sessions(registrant: User, change: Callable[[User], object]) -> None:
    program, thief = TokenClient(registrant, Scope.READ), signed_in(registrant)
    assert program.get("account/").status_code == 200
    change(User.objects.get(pk=registrant.pk))
    registrant.refresh_from_db()
    assert registrant.check_password(NEW_PASSWORD)
    assert program.get("account/").status_code == 401
    assert thief.get("/mine/").status_code == 302
    assert Event.objects.filter(verb="revoke_token", reason="The password was changed.").count() == 1


def test_a_wrong_old_password_ends_nothing(registrant: User) -> None:
    make_token(by=registrant, name="Example", scopes=["read"])
    change_password(signed_in(registrant), "wrong password")
    assert Token.objects.filter(revoked_at=None).count() == 1


def mails_to(email: str) -> list[str]:
    return list(Message.objects.filter(to=email).order_by("pk").values_list("name", flat=True))


def test_the_owner_is_notified_of_a_new_password(registrant: User) -> None:
    change_password(signed_in(registrant))
    assert mails_to(registrant.email) == ["password_changed"]
    message = Message.objects.get(name="password_changed")
    assert "127.0.0.1" in message.body
    assert "If it was not you" in message.body


def test_the_owner_is_notified_of_a_reset(registrant: User) -> None:
    reset_password(Client(), registrant.email)
    assert mails_to(registrant.email) == ["password_reset_key", "password_reset"]


def test_the_old_address_is_notified_of_every_step_to_a_new_one(registrant: User) -> None:
    client, old, new = signed_in(registrant), registrant.email, "new@example.org"
    client.post("/accounts/email/", {"email": new, "action_add": ""})
    assert mails_to(old) == ["email_added"]
    link = re.search(r"/accounts/confirm-email/\S+", Message.objects.get(to=new).body)
    assert link
    client.post(link[0])
    assert mails_to(old) == ["email_added", "email_confirmed"]
    client.post("/accounts/email/", {"email": new, "action_primary": ""})
    assert mails_to(old) == ["email_added", "email_confirmed", "email_changed"]
    assert f"from {old} to {new}" in Message.objects.get(name="email_changed").body
    client.post("/accounts/email/", {"email": old, "action_remove": ""})
    assert mails_to(new)[-1] == "email_deleted"


def the_mail(name: str) -> Message:
    """The only mail of this name; it says what to do if the person did not do it."""
    message = Message.objects.get(name=name)
    assert "/accounts/password/reset/\n" in message.body
    return message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda token, owner: None, "created"),
        (lambda token, owner: rotate_token(token, by=owner), "rotated"),
        (lambda token, owner: revoke_token(token, by=owner), "revoked"),
    ],
    ids=["created", "rotated", "revoked"],
)
def test_the_owner_is_notified_of_tokens(
    change: Callable[[Token, User], object], said: str, registrant: User
) -> None:
    token, secret = make_token(by=registrant, name="Example program", scopes=["read", "write"])
    if said != "created":
        Message.objects.all().delete()
    change(token, registrant)
    message = the_mail("token_changed")
    check_plain(message)
    assert message.to == registrant.email
    assert message.subject == f"The API token “Example program” was {said}"
    assert "“Example program” (read, write)" in message.body
    assert secret not in message.body


def test_no_such_mail_can_be_turned_off() -> None:
    """Nor one on roles: a thief would turn it off first."""
    templates = Path(settings.BASE_DIR) / "templates"
    names = {each.stem.removesuffix("_message") for each in templates.glob("*/email/*_message.txt")}
    assert names > {"password_changed", "email_changed", "totp_activated", "sessions_ended"}
    names |= {"token_changed", "account_closed", "grant_role", "withdraw_role", "remove_second_factors"}
    assert names.isdisjoint(KIND_OF_MAIL)


def test_the_owner_is_notified_of_ended_sessions(registrant: User) -> None:
    here, there = Client(), Client(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Firefox/152.0")
    for client in (here, there):
        client.post("/accounts/login/", {"login": registrant.email, "password": PASSWORD})
    here.post("/account/sessions/")
    assert "Firefox on Linux, 127.0.0.0/24" in the_mail("sessions_ended").body
    here.post("/account/sessions/")
    assert mails_to(registrant.email) == ["sessions_ended"]


def test_the_owner_is_notified_that_the_account_is_closed(registrant: User, expert: User) -> None:
    signed_in(registrant).post("/account/close/", {"is_meant": "on"})
    message = Message.objects.get(name="account_closed", to=registrant.email)
    check_plain(message)
    assert "as you asked" in message.body
    close_account(expert, by=None, reason="Left the registry.")
    message = Message.objects.get(name="account_closed", to=expert.email)
    check_plain(message)
    assert "    Left the registry." in message.body


def test_closing_an_account_ends_roles_sessions_and_tokens(expert: User) -> None:
    program, client = TokenClient(expert, Scope.READ), signed_in(expert)
    call_command("close_account", expert.email, "--reason", "Left the registry.")
    assert program.get("account/").status_code == 401
    assert client.get("/mine/").status_code == 302
    assert not Token.objects.filter(revoked_at=None).exists()
    assert not Role.objects.filter(user=expert).exists()
    event = Event.objects.get(verb="close_account")
    assert (event.reason, event.details) == ("Left the registry.", {"person": expert.pk})


def test_an_account_that_is_opened_again_has_no_old_session(expert: User) -> None:
    client = signed_in(expert)
    close_account(expert, by=None, reason="Left the registry.")
    User.objects.update(is_active=True)
    assert client.get("/mine/").status_code == 302
