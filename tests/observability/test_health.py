"""`/health/live` and `/health/ready` of a healthy deployment and of broken ones."""

import re
import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from procrastinate.contrib.django.procrastinate_app import current_app
from pytest_django import DjangoAssertNumQueries

from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.core.deployment_checks import MIN_FREE_BYTES
from registry.mail.models import Message
from registry.mail.tasks import deliver
from tests.support.tampering import as_owner

PARTS = ("database", "migrations", "disk", "audit_log", "worker", "outbox")


def a_worker() -> None:
    connector = current_app.job_manager.connector.get_sync_connector()
    connector.execute_query("SELECT procrastinate_register_worker_v1()")


def check(response: Any, status: int, state: str, **parts: str) -> None:
    assert response.json() == {"state": state, "parts": dict.fromkeys(PARTS, "ok") | parts}
    assert (response.status_code, response["Cache-Control"]) == (status, "no-store")
    assert response.get("Retry-After") == ("5" if status == 503 else None)


def write_events() -> None:
    with transaction.atomic():
        for count in range(3):
            log.append("import", by=None, nid=f"example-{count}")
    publish_head()


@pytest.mark.django_db
def test_live_uses_no_database(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        response = client.get("/health/live")
    assert (response.status_code, response.content) == (200, b"ok\n")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/health", "/health/ready"])
def test_a_healthy_deployment_is_ready(client: Client, path: str) -> None:
    write_events()
    a_worker()
    check(client.get(path), 200, "ready")


@pytest.mark.django_db
def test_without_a_worker_it_serves_and_says_so(client: Client) -> None:
    check(client.get("/health/ready"), 200, "degraded", worker="failed")
    a_worker()
    connection.cursor().execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '2 min'")
    check(client.get("/health/ready"), 200, "degraded", worker="failed")


@pytest.mark.django_db
def test_mail_that_waits_for_long_degrades(client: Client) -> None:
    a_worker()
    created_at = timezone.now() - timedelta(minutes=16)
    message = Message.objects.create(
        name="x", to="reader@example.org", subject="s", body="b", created_at=created_at
    )
    check(client.get("/health/ready"), 200, "ready")  # no job tries it again: given up
    deliver.defer(message_id=message.pk)
    check(client.get("/health/ready"), 200, "degraded", outbox="failed")


@pytest.mark.django_db
def test_a_full_disk_is_named(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    a_worker()
    usage = shutil.disk_usage(tempfile.gettempdir())._replace(free=MIN_FREE_BYTES - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    check(client.get("/health/ready"), 200, "degraded", disk="failed")


@pytest.mark.django_db
def test_a_metric_counts_the_failed_parts(read_metrics: Callable[[], str]) -> None:
    def failed() -> dict[str, str]:
        found = r'^registry_health_failed\{part="(\w+)"\} ([01])'
        return dict(re.findall(found, read_metrics(), re.MULTILINE))

    assert failed() == dict.fromkeys(PARTS, "0") | {"worker": "1"}
    a_worker()
    assert failed() == dict.fromkeys(PARTS, "0")


@pytest.mark.django_db
def test_a_missing_migration_makes_it_unavailable(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("audit_log", "0001_initial")
    unknown = dict.fromkeys(PARTS[2:], "unknown")
    check(client.get("/health/ready"), 503, "unavailable", migrations="failed", **unknown)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "tamper",
    [
        "UPDATE audit_log_chainhead SET number = 2",
        "UPDATE audit_log_chainhead SET digest = repeat('0', 64)",
        "DELETE FROM audit_log_event WHERE number = 3",
        "DELETE FROM audit_log_chainhead",
        "UPDATE audit_log_signedhead SET frontier = '{}'",
        "DELETE FROM audit_log_event; UPDATE audit_log_chainhead SET number = 0, digest = repeat('0', 64)",
    ],
)
def test_a_contradicted_head_makes_it_unavailable(client: Client, tamper: str) -> None:
    write_events()
    a_worker()
    as_owner(tamper)
    check(client.get("/health/ready"), 503, "unavailable", audit_log="failed")


def test_without_a_database_only_live_responds(
    real_database: None, client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        ready, live = client.get("/health/ready"), client.get("/health/live")
    unknown = dict.fromkeys(PARTS[1:], "unknown")
    check(ready, 503, "unavailable", database="failed", **unknown)
    assert str(tmp_path).encode() not in ready.content
    assert live.status_code == 200
