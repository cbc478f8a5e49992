"""Actions of the owner: addresses, choices, limits, secrets, pauses, replays, and the end of a webhook."""

import base64
from functools import partial
from pprint import pformat
from typing import Any

import pytest
from django.core import serializers
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from registry.accounts.closing import close_account
from registry.accounts.erasure import erase_person
from registry.accounts.locks import AddressNotConfirmed
from registry.accounts.models import User
from registry.accounts.personal_data import find_person
from registry.core.http.urls import TargetNotAllowed
from registry.core.rate_limits import LimitExceeded
from registry.core.validators import TextTooLong
from registry.webhooks import actions
from registry.webhooks.actions import (
    MAX_NIDS,
    MAX_WEBHOOKS,
    BeyondLog,
    InvalidNIDChoice,
    SecretInvalid,
    TooManyWebhooks,
    UnknownEventType,
    register_webhook,
)
from registry.webhooks.messages import secret_from
from registry.webhooks.models import Delivery, PauseReason, Webhook
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person
from tests.webhooks.conftest import a_webhook, an_event

URL = "https://hooks.example/registry?key=a"


def test_a_webhook_begins_after_the_last_event(registrant: User) -> None:
    last = an_event()
    webhook, secret = register_webhook(
        by=registrant, url=f" {URL} ", verbs=["deprecate"], nids=["ISBN", "isbn"]
    )
    webhook.refresh_from_db()
    assert (webhook.url, webhook.verbs, webhook.nids) == (URL, ["deprecate"], ["isbn"])
    assert (webhook.last_event, webhook.state) == (last.number, "unconfirmed")
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32


def test_the_secret_is_stored_nowhere_and_depends_on_the_key(registrant: User, settings: Any) -> None:
    webhook, secret = register_webhook(by=registrant, url=URL)
    for table in connection.introspection.table_names():
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT string_agg(t::text, chr(10)) FROM "{table}" t')
            assert secret not in str(cursor.fetchone()[0]), table
    assert secret not in serializers.serialize("json", [webhook])
    assert secret_from(webhook.salt) == secret
    settings.SECRET_KEY = "another key"
    assert secret_from(webhook.salt) != secret


def test_a_report_of_an_error_does_not_contain_the_secret(registrant: User) -> None:
    made = register_webhook(by=registrant, url=URL)
    assert made.secret.startswith("whsec_")
    assert made.secret not in repr(made) + pformat(made) + str([made])


