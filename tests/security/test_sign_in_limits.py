"""Limits of sign-in, sign-up and resets: they slow the client's address, in all processes together."""

from datetime import timedelta

import pytest
import time_machine
from allauth.account import app_settings as account_settings
from allauth.core.internal.ratelimit import parse_rates
from allauth.mfa import app_settings as mfa_settings
from django.core.cache import cache, caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from registry.accounts.models import User
from registry.api.tasks import delete_expired
from registry.core.rate_limits import HOUR
from registry.mail.models import Message
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db


def sign_in(address: str, email: str, password: str) -> Client:
    client = Client(REMOTE_ADDR=address)
    client.post("/accounts/login/", {"login": email, "password": password})
    return client


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_wrong_passwords_from_many_addresses_do_not_lock_out_the_owner(registrant: User) -> None:
    for number in range(40):
        sign_in(f"198.51.100.{number}", registrant.email, f"wrong password {number}")
    assert is_signed_in(sign_in("192.0.2.1", registrant.email, PASSWORD))


def test_wrong_passwords_slow_the_address_that_sends_them(registrant: User) -> None:
    for number in range(11):
        sign_in("198.51.100.1", f"person-{number}@example.org", "wrong password")
    assert not is_signed_in(sign_in("198.51.100.1", registrant.email, PASSWORD))


def test_the_host_of_the_request_gives_no_further_attempts(registrant: User) -> None:
    with override_settings(ALLOWED_HOSTS=["*"]):
        for number in range(11):
            client = Client(headers={"host": f"host-{number}.example.org"})
            client.post("/accounts/login/", {"login": registrant.email, "password": "wrong password"})
        assert not is_signed_in(sign_in("127.0.0.1", registrant.email, PASSWORD))


def test_the_limits_are_shared_by_all_processes() -> None:
    """A memory cache would give each process a limit of its own."""
    assert isinstance(caches["default"], DatabaseCache)
    Client().post("/accounts/signup/", {"email": "x"})
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM core_cache WHERE cache_key LIKE '%%signup%%'")
        assert cursor.fetchone()[0] >= 1
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'core_cache'")
        assert cursor.fetchone()[0] == "u"


def test_a_stranger_can_not_keep_the_owner_from_a_reset(registrant: User) -> None:
    """Requests for one address from many clients are limited by what is mailed, not by a refusal."""
    answers = set()
    for number in range(30):
        client = Client(REMOTE_ADDR=f"198.51.100.{number}")
        answers.add(client.post("/accounts/password/reset/", {"email": registrant.email}).status_code)
    assert answers == {302}
    assert Message.objects.filter(to=registrant.email).count() == 6


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", ["/accounts/signup/", "/accounts/password/reset/"])
def test_sign_ups_and_resets_are_counted_for_the_address(path: str) -> None:
    def ask(address: str, number: int = 0) -> int:
        typed = {"email": f"person-{number}@example.org", "password1": PASSWORD, "password2": PASSWORD}
        return Client(REMOTE_ADDR=address).post(path, typed).status_code

    assert {ask("198.51.100.1", number) for number in range(20)} == {302}
    assert ask("198.51.100.1") == 429
    assert ask("192.0.2.1") == 302


def test_an_address_without_an_account_gets_as_few_mails() -> None:
    for number in range(10):
        client = Client(REMOTE_ADDR=f"198.51.100.{number}")
        client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert Message.objects.filter(to="nobody@example.org").count() == 6


def test_the_page_shows_when_to_try_again() -> None:
    for _ in range(21):
        answer = Client().post("/accounts/signup/", {"email": "x"})
    assert (answer.status_code, answer["Retry-After"]) == (429, "60")
    cache.clear()
    assert Client().post("/accounts/signup/", {"email": "x"}).status_code == 422


@pytest.mark.exhaustive
@pytest.mark.parametrize("jump", [timedelta(days=1), timedelta(days=3650)])
def test_a_clock_that_was_ahead_keeps_no_one_out_for_more_than_an_hour(jump: timedelta) -> None:
    cache.set("onward:7", "/namespaces/", timedelta(days=3).total_seconds())
    with time_machine.travel(timezone.now() + jump):
        for _ in range(21):
            answer = Client().post("/accounts/signup/", {"email": "x"})
        assert answer.status_code == 429
    assert Client().post("/accounts/signup/", {"email": "x"}).status_code == 429
    delete_expired(timestamp=0)
    assert Client().post("/accounts/signup/", {"email": "x"}).status_code == 422
    delete_expired(timestamp=0)
    assert cache.get("onward:7") == "/namespaces/"
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM core_cache WHERE cache_key LIKE '%%signup%%'")
        assert cursor.fetchone()[0] >= 1


def test_counters_of_a_host_whose_clock_is_a_little_ahead_are_kept() -> None:
    with time_machine.travel(timezone.now() + timedelta(seconds=30)):
        for _ in range(21):
            Client().post("/accounts/signup/", {"email": "x"})
    delete_expired(timestamp=0)
    assert Client().post("/accounts/signup/", {"email": "x"}).status_code == 429


def test_no_window_of_a_limit_is_longer_than_an_hour() -> None:
    """Counters that end later are deleted."""
    configured = {**account_settings.RATE_LIMITS, **mfa_settings.RATE_LIMITS}
    assert max(rate.duration for each in configured.values() for rate in parse_rates(each)) == HOUR


@pytest.mark.exhaustive
def test_only_a_form_that_is_sent_counts() -> None:
    client = Client()
    for path in ("/accounts/signup/", "/accounts/login/", "/accounts/password/reset/"):
        for _ in range(35):
            assert client.head(path).status_code == 200
            assert client.options(path).status_code == 405
        assert client.post(path, {"email": "x"}).status_code == 422
