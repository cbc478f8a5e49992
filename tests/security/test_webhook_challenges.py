"""Nothing but one challenge is sent to an address that has not agreed, also after another address and on request."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import User
from registry.core.rate_limits import LimitExceeded
from registry.webhooks import actions
from registry.webhooks.actions import CHALLENGES, REPEATS, WebhookUnconfirmed, register_webhook
from registry.webhooks.delivery import deliver_due, record, send, take_turn
from registry.webhooks.messages import challenge_message
from registry.webhooks.models import Delivery, Webhook
from tests.support.https_servers import Exchange
from tests.webhooks.conftest import (
    HOST,
    Receiver,
    Serve,
    _in_a_hurry,
    a_webhook,
    an_event,
    authority,
    dns,
    loopback_allowed,
    receiver,
    serve,
    verified,
)

__all__ = ["_in_a_hurry", "authority", "dns", "loopback_allowed", "receiver", "serve"]
pytestmark = pytest.mark.django_db
URL = "https://hooks.example/"
NO_ANSWER = "The body of the reply is not the member “challenge” of the message."


def challenge_in(exchange: Exchange) -> str:
    told = json.loads(exchange.body)
    assert told["verb"] == "webhook.challenge"
    challenge: str = told["challenge"]
    return challenge


def test_an_address_that_answers_gets_the_events_since_the_registration(
    registrant: User, receiver: Receiver
) -> None:
    webhook, secret = register_webhook(by=registrant, url=receiver.url)
    event = an_event()
    assert take_turn(webhook.pk) == 2
    first, second = receiver.received
    assert len(challenge_in(first)) == 64
    assert challenge_in(first) not in first.headers["webhook-id"]
    assert verified(first, secret)["webhook"] == webhook.pk
    assert verified(second, secret)["number"] == event.number
    webhook.refresh_from_db()
    assert (webhook.state, webhook.challenge) == ("active", "")
    challenge = webhook.last_challenge
    assert challenge is not None
    assert (challenge.is_delivered, challenge.event_number, challenge.attempt) == (True, None, 1)


WRONG_ANSWERS = {
    "nothing": lambda exchange: exchange.reply("204 No Content"),
    "a greeting": lambda exchange: exchange.reply("200 OK", b"Welcome!"),
    "an echo": lambda exchange: exchange.reply("200 OK", exchange.body),
    "more": lambda exchange: exchange.reply("200 OK", challenge_in(exchange).encode() * 2),
    "a part": lambda exchange: exchange.reply("200 OK", challenge_in(exchange)[:-1].encode()),
    "JSON": lambda exchange: exchange.reply("200 OK", json.dumps(challenge_in(exchange)).encode()),
    "octets": lambda exchange: exchange.reply("200 OK", b"\xff" * 64),
    "too much": lambda exchange: exchange.reply(
        "200 OK", challenge_in(exchange).encode() + b" " * 9000 + b"x"
    ),
    "white space": lambda exchange: exchange.reply("200 OK", challenge_in(exchange).encode() + b" " * 5000),
    "an error": lambda exchange: exchange.reply("404 Not Found", challenge_in(exchange).encode()),
    "a redirect": lambda exchange: exchange.redirect("https://other.example/"),
}


@pytest.mark.parametrize("answer", WRONG_ANSWERS)
def test_an_address_that_answers_otherwise_gets_one_request_and_no_event(
    registrant: User, serve: Serve, answer: str
) -> None:
    server = serve(WRONG_ANSWERS[answer])
    webhook, _ = register_webhook(by=registrant, url=f"https://{HOST}:{server.port}/")
    an_event()
    assert take_turn(webhook.pk) == 1
    assert deliver_due() == 0
    for act in (actions.request_test, lambda *a, **k: actions.replay(*a, since=0, **k)):
        with pytest.raises(WebhookUnconfirmed, match="Send a challenge"):
            act(webhook, by=registrant)
    actions.rotate_secret(webhook, by=registrant)
    actions.pause_webhook(webhook, by=registrant)
    actions.resume_webhook(webhook, by=registrant)
    assert deliver_due() == 0
    assert len(server.received) == 1
    webhook.refresh_from_db()
    assert (webhook.state, webhook.challenge, webhook.failures) == ("unconfirmed", "", 0)
    (attempt,) = Delivery.objects.all()
    assert not attempt.is_delivered
    if attempt.status_code in {200, 204}:
        assert attempt.error == NO_ANSWER


def test_another_address_must_answer_too(registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url)
    actions.request_test(webhook, by=registrant)
    other = receiver.url.removesuffix("/hook") + "/other"
    actions.change_webhook(webhook, by=registrant, url=other, verbs=[], nids=[])
    webhook.refresh_from_db()
    assert (webhook.state, webhook.test_id) == ("unconfirmed", "")
    event = an_event()
    assert take_turn(webhook.pk) == 2
    assert [each.path for each in receiver.received] == ["/other", "/other"]
    challenge_in(receiver.received[0])
    assert json.loads(receiver.received[1].body)["number"] == event.number


def test_another_choice_of_events_needs_no_answer(registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    actions.change_webhook(webhook, by=registrant, url=URL, verbs=["deprecate"], nids=[])
    assert Webhook.objects.get().state == "active"


def test_an_answer_of_the_address_before_a_change_does_not_confirm_the_next_one(
    registrant: User, receiver: Receiver
) -> None:
    webhook, _ = register_webhook(by=registrant, url=receiver.url)
    at = webhook.created_at
    message = challenge_message(webhook, at)
    outcome = send(webhook, message, at)
    assert outcome.is_delivered
    actions.change_webhook(webhook, by=registrant, url="https://victim.example/", verbs=[], nids=[])
    record(webhook, message, outcome)
    webhook.refresh_from_db()
    assert webhook.state == "unconfirmed"
    assert webhook.challenge not in {"", message.answer}


def test_the_owner_can_ask_for_another_challenge_until_the_address_is_confirmed(
    registrant: User, receiver: Receiver
) -> None:
    webhook, _ = register_webhook(by=registrant, url=receiver.url)
    first = webhook.challenge
    actions.request_challenge(webhook, by=registrant)
    assert take_turn(webhook.pk) == 1
    assert challenge_in(receiver.received[0]) != first
    webhook.refresh_from_db()
    assert webhook.state == "active"
    with pytest.raises(Exception, match="has answered a challenge already"):
        actions.request_challenge(webhook, by=registrant)


def test_what_makes_the_registry_send_a_request_is_limited(registrant: User, settings: Any) -> None:
    settings.ACTIONS_AN_HOUR = settings.ACTIONS_AN_HOUR | {CHALLENGES: 3, REPEATS: 3}
    webhook, _ = register_webhook(by=registrant, url=URL)
    change = {"by": registrant, "verbs": [], "nids": []}
    actions.change_webhook(webhook, url="https://victim.example/", **change)
    actions.request_challenge(webhook, by=registrant)
    for act in (
        lambda: register_webhook(by=registrant, url=URL),
        lambda: actions.change_webhook(webhook, url=URL, **change),
        lambda: actions.request_challenge(webhook, by=registrant),
    ):
        with pytest.raises(LimitExceeded, match="The limit is 3 challenges of webhooks an hour"):
            act()
    for _ in range(3):
        actions.resume_webhook(webhook, by=registrant)
    with pytest.raises(LimitExceeded, match="The limit is 3 tests, replays and resumptions"):
        actions.resume_webhook(webhook, by=registrant)


def test_no_webhook_is_confirmed_and_challenged(registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    with pytest.raises(IntegrityError, match="confirmed_webhook_is_not_challenged"), transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(challenge="a")