@pytest.mark.parametrize(
    ("choice", "refusal"),
    [
        ({"url": "http://hooks.example/"}, TargetNotAllowed),
        ({"url": "ftp://hooks.example/"}, TargetNotAllowed),
        ({"url": ""}, TargetNotAllowed),
        ({"url": "https://user:word@hooks.example/"}, TargetNotAllowed),
        ({"url": "https://hooks.example:0x1bb/"}, TargetNotAllowed),
        ({"url": "https://hooks.example:99999/"}, TargetNotAllowed),
        ({"url": "https://127.0.0.1/"}, TargetNotAllowed),
        ({"url": "https://[::1]/"}, TargetNotAllowed),
        ({"url": "https://169.254.169.254/latest/meta-data/"}, TargetNotAllowed),
        ({"url": "https://2130706433/"}, TargetNotAllowed),
        ({"url": "https://localhost/"}, TargetNotAllowed),
        ({"url": "https://database.internal/"}, TargetNotAllowed),
        ({"url": "https://hooks.example/a b"}, TargetNotAllowed),
        ({"url": "https://hooks.example/\r\nHost: other"}, TargetNotAllowed),
        ({"url": f"https://hooks.example/{'a' * 2000}"}, TextTooLong),
        ({"verbs": ["make_token"]}, UnknownEventType),
        ({"verbs": ["deprecate", "no such verb"]}, UnknownEventType),
        ({"nids": ["is bn"]}, InvalidNIDChoice),
        ({"nids": [""]}, InvalidNIDChoice),
        ({"nids": [f"example-{number}" for number in range(MAX_NIDS + 1)]}, InvalidNIDChoice),
    ],
)
def test_what_can_not_be_a_webhook_is_refused(
    registrant: User, choice: dict[str, Any], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        register_webhook(**{"by": registrant, "url": URL} | choice)
    webhook = a_webhook(registrant, URL)
    with pytest.raises(refusal):
        actions.change_webhook(webhook, **{"by": registrant, "url": URL, "verbs": [], "nids": []} | choice)
    assert Webhook.objects.get().url == URL


def test_an_account_without_a_confirmed_address_registers_none(registrant: User) -> None:
    registrant.emailaddress_set.update(verified=False)
    with pytest.raises(AddressNotConfirmed):
        register_webhook(by=User.objects.get(pk=registrant.pk), url=URL)


def test_the_limit_holds_for_concurrent_requests(real_database: None) -> None:
    registrant = a_person(email="registrant@example.org")
    for _ in range(MAX_WEBHOOKS - 1):
        a_webhook(registrant, URL)
    outcomes = at_once([partial(a_webhook, registrant, URL)] * 4)
    assert [type(each) for each in refusals(outcomes)] == [TooManyWebhooks] * 3
    assert Webhook.objects.count() == MAX_WEBHOOKS


def test_another_address_begins_without_failures(registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    failing = {"failures": 2, "failing_since": timezone.now(), "next_attempt_at": timezone.now()}
    Webhook.objects.update(**failing)
    changed = actions.change_webhook(webhook, by=registrant, url=URL, verbs=["assign"], nids=[])
    assert (changed.failures, changed.verbs) == (2, ["assign"])
    changed = actions.change_webhook(webhook, by=registrant, url=f"{URL}2", verbs=[], nids=[])
    assert (changed.failures, changed.next_attempt_at, changed.verbs) == (0, None, [])


def test_pause_and_resume(registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    paused = actions.pause_webhook(webhook, by=registrant)
    assert (paused.state, paused.pause_reason) == ("paused", PauseReason.OWNER)
    assert actions.pause_webhook(webhook, by=registrant).paused_at == paused.paused_at
    assert actions.resume_webhook(webhook, by=registrant).state == "active"


def test_a_webhook_whose_secret_is_invalid_is_resumed_after_a_rotation(
    registrant: User, settings: Any
) -> None:
    webhook = a_webhook(registrant, URL)
    settings.SECRET_KEY = "another key"
    assert not actions.RESUME_WEBHOOK.is_allowed_for(
        registrant, actions.pause_webhook(webhook, by=registrant)
    )
    with pytest.raises(SecretInvalid):
        actions.resume_webhook(webhook, by=registrant)
    rotated, _ = actions.rotate_secret(webhook, by=registrant)
    assert (rotated.previous_salt, rotated.previous_until) == ("", None)
    assert actions.resume_webhook(webhook, by=registrant).state == "active"


def test_a_replay_begins_after_an_event_of_the_log(registrant: User) -> None:
    last = an_event().number
    webhook = a_webhook(registrant, URL)
    assert actions.replay(webhook, by=registrant, since=0).last_event == 0
    for since in (-1, last + 1):
        with pytest.raises(BeyondLog, match=f"its last event is {last}"):
            actions.replay(webhook, by=registrant, since=since)
    assert Webhook.objects.get().last_event == 0


def test_tests_replays_and_resumptions_are_limited_together(registrant: User, settings: Any) -> None:
    webhook = a_webhook(registrant, URL)
    settings.ACTIONS_AN_HOUR = {actions.REPEATS: 3}
    actions.resume_webhook(webhook, by=registrant)
    actions.request_test(webhook, by=registrant)
    actions.replay(webhook, by=registrant, since=0)
    with pytest.raises(LimitExceeded, match="3 tests, replays and resumptions of webhooks an hour"):
        actions.request_test(webhook, by=registrant)


def test_a_second_click_requests_no_second_test(registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    first = actions.request_test(webhook, by=registrant).test_id
    assert actions.request_test(webhook, by=registrant).test_id == first != ""


def test_a_closed_account_has_no_webhooks(registrant: User, participant: User) -> None:
    a_webhook(registrant, URL)
    other = a_webhook(participant, URL)
    close_account(registrant, by=None, reason="They left.")
    assert Webhook.objects.get() == other


def test_an_erased_person_has_no_webhooks_and_no_log(registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    Delivery.objects.create(
        webhook=webhook, message_id="evt_1", attempt=1, milliseconds=1, is_delivered=False, error="No reply."
    )
    erasure = erase_person(find_person(registrant.email), by=None, reason="They left.")
    assert "webhooks and their deliveries: 2" in erasure.erased
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "http://hooks.example/"},
        {"last_event": -1},
        {"paused_at": timezone.now()},
        {"pause_reason": "owner"},
        {"failures": 1},
        {"next_attempt_at": timezone.now()},
        {"previous_salt": "a"},
        {"previous_until": timezone.now()},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_the_database_refuses_states_that_can_not_be(registrant: User, fields: dict[str, Any]) -> None:
    a_webhook(registrant, URL)
    with pytest.raises(IntegrityError), transaction.atomic():
        Webhook.objects.update(**fields)
