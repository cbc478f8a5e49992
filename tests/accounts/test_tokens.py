"""Tokens: creation, names, scopes, expiry, display once, storage as a digest, revocation."""

import hashlib
import os
import re
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pprint import pformat
from typing import Any

import pytest
import time_machine
from django.core import serializers
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from registry.accounts.models import Scope, Token, User
from registry.accounts.tokens import (
    MOST_DAYS,
    MOST_TOKENS,
    PREFIX,
    InvalidTokenSettings,
    TokenEnded,
    TokenNameTaken,
    TooManyTokens,
    make_token,
    note_use,
    revoke_token,
    rotate_token,
    token_with,
)
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from tests.cases.traces import one_event
from tests.support.browser import fill_in, signed_in
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person

MAKE = "/accounts/tokens/make/"
SECRET = re.compile(rf'value="({PREFIX}[0-9a-f]{{64}})"')


def everything_kept(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT string_agg(t::text, chr(10)) FROM "{table}" t')
        return str(cursor.fetchone()[0])


def test_a_token_and_its_end_are_events_that_tell_no_secret(registrant: User) -> None:
    token, _ = make_token(by=registrant, name=" Example  program ", scopes=["write", "read"], days=7)
    assert (token.name, token.scopes) == ("Example program", ["read", "write"])
    assert timedelta(days=6, hours=23) < token.expires_at - timezone.now() <= timedelta(days=7)
    made = Event.objects.get(verb="make_token")
    assert made.actor == registrant
    assert made.details == {"token": token.pk, "scopes": ["read", "write"]}
    said = {"by": registrant, "case": None, "nid": "", "moved": ("", ""), "text": ""}
    with one_event(verb="revoke_token", **said, details={"token": token.pk}):
        revoke_token(token, by=registrant)
    assert not Token.objects.filter(revoked_at=None).exists()


def test_the_secret_is_kept_nowhere(registrant: User) -> None:
    token, secret = make_token(by=registrant, name="Example", scopes=["read"])
    assert token_with(secret) == token
    for table in connection.introspection.table_names():
        assert secret not in everything_kept(table), table
    assert secret not in serializers.serialize("json", [token])


def test_a_report_of_an_error_does_not_contain_the_secret(registrant: User) -> None:
    made = make_token(by=registrant, name="Example", scopes=["read"])
    for each in (made, rotate_token(made.record, by=registrant)):
        assert each.secret.startswith(PREFIX)
        assert each.secret not in repr(each) + pformat(each) + str([each])


def test_a_secret_has_256_random_bits_and_its_digest_is_stored(
    registrant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[bytes] = []

    def draw(count: int) -> bytes:
        drawn.append(os.urandom(count))
        return drawn[-1]

    monkeypatch.setattr(secrets, "token_bytes", draw)
    token, secret = make_token(by=registrant, name="Example", scopes=["read"])
    (random,) = (each for each in drawn if PREFIX + each.hex() == secret)
    assert len(random) * 8 == 256
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()


def test_two_secrets_differ(registrant: User) -> None:
    secrets = {make_token(by=registrant, name=f"Example {number}", scopes=["read"])[1] for number in range(9)}
    assert len(secrets) == 9


@pytest.mark.parametrize(
    "spoil",
    [
        lambda secret: f"{secret}\n",
        lambda secret: f" {secret}",
        lambda secret: secret[:-1],
        lambda secret: f"{secret}0",
        lambda secret: secret.upper(),
        lambda secret: secret.replace("_", "-"),
        lambda secret: f"{secret[:-1]}\u0661",
        lambda secret: f"{secret[:-1]}\ud800",
        lambda secret: "",
        lambda secret: PREFIX,
    ],
)
def test_no_other_text_is_the_token(registrant: User, spoil: Any) -> None:
    _, secret = make_token(by=registrant, name="Example", scopes=["read"])
    assert token_with(spoil(secret)) is None


@pytest.mark.parametrize(
    ("wrong", "refusal"),
    [
        ({"name": ""}, TextMissing),
        ({"name": " \n"}, TextMissing),
        ({"name": "x" * 61}, TextTooLong),
        ({"name": "a\x00b"}, UnstorableCharacter),
        ({"name": "a\ud800b"}, UnstorableCharacter),
        ({"scopes": []}, InvalidTokenSettings),
        ({"scopes": ["read", "everything"]}, InvalidTokenSettings),
        ({"scopes": ["read\n"]}, InvalidTokenSettings),
        ({"days": 0}, InvalidTokenSettings),
        ({"days": -1}, InvalidTokenSettings),
        ({"days": MOST_DAYS + 1}, InvalidTokenSettings),
        ({"requests_an_hour": 0}, InvalidTokenSettings),
        ({"requests_an_hour": -1}, InvalidTokenSettings),
        ({"requests_an_hour": 43_201}, InvalidTokenSettings),
        ({"name": "tHE SAME"}, TokenNameTaken),
    ],
)
def test_what_can_not_be_a_token_is_refused(
    registrant: User, wrong: dict[str, Any], refusal: type[Exception]
) -> None:
    make_token(by=registrant, name="The same", scopes=["read"])
    with pytest.raises(refusal):
        make_token(**{"by": registrant, "name": "Example", "scopes": ["read"]} | wrong)
    assert Token.objects.count() == 1


def test_the_name_of_a_revoked_token_is_free_again(registrant: User, participant: User) -> None:
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    make_token(by=participant, name="Example", scopes=["read"])
    revoke_token(token, by=registrant)
    make_token(by=registrant, name="Example", scopes=["read"])


def test_the_number_of_tokens_is_limited(registrant: User) -> None:
    for number in range(MOST_TOKENS):
        make_token(by=registrant, name=f"Example {number}", scopes=["read"])
    with pytest.raises(TooManyTokens):
        make_token(by=registrant, name="One more", scopes=["read"])


def test_a_token_is_revoked_by_its_owner_alone_and_once(registrant: User, administrator: User) -> None:
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    with pytest.raises(NotPermitted):
        revoke_token(token, by=administrator)
    first = revoke_token(token, by=registrant).revoked_at
    assert revoke_token(token, by=registrant).revoked_at == first
    assert Event.objects.filter(verb="revoke_token").count() == 1


def test_a_use_is_written_down_once_a_minute(registrant: User, django_assert_num_queries: Any) -> None:
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False) as clock:
        note_use(token)
        token.refresh_from_db()
        first = token.last_used_at
        assert first == timezone.now()
        clock.shift(30)
        with django_assert_num_queries(0):
            note_use(token)
        clock.shift(31)
        note_use(token)
        token.refresh_from_db()
        assert token.last_used_at == timezone.now() != first


def test_the_database_knows_the_scopes_too(registrant: User) -> None:
    for scopes in ([], ["everything"]):
        with pytest.raises(IntegrityError), transaction.atomic():
            Token.objects.create(
                owner=registrant, name="x", digest="x", scopes=scopes, expires_at=timezone.now()
            )


def test_a_rotated_token_keeps_all_but_its_secret(registrant: User) -> None:
    token, old = make_token(by=registrant, name="Example", scopes=["read"])
    said = {"by": registrant, "case": None, "nid": "", "moved": ("", ""), "text": ""}
    with one_event(verb="rotate_token", **said, details={"token": token.pk}):
        rotated, new = rotate_token(token, by=registrant)
    assert (token_with(old), token_with(new)) == (None, rotated)
    kept = (
        "pk",
        "owner",
        "name",
        "scopes",
        "requests_an_hour",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    assert [getattr(rotated, name) for name in kept] == [getattr(token, name) for name in kept]
    assert new not in everything_kept("accounts_token")


def test_a_token_that_has_ended_or_is_of_another_is_not_rotated(
    registrant: User, administrator: User
) -> None:
    token, secret = make_token(by=registrant, name="Example", scopes=["read"])
    with pytest.raises(NotPermitted):
        rotate_token(token, by=administrator)
    with time_machine.travel(token.expires_at), pytest.raises(TokenEnded):
        rotate_token(token, by=registrant)
    revoke_token(token, by=registrant)
    with pytest.raises(TokenEnded):
        rotate_token(token, by=registrant)
    assert token_with(secret) == token


@pytest.mark.usefixtures("real_database")
def test_of_two_rotations_at_once_the_last_secret_is_valid_and_a_revoked_token_stays_revoked() -> None:
    registrant = a_person(email="registrant@example.org")
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    job = partial(rotate_token, token, by=registrant)
    secrets = [secret for _, secret in at_once([job, job])]
    assert len([secret for secret in secrets if token_with(secret)]) == 1
    at_once([partial(revoke_token, token, by=registrant), partial(attempt, job)])
    assert Token.objects.get().revoked_at


def attempt(rotate: Any) -> None:
    with suppress(TokenEnded):
        rotate()


def test_the_database_refuses_a_quota_of_nothing(registrant: User) -> None:
    token, _ = make_token(by=registrant, name="Example", scopes=["read"])
    with pytest.raises(IntegrityError), transaction.atomic():
        Token.objects.filter(pk=token.pk).update(requests_an_hour=0)


@pytest.mark.usefixtures("real_database")
def test_one_of_two_tokens_made_at_once_under_one_name_is_refused() -> None:
    registrant = a_person(email="registrant@example.org")
    job = partial(make_token, by=registrant, name="Example", scopes=["read"])
    assert [type(each) for each in refusals(at_once([job, job]))] == [TokenNameTaken]


# The pages.


@pytest.fixture
def page(registrant: User) -> Client:
    return signed_in(registrant)


def test_a_token_is_made_shown_once_and_revoked(page: Client, registrant: User) -> None:
    assert "You have no tokens" in page.get("/accounts/tokens/").text
    assert "Optional, 1 to 43,200." in page.get(MAKE).text
    answer = fill_in(page, MAKE, name="Example program", scopes="write", days="30", requests_an_hour="500")
    found = SECRET.search(answer.text)
    assert found
    assert "no-store" in answer.headers["Cache-Control"]
    token = Token.objects.get()
    assert token_with(found[1]) == token
    assert (token.owner, token.scopes, token.requests_an_hour) == (registrant, ["write"], 500)
    listed = page.get("/accounts/tokens/").text
    assert "Example program" in listed
    assert found[1] not in listed
    gone = fill_in(page, f"/accounts/tokens/{token.pk}/revoke/")
    assert gone.redirect_chain == [("/accounts/tokens/", 302)]
    assert "You have no tokens" in gone.text


def test_a_token_is_rotated_and_its_new_secret_is_shown_once(page: Client, registrant: User) -> None:
    token, old = make_token(by=registrant, name="Example program", scopes=["write"])
    address = f"/accounts/tokens/{token.pk}/rotate/"
    assert address in page.get("/accounts/tokens/").text
    answer = fill_in(page, address)
    found = SECRET.search(answer.text)
    assert found
    assert "no-store" in answer.headers["Cache-Control"]
    assert (token_with(old), token_with(found[1])) == (None, token)
    revoke_token(token, by=registrant)
    assert page.post(address).status_code == 409
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert "Confirm your password" in page.post(address).text


def test_the_form_sent_again_makes_no_second_token(page: Client) -> None:
    typed = {"name": "Example", "scopes": ["read"], "days": "30"}
    assert page.post(MAKE, typed).status_code == 200
    again = page.post(MAKE, typed)
    assert again.status_code == 409
    assert "You already have a token named “Example”" in again.text
    assert Token.objects.count() == 1


@pytest.mark.parametrize(
    "typed",
    [
        {"name": ""},
        {"name": "x" * 61},
        {"name": "\x00"},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"scopes": ["read\n"]},
        {"days": ""},
        {"days": "100000"},
        {"days": "\u0663"},
        {"days": "30\n1"},
        {"requests_an_hour": "0"},
        {"requests_an_hour": "many"},
        {"requests_an_hour": "43201"},
    ],
)
def test_errors_in_the_form_are_shown(page: Client, typed: dict[str, Any]) -> None:
    answer = page.post(MAKE, {"name": "Example", "scopes": ["read"], "days": "30"} | typed)
    assert answer.status_code == 422
    assert not Token.objects.exists()


def test_users_cannot_see_or_revoke_tokens_of_others(page: Client, administrator: User) -> None:
    token, _ = make_token(by=administrator, name="Example of another", scopes=list(Scope))
    assert "Example of another" not in page.get("/accounts/tokens/").text
    assert page.get(f"/accounts/tokens/{token.pk}/revoke/").status_code == 404
    assert page.post(f"/accounts/tokens/{token.pk}/revoke/").status_code == 404
    assert page.post(f"/accounts/tokens/{token.pk}/rotate/").status_code == 404
    assert Token.objects.filter(pk=token.pk, revoked_at=None).exists()


def test_an_expired_token_is_marked(page: Client, registrant: User) -> None:
    make_token(by=registrant, name="Example", scopes=["read"])
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in page.get("/accounts/tokens/").text


@pytest.mark.django_db
def test_the_first_password_of_an_account_revokes_nothing(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        User.objects.create_user("registrant@example.org", "correct horse battery")
