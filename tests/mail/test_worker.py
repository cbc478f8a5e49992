"""The worker: sends committed mail, retries failures, and requeues stalled jobs."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import Job

from registry.mail import outbox
from registry.mail.models import Message
from registry.mail.outbox import DeliveryStatus
from registry.mail.tasks import WAITS, Backoff, deliver, requeue_stalled
from tests.mail.conftest import MailServer
from tests.observability.test_health import a_worker
from tests.support.databases import environment_of_a_process
from tests.support.programs import PATIENCE, running

ROOT = Path(__file__).resolve().parents[2]
Words = Callable[[str, str], str]
REFUSAL = "451 4.7.1 Greylisted, try again later"


@pytest.fixture
def a_mail(real_database: None, words: Words) -> Message:
    (message,) = outbox.post(words("s", "b"), to=["reader@example.org"], context={}, event_number=3)
    return message


def work() -> None:
    """Run the due jobs in this process, like the worker."""

    async def until_nothing_is_due() -> None:
        async with app.open_async():
            await app.run_worker_async(wait=False, listen_notify=False, install_signal_handlers=False)

    # The thread that does the work ends with it, so it must not keep its connection.
    with (
        patch.dict(connection.settings_dict, CONN_MAX_AGE=0),
        app.replace_connector(app.connector.get_worker_connector()),  # type: ignore[attr-defined]
    ):
        asyncio.run(until_nothing_is_due())


def let_time_pass() -> None:
    """Make all scheduled jobs due, and all worker heartbeats old."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")


def take_up_now() -> None:
    """Defer the periodic job that a worker defers at start and every five minutes, if it is not deferred."""
    with suppress(AlreadyEnqueued):
        requeue_stalled.defer(timestamp=0)


@contextmanager
def a_worker_process(server: MailServer, *options: str) -> Iterator["subprocess.Popen[str]"]:
    environment = environment_of_a_process() | {
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(server.port),
        "EMAIL_USE_TLS": "0",
        "EMAIL_HOST_USER": "",
    }
    command = [sys.executable, "-m", "django", "worker", *options]
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with running(command, end=signal.SIGKILL, cwd=ROOT, env=environment, **said) as worker:
        yield worker


def wait_for_a_mail(server: MailServer, worker: "subprocess.Popen[str]") -> None:
    """Wait until the worker is sending mail; fail if the worker has ended."""
    for _ in range(300):
        if server.is_busy.wait(0.1):
            server.is_busy.clear()
            return
        if worker.poll() is not None:
            break
    worker.kill()
    pytest.fail(f"The worker sent nothing, and said: {worker.communicate(timeout=60)[0]}")


def what_it_said_until_its_end(worker: "subprocess.Popen[str]", end: signal.Signals = signal.SIGTERM) -> str:
    """End a worker by a signal, and return what it said. Fails with all of that if its status is not 0.

    A worker that waits in vain says for what, and ends after its END_TIMEOUT with the position of each thread.
    """
    worker.send_signal(end)
    said, _ = worker.communicate(timeout=PATIENCE)
    if worker.returncode != 0:
        pytest.fail(f"The worker ended with status {worker.returncode}, and said:\n{said}")
    return said


@pytest.mark.parametrize("end", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.soak)])
def test_a_worker_process_sends_committed_mail_and_ends_on_a_signal(
    a_mail: Message, mail_server: MailServer, words: Words, end: signal.Signals
) -> None:
    with a_worker_process(mail_server) as worker:
        wait_for_a_mail(mail_server, worker)
        with transaction.atomic():
            outbox.post(words("second", "b"), to=["reader@example.org"], context={})
        wait_for_a_mail(mail_server, worker)
        said = what_it_said_until_its_end(worker, end)
    assert said == "", "it is noisy"
    assert [mail["Subject"] for mail in mail_server.mails] == ["s", "second"]
    assert not Message.objects.unsent().exists()
    assert not ProcrastinateJob.objects.filter(task_name=deliver.name).exists()


@contextmanager
def without_the_database() -> Iterator[None]:
    """End all connections of workers to the database, and refuse new ones during the block."""
    name = connection.settings_dict["NAME"]
    connection.close()
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        try:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
            yield
        finally:
            cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


