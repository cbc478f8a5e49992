"""Several hosts in DATABASE_URL: the primary is found among them, and again after another one was promoted."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import close_old_connections
from django.test import Client

from registry.core.models import ChangeToken, ServedDatabase
from registry.core.processes.served_database import identity, reason_to_wait, serve
from registry.namespaces.lookup import LookupReader, release_tag
from tests.support.databases import environment_of_a_process
from tests.support.programs import running
from tests.support.replication import Server, django_on
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.processes,
    pytest.mark.slow,
    pytest.mark.usefixtures("both"),
]

BROWSER = Client(raise_request_exception=False)
LOOKUP = "/api/v1/namespaces/isbn/"


@pytest.fixture
def reader(both: None) -> Iterator[LookupReader]:
    """The fast lookup, with the response for one namespace stored."""
    assert BROWSER.get(LOOKUP).status_code == 200
    reader = LookupReader(release_tag())
    yield reader
    reader.close()


def is_writable() -> bool:
    ChangeToken.objects.update(token="00000000-0000-4000-8000-000000000000")
    return True


def is_read_from_a_standby(reader: LookupReader) -> bool:
    [link] = reader._free
    return link.info.parameter_status("in_hot_standby") == "on"


def manage(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = environment_of_a_process()
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_the_primary_is_preferred_and_a_standby_answers_what_is_read(
    monkeypatch: pytest.MonkeyPatch, primary: Server, standby: Server, reader: LookupReader
) -> None:
    assert is_writable()
    standby.catch_up_with(primary)
    with django_on(standby):
        reader.close()
        assert reader.find("isbn")
        assert is_read_from_a_standby(reader)
        for path in (LOOKUP, "/api/v1/namespaces/", "/namespaces/isbn/", "/health/ready"):
            assert BROWSER.get(path).status_code == 200
    monkeypatch.setattr(reader, "_standby_until", 0.0)
    assert reader.find("isbn")
    assert not is_read_from_a_standby(reader)


def test_a_failover_fails_no_lookup_and_everything_finds_the_new_primary(
    primary: Server, standby: Server, reader: LookupReader
) -> None:
    before = reader.find("isbn")
    standby.catch_up_with(primary)
    primary.crash()
    assert reader.find("isbn") == before  # the same call notices the broken connection, and reads the standby
    assert is_read_from_a_standby(reader)
    assert BROWSER.get("/namespaces/isbn/").status_code == 503
    standby.promote()
    close_old_connections()  # as at the start of each request of a server
    assert BROWSER.get("/namespaces/isbn/").status_code == 200
    assert reader.find("isbn") == before
    assert not is_read_from_a_standby(reader)
    assert is_writable()
    done = manage("outbox", "--retry")
    assert done.stdout.startswith("0 mails will be tried again now."), done.stderr


def test_workers_go_on_after_a_failover(primary: Server, standby: Server) -> None:
    serve()
    before = identity()
    standby.catch_up_with(primary)
    primary.crash()
    standby.promote()
    close_old_connections()
    assert (identity().database, identity().timeline) == (before.database, "00000002")
    assert reason_to_wait() == ""


def test_a_worker_that_runs_through_a_failover_notes_the_new_timeline(
    primary: Server, standby: Server
) -> None:
    with running(
        [sys.executable, "manage.py", "worker"], cwd=settings.BASE_DIR, env=environment_of_a_process()
    ) as worker:
        wait_until(ServedDatabase.objects.exists)
        standby.catch_up_with(primary)
        primary.crash()
        standby.promote()
        close_old_connections()
        wait_until(ServedDatabase.objects.filter(timeline="00000002").exists)
        assert worker.poll() is None


def test_a_worker_on_a_standby_waits_until_it_is_promoted(primary: Server, standby: Server) -> None:
    serve()
    standby.catch_up_with(primary)
    with (
        django_on(standby),
        running(
            [sys.executable, "manage.py", "worker"],
            cwd=settings.BASE_DIR,
            env=environment_of_a_process(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as worker,
    ):
        assert worker.stdout is not None
        assert "read-only transaction" in worker.stdout.readline()
        primary.crash()
        standby.promote()
        wait_until(ServedDatabase.objects.filter(timeline="00000002").exists)
        assert worker.poll() is None
