"""The worker: killed between send and commit, several at once, jobs after a commit, runs of many webhooks."""

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Event as Flag

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from registry.accounts.models import User
from registry.webhooks import actions
from registry.webhooks.delivery import MAX_RUNS, THREADS, _free_runs, deliver_due, take_turn
from registry.webhooks.models import Delivery, Webhook
from registry.webhooks.queries import KEPT_FOR, MAX_KEPT, delete_old_deliveries
from registry.webhooks.tasks import deliver
from tests.mail.test_worker import work
from tests.support import processes
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person
from tests.support.https_servers import Authority, Exchange
from tests.support.waiting import wait_until
from tests.webhooks.conftest import (
    HOST,
    Receiver,
    Serve,
    a_webhook,
    a_webhook_with_secret,
    an_event,
    verified,
)

OF_JOBS = {"task_name": deliver.name, "status": "todo"}


def delete_jobs() -> None:
    """Delete what was deferred, such as the challenge of a new webhook."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")


@pytest.fixture
def owner(real_database: None) -> User:
    return a_person(email="registrant@example.org")


def test_a_transaction_defers_one_job_for_all_of_its_events(owner: User) -> None:
    a_webhook(owner, f"https://{HOST}/")
    delete_jobs()
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        with suppress(ZeroDivisionError), transaction.atomic():
            an_event()
            1 / 0  # noqa: B018 - what is undone needs no job, and keeps none away
        an_event()
        with transaction.atomic():
            an_event()
    assert ProcrastinateJob.objects.filter(**OF_JOBS).count() == 1
    assert len([each for each in queries.captured_queries if "webhooks_webhook" in each["sql"]]) == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", ["record", "send"])
def test_a_worker_killed_at_any_step_repeats_the_message_and_skips_none(
    owner: User, receiver: Receiver, authority: Authority, step: str
) -> None:
    webhook, secret = a_webhook_with_secret(owner, receiver.url)
    numbers = [an_event().number for _ in range(2)]
    killed = processes.start(
        processes.deliver_and_die,
        f"registry.webhooks.delivery.{step}",
        webhook.pk,
        HOST,
        str(authority.ca),
    )
    assert processes.ended(killed) == -signal.SIGKILL
    was_sent = step == "record"
    assert receiver.numbers == numbers[:1] * was_sent
    assert Webhook.objects.get().last_event == numbers[0] - 1
    assert not Delivery.objects.exists()
    wait_until(lambda: take_turn(webhook.pk))  # the server notices soon that the lock has no owner
    assert receiver.numbers == numbers[:1] * was_sent + numbers
    assert len(set(receiver.ids)) == len(numbers)
    bodies = {each.headers["webhook-id"]: each.body for each in receiver.received}
    assert all(bodies[each.headers["webhook-id"]] == each.body for each in receiver.received)
    assert verified(receiver.received[-1], secret)["number"] == numbers[1]


def test_two_workers_at_once_send_each_message_once_and_in_order(owner: User, serve: Serve) -> None:
    busy, most = [], []

    def respond(exchange: Exchange) -> None:
        busy.append(exchange)
        most.append(len(busy))
        time.sleep(0.02)
        busy.remove(exchange)
        exchange.reply("204 No Content")

    receiver = Receiver()
    receiver.server = serve(respond)
    webhook = a_webhook(owner, receiver.url)
    numbers = [an_event().number for _ in range(8)]
    assert refusals(at_once([lambda: take_turn(webhook.pk)] * 4)) == []
    while take_turn(webhook.pk):
        pass
    assert receiver.numbers == numbers
    assert max(most) == 1


def accept_after(arrived: Flag, goes_on: Flag, exchange: Exchange) -> None:
    arrived.set()
    goes_on.wait(20)
    exchange.reply("204 No Content")


def test_the_lock_is_what_keeps_the_second_worker_away(owner: User, serve: Serve) -> None:
    arrived, goes_on = Flag(), Flag()
    server = serve(partial(accept_after, arrived, goes_on))
    webhook = a_webhook(owner, f"https://{HOST}:{server.port}/")
    an_event()

    def second() -> int:
        assert arrived.wait(20)
        try:
            return take_turn(webhook.pk)
        finally:
            goes_on.set()

    assert at_once([lambda: take_turn(webhook.pk), second]) == [1, 0]
    assert len(server.received) == 1


def test_a_slow_receiver_does_not_keep_its_owner_waiting(owner: User, serve: Serve) -> None:
    arrived, goes_on = Flag(), Flag()
    server = serve(partial(accept_after, arrived, goes_on))
    webhook = a_webhook(owner, f"https://{HOST}:{server.port}/")
    event = an_event()

    def pause() -> str:
        assert arrived.wait(20)
        try:
            return actions.pause_webhook(webhook, by=owner).state
        finally:
            goes_on.set()

    assert at_once([lambda: take_turn(webhook.pk), pause]) == [1, "paused"]
    webhook.refresh_from_db()
    assert (webhook.state, webhook.last_event) == ("paused", event.number)


def test_a_run_serves_all_webhooks_until_nothing_is_due(
    owner: User, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.webhooks.delivery.MAX_MESSAGES", 3)
    webhooks = [a_webhook(owner, receiver.url) for _ in range(THREADS + 1)]
    numbers = [an_event().number for _ in range(4)]
    assert deliver_due() == len(webhooks) * len(numbers)
    assert sorted(receiver.numbers) == sorted(numbers * len(webhooks))
    assert set(Webhook.objects.values_list("last_event", flat=True)) == {numbers[-1]}
    assert deliver_due() == 0


def test_webhooks_that_want_nothing_do_not_keep_another_waiting(owner: User, receiver: Receiver) -> None:
    unmatched = a_webhook(owner, receiver.url, nids=["example-unused"])
    fields = {
        "confirmed_at": timezone.now(),
        "owner": owner,
        "url": receiver.url,
        "nids": unmatched.nids,
        "last_event": unmatched.last_event,
    }
    Webhook.objects.bulk_create(
        Webhook(**fields, salt=unmatched.salt, digest=unmatched.digest) for _ in range(39)
    )
    Webhook.objects.create(**fields | {"nids": []}, salt=unmatched.salt, digest=unmatched.digest)
    event = an_event("isbn")
    assert deliver_due() == 1
    assert receiver.numbers == [event.number]
    assert not Webhook.objects.filter(served_at=None).exists()
    assert set(Webhook.objects.values_list("last_event", flat=True)) == {event.number}


def test_an_unexpected_error_of_one_webhook_does_not_end_the_run(
    owner: User, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    faulty, other = (a_webhook(owner, receiver.url) for _ in range(2))
    event = an_event()

    def turn(pk: int, *, should_stop: Callable[[], bool]) -> int:
        if pk == faulty.pk:
            raise RuntimeError("unexpected")
        return take_turn(pk, should_stop=should_stop)

    monkeypatch.setattr("registry.webhooks.delivery.take_turn", turn)
    assert deliver_due() == 1
    assert Webhook.objects.get(pk=other.pk).last_event == event.number
    assert f"The turn of webhook {faulty.pk} failed." in caplog.text


def test_a_worker_has_a_limited_number_of_runs(owner: User, serve: Serve) -> None:
    goes_on = Flag()
    further: list[int] = []

    def respond(exchange: Exchange) -> None:
        goes_on.wait(20)
        exchange.reply("204 No Content")

    def slow() -> int:
        return deliver_due(should_stop=lambda: goes_on.is_set() and bool(further))

    def check() -> None:
        try:
            wait_until(lambda: _free_runs._value == 0)
            further.append(deliver_due())
        finally:
            goes_on.set()

    server = serve(respond)
    for _ in range(2 * THREADS):
        a_webhook(owner, f"https://{HOST}:{server.port}/")
    an_event()
    assert refusals(at_once([*[slow] * MAX_RUNS, check])) == []
    assert further == [0]
    assert _free_runs._value == MAX_RUNS


def test_a_run_ends_when_the_worker_is_stopped(owner: User, receiver: Receiver) -> None:
    a_webhook(owner, receiver.url)
    an_event()
    assert deliver_due(should_stop=lambda: True) == 0
    assert receiver.received == []


def test_a_committed_event_is_delivered_by_the_next_job(owner: User, receiver: Receiver) -> None:
    an_event()
    assert not ProcrastinateJob.objects.filter(**OF_JOBS).exists()  # no one has a webhook
    a_webhook(owner, receiver.url)
    delete_jobs()
    with transaction.atomic():
        events = [an_event(), an_event()]
        assert not ProcrastinateJob.objects.filter(**OF_JOBS).exists()
    assert ProcrastinateJob.objects.filter(**OF_JOBS).count() == 1
    work()
    assert receiver.numbers == [each.number for each in events]


def test_an_event_that_is_rolled_back_is_not_delivered(owner: User, receiver: Receiver) -> None:
    a_webhook(owner, receiver.url)
    delete_jobs()
    with transaction.atomic():
        an_event()
        transaction.set_rollback(True)
    assert not ProcrastinateJob.objects.filter(**OF_JOBS).exists()
    assert deliver_due() == 0


@pytest.mark.django_db
def test_the_log_of_deliveries_is_bounded_in_time_and_number(registrant: User) -> None:
    webhook, other = (a_webhook(registrant, "https://hooks.example/") for _ in range(2))
    made = Delivery.objects.bulk_create(
        Delivery(
            webhook=webhook if number else other,
            message_id=f"evt_{number}",
            attempt=1,
            milliseconds=1,
            is_delivered=True,
            status_code=204,
        )
        for number in range(MAX_KEPT + 4)
    )
    last = made[-1]
    last.at -= KEPT_FOR
    last.save()
    delete_old_deliveries()
    assert set(Delivery.objects.values_list("pk", flat=True)) == {each.pk for each in (made[0], *made[3:-1])}
