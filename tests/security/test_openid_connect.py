"""Sign-in with other providers: hostile providers, answers for others, and strangers in between."""

import hmac
import html
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from jwt.algorithms import ECAlgorithm
from jwt.utils import base64url_encode

from registry.accounts import provider_requests
from registry.accounts.models import User
from registry.core.outgoing import https_requests
from registry.mail.models import Message
from tests.support.browser import signed_in
from tests.support.factories import a_person
from tests.support.https_servers import Exchange
from tests.support.openid_providers import (
    CONFIGURATION,
    KEYS,
    TOKEN,
    HostileProvider,
    a_signing_key,
    declare,
    hostile_provider,
    key_set,
    trusted_authority,
)

pytestmark = pytest.mark.django_db
LOGIN, CONNECT = "/accounts/oidc/example/", "/accounts/oidc/example/?process=connect"
OTHER_KEY = a_signing_key()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HostileProvider, HostileProvider]]:
    with trusted_authority(tmp_path_factory.mktemp("authority")) as authority:
        certificate = authority.certificate("localhost")
        with hostile_provider(certificate) as one, hostile_provider(certificate) as other:
            yield one, other


@pytest.fixture
def others(servers: Any, settings: Any) -> Iterator[HostileProvider]:
    """A second provider that the registry knows."""
    yield from _fresh(servers[1])


@pytest.fixture
def provider(servers: Any, settings: Any) -> Iterator[HostileProvider]:
    declare(settings, example=servers[0].issuer, other=servers[1].issuer)
    yield from _fresh(servers[0])


def _fresh(provider: HostileProvider) -> Iterator[HostileProvider]:
    honest = dict(replace(provider).__dict__)
    provider.server.received.clear()
    yield provider
    provider.__dict__.update(honest)
    for name in ("configuration", "claims", "header", "answer", "instead", "asked"):
        setattr(provider, name, {})


@pytest.fixture
def known(provider: HostileProvider) -> User:
    """A person who signs in with the provider."""
    person = a_person(email="known@example.org")
    SocialAccount.objects.create(user=person, provider="example", uid=f"{provider.issuer} person")
    return person


def begin(client: Client, address: str = LOGIN, **typed: str) -> str:
    """Where the browser is led to."""
    answer = client.post(address, typed)
    [onward] = re.findall('<meta http-equiv="refresh" content="0; url=([^"]+)">', answer.text)
    return html.unescape(onward)


def sign_in(
    provider: HostileProvider, client: Client | None = None, address: str = LOGIN
) -> tuple[Client, Any]:
    client = client or Client(raise_request_exception=False)
    return client, client.get(provider.authorize(begin(client, address)))


