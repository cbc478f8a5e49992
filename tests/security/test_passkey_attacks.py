"""Passkeys that a thief, a false page or a program sends, and not the browser of their owner."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from fido2.cose import CoseKey
from fido2.utils import sha256, websafe_encode
from fido2.webauthn import AttestationObject, AuthenticatorData

from registry.accounts.models import User
from registry.accounts.second_factors.passkeys import MAX_PASSKEYS
from registry.mail.models import Message
from tests.security.test_stolen_sessions import later
from tests.support.browser import signed_in
from tests.support.factories import PASSWORD
from tests.support.passkeys import FLAG, HOST, Device, a_passkey, challenge_of

pytestmark = pytest.mark.django_db
SIGN_IN, ADD, AUTHENTICATE = (
    "/accounts/2fa/passkeys/sign-in/",
    "/accounts/2fa/passkeys/add/",
    "/accounts/2fa/authenticate/",
)
TOUCHED, VERIFIED = FLAG.UP, FLAG.UP | FLAG.UV
DEVICE = Device()
RS1 = CoseKey({1: 3, 3: -65535, -1: b"\xff" * 256, -2: b"\x01\x00\x01"})
DEEP = "[" * 30_000


def asked() -> tuple[Client, str]:
    """A browser whose page asks for a passkey, and the challenge."""
    client = Client(raise_request_exception=False)
    client.get(SIGN_IN, headers={"X-Requested-With": "XMLHttpRequest"})
    return client, challenge_of(client)


def send(client: Client, credential: Any, address: str = SIGN_IN, **typed: str) -> Any:
    text = credential if isinstance(credential, str) else json.dumps(credential)
    return client.post(address, {"credential": text, **typed})


def signed_in_as(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def password_given(person: User) -> Client:
    """A browser that waits for the second factor."""
    client = Client(raise_request_exception=False)
    client.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    client.get(AUTHENTICATE)
    return client


def sign_in(person: User, device: Device, **said: Any) -> Client:
    client, challenge = asked()
    send(client, device.assertion(challenge, person, **said))
    return client


def test_a_passkey_signs_in(registrant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    assert signed_in_as(sign_in(registrant, DEVICE)) == str(registrant.pk)


# A field of the device, or what its browser states.
WRONG: dict[str, dict[str, Any]] = {
    "another origin": {"origin": "https://registry.example"},
    "a subdomain": {"origin": "http://files.localhost:8000"},
    "another port": {"origin": "http://localhost:8001"},
    "another scheme": {"origin": "https://localhost:8000"},
    "another relying party": {"host": "registry.example"},
    "no touch": {"flags": FLAG.UV},
    "not verified": {"flags": TOUCHED},
    "another key": {"key": Device().key},
    "another credential": {"number": b"another credential"},
    "a frame of another site": {"cross_origin": True},
    "a registration": {"type": "webauthn.create"},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_passkey_that_is_wrong_does_not_sign_in(wrong: dict[str, Any], registrant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    of_device = {name: value for name, value in wrong.items() if name in Device.__dataclass_fields__}
    stated = {name: value for name, value in wrong.items() if name not in of_device}
    assert signed_in_as(sign_in(registrant, replace(DEVICE, **of_device), **stated)) is None


def test_it_signs_in_as_no_one_else(registrant: User, administrator: User) -> None:
    a_passkey(registrant, device=DEVICE)
    a_passkey(administrator, device=Device(number=b"of the administrator"))
    assert signed_in_as(sign_in(administrator, DEVICE)) is None


def test_an_answer_counts_once_and_in_its_session(registrant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    client, challenge = asked()
    other, _ = asked()
    answer = DEVICE.assertion(challenge, registrant)
    send(other, answer)
    assert signed_in_as(other) is None
    send(client, replace(DEVICE, key=Device().key).assertion(challenge, registrant))
    send(client, answer)
    assert signed_in_as(client) is None, "a challenge counts once, also after a wrong answer"


def test_a_key_that_was_only_touched_does_not_replace_the_password(
    registrant: User, participant: User
) -> None:
    """The page of the second factor of the thief's own account asks for a touch alone. Its challenge stays in the session
    when the sign-in that waits there expires.
    """
    stolen = replace(DEVICE, flags=TOUCHED)
    a_passkey(registrant, device=DEVICE)
    a_passkey(participant, device=Device(number=b"of the thief"))
    thief = password_given(participant)
    with later(minutes=16):
        send(thief, stolen.assertion(challenge_of(thief), registrant))
    assert signed_in_as(thief) is None


def test_a_stolen_key_does_not_sign_in_alone_after_a_pin_is_set(registrant: User) -> None:
    a_passkey(registrant, device=replace(DEVICE, flags=TOUCHED))
    assert signed_in_as(sign_in(registrant, replace(DEVICE, flags=VERIFIED))) is None


def test_a_key_that_adds_to_the_password_does_not_replace_it(registrant: User) -> None:
    client = signed_in(registrant)
    client.get(ADD)
    send(client, DEVICE.registration(challenge_of(client)), ADD)
    assert signed_in_as(sign_in(registrant, DEVICE)) is None
    second = password_given(registrant)
    send(second, DEVICE.assertion(challenge_of(second)), AUTHENTICATE)
    assert signed_in_as(second) == str(registrant.pk)


def test_the_second_factor_is_that_of_the_password(registrant: User, participant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    a_passkey(participant, device=(of_the_thief := Device(number=b"of the thief")))
    thief = password_given(registrant)
    send(thief, of_the_thief.assertion(challenge_of(thief), participant), AUTHENTICATE)
    assert signed_in_as(thief) is None


@pytest.mark.parametrize(("counter", "is_accepted"), [(8, True), (7, False), (3, False), (0, False)])
def test_a_counter_that_does_not_go_up_is_refused_and_mailed(
    counter: int, is_accepted: bool, registrant: User
) -> None:
    a_passkey(registrant, name="Blue key", device=replace(DEVICE, counter=5))
    assert signed_in_as(sign_in(registrant, replace(DEVICE, counter=7)))
    assert bool(signed_in_as(sign_in(registrant, replace(DEVICE, counter=counter)))) is is_accepted
    mailed = [each.body for each in Message.objects.filter(to=registrant.email)]
    assert len(mailed) == (0 if is_accepted else 1)
    assert all("Blue key" in each for each in mailed)


def test_a_passkey_without_a_counter_signs_in_again(registrant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    for _ in range(2):
        assert signed_in_as(sign_in(registrant, DEVICE))


def ascii_of(value: object) -> str:
    return ascii(value)[:20]


@pytest.mark.parametrize("address", [SIGN_IN, AUTHENTICATE])
@pytest.mark.parametrize(
    "text",
    ["", "null", "1", '"a"', "[]", "[1]", "{}", '{"response": []}', DEEP, '{"a":' * 9000, "\x00"],
    ids=ascii_of,
)
def test_what_no_browser_sends_is_refused(text: str, address: str, registrant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    client = password_given(registrant) if address == AUTHENTICATE else asked()[0]
    assert send(client, text, address).status_code in {200, 302, 422}
    assert signed_in_as(client) is None


@pytest.mark.parametrize("member", ["clientDataJSON", "authenticatorData", "signature", "userHandle"])
@pytest.mark.parametrize(
    "value",
    ["", "AA", "!", "e30", "W10", None, 1, [], websafe_encode(DEEP.encode()), "_" * 40],
    ids=ascii_of,
)
def test_members_that_no_browser_sends_are_refused(member: str, value: Any, registrant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    client, challenge = asked()
    answer = DEVICE.assertion(challenge, registrant)
    answer["response"][member] = value
    assert send(client, answer).status_code == 302
    assert signed_in_as(client) is None


def an_attestation(flags: int = VERIFIED) -> bytes:
    data = AuthenticatorData.create(sha256(HOST.encode()), FLAG(flags), 0)
    return AttestationObject.create("none", data, {})


Make = Callable[[str], Any]
REFUSED: dict[str, Make] = {
    "another origin": replace(DEVICE, origin="https://registry.example").registration,
    "a subdomain": replace(DEVICE, origin="http://files.localhost:8000").registration,
    "another port": replace(DEVICE, origin="http://localhost:8001").registration,
    "another relying party": replace(DEVICE, host="registry.example").registration,
    "no touch": replace(DEVICE, flags=FLAG.UV).registration,
    "not verified": replace(DEVICE, flags=TOUCHED).registration,
    "a frame of another site": lambda asked: DEVICE.registration(asked, cross_origin=True),
    "an assertion": lambda asked: DEVICE.registration(asked, type="webauthn.get"),
    "another challenge": lambda _: DEVICE.registration(websafe_encode(bytes(32))),
    "SHA-1": lambda asked: DEVICE.registration(asked, cose_key=RS1),
    "an unknown algorithm": lambda asked: DEVICE.registration(asked, cose_key={1: 3, 3: -999}),
    "a key without a curve": lambda asked: DEVICE.registration(asked, cose_key={1: 2, 3: -7}),
    "a point off the curve": lambda asked: DEVICE.registration(
        asked, cose_key={1: 2, 3: -7, -1: 1, -2: b"1" * 32, -3: b"2" * 32}
    ),
    "no key": lambda asked: DEVICE.registration(asked, attestation=an_attestation()),
    "deep CBOR": lambda asked: DEVICE.registration(asked, attestation=b"\x81" * 20_000),
    "octets after the end": lambda asked: DEVICE.registration(asked, attestation=an_attestation() + b"more"),
    "a long credential ID": replace(DEVICE, number=b"1" * 1024).registration,
    "a list": lambda _: "[1]",
    "deep JSON": lambda _: DEEP,
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_a_passkey_that_is_wrong_is_not_added(make: Make, registrant: User) -> None:
    client = signed_in(registrant)
    client.raise_request_exception = False
    client.get(ADD)
    assert send(client, make(challenge_of(client)), ADD, passwordless="on").status_code == 422
    assert not Authenticator.objects.exists()


def test_after_a_refused_name_the_passkey_is_asked_for_again(registrant: User) -> None:
    """The page that shows the form again has a challenge of its own, which is answered with the next name."""
    client = signed_in(registrant)
    client.get(ADD)
    page = send(client, DEVICE.registration(challenge_of(client)), ADD, name="a@b")
    assert "looks like an address" in page.text
    assert "passkey was not accepted" not in page.text
    send(client, DEVICE.registration(challenge_of(client)), ADD, name="Example device", passwordless="on")
    assert Authenticator.objects.get(type=Authenticator.Type.WEBAUTHN).wrap().name == "Example device"


@pytest.mark.parametrize("is_own", [True, False])
def test_a_passkey_is_registered_once(is_own: bool, registrant: User, participant: User) -> None:
    a_passkey(registrant, device=DEVICE)
    client = signed_in(registrant if is_own else participant)
    client.get(ADD)
    answer = send(client, replace(DEVICE, key=Device().key).registration(challenge_of(client)), ADD)
    assert answer.status_code == 422
    assert Authenticator.objects.count() == 1


def test_only_what_verifies_answers_is_stored_of_a_passkey(registrant: User) -> None:
    client = signed_in(registrant)
    client.get(ADD)
    sent = DEVICE.registration(challenge_of(client), format="odd", statement={"x": b"1"})
    send(client, sent | {"more": "x" * 50_000}, ADD, passwordless="on")
    stored = Authenticator.objects.get(type=Authenticator.Type.WEBAUTHN).data["credential"]
    assert sorted(stored) == ["clientExtensionResults", "id", "rawId", "response", "type"]
    assert signed_in_as(sign_in(registrant, DEVICE)) == str(registrant.pk)


def test_the_passkeys_of_an_account_are_limited(registrant: User) -> None:
    for number in range(MAX_PASSKEYS):
        a_passkey(registrant, device=Device(number=bytes([number])))
    client = signed_in(registrant)
    client.get(ADD)
    assert send(client, DEVICE.registration(challenge_of(client)), ADD).status_code == 422
    assert Authenticator.objects.count() == MAX_PASSKEYS
