"""Checks of all services: servers that work and that do not, one run at a time, and the daily job."""

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from procrastinate import jobs
from procrastinate.contrib.django import app
from procrastinate.job_context import AbortReason, JobContext

from registry import environment
from registry.core.jobs import OUTGOING
from registry.mail.tasks import deliver
from registry.resolution.health import runs, tasks
from registry.resolution.health.checking import Outcome
from registry.resolution.health.runs import LOCK, CheckRunning, NetworkUnreachable, check_services
from registry.resolution.models import ListedService, ServiceHealth
from tests.resolution.health.conftest import Serve
from tests.support.https_servers import Exchange, FakeDNS
from tests.support.services import a_service, with_services

pytestmark = pytest.mark.django_db


def service_at(nid: str, host: str, port: int = 443, path: str = "") -> dict[str, Any]:
    return a_service(nid, template=f"https://{host}:{port}/{path}{{nss}}")


def states() -> dict[str, tuple[str, int]]:
    rows = ListedService.objects.values_list("nid", "state", "failures")
    return {nid: (state, failures) for nid, state, failures in rows}


def test_all_services_are_checked_and_recorded(serve: Serve) -> None:
    works = serve(Exchange.reply, "works.example")
    fails = serve(lambda exchange: exchange.reply("500 Error"), "fails.example")
    refuses = serve(lambda exchange: exchange.reply("403 Forbidden"), "refuses.example")
    with_services("aaa", service_at("aaa", "works.example", works.port))
    with_services("bbb", service_at("bbb", "fails.example", fails.port))
    with_services("ccc", service_at("ccc", "refuses.example", refuses.port))
    with_services("ddd", service_at("ddd", "missing.example"))
    with_services("eee")
    run = check_services()
    assert [(each.service.nid, each.finding.outcome) for each in run.results] == [
        ("aaa", Outcome.WORKS),
        ("bbb", Outcome.FAILS),
        ("ccc", Outcome.UNDECIDED),
        ("ddd", Outcome.FAILS),
    ]
    assert [each.service.nid for each in run.failed] == ["bbb", "ddd"]
    assert states() == {
        "aaa": ("works", 0),
        "bbb": ("unknown", 1),
        "ccc": ("unknown", 0),
        "ddd": ("unknown", 1),
    }
    check_services()
    assert {each.after.namespace.nid for each in check_services().changes} == {"bbb", "ddd"}
    assert states()["bbb"] == ("degraded", 3)


def test_only_the_services_of_the_given_nids_are_checked(serve: Serve) -> None:
    server = serve(Exchange.reply)
    for nid in ("aaa", "bbb"):
        with_services(nid, service_at(nid, "trees.example", server.port, f"{nid}/"))
    check_services(["bbb"])
    assert server.paths == [("HEAD", "/bbb/12%3A4711")]
    assert states() == {"aaa": ("unknown", 0), "bbb": ("works", 0)}


def test_one_host_gets_one_request_at_a_time_with_a_pause(serve: Serve, settings: Any) -> None:
    settings.SECONDS_BETWEEN_CHECKS = 0.2
    times: list[float] = []
    at_once: list[int] = []

    def respond(exchange: Exchange) -> None:
        at_once.append(1)
        times.append(time.monotonic())
        assert len(at_once) == 1
        time.sleep(0.05)
        exchange.reply("200 OK" if exchange.method == "GET" else "405 No")
        at_once.pop()

    server = serve(respond)
    with_services("aaa", *(service_at("aaa", "trees.example", server.port, f"{each}/") for each in range(2)))
    with_services("bbb", service_at("bbb", "trees.example", server.port))
    assert not check_services().failed
    assert len(times) == 6
    assert all(later - earlier >= 0.2 for earlier, later in pairwise(times))


def test_a_run_is_recorded_at_once_and_reads_few_rows(
    serve: Serve, django_assert_max_num_queries: Any
) -> None:
    server = serve(Exchange.reply)
    for number in range(12):
        nid = f"tree-{number}"
        with_services(nid, service_at(nid, "trees.example", server.port))
    with django_assert_max_num_queries(14):
        check_services()


