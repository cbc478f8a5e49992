"""Metrics that are read from the database say if they are missing, and do not hide the others."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DatabaseError
from django.db.backends.postgresql.base import DatabaseWrapper
from prometheus_client.core import GaugeMetricFamily

from registry.observability.metrics import ComputedMetrics
from tests.mail.test_worker import without_the_database

COLLECTORS = ["health", "outbox", "services", "webhooks"]


def up(text: str) -> dict[str, str]:
    return dict(re.findall(r'^registry_collector_up\{collector="(\w+)"\} ([01])\.0$', text, re.MULTILINE))


@pytest.mark.django_db
def test_each_collector_is_up_while_the_database_responds(read_metrics: Callable[[], str]) -> None:
    assert up(read_metrics()) == dict.fromkeys(COLLECTORS, "1")


@pytest.mark.usefixtures("real_database")
def test_without_the_database_the_other_metrics_are_served_after_one_attempt_to_connect(
    read_metrics: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, attempts = DatabaseWrapper.get_new_connection, []

    def count(*arguments: Any) -> Any:
        attempts.append(arguments)
        return connect(*arguments)

    with without_the_database():
        monkeypatch.setattr(DatabaseWrapper, "get_new_connection", count)
        text = read_metrics()
        monkeypatch.undo()
    assert up(text) == dict.fromkeys(COLLECTORS, "0")
    assert "registry_request_seconds" in text
    assert "registry_outbox_given_up" not in text
    assert len(attempts) == 1
    assert "registry_outbox_given_up" in read_metrics()


class Broken:
    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily("before", "", value=1)
        raise DatabaseError("permission denied for table webhooks_webhook")


class Sound:
    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield GaugeMetricFamily("after", "", value=1)


def test_a_collector_that_fails_for_another_reason_does_not_hide_the_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    computed = ComputedMetrics()
    computed.add("broken", Broken())
    computed.add("sound", Sound())
    *families, last = computed.collect()
    assert [each.name for each in families] == ["before", "after"]
    assert {each.labels["collector"]: each.value for each in last.samples} == {"broken": 0, "sound": 1}
    assert [each.message for each in caplog.records] == ["The metrics of “broken” are missing."]