def signed_in_as(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def is_explained(answer: Any) -> bool:
    return answer.status_code in {401, 502} and "The provider did not sign you in" in answer.text


def test_an_honest_answer_signs_in(provider: HostileProvider, known: User) -> None:
    client, _ = sign_in(provider)
    assert signed_in_as(client) == str(known.pk)
    assert [path for _, path in provider.server.paths] == [CONFIGURATION, CONFIGURATION, TOKEN, KEYS]


NOW = int(time.time())
MONTH = 30 * 24 * 60 * 60  # longer than a run takes
CLAIMS: dict[str, dict[str, Any]] = {
    "issuer of another": {"iss": "https://registry.example"},
    "issuer with a slash": {"iss": "https://localhost/"},
    "no issuer": {"iss": None},
    "audience of another": {"aud": "another"},
    "no audience": {"aud": None},
    "audiences without the party": {"aud": ["registry", "another"]},
    "audiences with another party": {"aud": ["registry", "another"], "azp": "another"},
    "another party": {"azp": "another"},
    "expired": {"iat": NOW - 900, "exp": NOW - 600},
    "no expiry": {"exp": None},
    "endless expiry": {"exp": float("inf")},
    "issued in the future": {"iat": NOW + MONTH},
    "no time of issue": {"iat": None},
    "not yet valid": {"nbf": NOW + MONTH},
    "no nonce": {"nonce": None},
    "another nonce": {"nonce": "a" * 64},
    "a nonce that is no text": {"nonce": 1},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a long subject": {"sub": "1" * 256},
    "a subject that is a number": {"sub": 1},
    "a subject that is true": {"sub": True},
    "a subject with a null character": {"sub": "per\x00son"},
    "a subject in another script": {"sub": "pеrson"},
}


@pytest.mark.parametrize("claims", CLAIMS.values(), ids=CLAIMS)
def test_an_id_token_that_is_wrong_does_not_sign_in(
    claims: dict[str, Any], provider: HostileProvider, known: User
) -> None:
    # An account that such a subject would enter.
    subject = claims.get("sub") if "sub" in claims else "person"
    SocialAccount.objects.update(uid=f"{provider.issuer} {subject}".replace("\x00", "")[:191])
    provider.claims = claims
    client, answer = sign_in(provider)
    assert is_explained(answer)
    assert signed_in_as(client) is None


@pytest.mark.parametrize("audience", ["registry", ["registry"]])
def test_the_party_may_be_named(audience: Any, provider: HostileProvider, known: User) -> None:
    provider.claims = {"aud": audience, "azp": "registry"}
    assert signed_in_as(sign_in(provider)[0]) == str(known.pk)


SIGNATURES: dict[str, dict[str, Any]] = {
    "none": {"signed_with": ("", "none")},
    "the client secret": {"signed_with": ("secret", "HS256")},
    "another key": {"signed_with": (OTHER_KEY, "ES256")},
    "an unknown key": {"header": {"kid": "2"}},
    "an encryption key": {"keys": key_set(OTHER_KEY, use="enc"), "signed_with": (OTHER_KEY, "ES256")},
    "no keys": {"keys": {"keys": []}},
    "keys that are a text": {"keys": {"keys": "none"}},
    "a key that is none": {
        "keys": {"keys": [1, {}, {"kty": "EC", "kid": "1", "crv": "P-256", "x": "A", "y": "A"}]}
    },
    "a secret key": {
        "keys": {"keys": [{"kty": "oct", "kid": "1", "k": "c2VjcmV0"}]},
        "signed_with": ("secret", "HS256"),
    },
}


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
@pytest.mark.parametrize("signature", SIGNATURES.values(), ids=SIGNATURES)
def test_an_id_token_that_the_provider_did_not_sign_does_not_sign_in(
    signature: dict[str, Any], provider: HostileProvider, known: User
) -> None:
    for name, value in signature.items():
        setattr(provider, name, value)
    client, answer = sign_in(provider)
    assert is_explained(answer)
    assert signed_in_as(client) is None


def test_a_provider_changes_its_key(provider: HostileProvider, known: User) -> None:
    provider.key = OTHER_KEY
    assert signed_in_as(sign_in(provider)[0]) == str(known.pk)


@pytest.mark.parametrize(
    "id_token", [None, "", "a.b.c", 1, [], {"a": 1}, "e30.e30.", f"{'W1' * 9000}.e30.e30"]
)
def test_an_answer_without_an_id_token_does_not_sign_in(
    id_token: Any, provider: HostileProvider, known: User
) -> None:
    provider.answer = {"id_token": id_token}
    client, answer = sign_in(provider)
    assert is_explained(answer)
    assert signed_in_as(client) is None
    assert "/userinfo" not in [path for _, path in provider.server.paths]


def test_an_id_token_counts_once(provider: HostileProvider, known: User) -> None:
    sign_in(provider)
    former = provider.id_token()
    provider.answer = {"id_token": former}
    client, answer = sign_in(provider)
    assert is_explained(answer)
    assert signed_in_as(client) is None


def signed_by_hand(header: dict[str, Any], payload: bytes, sign: Callable[[bytes], bytes]) -> str:
    parts = [json.dumps(header).encode(), payload]
    unsigned = b".".join(map(base64url_encode, parts))
    return (unsigned + b"." + base64url_encode(sign(unsigned))).decode()


def test_a_deeply_nested_id_token_is_refused(provider: HostileProvider) -> None:
    sign = ECAlgorithm(ECAlgorithm.SHA256, ec.SECP256R1).sign
    nested = signed_by_hand(
        {"alg": "ES256", "kid": "1"}, b'{"a":' + b"[" * 20_000, lambda data: sign(data, provider.key)
    )
    provider.answer = {"id_token": nested}
    assert is_explained(sign_in(provider)[1])


@pytest.mark.parametrize("encoding", [serialization.Encoding.DER, serialization.Encoding.PEM])
def test_the_public_key_is_no_secret(
    encoding: serialization.Encoding, provider: HostileProvider, known: User
) -> None:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    secret = provider.key.public_key().public_bytes(encoding, form)
    client = Client(raise_request_exception=False)
    back = provider.authorize(begin(client))
    claims = jwt.decode(provider.id_token(), options={"verify_signature": False})
    forged = signed_by_hand(
        {"alg": "HS256", "kid": "1"},
        json.dumps(claims).encode(),
        lambda data: hmac.digest(secret, data, "sha256"),
    )
    provider.answer = {"id_token": forged}
    assert is_explained(client.get(back))
    assert signed_in_as(client) is None


CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "another issuer": {"issuer": "https://registry.example"},
    "no issuer": {"issuer": None},
    "an issuer that is a list": {"issuer": ["https://registry.example"]},
    "a token endpoint without TLS": {"token_endpoint": "http://localhost/token"},
    "a token endpoint that is a number": {"token_endpoint": 1},
    "no token endpoint": {"token_endpoint": None},
    "keys without TLS": {"jwks_uri": "http://localhost/keys"},
    "no keys": {"jwks_uri": None},
    "a page without TLS": {"authorization_endpoint": "http://localhost/authorize"},
    "a page on no host": {"authorization_endpoint": "https:///authorize"},
    "a script": {"authorization_endpoint": "javascript://localhost/%0aalert(1)"},
    "a page of the registry": {"authorization_endpoint": "/accounts/logout/"},
    "a malformed address": {"authorization_endpoint": "https://[/"},
}


