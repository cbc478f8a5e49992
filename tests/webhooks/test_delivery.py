"""Deliveries to real servers on loopback: signatures, order, retries, pauses, replays, and what is refused."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from jsonschema import Draft202012Validator
from pytest_django.asserts import assertNumQueries

from registry.accounts.models import User
from registry.accounts.tokens import make_token
from registry.events.events import PUBLIC_VERBS
from registry.mail.models import Message as Mail
from registry.mail.tasks import WAITS
from registry.registers.actions.registers import register_entry
from registry.webhooks import actions, delivery
from registry.webhooks.delivery import (
    LIMITS,
    MAX_MESSAGES,
    MAX_TIME_FAILING,
    record,
    send,
    skip_to,
    take_turn,
)
from registry.webhooks.messages import events_for, message_of
from registry.webhooks.models import MAX_RESPONSE_LENGTH, REPLY_SECONDS, Delivery, PauseReason, Webhook
from tests.api.schema_checks import description
from tests.cases.transitions.rounds import a_revision_in_review
from tests.registers.conftest import a_described_namespace, a_register
from tests.support.factories import a_case_in_review, a_draft, a_namespace
from tests.support.https_servers import Exchange, FakeDNS
from tests.webhooks.conftest import (
    HOST,
    Receiver,
    Serve,
    a_webhook,
    a_webhook_with_secret,
    an_event,
    verified,
)

pytestmark = pytest.mark.django_db


def later(**time: float) -> time_machine.travel:
    return time_machine.travel(timezone.now() + timedelta(**time), tick=True)


def test_an_event_is_delivered_with_a_valid_signature_as_the_api_lists_it(
    registrant: User, receiver: Receiver, client: Any
) -> None:
    webhook, secret = a_webhook_with_secret(registrant, receiver.url)
    event = an_event(reason="Nobody uses it, übrigens.")
    assert take_turn(webhook.pk) == 1
    (received,) = receiver.received
    assert (received.method, received.path) == ("POST", "/hook")
    assert received.headers["Content-Type"] == "application/json"
    assert received.headers["User-Agent"].startswith("urn-registry (")
    listed = client.get(f"/api/v1/events/?since={event.number - 1}")
    assert verified(received, secret) == listed.json()["results"][0]
    assert received.body in listed.content
    delivery = Delivery.objects.get()
    assert (delivery.event_number, delivery.attempt, delivery.is_delivered) == (event.number, 1, True)
    assert (delivery.status_code, delivery.error) == (204, "")
    webhook.refresh_from_db()
    assert (webhook.last_event, webhook.state) == (event.number, "active")
    assert take_turn(webhook.pk) == 0


def test_messages_are_as_the_description_of_the_api_says(registrant: User, receiver: Receiver) -> None:
    webhook, secret = a_webhook_with_secret(registrant, receiver.url)
    actions.request_test(webhook, by=registrant)
    an_event()
    assert take_turn(webhook.pk) == 2
    names = []
    for received in receiver.received:
        told = verified(received, secret)
        names.append("test" if told["verb"] == "webhook.test" else "event")
        described = description()["webhooks"][names[-1]]["post"]
        content = described["requestBody"]["content"][received.headers["Content-Type"]]
        whole = {**content["schema"], "components": description()["components"]}
        assert list(Draft202012Validator(whole).iter_errors(told)) == []
        assert {each["name"] for each in described["parameters"]} <= {*map(str.lower, received.headers)}
    assert sorted(names) == ["event", "test"]


def test_events_arrive_in_the_order_of_the_log_and_again_after_the_receiver_was_down(
    registrant: User, receiver: Receiver
) -> None:
    webhook, secret = a_webhook_with_secret(registrant, receiver.url)
    numbers = [an_event(nid=nid).number for nid in ("isbn", "issn", "uuid")]
    receiver.replies = ["204 No Content", "503 Service Unavailable"]
    assert take_turn(webhook.pk) == 2  # the one after the failure waits
    webhook.refresh_from_db()
    assert (webhook.state, webhook.last_event, webhook.failures) == ("failing", numbers[0], 1)
    assert take_turn(webhook.pk) == 0  # before its time
    with later(minutes=WAITS[0] + 0.1):
        assert take_turn(webhook.pk) == 2
        assert receiver.numbers == [numbers[0], numbers[1], numbers[1], numbers[2]]
        assert receiver.ids[1] == receiver.ids[2]
        assert len(set(receiver.ids)) == 3
        assert verified(receiver.received[2], secret)["number"] == numbers[1]
    webhook.refresh_from_db()
    assert (webhook.state, webhook.last_event, webhook.failing_since) == ("active", numbers[2], None)
    attempts = Delivery.objects.order_by("pk").values_list("event_number", "attempt", "is_delivered")
    assert list(attempts) == [
        (numbers[0], 1, True),
        (numbers[1], 1, False),
        (numbers[1], 2, True),
        (numbers[2], 1, True),
    ]


def test_a_server_that_is_down_is_a_failed_attempt(
    registrant: User, dns: FakeDNS, loopback_allowed: None
) -> None:
    dns[HOST] = "127.0.0.1"
    webhook = a_webhook(registrant, f"https://{HOST}:1/")
    an_event()
    assert take_turn(webhook.pk) == 1
    delivery = Delivery.objects.get()
    assert (delivery.is_delivered, delivery.status_code) == (False, None)
    assert delivery.error == f"{HOST} accepts no connection: Connection refused."


def test_the_waits_are_those_of_the_outbox_until_the_webhook_is_paused(
    registrant: User, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert delivery.WAITS is WAITS
    monkeypatch.setattr(delivery, "WAITS", (waiting := [1, 2, 60, 480]))
    webhook = a_webhook(registrant, receiver.url)
    event = an_event()
    receiver.replies = ["500 Internal Server Error"] * 99
    waits, begun = [], timezone.now()
    with time_machine.travel(begun, tick=False) as clock:
        while not Webhook.objects.exclude(paused_at=None).exists():
            assert take_turn(webhook.pk) == 1
            assert take_turn(webhook.pk) == 0
            webhook.refresh_from_db()
            if webhook.next_attempt_at:
                waits.append(round((webhook.next_attempt_at - timezone.now()).total_seconds() / 60))
                clock.move_to(webhook.next_attempt_at)
        assert timezone.now() - begun >= MAX_TIME_FAILING
    assert waits[: len(waiting)] == waiting
    assert set(waits[len(waiting) :]) == {waiting[-1]}
    assert (webhook.pause_reason, webhook.last_event) == (PauseReason.FAILING, event.number - 1)
    mail = Mail.objects.get(name="webhook_paused")
    assert mail.to == registrant.email
    assert mail.subject == f"Webhook paused: {receiver.url}"
    assert "The reply is 500; a status from 200 to 299 is needed." in " ".join(mail.body.split())
    assert f"/accounts/webhooks/{webhook.pk}/" in mail.body
    receiver.replies.clear()
    actions.resume_webhook(webhook, by=registrant)
    assert take_turn(webhook.pk) == 1
    assert receiver.numbers[-1] == event.number


def test_gone_pauses_at_once(registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url)
    an_event()
    receiver.replies = ["410 Gone"]
    assert take_turn(webhook.pk) == 1
    webhook.refresh_from_db()
    assert (webhook.state, webhook.pause_reason) == ("paused", PauseReason.GONE)
    assert "replied 410 Gone" in Mail.objects.get(name="webhook_paused").body
    with later(days=9):
        assert take_turn(webhook.pk) == 0


def test_a_redirect_is_not_followed(registrant: User, serve: Serve) -> None:
    server = serve(lambda exchange: exchange.redirect("https://other.example/"))
    webhook = a_webhook(registrant, f"https://{HOST}:{server.port}/")
    an_event()
    assert take_turn(webhook.pk) == 1
    assert Delivery.objects.get().error == "The reply is 302. Redirects are not followed."
    assert len(server.received) == 1


@pytest.mark.parametrize("address", ["10.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "127.0.0.1"])
def test_a_name_of_a_private_address_gets_no_request(registrant: User, dns: FakeDNS, address: str) -> None:
    dns[HOST] = ["192.0.34.43", address]
    webhook = a_webhook(registrant, f"https://{HOST}/")
    an_event()
    assert take_turn(webhook.pk) == 1
    delivery = Delivery.objects.get()
    assert (delivery.is_delivered, delivery.status_code, delivery.response) == (False, None, "")
    assert delivery.error == f"{HOST} has an address that is not public."


@pytest.mark.exhaustive
def test_a_receiver_that_does_not_reply_in_time_fails(registrant: User, serve: Serve) -> None:
    server = serve(lambda exchange: exchange.trickle(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000))
    webhook = a_webhook(registrant, f"https://{HOST}:{server.port}/")
    an_event()
    assert take_turn(webhook.pk) == 1
    assert "took longer than 2 seconds" in Delivery.objects.get().error


def test_a_receiver_has_the_time_to_reply_that_the_description_promises() -> None:
    assert LIMITS.wait == LIMITS.total == REPLY_SECONDS
    promised = {
        int(seconds) for seconds in re.findall(r"299 within (\d+) seconds", json.dumps(description()))
    }
    assert promised == {REPLY_SECONDS}


def test_the_beginning_of_the_reply_is_kept_as_text(registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url)
    an_event()
    receiver.replies, receiver.body = ["500 Oops"], b"<b>\x00\xff" + b"x" * 100_000
    assert take_turn(webhook.pk) == 1
    kept = Delivery.objects.get().response
    assert kept.startswith("<b>\ufffd\ufffdxxx")
    assert len(kept) == MAX_RESPONSE_LENGTH


def test_only_public_events_are_sent(
    registrant: User, expert: User, administrator: User, receiver: Receiver, client: Any
) -> None:
    webhook = a_webhook(registrant, receiver.url)
    make_token(by=registrant, name="Private", scopes=["read"])
    a_draft(by=registrant)
    a_case_in_review(by=registrant, namespace_identifier="example-oaks")
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    a_revision_in_review(namespace, by=registrant)
    while take_turn(webhook.pk):
        pass
    public = [
        each for each in client.get("/api/v1/events/?page_size=1000").json()["results"] if each["is_public"]
    ]
    later_ones = [each for each in public if each["number"] > webhook.last_event]
    assert [json.loads(each.body) for each in receiver.received] == later_ones
    assert len({each["verb"] for each in later_ones}) > 2


def test_the_choice_of_types_and_nids(registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url, verbs=["deprecate", "set_profile"], nids=["isbn", "uuid"])
    wanted = [an_event("isbn"), an_event("uuid", "set_profile")]
    unwanted = [an_event("issn"), an_event("isbn", "confirm_host")]
    assert take_turn(webhook.pk) == 2
    assert receiver.numbers == [each.number for each in wanted]
    webhook.refresh_from_db()
    assert webhook.last_event == unwanted[-1].number
    with assertNumQueries(4):  # the lock, the head, the webhook, the end of the lock
        assert take_turn(webhook.pk) == 0


def test_an_entry_of_a_register_is_sent_with_its_namespace(registrant: User, receiver: Receiver) -> None:
    register = a_register(a_described_namespace(registrant=registrant), by=registrant)
    webhook = a_webhook(registrant, receiver.url, verbs=["register_entry"], nids=["example-trees"])
    register_entry(register, by=registrant, label="kew", title="Kew Gardens")
    assert take_turn(webhook.pk) == 1
    (message,) = [json.loads(each.body) for each in receiver.received]
    assert (message["verb"], message["nid"]) == ("register_entry", "example-trees")
    assert (message["details"]["entry"], message["details"]["version"]) == ("kew", 1)
    assert message["links"]["html"].endswith("/namespaces/example-trees/register/")


@pytest.mark.parametrize("choice", [{"verbs": ["deprecate"]}, {"nids": ["isbn"]}], ids=str)
def test_a_choice_that_changes_during_a_turn_loses_no_event(
    registrant: User, receiver: Receiver, choice: dict[str, list[str]]
) -> None:
    a_webhook(registrant, receiver.url, verbs=["set_profile"], nids=["issn"])
    event = an_event("isbn")
    as_read = Webhook.objects.get()
    before = {"url": receiver.url, "verbs": as_read.verbs, "nids": as_read.nids}
    actions.change_webhook(as_read, by=registrant, **before | choice)
    skip_to(as_read, event.number)
    assert Webhook.objects.get().last_event == as_read.last_event < event.number


@pytest.mark.parametrize("verb", [verb for verb in PUBLIC_VERBS if verb.startswith(("deprecate", "offer"))])
def test_each_type_can_be_chosen(registrant: User, receiver: Receiver, verb: str) -> None:
    webhook = a_webhook(registrant, receiver.url, verbs=[verb])
    an_event(verb=verb)
    assert take_turn(webhook.pk) == 1


def test_a_replay_sends_the_same_messages_again(registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url)
    first, *_ = (an_event() for _ in range(3))
    events = [first, *(an_event() for _ in range(2))]
    take_turn(webhook.pk)
    actions.replay(webhook, by=registrant, since=first.number)
    assert take_turn(webhook.pk) == len(receiver.received) - len(set(receiver.ids)) > 0
    again = receiver.numbers[len(set(receiver.ids)) :]
    assert again[0] == first.number + 1
    assert again[-1] == events[-1].number
    assert set(receiver.ids[-len(again) :]) <= set(receiver.ids[: -len(again)])


def test_a_replay_during_an_attempt_is_not_lost(registrant: User, serve: Serve) -> None:
    numbers: list[int] = []

    def respond(exchange: Exchange) -> None:
        numbers.append(json.loads(exchange.body)["number"])
        exchange.reply("204 No Content")

    server = serve(respond)
    webhook = a_webhook(registrant, f"https://{HOST}:{server.port}/")
    first, second = an_event().number, an_event().number
    sent_to = Webhook.objects.get()

    actions.replay(webhook, by=registrant, since=first)  # last_event changes
    message = message_of(events_for(sent_to, second)[0])
    record(sent_to, message, send(sent_to, message, timezone.now()))
    assert Webhook.objects.get().last_event == first
    assert take_turn(webhook.pk) == 1
    assert numbers == [first, second]


def test_for_a_day_after_a_rotation_both_secrets_verify(registrant: User, receiver: Receiver) -> None:
    webhook, old = a_webhook_with_secret(registrant, receiver.url)
    _, new = actions.rotate_secret(webhook, by=registrant)
    assert old != new
    an_event()
    take_turn(webhook.pk)
    assert verified(receiver.received[0], old) == verified(receiver.received[0], new)
    with later(hours=25):
        an_event()
        take_turn(webhook.pk)
        verified(receiver.received[1], new)
        with pytest.raises(Exception, match="No matching signature"):
            verified(receiver.received[1], old)


def test_a_test_message_is_sent_once_also_to_a_paused_webhook(registrant: User, receiver: Receiver) -> None:
    webhook, secret = a_webhook_with_secret(registrant, receiver.url)
    actions.pause_webhook(webhook, by=registrant)
    an_event()
    actions.request_test(webhook, by=registrant)
    receiver.replies = ["500 Oops"]
    assert take_turn(webhook.pk) == 1
    message = verified(receiver.received[0], secret)
    assert (message["verb"], message["webhook"]) == ("webhook.test", webhook.pk)
    assert take_turn(webhook.pk) == 0
    webhook.refresh_from_db()
    assert (webhook.test_id, webhook.state, webhook.failures) == ("", "paused", 0)
    assert Delivery.objects.get().event_number is None


def test_a_webhook_of_a_closed_account_gets_nothing(registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url)
    actions.request_test(webhook, by=registrant)
    an_event()
    User.objects.filter(pk=registrant.pk).update(is_active=False)
    assert take_turn(webhook.pk) == 0
    assert receiver.received == []


def test_after_the_key_was_replaced_nothing_is_sent_with_a_wrong_signature(
    registrant: User, receiver: Receiver, settings: Any
) -> None:
    webhook = a_webhook(registrant, receiver.url)
    an_event()
    settings.SECRET_KEY = "another key"
    assert take_turn(webhook.pk) == 0
    webhook.refresh_from_db()
    assert (receiver.received, webhook.pause_reason) == ([], PauseReason.SECRET)
    assert "replace the secret" in " ".join(Mail.objects.get(name="webhook_paused").body.split())
    _, secret = actions.rotate_secret(webhook, by=registrant)
    actions.resume_webhook(webhook, by=registrant)
    assert take_turn(webhook.pk) == 1
    assert verified(receiver.received[0], secret)


def test_a_webhook_goes_on_with_its_secret_after_a_rotation_of_the_key(
    registrant: User, receiver: Receiver, settings: Any
) -> None:
    webhook, secret = a_webhook_with_secret(registrant, receiver.url)
    an_event()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", ["an older key", settings.SECRET_KEY]
    assert take_turn(webhook.pk) == 1
    assert verified(receiver.received[0], secret)
    _, new_secret = actions.rotate_secret(webhook, by=registrant)
    an_event()
    assert take_turn(webhook.pk) == 1
    assert verified(receiver.received[1], new_secret)
    assert verified(receiver.received[1], secret)  # for a day
    settings.SECRET_KEY_FALLBACKS = []
    an_event()
    assert take_turn(webhook.pk) == 1
    assert verified(receiver.received[2], new_secret)


def test_a_test_that_can_not_be_signed_is_dropped_also_of_a_paused_webhook(
    registrant: User, receiver: Receiver, settings: Any
) -> None:
    webhook = actions.pause_webhook(a_webhook(registrant, receiver.url), by=registrant)
    actions.request_test(webhook, by=registrant)
    settings.SECRET_KEY = "another key"
    assert take_turn(webhook.pk) == 0
    webhook.refresh_from_db()
    assert (receiver.received, webhook.test_id, webhook.pause_reason) == ([], "", PauseReason.OWNER)
    with pytest.raises(actions.SecretInvalid):
        actions.request_test(webhook, by=registrant)


def test_a_turn_ends_so_that_others_have_theirs(registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url)
    events = [an_event() for _ in range(MAX_MESSAGES + 3)]
    assert take_turn(webhook.pk) == MAX_MESSAGES
    assert take_turn(webhook.pk) == 3
    assert receiver.numbers == [each.number for each in events]


def test_a_webhook_that_is_deleted_during_an_attempt_leaves_nothing(registrant: User, serve: Serve) -> None:

    server = serve(lambda exchange: exchange.reply())
    webhook = a_webhook(registrant, f"https://{HOST}:{server.port}/")
    event = an_event()
    message = message_of(events_for(webhook, event.number)[0])
    outcome = send(webhook, message, timezone.now())
    actions.delete_webhook(webhook, by=registrant)
    record(webhook, message, outcome)
    assert not Delivery.objects.exists()