def wait_until_all_is_recorded() -> None:
    """Wait until every mail is recorded as sent. One that is sent and not recorded is sent again."""
    give_up = time.monotonic() + 60
    while Message.objects.unsent().exists() or ProcrastinateJob.objects.filter(status="doing").exists():
        assert time.monotonic() < give_up
        time.sleep(0.05)


@pytest.mark.exhaustive
def test_a_worker_goes_on_after_interruptions_of_the_database(
    a_mail: Message, mail_server: MailServer, words: Words
) -> None:
    with a_worker_process(mail_server) as worker:
        for number in range(2):
            wait_for_a_mail(mail_server, worker)
            wait_until_all_is_recorded()
            with without_the_database():
                pass
            outbox.post(words(f"after {number}", "b"), to=["reader@example.org"], context={})
        wait_for_a_mail(mail_server, worker)
        what_it_said_until_its_end(worker)
    assert len(mail_server.mails) == 3
    assert not Message.objects.unsent().exists()


@pytest.mark.exhaustive
def test_a_worker_without_a_database_ends_with_status_1(a_mail: Message, mail_server: MailServer) -> None:
    with a_worker_process(mail_server, "--patience", "1") as worker:
        wait_for_a_mail(mail_server, worker)
        with without_the_database():
            said, _ = worker.communicate(timeout=120)
    assert worker.returncode == 1
    assert "The database was not available (--patience 1)" in said


@pytest.mark.exhaustive
def test_what_a_killed_worker_had_in_hand_is_sent_by_the_next(
    a_mail: Message, mail_server: MailServer
) -> None:
    mail_server.goes_on.clear()
    with a_worker_process(mail_server) as worker:
        wait_for_a_mail(mail_server, worker)
        worker.kill()
        worker.wait(30)
    mail_server.goes_on.set()
    assert ProcrastinateJob.objects.get(task_name=deliver.name).status == "doing"
    let_time_pass()
    take_up_now()
    work()
    work()
    a_mail.refresh_from_db()
    assert a_mail.sent_at is not None
    # The first server did take the mail, and was never asked whether; the receiver sees one mail twice.
    assert len({mail["Message-ID"] for mail in mail_server.mails}) == 1


@pytest.mark.exhaustive
def test_retry_skips_mail_that_a_running_worker_is_sending(a_mail: Message, mail_server: MailServer) -> None:
    mail_server.goes_on.clear()
    with a_worker_process(mail_server) as worker:
        wait_for_a_mail(mail_server, worker)
        take_up_now()
        work()
        assert [mail.status for mail in outbox.unsent_messages()] == [DeliveryStatus.BEING_SENT]
        assert outbox.retry() == []
        mail_server.goes_on.set()
        what_it_said_until_its_end(worker)
    assert len(mail_server.mails) == 1
    assert outbox.unsent_messages() == []


def test_what_is_refused_is_tried_again_later(a_mail: Message, mail_server: MailServer) -> None:
    mail_server.answers = [REFUSAL]
    begun = timezone.now()
    work()
    (unsent,) = outbox.unsent_messages()
    assert unsent.status == DeliveryStatus.WAITING
    assert unsent.next_attempt_at is not None
    assert unsent.next_attempt_at > begun
    assert unsent.message.attempts == 1
    assert "Greylisted" in unsent.message.last_error
    work()  # nothing is due
    assert mail_server.mails == []
    let_time_pass()
    work()
    assert outbox.unsent_messages() == []
    assert len(mail_server.mails) == 1


@pytest.mark.exhaustive
def test_mail_that_fails_for_two_days_is_given_up_until_a_manual_retry(
    a_mail: Message, mail_server: MailServer
) -> None:
    """The first retries, and the last."""
    mail_server.answers = [REFUSAL] * 5
    for attempts in (0, 1, 2, len(WAITS) - 1, len(WAITS)):
        ProcrastinateJob.objects.filter(task_name=deliver.name).update(attempts=attempts)
        assert [mail.status for mail in outbox.unsent_messages()] == [DeliveryStatus.WAITING]
        let_time_pass()
        work()
    (unsent,) = outbox.unsent_messages()
    assert unsent.status == DeliveryStatus.GIVEN_UP
    assert unsent.message.attempts == 5
    let_time_pass()
    work()
    assert mail_server.mails == []
    assert outbox.retry() == [a_mail]
    assert [mail.status for mail in outbox.unsent_messages()] == [DeliveryStatus.WAITING]
    work()
    assert len(mail_server.mails) == 1
    assert outbox.unsent_messages() == []


