"""How much one client may ask for: counted for all processes together, said in every answer, refused with 429."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.db import OperationalError, connection, transaction
from django.test import Client, RequestFactory

from registry.accounts.models import Token, User
from registry.api.framework import throttling
from registry.core import rate_limits
from registry.core.models import Counter
from tests.api.client import V1, TokenClient, check_problem
from tests.support.databases import at_once, refusals

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def small(settings: Any) -> None:
    settings.API_READS_A_MINUTE, settings.API_WRITES_A_MINUTE = 3, 2


def asked_from(address: str, path: str = "", **headers: str) -> Any:
    return Client(REMOTE_ADDR=address).get(V1 + path, headers=headers)


def test_rate_limit_headers_and_retry_after(client: Client) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        for left in (2, 1, 0):
            answer = client.get(V1)
            assert answer.status_code == 200
            assert answer.headers["RateLimit-Policy"] == '"read";q=3;w=60'
            assert answer.headers["RateLimit"] == f'"read";r={left};t=60'
        clock.shift(18)
        refused = client.get(f"{V1}nids/isbn/")
        check_problem(refused, 429, "too-many-requests", "Try again in 42 seconds")
        assert refused.headers["Retry-After"] == "42"
        assert refused.headers["RateLimit"] == '"read";r=0;t=42'
        clock.shift(42)
        assert client.get(V1).headers["RateLimit"] == '"read";r=2;t=60'


def test_every_request_except_options_is_counted(client: Client, db: None) -> None:
    assert "RateLimit" not in client.options(V1).headers
    for path, status in (("nothing/", 404), ("urns/x/", 400)):
        assert client.get(V1 + path).status_code == status
    assert client.delete(V1).headers["RateLimit-Policy"] == '"write";q=2;w=60'
    assert Counter.objects.get(key="read 127.0.0.1").spent == 2


def test_reads_and_writes_are_counted_separately(registrant: User) -> None:
    token_client = TokenClient(registrant)
    for _ in range(2):
        assert token_client.post("cases/", {"kind": "formal"}).status_code == 201
    check_problem(token_client.post("cases/", {"kind": "formal"}), 429, "too-many-requests")
    assert token_client.get("account/").status_code == 200


def test_tokens_and_addresses_are_counted_separately(registrant: User) -> None:
    one, other = TokenClient(registrant), TokenClient(registrant)
    for _ in range(3):
        one.get("account/")
    assert one.get("account/").status_code == 429
    assert one.get("services/").status_code == 429
    assert other.get("account/").status_code == 200
    assert other.get("services/").status_code == 200
    assert one.client.get(V1).status_code == 200


def test_a_quota_of_a_token_counts_reading_and_writing_and_is_told_when_it_is_tightest(
    registrant: User,
) -> None:
    program, other = TokenClient(registrant), TokenClient(registrant)
    Token.objects.filter(pk=program.token.pk).update(requests_an_hour=3)
    with time_machine.travel(NOON, tick=False) as clock:
        first = program.get("account/")
        assert first.headers["RateLimit-Policy"] == '"token";q=3;w=3600'
        assert first.headers["RateLimit"] == '"token";r=2;t=3600'
        written = program.post("cases/", {"kind": "formal"})
        assert written.headers["RateLimit"] == '"token";r=1;t=3600'
        clock.shift(60)
        assert program.get("token/").headers["RateLimit"] == '"token";r=0;t=3540'
        refused = program.get("token/")
        check_problem(refused, 429, "too-many-requests", "The limit “token” of 3 requests in 3600 seconds")
        assert (refused.headers["Retry-After"], refused.headers["RateLimit"]) == (
            "3540",
            '"token";r=0;t=3540',
        )
        assert other.get("token/").headers["RateLimit-Policy"] == '"read";q=3;w=60'
        clock.shift(3540)
        limits = program.get("token/").json()["limits"]
    assert {"name": "token", "quota": 3, "window": 3600} in limits


def test_a_quota_is_no_way_around_the_limits_for_all(registrant: User) -> None:
    program = TokenClient(registrant)
    Token.objects.filter(pk=program.token.pk).update(requests_an_hour=100)
    for _ in range(3):
        assert program.get("account/").headers["RateLimit-Policy"] == '"read";q=3;w=60'
    check_problem(program.get("account/"), 429, "too-many-requests", "“read”")


def test_invalid_tokens_are_counted_by_address(db: None) -> None:
    for number in range(3):
        answer = asked_from("192.0.2.1", "account/", Authorization=f"Bearer urnreg_{number:064x}")
        assert answer.status_code == 401
    assert asked_from("192.0.2.1", "account/", Authorization="Bearer urnreg_x").status_code == 429
    assert asked_from("192.0.2.2").status_code == 200


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:0:1:aaaa::1", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:bbbb::2", "2001:db8:0:1::/64"),
        ("::1", "::/64"),
    ],
)
def test_an_ipv6_network_is_one_client(address: str, counted: str) -> None:
    assert throttling.client_key(RequestFactory().get(V1, REMOTE_ADDR=address)) == counted


@pytest.mark.parametrize("proxies", [0, 1])
def test_requests_by_a_unix_socket_have_no_address(client: Client, settings: Any, proxies: int) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    settings.ALLAUTH_TRUSTED_CLIENT_IP_HEADER = "Clientaddress" if proxies else None
    assert throttling.client_key(RequestFactory().get(V1, REMOTE_ADDR="")) == "no address"
    assert client.get(V1, REMOTE_ADDR="").status_code == 200


def test_an_address_is_that_of_the_client_and_not_of_the_proxy(settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    settings.ALLAUTH_TRUSTED_CLIENT_IP_HEADER = "Clientaddress"
    forwarded = {"X-Forwarded-For": "203.0.113.9", "Clientaddress": "192.0.2.7"}
    request = RequestFactory().get(V1, REMOTE_ADDR="10.0.0.1", headers=forwarded)
    assert throttling.client_key(request) == "192.0.2.7"


@pytest.mark.usefixtures("real_database")
def test_simultaneous_requests_are_all_counted(settings: Any) -> None:
    settings.API_READS_A_MINUTE = 15
    answers = at_once([partial(Client().get, V1) for _ in range(20)])
    assert refusals(answers) == []
    assert sorted(answer.status_code for answer in answers) == [200] * 15 + [429] * 5  # type: ignore[union-attr]
    assert Counter.objects.get().spent == 20


def test_expired_counters_are_deleted(client: Client, db: None) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        client.get(V1)
        assert rate_limits.delete_old_counters() == 0
        clock.shift(rate_limits.DAY + 1)
        assert rate_limits.delete_old_counters() == 1


def test_a_counter_that_a_transaction_counts_now_is_not_waited_for(real_database: None) -> None:
    Counter.objects.create(key="read", began_at=0, spent=1)

    def delete() -> int:
        try:
            return rate_limits.delete_old_counters()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Counter.objects.select_for_update().get()
            assert pool.submit(delete).result(60) == 0
        assert pool.submit(delete).result(60) == 1


@pytest.mark.parametrize("jump", [timedelta(seconds=61), timedelta(days=1), timedelta(days=3650)])
def test_a_clock_that_was_ahead_keeps_no_client_out(client: Client, db: None, jump: timedelta) -> None:
    with time_machine.travel(NOON + jump, tick=False) as clock:
        while client.get(V1).status_code == 200:
            pass
        clock.move_to(NOON)
        assert client.get(V1).headers["RateLimit"] == '"read";r=2;t=60'


def test_clocks_that_differ_a_little_count_together(client: Client, db: None) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        client.get(V1)
        clock.shift(-5)
        assert client.get(V1).headers["RateLimit"] == '"read";r=1;t=65'


def test_counters_of_a_clock_that_was_ahead_are_deleted(client: Client, db: None) -> None:
    with time_machine.travel(NOON + timedelta(days=2), tick=False) as clock:
        client.get(V1)
        clock.move_to(NOON)
        assert rate_limits.delete_old_counters() == 1


def test_counters_are_unlogged(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'core_counter'")
        assert cursor.fetchone() == ("u",)


def test_resources_without_database_work_during_an_outage(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_asked: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(throttling, "count", fail)
    answer = client.get(V1)
    assert answer.status_code == 200
    assert "RateLimit" not in answer.headers
