"""A worker in a restored copy of the database sends nothing until it is told to."""

from collections.abc import Callable

import pytest
from django.db import connection

from registry.core.deployment_checks import State, examine
from registry.core.processes.served_database import hold, reason_to_wait, serve
from registry.mail import outbox
from registry.mail.models import Message
from tests.mail.conftest import MailServer
from tests.mail.test_worker import (
    a_worker_process,
    outbox_command,
    wait_for_a_mail,
    what_it_said_until_its_end,
    without_the_database,
)
from tests.support.databases import a_fresh_database


@pytest.mark.exhaustive
@pytest.mark.usefixtures("real_database")
def test_a_worker_in_a_copy_waits_and_every_place_says_so(
    mail_server: MailServer, words: Callable[[str, str], str]
) -> None:
    outbox.post(words("s", "b"), to=["reader@example.org"], context={})
    serve()
    with a_fresh_database(connection.settings_dict["NAME"]), a_worker_process(mail_server) as worker:
        assert worker.stdout is not None
        said = worker.stdout.readline()
        assert "This database was restored or copied" in said
        assert "No job runs until `manage.py outbox --retry`." in said
        listed, status = outbox_command()
        assert status == 1
        assert "This database was restored or copied" in listed
        assert {each.check.part for each in examine() if each.state is State.FAILED} >= {"worker"}
        assert (mail_server.mails, Message.objects.get().attempts) == ([], 0)
        retried, _ = outbox_command("--retry")
        assert "Workers go on: webhooks, digests and reminders are sent too." in retried
        wait_for_a_mail(mail_server, worker)
        what_it_said_until_its_end(worker)
    assert len(mail_server.mails) == 1


@pytest.mark.exhaustive
@pytest.mark.usefixtures("real_database")
def test_a_worker_that_waits_counts_each_interruption_of_the_database_alone(mail_server: MailServer) -> None:
    hold()
    with a_worker_process(mail_server, "--patience", "1") as worker:
        assert worker.stdout is not None
        for _ in range(2):
            assert "Workers are on hold" in worker.stdout.readline()
            with without_the_database():
                assert "lost the database and connects again" in worker.stdout.readline()
        what_it_said_until_its_end(worker)


@pytest.mark.django_db
def test_workers_can_be_told_to_wait() -> None:
    assert outbox_command("--hold")[1] == 0
    assert outbox_command()[1] == 1
    assert "outbox --hold" in reason_to_wait()
    assert "Workers go on" in outbox_command("--retry")[0]
    assert reason_to_wait() == ""
