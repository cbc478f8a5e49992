"""WebSub: the feeds name the hub, and the worker notifies it of those with new entries."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from defusedxml.ElementTree import fromstring
from django.db import transaction
from django.test import Client
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.manager import JobManager
from procrastinate.tasks import configure_task

from registry.audit_log import log
from registry.audit_log.models import LogPosition
from registry.core.http.urls import TargetNotAllowed
from registry.core.outgoing.https_requests import RequestFailed
from registry.core.outgoing.public_addresses import AddressNotPublic
from registry.mail.tasks import WAITS
from registry.publication import websub
from registry.publication.models import HubPosition
from registry.publication.tasks import ping_hub
from registry.publication.websub import MAX_EVENTS, HubRefused, announce_new_entries, ping
from tests.support.factories import an_imported_namespace
from tests.support.https_servers import (
    LOOPBACK,
    Authority,
    Exchange,
    FakeDNS,
    Server,
    authority,
    dns,
    https_server,
    loopback_allowed,
)

__all__ = ["authority", "dns", "loopback_allowed"]

pytestmark = pytest.mark.django_db
HOST = "hub.example"
REGISTRY = "http://localhost:8000/namespaces/feed.atom"
ISBN = "http://localhost:8000/namespaces/isbn/feed.atom"
LINK = "{http://www.w3.org/2005/Atom}link"


class Hub:
    """A hub on loopback, which replies with `status`."""

    server: Server
    status = "202 Accepted"

    def respond(self, exchange: Exchange) -> None:
        exchange.reply(self.status)

    @property
    def topics(self) -> list[str]:
        return [parse_qs(each.body.decode())["hub.topic"][0] for each in self.server.received]


@pytest.fixture
def hub(authority: Authority, dns: FakeDNS, loopback_allowed: None, settings: Any) -> Iterator[Hub]:
    dns[HOST] = LOOPBACK
    hub = Hub()
    with https_server(authority.certificate(HOST), hub.respond) as hub.server:
        settings.WEBSUB_HUB = f"https://{HOST}:{hub.server.port}/publish"
        announce_new_entries()
        yield hub


def an_event(verb: str, nid: str = "isbn", **fields: Any) -> None:
    with transaction.atomic():
        log.append(verb, by=None, nid=nid, **fields)


def waiting() -> list[str]:
    jobs = ProcrastinateJob.objects.filter(task_name=ping_hub.name, status="todo").order_by("pk")
    return [job.args["topic"] for job in jobs]


def test_feeds_name_the_hub_if_there_is_one(client: Client, settings: Any) -> None:
    an_imported_namespace("isbn")
    for address, topic in (("/namespaces/feed.atom", REGISTRY), ("/namespaces/isbn/feed.atom", ISBN)):
        without = client.get(address)
        assert "Link" not in without
        assert b'"hub"' not in without.content
        settings.WEBSUB_HUB = "https://hub.example.org/"
        answer = client.get(address)
        assert answer["Link"] == f'<https://hub.example.org/>; rel="hub", <{topic}>; rel="self"'
        links = {each.get("rel"): each.get("href") for each in fromstring(answer.content).findall(LINK)}
        assert (links["hub"], links["self"]) == ("https://hub.example.org/", topic)
        settings.WEBSUB_HUB = ""


def test_the_hub_learns_which_feeds_have_new_entries(hub: Hub) -> None:
    an_event("deprecate")
    an_event("deprecate")
    an_event("set_profile", nid="issn")
    an_event("make_token", nid="")
    an_event("submit", nid="example-trees", case=1, round=2)
    assert announce_new_entries() == 3
    topics = waiting()
    assert topics == [REGISTRY, ISBN, ISBN.replace("isbn", "issn")]
    assert announce_new_entries() == 0, "each entry once"
    for topic in topics:
        ping_hub(topic)
    assert hub.topics == topics
    received = hub.server.received[0]
    assert (received.method, received.path) == ("POST", "/publish")
    assert received.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert parse_qs(received.body.decode()) == {
        "hub.mode": ["publish"],
        "hub.topic": [REGISTRY],
        "hub.url": [REGISTRY],
    }


def test_a_feed_waits_once_however_many_entries_it_gets(hub: Hub) -> None:
    for _ in range(2):
        an_event("deprecate")
        announce_new_entries()
    assert waiting() == [REGISTRY, ISBN]


def test_a_job_that_waits_after_a_failure_does_not_delay_new_entries(hub: Hub) -> None:
    later = configure_task(
        name=ping_hub.name, job_manager=JobManager(DjangoConnector()), schedule_in={"hours": 8}
    )
    later.defer(topic=ISBN)
    an_event("deprecate")
    assert announce_new_entries() == 2
    an_event("deprecate")
    assert announce_new_entries() == 0
    assert waiting() == [ISBN, REGISTRY, ISBN]


def test_the_position_never_goes_back(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run may move the position on while this one waits for the lock."""

    def after_another_run() -> Any:
        an_event("deprecate")
        HubPosition.objects.update(event=LogPosition.current().number)
        return HubPosition.objects.all()

    monkeypatch.setattr(HubPosition.objects, "select_for_update", after_another_run)
    assert announce_new_entries() == 0
    assert HubPosition.objects.get().event == LogPosition.current().number