def test_trying_again_does_not_wait_for_the_time_and_leaves_one_job(
    a_mail: Message, mail_server: MailServer
) -> None:
    mail_server.answers = [REFUSAL]
    work()
    assert outbox.retry() == [a_mail]
    assert ProcrastinateJob.objects.filter(task_name=deliver.name).count() == 1
    work()
    assert len(mail_server.mails) == 1
    assert outbox.retry() == []


def test_the_waits_grow_from_a_minute_to_hours_and_end_after_two_days() -> None:
    def wait(attempts: int) -> float | None:
        job = Job(
            id=1, status=None, queue="q", lock=None, queueing_lock=None, task_name="t", attempts=attempts
        )
        decision = Backoff().get_retry_decision(exception=OSError(), job=job)
        if decision is None or decision.retry_at is None:
            return None
        return round((decision.retry_at - timezone.now()).total_seconds() / 60)

    waits = [wait(attempts) for attempts in range(len(WAITS) + 1)]
    *retries, end = waits
    assert retries == sorted(retries)
    assert set(retries[:30]) == {1, 2}, "mail is late after an outage of an hour"
    assert sum(retries) == pytest.approx(2 * 24 * 60, abs=1)
    assert end is None


def outbox_command(*arguments: str) -> tuple[str, int]:
    """Return the output and exit status of `manage.py outbox`."""
    out = StringIO()
    try:
        call_command("outbox", *arguments, stdout=out)
    except SystemExit as ended:
        return out.getvalue(), int(str(ended.code))
    return out.getvalue(), 0


def test_the_command_lists_unsent_mail_with_reasons(a_mail: Message, mail_server: MailServer) -> None:
    a_worker()
    said, status = outbox_command()
    assert status == 0
    assert "reader@example.org  s\n    waiting\n" in said
    assert said.endswith("1 mail not sent, of which 0 given up.\n")
    mail_server.answers = [REFUSAL]
    work()
    said, status = outbox_command()
    assert status == 0
    assert "waiting, 1 attempt, next attempt " in said
    assert REFUSAL in said
    said, status = outbox_command("--json")
    assert status == 0
    listing = json.loads(said)
    assert (listing["unsent"], listing["given_up"]) == (1, 0)
    (mail,) = listing["mails"]
    assert (mail["number"], mail["name"], mail["event"]) == (a_mail.pk, "note", 3)
    assert (mail["status"], mail["attempts"]) == ("waiting", 1)
    assert mail["next_attempt_at"] > mail["last_attempt_at"] > mail["created_at"]


def test_the_command_fails_while_something_is_given_up(a_mail: Message, mail_server: MailServer) -> None:
    a_worker()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    said, status = outbox_command()
    assert status == 1
    assert said.endswith("1 mail not sent, of which 1 given up.\n")
    assert outbox_command("--json")[1] == 1
    said, status = outbox_command("--retry")
    assert status == 0
    assert said.startswith("1 mail will be tried again now.\n")
    work()
    assert outbox_command() == ("0 mails not sent, of which 0 given up.\n", 0)


def test_the_command_says_that_no_worker_runs_and_that_mail_waits(a_mail: Message) -> None:
    Message.objects.update(created_at=timezone.now() - timedelta(hours=1))
    said, status = outbox_command()
    assert status == 1
    assert "No worker has ever run.\n    Start `manage.py worker`" in said
    assert "The oldest unsent mail has waited since " in said
    said, status = outbox_command("--json")
    assert (status, len(json.loads(said)["findings"])) == (1, 2)
    a_worker()
    Message.objects.update(created_at=timezone.now())
    assert outbox_command()[1] == 0
