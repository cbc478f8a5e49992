"""Metrics of the outbox and of workers."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from procrastinate.contrib.django.procrastinate_app import current_app

from registry.mail import outbox
from registry.mail.models import Message
from tests.support.databases import in_sql

pytestmark = pytest.mark.django_db


@pytest.fixture
def value(read_metrics: Callable[[], str]) -> Callable[[str], float]:
    def read(name: str) -> float:
        found = re.search(rf"^{name} (\S+)$", read_metrics(), re.MULTILINE)
        assert found, f"{name} is no metric"
        return float(found[1])

    return read


def test_the_age_of_the_oldest_unsent_mail(value: Callable[[str], float], words: Callable[..., str]) -> None:
    assert value("registry_outbox_oldest_seconds") == 0
    outbox.post(words("s", "b"), to=["reader@example.org"], context={})
    Message.objects.update(created_at=timezone.now() - timedelta(hours=1))
    assert value("registry_outbox_oldest_seconds") == pytest.approx(3600, abs=60)
    Message.objects.all().delete()
    assert value("registry_outbox_oldest_seconds") == 0


def test_mails_that_were_given_up(value: Callable[[str], float], words: Callable[..., str]) -> None:
    outbox.post(words("s", "b"), to=["reader@example.org", "other@example.org"], context={})
    assert value("registry_outbox_given_up") == 0
    in_sql("DELETE FROM procrastinate_jobs")
    assert value("registry_outbox_given_up") == 2
    assert value("registry_outbox_oldest_seconds") == 0


def test_the_heartbeat_of_workers(value: Callable[[str], float]) -> None:
    assert value("registry_worker_heartbeat_timestamp_seconds") == 0
    current_app.job_manager.connector.get_sync_connector().execute_query(
        "SELECT procrastinate_register_worker_v1()"
    )
    assert value("registry_worker_heartbeat_timestamp_seconds") == pytest.approx(
        timezone.now().timestamp(), abs=60
    )
