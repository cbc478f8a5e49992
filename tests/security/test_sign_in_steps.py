"""The steps of a sign-in, which a thief may begin with one thing and end with another, and the sessions that outlast a change."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from registry.accounts.models import Scope, Token, User
from registry.accounts.second_factors.confirmation import remove_second_factors
from tests.accounts.test_second_factors import add_app, code_of, with_app
from tests.security.test_passkey_attacks import ADD, AUTHENTICATE, password_given, send, signed_in_as
from tests.security.test_stolen_sessions import NEW_PASSWORD, change_password, later, reset_password
from tests.support.browser import signed_in
from tests.support.factories import PASSWORD
from tests.support.openid_providers import declare
from tests.support.passkeys import Device, a_passkey, challenge_of

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"


def sign_in(person: User, password: str = PASSWORD, client: Client | None = None) -> Client:
    client = client or Client()
    client.post(LOGIN, {"login": person.email, "password": password})
    return client


def is_open(client: Client) -> bool:
    return bool(client.get("/mine/").status_code == 200)


NEEDS_SIGN_IN = [
    "/mine/",
    "/account/",
    "/accounts/tokens/",
    "/accounts/2fa/",
    ADD,
    "/accounts/2fa/app/add/",
    "/accounts/2fa/recovery-codes/",
    "/accounts/2fa/recovery-codes/new/",
    "/accounts/password/change/",
    "/accounts/email/",
    "/accounts/connections/",
]


@pytest.mark.parametrize("address", NEEDS_SIGN_IN)
def test_the_password_alone_opens_nothing(address: str, registrant: User) -> None:
    a_passkey(registrant)
    thief = password_given(registrant)
    for answer in (thief.get(address), thief.post(address, {"name": "x", "scopes": ["read"], "days": "7"})):
        assert answer.status_code == 302
        assert answer["Location"].startswith(LOGIN)
    assert not Token.objects.exists()
    assert Authenticator.objects.count() == 1


def test_the_password_alone_makes_no_token(registrant: User) -> None:
    with_app(registrant)
    answer = password_given(registrant).post(
        "/api/v1/account/tokens/", {"name": "x", "scopes": [Scope.READ]}, content_type="application/json"
    )
    assert answer.status_code in {401, 403}
    assert not Token.objects.exists()


def test_what_began_with_the_password_of_one_does_not_end_with_the_code_of_another(
    registrant: User, participant: User
) -> None:
    with_app(registrant)
    of_the_thief = with_app(participant)
    thief = password_given(registrant)
    thief.post(AUTHENTICATE, {"code": code_of(of_the_thief)})
    assert signed_in_as(thief) is None
    # The sign-in that waits is that of the last password.
    sign_in(participant, client=thief)
    thief.post(AUTHENTICATE, {"code": code_of(of_the_thief, earlier=1)})
    assert signed_in_as(thief) in {None, str(participant.pk)}


def test_a_sign_in_that_waits_ends_with_the_password(registrant: User) -> None:
    secret = with_app(registrant)
    thief = password_given(registrant)
    registrant.set_password(NEW_PASSWORD)
    registrant.save()
    answer = thief.post(AUTHENTICATE, {"code": code_of(secret)})
    assert (answer.status_code, answer["Location"]) == (302, LOGIN)
    assert signed_in_as(thief) is None
    owner = sign_in(registrant, NEW_PASSWORD)
    with later(minutes=3):
        owner.post(AUTHENTICATE, {"code": code_of(secret)})
    assert signed_in_as(owner) == str(registrant.pk)


def test_a_sign_in_that_waits_does_not_wait_for_long(registrant: User) -> None:
    secret = with_app(registrant)
    thief = password_given(registrant)
    with later(minutes=16):
        thief.post(AUTHENTICATE, {"code": code_of(secret)})
    assert signed_in_as(thief) is None


def test_a_reset_of_the_password_leaves_the_second_factor(registrant: User) -> None:
    with_app(registrant)
    thief = Client()
    reset_password(thief, registrant.email)
    assert signed_in_as(thief) is None
    sign_in(registrant, NEW_PASSWORD, thief)
    assert signed_in_as(thief) is None
    assert thief.get(AUTHENTICATE).status_code == 200


def test_the_key_of_the_session_changes_with_each_step(registrant: User) -> None:
    secret, client = with_app(registrant), Client()
    client.get(LOGIN)
    sign_in(registrant, client=client)
    planted = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post(AUTHENTICATE, {"code": code_of(secret)})
    assert is_open(client)
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = planted
    assert not is_open(thief)


def test_no_browser_is_trusted_without_the_second_factor(registrant: User) -> None:
    secret = with_app(registrant)
    client = password_given(registrant)
    client.post(AUTHENTICATE, {"code": code_of(secret), "trust": "on", "remember": "on"})
    assert is_open(client)
    client.post("/accounts/logout/")
    sign_in(registrant, client=client)
    assert not is_open(client)


def test_a_link_does_not_sign_out(registrant: User) -> None:
    client = signed_in(registrant)
    for method in (client.get, client.head):
        method("/accounts/logout/")
        assert is_open(client)
    guarded = Client(enforce_csrf_checks=True)
    guarded.force_login(registrant)
    assert guarded.post("/accounts/logout/").status_code == 403
    assert is_open(guarded)


def test_the_secret_of_an_app_is_shown_once(registrant: User) -> None:
    client = signed_in(registrant)
    add_app(client)
    secret = Authenticator.objects.get(type=Authenticator.Type.TOTP).data["secret"]
    for address in (
        "/accounts/2fa/",
        "/accounts/2fa/app/add/",
        "/accounts/2fa/app/remove/",
        "/account/data.json",
    ):
        assert secret not in client.get(address, follow=True).text
    assert secret not in str(dict(client.session))


def test_own_second_factors_do_not_lend_further_passwords_to_try(registrant: User, participant: User) -> None:
    """A thief guesses, and signs in to an account of their own in between."""
    device = Device()
    a_passkey(participant, device=device)
    refused = 0
    for _ in range(2):
        for number in range(6):
            answer = Client().post(LOGIN, {"login": registrant.email, "password": f"wrong password {number}"})
            refused += "Too many failed attempts" in answer.text
        own = password_given(participant)
        if own.get(AUTHENTICATE).status_code == 200:  # not refused yet
            send(own, device.assertion(challenge_of(own)), AUTHENTICATE)
            assert signed_in_as(own) == str(participant.pk)
    assert refused == 2


def remove_passkey(client: Client, person: User) -> None:
    passkey = Authenticator.objects.get(user=person, type=Authenticator.Type.WEBAUTHN)
    assert client.post(f"/accounts/2fa/passkeys/{passkey.pk}/remove/").status_code == 302


def remove_app(client: Client, person: User) -> None:
    assert client.post("/accounts/2fa/app/remove/").status_code == 302


def test_the_last_way_to_sign_in_stays(registrant: User, settings: Any) -> None:
    declare(settings, example="https://localhost:9")
    account = SocialAccount.objects.create(user=registrant, provider="example", uid="x")
    registrant.set_unusable_password()
    registrant.save()
    signed_in(registrant).post("/accounts/connections/", {"account": account.pk})
    assert SocialAccount.objects.exists()


def disconnect(client: Client, person: User) -> None:
    account = SocialAccount.objects.get(user=person)
    assert client.post("/accounts/connections/", {"account": account.pk}).status_code == 302


CHANGES: dict[str, Callable[[Client, User], Any]] = {
    "a passkey is removed": remove_passkey,
    "the app is removed": remove_app,
    "a provider is disconnected": disconnect,
    "the codes are replaced": lambda client, _: client.post("/accounts/2fa/recovery-codes/new/"),
    "the password is changed": lambda client, _: change_password(client),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_how_one_signs_in_ends_other_sessions(
    change: Callable[[Client, User], Any],
    registrant: User,
    settings: Any,
    django_capture_on_commit_callbacks: Any,
) -> None:
    declare(settings, example="https://localhost:9")
    owner, thief = sign_in(registrant), sign_in(registrant)
    a_passkey(registrant)
    with_app(registrant)
    SocialAccount.objects.create(user=registrant, provider="example", uid="x")
    assert is_open(thief)
    with django_capture_on_commit_callbacks(execute=True):
        change(owner, registrant)
    assert is_open(owner)
    assert not is_open(thief)


def test_the_first_second_factor_ends_sessions_of_the_password(registrant: User) -> None:
    owner, thief = sign_in(registrant), sign_in(registrant)
    assert is_open(thief)
    add_app(owner)
    assert is_open(owner)
    assert not is_open(thief)
    second = password_given(registrant)
    secret = Authenticator.objects.get(type=Authenticator.Type.TOTP).data["secret"]
    with later(minutes=3):
        second.post(AUTHENTICATE, {"code": code_of(secret)})
    owner.get(ADD)
    send(owner, Device().registration(challenge_of(owner)), ADD, passwordless="on")
    assert is_open(second), "a further one is no reason to end sessions"


def test_the_command_that_removes_lost_devices_ends_their_sessions(registrant: User) -> None:
    lost = sign_in(registrant)
    a_passkey(registrant)
    assert is_open(lost)
    remove_second_factors(registrant, reason="The device was lost.")
    assert not is_open(lost)


@pytest.mark.parametrize("address", ["nobody@example.org", "registrant@example.org"])
def test_the_page_of_sign_in_does_not_tell_who_has_a_passkey(address: str, registrant: User) -> None:
    a_passkey(registrant)
    client = Client()
    answer = client.post(LOGIN, {"login": address, "password": "a wrong password"})
    assert "The e-mail address or the password is not correct." in answer.text
    options = client.get("/accounts/2fa/passkeys/sign-in/", headers={"X-Requested-With": "XMLHttpRequest"})
    assert options.json()["request_options"]["publicKey"].get("allowCredentials", []) == []


def test_a_closed_account_is_not_entered_with_a_passkey(registrant: User) -> None:
    device = Device()
    a_passkey(registrant, device=device)
    waiting = password_given(registrant)
    User.objects.update(is_active=False)
    send(waiting, device.assertion(challenge_of(waiting)), AUTHENTICATE)
    assert not is_open(waiting)
    cache.clear()
    client = Client()
    client.get("/accounts/2fa/passkeys/sign-in/", headers={"X-Requested-With": "XMLHttpRequest"})
    send(client, device.assertion(challenge_of(client), registrant))
    assert not is_open(client)


def test_an_account_with_a_passkey_confirms_with_it_alone(registrant: User) -> None:
    a_passkey(registrant)
    client = signed_in(registrant)
    with later(minutes=16):
        answer = client.post(ADD, {"again-password": PASSWORD})
    assert answer.status_code == 403