def test_jobs_and_position_are_written_together(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    an_event("deprecate")
    before = HubPosition.objects.get().event
    monkeypatch.setattr(websub, "in_transaction", None)
    with pytest.raises(TypeError):
        announce_new_entries()
    assert HubPosition.objects.get().event == before
    monkeypatch.undo()
    assert announce_new_entries() == 2


def test_many_entries_are_announced_in_several_runs(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_EVENTS > 2
    monkeypatch.setattr(websub, "MAX_EVENTS", 2)
    for nid in ("isbn", "issn", "uuid"):
        an_event("set_profile", nid=nid)
    assert [announce_new_entries() for _ in range(3)] == [2, 1, 0]


def test_what_was_before_the_hub_is_not_announced(settings: Any) -> None:
    an_event("deprecate")
    assert announce_new_entries() == 0
    assert not HubPosition.objects.exists(), "without a hub, nothing is noted"
    settings.WEBSUB_HUB = "https://hub.example.org/"
    assert announce_new_entries() == 0
    assert waiting() == []


@pytest.mark.parametrize("status", ["400 Bad Request", "301 Moved Permanently", "503 Service Unavailable"])
def test_a_hub_that_refuses_is_asked_again_like_mail(hub: Hub, status: str) -> None:
    hub.status = status
    with pytest.raises(HubRefused, match=status[:3]):
        ping(REGISTRY)
    strategy = ping_hub.retry_strategy
    assert strategy is not None
    job: Any = type("Job", (), {"attempts": 0})
    decision = strategy.get_retry_decision(exception=HubRefused(""), job=job)
    assert decision is not None
    job.attempts = len(WAITS)
    assert strategy.get_retry_decision(exception=HubRefused(""), job=job) is None


@pytest.mark.parametrize(
    ("address", "refusal"),
    [
        ("https://127.0.0.1/", TargetNotAllowed),
        ("https://inside.example/", AddressNotPublic),
        ("https://metadata.example/", AddressNotPublic),
    ],
)
def test_a_hub_in_the_own_network_gets_nothing(
    dns: FakeDNS, settings: Any, address: str, refusal: type[Exception]
) -> None:
    dns["inside.example"], dns["metadata.example"] = "10.0.0.1", "169.254.169.254"
    settings.WEBSUB_HUB = address
    with pytest.raises(refusal):
        ping(REGISTRY)
    assert not issubclass(refusal, RequestFailed), "there was no request"


def test_jobs_of_a_hub_that_is_gone_do_nothing() -> None:
    ping_hub(REGISTRY)
