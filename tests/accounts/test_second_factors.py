"""Authenticator apps, recovery codes and what surrounds passkeys. Passkeys themselves: tests/journeys/test_passkeys.py."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    validate_totp_code,
)
from allauth.mfa.totp.internal.auth import yield_hotp_counters_from_time as counters
from allauth.mfa.utils import decrypt
from django.test import Client, TestCase
from pytest_django.asserts import assertContains, assertRedirects

from registry.accounts.closing import close_account
from registry.accounts.models import RoleName, User
from registry.mail.models import Message
from tests.security.test_stolen_sessions import confirm, later
from tests.support.browser import fields_of, signed_in
from tests.support.factories import PASSWORD, a_person

pytestmark = pytest.mark.django_db
ADD_APP = "/accounts/2fa/app/add/"
AUTHENTICATE = "/accounts/2fa/authenticate/"
TYPES = Authenticator.Type
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def code_of(secret: str, *, earlier: int = 0) -> str:
    """Return the code that is accepted for the longest time from now on: more than a period. Or one of `earlier` periods."""
    return str(format_hotp_value(hotp_value(secret, max(counters()) - earlier)))


def with_app(person: User) -> str:
    """Give the person an authenticator app; return its secret."""
    secret = str(generate_totp_secret())
    TOTP.activate(person, secret)
    return secret


def sign_in(person: User, **typed: str) -> tuple[Client, Any]:
    client = Client()
    return client, client.post("/accounts/login/", {"login": person.email, "password": PASSWORD, **typed})


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def add_app(client: Client, address: str = ADD_APP) -> Any:
    page = client.get(address)
    key = re.search(r'id="key" value="([A-Z2-7]+)"', page.text)
    assert key
    # django-allauth mails and adds messages after the transaction.
    with TestCase.captureOnCommitCallbacks(execute=True):
        return client.post(ADD_APP, fields_of(page, ADD_APP) | {"code": code_of(key[1])})


def test_an_app_is_added_and_recovery_codes_are_shown(registrant: User) -> None:
    client = signed_in(registrant)
    answer = add_app(client)
    assertRedirects(answer, "/accounts/2fa/recovery-codes/")
    codes = re.findall(r"^\d{8}$", client.get("/accounts/2fa/recovery-codes/file/").text, re.MULTILINE)
    assert len(codes) == 10
    assertContains(client.get("/accounts/2fa/recovery-codes/"), codes[0])
    assert {each.type for each in Authenticator.objects.all()} == {TYPES.TOTP, TYPES.RECOVERY_CODES}
    assert [each.name for each in Message.objects.all()] == ["totp_activated"]


def test_the_code_that_adds_an_app_does_not_sign_in(registrant: User) -> None:
    with time_machine.travel(NEW_YEAR, tick=False):
        add_app(signed_in(registrant))
        secret = decrypt(Authenticator.objects.get(type=TYPES.TOTP).data["secret"])
        client, _ = sign_in(registrant)
        client.post(AUTHENTICATE, {"code": code_of(secret)})
    assert not is_signed_in(client)


def test_adding_leads_back_to_where_the_person_was_going(registrant: User) -> None:
    client = signed_in(registrant)
    answer = add_app(client, f"{ADD_APP}?next=/mine/")
    assertRedirects(answer, "/accounts/2fa/recovery-codes/?next=%2Fmine%2F")
    assertContains(client.get(answer["Location"]), '<a class="button primary" href="/mine/">')


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org/", "javascript:alert(1)"])
def test_adding_leads_nowhere_else(registrant: User, elsewhere: str) -> None:
    page = signed_in(registrant).get(ADD_APP, {"next": elsewhere})
    assert elsewhere not in page.text


def test_sign_in_asks_for_a_code_after_the_password(registrant: User) -> None:
    secret = with_app(registrant)
    client, answer = sign_in(registrant, next="/mine/")
    assert answer["Location"].startswith(AUTHENTICATE)
    assert not is_signed_in(client)
    answer = client.post(AUTHENTICATE, {"code": "000000"})
    assertContains(answer, "The code or the passkey was not accepted.", status_code=422)
    assert not is_signed_in(client)
    assertRedirects(client.post(AUTHENTICATE, {"code": code_of(secret)}), "/mine/")
    assert is_signed_in(client)


def test_a_code_counts_once(registrant: User) -> None:
    code = code_of(with_app(registrant))
    for is_accepted in (True, False):
        client, _ = sign_in(registrant)
        client.post(AUTHENTICATE, {"code": code})
        assert is_signed_in(client) is is_accepted


# A code that is sent first at the beginning of the period before its own is accepted during all of these seconds.
USES = [0, 31, 61, 89]


def test_a_code_signs_in_once_for_as_long_as_it_is_accepted(registrant: User) -> None:
    with time_machine.travel(NEW_YEAR, tick=False) as clock:
        secret = with_app(registrant)
        code = code_of(secret)
        for seconds in USES:
            clock.move_to(NEW_YEAR + timedelta(seconds=seconds))
            assert validate_totp_code(secret, code)
            client, _ = sign_in(registrant)
            client.post(AUTHENTICATE, {"code": code})
            assert is_signed_in(client) is (seconds == 0)


def test_a_code_confirms_once_for_as_long_as_it_is_accepted(registrant: User) -> None:
    address = "/accounts/tokens/make/"
    with time_machine.travel(NEW_YEAR - timedelta(minutes=16), tick=False) as clock:
        secret = with_app(registrant)
        clients = [signed_in(registrant) for _ in USES]
        clock.move_to(NEW_YEAR)
        code = code_of(secret)
        for seconds, client in zip(USES, clients, strict=True):
            clock.move_to(NEW_YEAR + timedelta(seconds=seconds))
            asked = client.get(address)
            answer = client.post(address, fields_of(asked, address) | {"again-code": code})
            assert answer.status_code == (302 if seconds == 0 else 403)


def test_a_recovery_code_counts_once(registrant: User) -> None:
    adding = signed_in(registrant)
    add_app(adding)
    code = adding.get("/accounts/2fa/recovery-codes/file/").text.split()[0]
    for is_accepted in (True, False):
        client, _ = sign_in(registrant)
        client.post(AUTHENTICATE, {"code": code})
        assert is_signed_in(client) is is_accepted


@pytest.mark.exhaustive
def test_codes_are_limited_for_the_account(registrant: User) -> None:
    secret = with_app(registrant)
    client, _ = sign_in(registrant)
    for number in range(30):
        client.post(AUTHENTICATE, {"code": "000000"}, REMOTE_ADDR=f"192.0.2.{number}")
    client.post(AUTHENTICATE, {"code": code_of(secret)}, REMOTE_ADDR="192.0.2.99")
    assert not is_signed_in(client)


def test_the_password_alone_does_not_confirm_a_sign_in_with_a_second_factor(registrant: User) -> None:
    secret = with_app(registrant)
    client, address = signed_in(registrant), "/accounts/tokens/make/"
    with later(minutes=16):
        asked = client.get(address)
        assert asked.status_code == 403
        assert 'name="again-password"' not in asked.text
        assert confirm(client, asked).status_code == 403
        answer = client.post(address, fields_of(asked, address) | {"again-code": code_of(secret)})
    assertRedirects(answer, address, fetch_redirect_response=False)


@pytest.mark.parametrize("address", ["passkeys/add/", "app/add/", "recovery-codes/", "recovery-codes/new/"])
def test_second_factors_are_changed_after_a_recent_sign_in_only(registrant: User, address: str) -> None:
    client = signed_in(registrant)
    with later(minutes=16):
        assertContains(client.get(f"/accounts/2fa/{address}"), "Confirm your password", status_code=403)


def test_the_last_second_factor_takes_the_recovery_codes_with_it(registrant: User) -> None:
    client = signed_in(registrant)
    add_app(client)
    assertRedirects(client.post("/accounts/2fa/app/remove/"), "/accounts/2fa/")
    assert not Authenticator.objects.exists()
    assert [each.name for each in Message.objects.order_by("pk")] == ["totp_activated", "totp_deactivated"]


def test_an_account_that_is_closed_loses_its_second_factors(administrator: User, registrant: User) -> None:
    with_app(registrant)
    close_account(registrant, by=administrator, reason="Asked for.")
    assert not Authenticator.objects.exists()


# What no browser sends.
CREDENTIALS = [
    "x",
    "{}",
    "[]",
    "1",
    "null",
    '{"id": "a", "rawId": "a", "type": "public-key", "response": {}}',
]
CREDENTIALS.append(
    json.dumps({"id": "YQ", "rawId": "YQ", "type": "public-key", "response": {"clientDataJSON": "YQ"}})
)
CREDENTIALS.append(
    json.dumps(
        {
            "id": "YQ",
            "rawId": "YQ",
            "type": "public-key",
            "response": {
                "clientDataJSON": "e30",
                "authenticatorData": "YQ",
                "attestationObject": "YQ",
                "signature": "YQ",
                "userHandle": "YQ",
            },
        }
    )
)


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_a_credential_that_no_browser_makes_is_refused(registrant: User, credential: str) -> None:
    client = signed_in(registrant)
    client.get("/accounts/2fa/passkeys/add/")
    answer = client.post("/accounts/2fa/passkeys/add/", {"name": "A", "credential": credential})
    assert answer.status_code == 422
    stranger = Client()
    stranger.get("/accounts/2fa/passkeys/sign-in/", headers={"Accept": "application/json"})
    answer = stranger.post("/accounts/2fa/passkeys/sign-in/", {"credential": credential})
    assertRedirects(answer, "/accounts/login/")
    assert not is_signed_in(stranger)
    assert not Authenticator.objects.exists()


def test_passkeys_belong_to_the_public_host(settings: Any) -> None:
    settings.PUBLIC_ORIGIN = "https://registry.example.org"
    person = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    page = signed_in(person).get("/accounts/2fa/passkeys/add/", headers={"Host": "localhost"})
    options = json.loads(
        page.text.split('<script id="passkey-options" type="application/json">')[1].split("</script>")[0]
    )
    assert options["creation_options"]["publicKey"]["rp"]["id"] == "registry.example.org"