@pytest.mark.parametrize("configuration", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_a_configuration_that_is_wrong_leads_nowhere(
    configuration: dict[str, Any], provider: HostileProvider
) -> None:
    provider.configuration = configuration
    answer = Client(raise_request_exception=False).post(LOGIN)
    assert answer.status_code == 502
    assert is_explained(answer)


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_requests, "LIMITS", (2.0, 0.3, 0.6))


def is_silent(exchange: Exchange) -> None:
    exchange.ended.wait(5)


def trickles(exchange: Exchange) -> None:
    exchange.trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n" + b"x" * 200)


BODIES: dict[str, Any] = {
    "a page": b"<!doctype html><title>Sign in</title>",
    "a list": b"[]",
    "a text": b'"access_token"',
    "a number": b"1",
    "nothing": b"",
    "deep": b'{"access_token":' + b"[" * 20_000,
    "long": b'{"access_token": "' + b"x" * 200_000 + b'"}',
    "an error": lambda exchange: exchange.reply("400 Bad Request", b'{"error": "invalid_grant"}'),
    "a redirect": lambda exchange: exchange.redirect("https://localhost/latest/meta-data/"),
    "silence": is_silent,
    "single bytes": trickles,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", [CONFIGURATION, TOKEN, KEYS])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_no_provider_answers_is_explained(
    body: Any, path: str, provider: HostileProvider, known: User, short_limits: None
) -> None:
    client = Client(raise_request_exception=False)
    onward = begin(client)
    provider.instead = {path: body}
    assert is_explained(client.get(provider.authorize(onward)))
    assert signed_in_as(client) is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("member", ["expires_in", "access_token", "refresh_token", "token_type"])
