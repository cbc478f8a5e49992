"""`manage.py doctor` on a healthy deployment and on broken ones."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from registry.audit_log.signed_notes import SigningKey
from registry.audit_log.signing_keys import write_key
from registry.core import deployment_checks
from registry.core.deployment_checks import HEALTH_CHECKS, Scope, State, examine
from registry.core.staticfiles import CollectedStaticFilesStorage
from registry.mail.models import Message
from registry.mail.tasks import deliver
from registry.webhooks import delivery
from tests.observability.test_health import a_worker, write_events
from tests.support.databases import environment_of_a_process
from tests.support.tampering import as_owner

COLLECT = (
    "import django; django.setup(); from registry.core import staticfiles as s; s.collect_static_files()"
)
NO_PROCESS = 999_999_999

Doctor = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def doctor(real_database: None, tmp_path: Path) -> Doctor:
    """Run the command as an operator does, in a healthy deployment with other variables. Returns status and JSON."""
    write_events()
    a_worker()
    with connection.cursor() as cursor:  # it stays alive, however long the processes of the test take
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() + interval '1 day'")
    write_key(SigningKey.generate("registry.example.org/audit-log"), tmp_path / "key")
    write_key(SigningKey.generate("localhost:8000/audit-log"), tmp_path / "key-of-localhost")
    healthy = environment_of_a_process() | {
        "PUBLIC_ORIGIN": "https://registry.example.org",
        "ALLOWED_HOSTS": "registry.example.org",
        "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-" * 2,
        "LOG_SIGNING_KEY": str(tmp_path / "key"),
        "EMAIL_HOST": "mail.example.org",
        "TRUSTED_PROXY_COUNT": "1",
        "CLIENT_ADDRESS_HEADER": "Clientaddress",
    }

    def run(**variables: str) -> tuple[int, dict[str, Any]]:
        command = [sys.executable, "manage.py", "doctor", "--json"]
        done = subprocess.run(
            command,
            cwd=settings.BASE_DIR,
            env=healthy | variables,
            capture_output=True,
            check=False,
            timeout=240,
        )
        assert done.stdout, done.stderr.decode()
        return done.returncode, json.loads(done.stdout)

    subprocess.run(
        [sys.executable, "-c", COLLECT], cwd=settings.BASE_DIR, env=healthy, check=True, timeout=240
    )
    return run


def ids(report: dict[str, Any]) -> set[str]:
    return {each["id"] for each in report["findings"]}


def found() -> dict[str, str | None]:
    """The parts that are not well, and what was found first."""
    return {
        each.check.part: each.findings[0].id if each.findings else None
        for each in examine()
        if each.state is not State.OK
    }


# The command


@pytest.mark.exhaustive
def test_a_healthy_deployment_and_broken_ones(doctor: Doctor, tmp_path: Path) -> None:
    assert doctor() == (0, {"healthy": True, "findings": [], "not_checked": []})

    status, report = doctor(
        EMAIL_HOST="",
        TRUSTED_PROXY_COUNT="0",
        CLIENT_ADDRESS_HEADER="",
        SECRET_KEY="short",
        LOG_SIGNING_KEY=str(tmp_path / "missing"),
        PROMETHEUS_MULTIPROC_DIR=str(tmp_path / "missing"),
    )
    expected = {"mail.W003", "deployment.W004", "security.W009", "audit_log.E001", "deployment.E004"}
    assert (status, report["healthy"], ids(report)) == (1, False, expected)

    status, report = doctor(
        LOG_SIGNING_KEY=str(tmp_path / "key-of-localhost"),
        CLIENT_ADDRESS_HEADER="",
        GRANIAN_WORKERS="100000",
        DATABASE_REPLICA_URL=f"postgres://registry:secret@/registry?host={tmp_path}",
    )
    expected = {"audit_log.W004", "deployment.E005", "deployment.W002", "audit_log.W002"}
    assert (status, ids(report)) == (1, expected)
    said = json.dumps(report)
    assert "100001 web workers (one of them while SIGHUP" in said
    assert "a worker and two commands need 1400039" in said
    assert "secret" not in said

    status, report = doctor(DATABASE_URL=f"postgres://registry:secret@/registry?host={tmp_path}")
    assert (status, ids(report)) == (1, {"deployment.E001"})
    assert report["not_checked"] == [each.part for each in HEALTH_CHECKS if each.part != "database"]
    assert "secret" not in json.dumps(report)


@pytest.mark.django_db
def test_the_text_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="1"):
        call_command("doctor")
    said = capsys.readouterr().out
    assert "warning mail.W001: No worker has ever run.\n    Start `manage.py worker`" in said


@pytest.mark.django_db
def test_checks_of_the_database_run_for_django_if_asked() -> None:
    def run(databases: list[str] | None) -> set[str | None]:
        return {each.id for each in checks.run_checks(include_deployment_checks=True, databases=databases)}

    assert "mail.W001" in run(["default"])
    assert "mail.W001" not in run(None)
    assert "mail.W001" not in {each.id for each in checks.run_checks(databases=["default"])}  # of `migrate`


def test_a_worker_needs_as_many_connections_as_are_counted() -> None:
    assert deployment_checks.WORKER_CONNECTIONS == 15 + delivery.MAX_RUNS * delivery.THREADS


# The state of the deployment


@pytest.mark.django_db
def test_an_unmigrated_database() -> None:
    MigrationRecorder(connection).record_unapplied("audit_log", "0001_initial")
    later = {each.part: None for each in HEALTH_CHECKS if not each.others_need_it}
    assert found() == {"migrations": "deployment.E002"} | later


@pytest.mark.django_db
def test_a_contradicted_head_and_no_worker() -> None:
    write_events()
    as_owner("UPDATE audit_log_chainhead SET number = 2")
    assert found() == {"audit_log": "audit_log.E002", "worker": "mail.W001"}


@pytest.mark.django_db
def test_mail_that_waits() -> None:
    a_worker()
    message = Message.objects.create(name="x", to="reader@example.org", subject="s", body="b")
    deliver.defer(message_id=message.pk)
    assert found() == {}
    Message.objects.update(created_at=timezone.now() - timedelta(minutes=16))
    assert found() == {"outbox": "mail.W002"}


@pytest.mark.django_db
@pytest.mark.parametrize("seconds", [-60, 60])
def test_a_clock_that_differs(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    a_worker()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + seconds)
    assert [each.id for each in deployment_checks.check_clock()] == ["deployment.W003"]


@pytest.mark.django_db
def test_static_files_that_were_not_collected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    a_worker()
    storage = CollectedStaticFilesStorage(location=tmp_path, base_url="/static/")
    monkeypatch.setattr(deployment_checks, "staticfiles_storage", storage)
    assert found() == {"static files": "deployment.E003"}


@pytest.mark.django_db
def test_a_role_that_may_not_read_a_table() -> None:
    a_worker()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_log_chainhead RENAME TO elsewhere")
    outcome = next(each for each in HEALTH_CHECKS if each.part == "audit_log").run
    assert [each.id for each in outcome()] == ["deployment.E001"]


@pytest.mark.parametrize(
    ("process", "expected"),
    [(NO_PROCESS, ["deployment.W005"]), (os.getpid(), []), (None, [])],
    ids=["ended", "running", "none"],
)
def test_metrics_of_an_earlier_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, process: int | None, expected: list[str]
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    if process:
        (tmp_path / f"histogram_{process}.db").touch()
    assert [each.id for each in deployment_checks.check_metrics_folder()] == expected


def test_each_part_is_declared_once() -> None:
    parts = [each.part for each in HEALTH_CHECKS]
    assert len(parts) == len(set(parts))
    assert {each.scope for each in HEALTH_CHECKS} == set(Scope)
