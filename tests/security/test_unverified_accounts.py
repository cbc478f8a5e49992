"""Accounts with an unconfirmed address: they get only the confirmation mail, and can't act."""

import re
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.test import Client

from registry.accounts.forms import AccountField
from registry.accounts.locks import AddressNotConfirmed
from registry.accounts.models import Body, Role, RoleName, User, addresses
from registry.accounts.roles import grant_role
from registry.cases import bodies, comments
from registry.cases.models import Round
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer, withdraw_transfer
from registry.namespaces.models import Transfer
from tests.cases.traces import refused
from tests.mail.messages import delivered
from tests.support.browser import Walker, fields_of
from tests.support.factories import PASSWORD, a_case_in_review, a_draft, a_namespace, a_person

pytestmark = pytest.mark.django_db
EMAIL = "newcomer@example.org"
NEW_PASSWORD = "another long password"


@pytest.fixture
def unverified(db: None) -> User:
    return a_person(email="unverified@example.org", is_verified=False)


def sign_up(client: Client, email: str = EMAIL) -> str:
    """Sign up, and return the path of the link in the mail."""
    client.post("/accounts/signup/", {"email": email, "password1": PASSWORD, "password2": PASSWORD})
    link = re.search(r"https?://[^/]+(/accounts/confirm-email/\S+)", Message.objects.latest("pk").body)
    assert link
    return link[1]


def is_confirmed(email: str = EMAIL) -> bool:
    return EmailAddress.objects.get(email=email).verified


def test_a_link_opened_in_another_browser_confirms_nothing() -> None:
    """A stranger signs up with another person's address; its owner opens the unexpected link."""
    link = sign_up(Client())
    owner = Walker(Client())
    owner.get(link)
    assert owner.path == "/accounts/login/"
    assert "Sign in to confirm your address." in owner.text
    owner.client.post(link)
    assert not is_confirmed()


def test_the_password_confirms_in_another_browser() -> None:
    link = sign_up(Client())
    owner = Walker(Client())
    owner.get(link)
    owner.sign_in(EMAIL, onward=owner.field("next"))
    assert (owner.path, Message.objects.count()) == (urlsplit(link).path, 1)
    owner.answer = owner.client.post(owner.path, fields_of(owner.answer, owner.path), follow=True)
    assert is_confirmed()
    assert owner.path == "/"
    assert "_auth_user_id" in owner.client.session


def test_a_wrong_password_does_not() -> None:
    link = sign_up(Client())
    other = Client()
    other.post("/accounts/login/", {"login": EMAIL, "password": "wrong", "next": link})
    other.post(link)
    assert not is_confirmed()


def test_another_signed_in_person_does_not(registrant: User) -> None:
    link = sign_up(Client())
    other = Walker(Client())
    other.sign_in(registrant.email, onward="/")
    other.get(link)
    assert "This link belongs to another account" in other.text
    other.client.post(link)
    assert not is_confirmed()
    assert "_auth_user_id" in other.client.session


def test_the_session_that_signed_up_confirms(client: Client) -> None:
    client.post(sign_up(client))
    assert is_confirmed()


# Resets of the password


def request_reset(email: str) -> str:
    """Request a reset, and return the path of the link; "" if the mail has none."""
    Client().post("/accounts/password/reset/", {"email": email})
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", Message.objects.latest("pk").body)
    return link[1] if link else ""


def set_password(path: str, password: str) -> None:
    owner = Client()
    form = owner.get(path)["Location"]
    owner.post(form, {"password1": password, "password2": password})


def test_a_reset_confirms_the_address_for_its_owner_and_not_for_the_stranger_who_signed_up() -> None:
    stranger = Client()
    link = sign_up(stranger)
    reset = request_reset(EMAIL)
    assert Message.objects.latest("pk").name == "email_confirmation_password"
    assert not is_confirmed()
    set_password(reset, NEW_PASSWORD)
    assert is_confirmed()
    for path in ("/accounts/confirm-email/", "/accounts/login/", link):
        stranger.get(path)
    stranger.post(link)
    stranger.post("/accounts/login/", {"login": EMAIL, "password": PASSWORD})
    assert "_auth_user_id" not in stranger.session
    owner = Client()
    owner.post("/accounts/login/", {"login": EMAIL, "password": NEW_PASSWORD})
    assert "_auth_user_id" in owner.session