@pytest.mark.parametrize("value", ["x", [1], {"a": 1}, 1e300, -1])
def test_other_members_of_the_answer_do_no_harm(
    member: str, value: Any, provider: HostileProvider, known: User
) -> None:
    provider.answer = {member: value}
    assert signed_in_as(sign_in(provider)[0]) == str(known.pk)


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://169.254.169.254/latest/",
        "https://10.0.0.1/",
        "https://db/",
    ],
)
@pytest.mark.parametrize("endpoint", ["token_endpoint", "jwks_uri"])
def test_no_provider_leads_into_the_network_of_the_registry(
    endpoint: str, address: str, provider: HostileProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected: list[Any] = []
    client = Client(raise_request_exception=False)
    onward = begin(client)
    provider.configuration = {endpoint: address}
    create = https_requests.socket.create_connection
    monkeypatch.setattr(
        https_requests.socket,
        "create_connection",
        lambda to, *options, **named: (connected.append(to), create(to, *options, **named))[1],
    )
    assert is_explained(client.get(provider.authorize(onward)))
    assert {port for _, port in connected} == {provider.server.port}


STATES: dict[str, Callable[[str], dict[str, str | None]]] = {
    "none": lambda _: {"state": None},
    "an empty one": lambda _: {"state": ""},
    "another one": lambda _: {"state": "a" * 16},
    "two": lambda state: {"state": f"{state},{state}"},
}


@pytest.mark.parametrize("said", STATES.values(), ids=STATES)
def test_an_answer_needs_its_state(
    said: Callable[[str], dict[str, str | None]], provider: HostileProvider, known: User
) -> None:
    client = Client(raise_request_exception=False)
    onward = begin(client)
    state = parse_qs(urlsplit(onward).query)["state"][0]
    assert is_explained(client.get(provider.authorize(onward, **said(state))))
    assert signed_in_as(client) is None
    assert TOKEN not in [path for _, path in provider.server.paths]


def test_a_state_counts_once_and_in_its_session(provider: HostileProvider, known: User) -> None:
    client, victim = Client(), Client()
    back = provider.authorize(begin(client))
    begin(victim)
    assert is_explained(victim.get(back))
    assert signed_in_as(victim) is None
    client.get(back)
    client.post("/accounts/logout/")
    assert is_explained(client.get(back))
    assert signed_in_as(client) is None


def test_the_answer_of_a_thief_does_not_connect_their_identity(
    provider: HostileProvider, registrant: User
) -> None:
    thief, victim = signed_in(a_person(email="thief@example.org")), signed_in(registrant)
    begin(victim, CONNECT)
    assert is_explained(victim.get(provider.authorize(begin(thief, CONNECT))))
    assert not SocialAccount.objects.exists()


def test_what_began_as_a_sign_in_connects_nothing(provider: HostileProvider, registrant: User) -> None:
    client = signed_in(registrant)
    sign_in(provider, client)
    assert not SocialAccount.objects.filter(user=registrant).exists()


def test_the_answer_of_one_provider_does_not_count_at_another(
    provider: HostileProvider, others: HostileProvider, known: User
) -> None:
    """The browser was led to `other`, which leads it back with the code of `example` (mix-up)."""
    client = Client(raise_request_exception=False)
    back = others.authorize(begin(client, "/accounts/oidc/other/"))
    provider.asked = others.asked
    assert is_explained(client.get(back.replace("/other/", "/example/")))
    assert is_explained(client.get(back.replace("code=code", f"code=code&iss={provider.issuer}")))
    assert signed_in_as(client) is None
    assert not [path for _, path in provider.server.paths if path == TOKEN]


def test_the_same_subject_at_another_provider_is_another_identity(
    provider: HostileProvider, others: HostileProvider, known: User
) -> None:
    client, _ = sign_in(others, address="/accounts/oidc/other/")
    assert signed_in_as(client) is None
    others.claims = {"iss": provider.issuer}
    client, answer = sign_in(others, address="/accounts/oidc/other/")
    assert is_explained(answer)


@pytest.mark.parametrize(
    ("is_promised", "stated", "is_accepted"),
    [
        (False, None, True),
        (False, "own", True),
        (False, "https://registry.example", False),
        (True, None, False),
        (True, "own", True),
        (True, "", False),
    ],
)
def test_the_issuer_of_the_answer_is_compared(
    is_promised: bool, stated: str | None, is_accepted: bool, provider: HostileProvider, known: User
) -> None:
    """RFC 9207, Section 2.4."""
    provider.configuration = {"authorization_response_iss_parameter_supported": is_promised}
    client = Client(raise_request_exception=False)
    back = provider.authorize(begin(client), iss=provider.issuer if stated == "own" else stated)
    client.get(back)
    assert bool(signed_in_as(client)) is is_accepted


def test_no_link_sets_what_the_provider_is_asked(provider: HostileProvider) -> None:
    onward = begin(
        Client(),
        f"{LOGIN}?scope=admin&auth_params=redirect_uri%3Dhttps://registry.example/%26nonce%3Dx%26prompt%3Dnone"
        "%26state%3Dx%26code_challenge_method%3Dplain%26response_type%3Dtoken",
    )
    asked = parse_qs(urlsplit(onward).query)
    assert asked["redirect_uri"] == ["http://testserver/accounts/oidc/example/callback/"]
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["response_type"] == ["code"]
    assert set(asked["scope"][0].split()) == {"openid", "profile", "email"}
    assert asked["state"] != ["x"] != asked["nonce"]
    assert "prompt" not in asked


@pytest.mark.parametrize(
    "onward", ["https://registry.example/", "//registry.example/", "javascript:alert(1)", "\\\\a"]
)
def test_a_sign_in_leads_to_no_other_site(onward: str, provider: HostileProvider, known: User) -> None:
    client = Client()
    answer = client.get(provider.authorize(begin(client, LOGIN, next=onward)))
    assert (answer.status_code, answer["Location"]) == (302, "/")


@pytest.mark.parametrize("is_verified", [True, "true", "false", None])
@pytest.mark.parametrize("stated", ["known@example.org", "KNOWN@Example.org"])
def test_an_address_never_leads_to_an_account(
    stated: str, is_verified: Any, provider: HostileProvider
) -> None:
    person = a_person(email="known@example.org")
    provider.claims = {"email": stated, "email_verified": is_verified}
    client, answer = sign_in(provider)
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/confirm-email/")
    assert signed_in_as(client) is None
    assert User.objects.get() == person
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    "email", ["", "none", 1, True, ["a@example.org"], {"a": 1}, "a\x00@example.org", "a@" + "b" * 300]
)
def test_an_address_that_is_none_is_asked_for(email: Any, provider: HostileProvider) -> None:
    provider.claims = {"email": email}
    _, answer = sign_in(provider)
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/oidc-sign-up/")