def test_nothing_is_recorded_if_the_network_is_down(dns: FakeDNS) -> None:
    for nid in ("aaa", "bbb", "ccc"):
        with_services(nid, service_at(nid, f"{nid}.example"))
    with pytest.raises(NetworkUnreachable, match="None of 3 hosts could be reached, so nothing was recorded"):
        check_services()
    assert not ServiceHealth.objects.exists()
    with pytest.raises(NetworkUnreachable):
        check_services()


def test_two_hosts_are_not_the_network(dns: FakeDNS) -> None:
    for nid in ("aaa", "bbb"):
        with_services(nid, service_at(nid, f"{nid}.example"))
    assert len(check_services().failed) == 2
    assert states() == {"aaa": ("unknown", 1), "bbb": ("unknown", 1)}


def test_one_reply_shows_that_the_network_is_there(serve: Serve) -> None:
    server = serve(lambda exchange: exchange.reply("500 Error"))
    with_services("aaa", service_at("aaa", "trees.example", server.port))
    for nid in ("bbb", "ccc", "ddd"):
        with_services(nid, service_at(nid, f"{nid}.example"))
    assert len(check_services().failed) == 4
    assert len(states()) == 4


def test_only_one_run_at_a_time(serve: Serve) -> None:
    server = serve(Exchange.reply)
    with_services("aaa", service_at("aaa", "trees.example", server.port))
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        with pytest.raises(CheckRunning, match="Wait until it has ended"):
            check_services()
        assert server.received == []
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
    finally:
        other.close()
    assert check_services().results
    assert check_services().results, "the lock is released"


def test_the_lock_is_released_after_a_failure(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(Exchange.reply)
    with_services("aaa", service_at("aaa", "trees.example", server.port))

    def fail(*_: Any) -> None:
        raise OSError("out of threads")

    with monkeypatch.context() as broken:
        broken.setattr(runs, "ThreadPoolExecutor", fail)
        with pytest.raises(OSError, match="out of threads"):
            check_services()
    assert check_services().results


def test_a_run_that_is_stopped_records_what_it_has(serve: Serve) -> None:
    server = serve(Exchange.reply)
    services = [service_at("aaa", "trees.example", server.port, f"{number}/") for number in range(5)]
    with_services("aaa", *services)
    run = check_services(should_stop=lambda: len(server.received) >= 2)
    assert len(run.results) == 2
    assert sorted(ListedService.objects.values_list("state", flat=True)) == ["unknown"] * 3 + ["works"] * 2


# The daily job


def run_daily_job(abort_reason: Callable[[], AbortReason | None] = lambda: None) -> None:
    job = jobs.Job(id=1, queue="default", lock=None, queueing_lock=None, task_name="check")
    context = JobContext(app=app, job=job, start_timestamp=0.0, abort_reason=abort_reason)
    tasks.check_daily(context, timestamp=0)


def test_the_daily_job_checks_all_services(serve: Serve, settings: Any) -> None:
    settings.CHECK_SERVICES = True
    server = serve(Exchange.reply)
    with_services("aaa", service_at("aaa", "trees.example", server.port))
    run_daily_job()
    assert states() == {"aaa": ("works", 0)}


def test_the_daily_job_ends_when_the_worker_is_stopped(serve: Serve, settings: Any) -> None:
    settings.CHECK_SERVICES = True
    server = serve(Exchange.reply)
    with_services("aaa", service_at("aaa", "trees.example", server.port))
    run_daily_job(lambda: AbortReason.SHUTDOWN)
    assert server.received == []


def test_checks_can_be_switched_off_and_are_off_in_the_demonstration(
    serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHECK_SERVICES = False
    server = serve(Exchange.reply)
    with_services("aaa", service_at("aaa", "trees.example", server.port))
    run_daily_job()
    assert (server.received, states()) == ([], {"aaa": ("unknown", 0)})
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("CHECK_SERVICES", raising=False)
    assert environment.read("CHECK_SERVICES") is False
    monkeypatch.setenv("DATABASE_URL", "postgres://registry@db.example.org/registry")
    assert environment.read("CHECK_SERVICES") is True


def test_the_job_is_daily_and_takes_no_place_from_mail() -> None:
    (periodic,) = [
        each for each in app.periodic_registry.periodic_tasks.values() if each.task is tasks.check_daily
    ]
    assert periodic.cron == "42 3 * * *"
    assert periodic.task.queue == OUTGOING != deliver.queue