def test_no_reset_is_mailed_to_a_further_address_that_is_not_confirmed(registrant: User) -> None:
    """Who owns a mistyped address would otherwise own the account."""
    EmailAddress.objects.create(user=registrant, email="mistyped@example.org")
    assert request_reset("mistyped@example.org") == ""
    assert [message.name for message in Message.objects.all()] == ["unknown_account"]


def test_a_reset_by_a_further_address_confirms_no_other(unverified: User) -> None:
    EmailAddress.objects.create(user=unverified, email="other@example.org", verified=True)
    Client().post("/accounts/password/reset/", {"email": unverified.email})
    assert not Message.objects.exists()
    set_password(request_reset("other@example.org"), NEW_PASSWORD)
    unverified.refresh_from_db()
    assert unverified.check_password(NEW_PASSWORD)
    assert not unverified.is_verified


def test_an_unverified_account_cannot_sign_in(client: Client, unverified: User) -> None:
    client.post("/accounts/login/", {"login": unverified.email, "password": PASSWORD})
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("role", list(RoleName))
def test_no_role_is_granted(unverified: User, administrator: User, role: RoleName) -> None:
    for by in (administrator, None):
        with refused(AddressNotConfirmed, "has not been confirmed"):
            grant_role(unverified, role, by=by, reason="Why not?")
    with pytest.raises(CommandError, match="No active account has the confirmed address"):
        call_command("grant_role", unverified.email, str(role))
    assert not Role.objects.filter(user=unverified).exists()


def test_no_part_is_given(unverified: User, registrant: User, liaison: User) -> None:
    case = people.invite_co_editor(a_case_in_review(by=registrant), by=registrant, email=unverified.email)
    assert delivered("invite_co_editor") == []
    with refused(NotPermitted):
        people.accept_invitation(case, by=unverified)
    body = Body.objects.create(name="Example Body")
    with refused(AddressNotConfirmed):
        bodies.recognise_body(body, by=liaison, reference="Minutes.", representative=unverified)
    assert not body.representatives.exists()


def test_no_namespace_is_offered_or_accepted(
    unverified: User, registrant: User, expert: User, administrator: User, participant: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    offer = offer_transfer(namespace, by=registrant, to=unverified.email)
    with refused(NotPermitted):
        accept_transfer(offer, by=unverified)
    assert delivered("offer_transfer") == [registrant.email]
    assert not Transfer.objects.concerning(unverified).exists()
    withdraw_transfer(offer, by=registrant)
    offer = offer_transfer(namespace, by=registrant, to=participant.email)
    EmailAddress.objects.filter(user=participant).update(verified=False)
    with refused(NotPermitted):
        accept_transfer(offer, by=participant)
    EmailAddress.objects.filter(user=registrant).update(verified=False)
    withdraw_transfer(offer, by=registrant)
    with refused(AddressNotConfirmed):
        offer_transfer(namespace, by=registrant, to=participant.email)


def test_an_unverified_account_cannot_submit_or_comment(unverified: User, registrant: User) -> None:
    draft = a_draft(by=unverified)
    with refused(AddressNotConfirmed):
        functions.submit(draft, by=unverified, draft_stamp=draft.draft_stamp)
    assert not Round.objects.exists()
    case = a_case_in_review(by=registrant)
    with refused(AddressNotConfirmed):
        comments.comment(case, by=unverified, round_number=1, text="Which trees?")


def test_nothing_is_mailed(unverified: User, registrant: User) -> None:
    assert addresses([unverified, registrant]) == [registrant.email]


def test_forms_do_not_find_them(unverified: User) -> None:
    assert User.objects.with_address(unverified.email) is None
    with pytest.raises(Exception, match="No account with a confirmed address"):
        AccountField().clean(unverified.email)


def test_a_confirmed_further_address_is_not_enough(unverified: User) -> None:
    """The address that gets the mail is the one that counts."""
    EmailAddress.objects.create(user=unverified, email="other@example.org", verified=True)
    assert not unverified.is_verified
    EmailAddress.objects.filter(email=unverified.email).update(verified=True)
    assert unverified.is_verified