def test_a_new_address_at_the_provider_changes_nothing(provider: HostileProvider, known: User) -> None:
    provider.claims = {"email": "new@example.org", "email_verified": True}
    assert signed_in_as(sign_in(provider)[0]) == str(known.pk)
    assert not EmailAddress.objects.filter(email="new@example.org").exists()
    known.refresh_from_db()
    assert known.email == "known@example.org"


def test_only_what_is_used_of_the_identity_is_stored(provider: HostileProvider, known: User) -> None:
    provider.claims = {"name": "Administrator", "picture": "https://registry.example/", "note": "null: \x00"}
    client, _ = sign_in(provider)
    assert signed_in_as(client) == str(known.pk)
    stated = {"iss": provider.issuer, "sub": "person", "email": "newcomer@example.org"}
    assert SocialAccount.objects.get().extra_data == {"id_token": stated}
    known.refresh_from_db()
    assert known.name != "Administrator"


@pytest.mark.parametrize("email", ["newcomer@example.org", ""], ids=["an account", "a sign-up that waits"])
def test_tokens_of_providers_are_not_stored(email: str, provider: HostileProvider) -> None:
    """Neither in a table, nor in the session, where an identity without an address waits for one."""
    tokens = {name: f"the {name} of the provider" for name in ("access_token", "refresh_token")}
    provider.answer, provider.claims = tokens, {"email": email}
    client, answer = sign_in(provider)
    assert answer.status_code == 302
    assert not SocialToken.objects.exists()
    kept = json.dumps([*SocialAccount.objects.values_list("extra_data", flat=True), dict(client.session)])
    assert provider.issuer in kept
    assert not [each for each in (*tokens.values(), provider.id_token()) if each in kept]


@pytest.mark.exhaustive
def test_attempts_are_limited(provider: HostileProvider) -> None:
    client = Client()
    answers = [client.post(LOGIN).status_code for _ in range(31)]
    assert answers[-1] == 429


def test_the_owner_of_an_address_does_not_get_the_identity_of_a_stranger(provider: HostileProvider) -> None:
    """A stranger signs up with the address of a person, who confirms it later with a password of their own."""
    provider.claims = {"email": "person@example.org"}
    stranger, _ = sign_in(provider)
    assert SocialAccount.objects.count() == 1
    owner = Client()
    owner.post("/accounts/password/reset/", {"email": "person@example.org"})
    body = Message.objects.filter(to="person@example.org").latest("pk").body
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", body)
    assert link
    form = owner.get(link[1], follow=True)
    password = {"password1": "another horse battery", "password2": "another horse battery"}
    owner.post(form.request["PATH_INFO"], password)
    assert EmailAddress.objects.get(email="person@example.org").verified
    assert not SocialAccount.objects.exists()
    sign_in(provider, stranger)
    assert signed_in_as(stranger) is None
