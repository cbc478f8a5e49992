"""Servers of others that do not answer hold up neither mail nor the checks of other people."""

import time
from collections.abc import Iterator
from socket import AF_INET, SOCK_DGRAM, socket
from typing import Any

import dns.message
import dns.resolver
import pytest
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from registry.accounts.models import User
from registry.core import jobs
from registry.core.outgoing import dns_lookups
from registry.core.outgoing.public_addresses import HostNotFound, public_addresses
from registry.core.rate_limits import LimitExceeded
from registry.domains.actions import request_check
from registry.domains.models import OrganisationDomain
from registry.domains.tasks import check, defer_check
from registry.mail import outbox
from registry.organisations.actions.organisations import create_organisation
from tests.mail.conftest import MailServer, mail_server
from tests.support import processes
from tests.support.factories import a_person
from tests.support.https_servers import LOOPBACK
from tests.support.waiting import wait_until

__all__ = ["mail_server"]
MOST = app.worker_defaults["concurrency"]
ON_TIME = 5.0  # seconds; the checks wait for twice as long


class SilentNameServer:
    """A name server that answers no question."""

    def __init__(self) -> None:
        self.socket = socket(AF_INET, SOCK_DGRAM)
        self.socket.bind((LOOPBACK, 0))
        self.socket.setblocking(False)
        self.port: int = self.socket.getsockname()[1]
        self._asked: set[str] = set()

    @property
    def asked(self) -> set[str]:
        """The names that it was asked for."""
        try:
            while True:
                (question,) = dns.message.from_wire(self.socket.recv(4096)).question
                self._asked.add(question.name.to_text(omit_final_dot=True))
        except BlockingIOError:
            return self._asked


@pytest.fixture
def silent() -> Iterator[SilentNameServer]:
    server = SilentNameServer()
    yield server
    server.socket.close()


def domains(number: int, owner: User, name: str = "garden") -> list[OrganisationDomain]:
    society = create_organisation(by=owner, name=f"Society of {name}s")
    made = (
        OrganisationDomain(organisation=society, domain=f"{name}{each}.example") for each in range(number)
    )
    return OrganisationDomain.objects.bulk_create(made)


def post() -> None:
    outbox.post_rendered("note", to="reader@example.org", subject="s", body="b")


@pytest.mark.processes
@pytest.mark.usefixtures("real_database")
def test_mail_leaves_while_thirty_name_servers_are_silent(
    mail_server: MailServer, silent: SilentNameServer
) -> None:
    for number, domain in enumerate(domains(30, a_person(email="flooder@example.org"))):
        defer_check(domain.pk, account=number)  # of different people, so that no lock helps
    worker = processes.start(processes.work_with, silent.port, mail_server.port)
    try:
        post()
        wait_until(lambda: mail_server.mails and len(silent.asked) >= MOST)
        begun = time.monotonic()
        post()
        wait_until(lambda: len(mail_server.mails) == 2)
        assert time.monotonic() - begun < ON_TIME
    finally:
        worker.kill()
        processes.ended(worker)


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.usefixtures("real_database")
def test_the_checks_of_one_account_do_not_hold_up_those_of_another(
    mail_server: MailServer, silent: SilentNameServer
) -> None:
    flooder, other = (a_person(email=f"{name}@example.org") for name in ("flooder", "other"))
    for domain in domains(30, flooder):
        request_check(domain, by=flooder)
    (own,) = domains(1, other, "meadow")
    request_check(own, by=other)
    worker = processes.start(processes.work_with, silent.port, mail_server.port)
    try:
        wait_until(lambda: own.record_name in silent.asked)
        assert len(silent.asked - {own.record_name}) <= MOST - 1
    finally:
        worker.kill()
        processes.ended(worker)


@pytest.mark.django_db
def test_checks_of_domains_are_limited_for_each_account(registrant: User, settings: Any) -> None:
    settings.ACTIONS_AN_HOUR = settings.ACTIONS_AN_HOUR | {"checks of domains": 2}
    first, second, third = domains(3, registrant)
    request_check(first, by=registrant)
    request_check(second, by=registrant)
    with pytest.raises(LimitExceeded, match="The limit is 2 checks of domains an hour"):
        request_check(third, by=registrant)


def test_jobs_that_wait_for_servers_of_others_have_a_queue_of_their_own() -> None:
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    queues = {task.name: task.queue for task in app.tasks.values() if task.name.startswith("registry.")}
    assert {name for name, queue in queues.items() if queue == jobs.OUTGOING} == {
        "registry.audit_log.ask_witnesses",
        "registry.domains.check",
        "registry.domains.check_due",
        "registry.publication.ping_hub",
        "registry.resolution.check_services",
        "registry.webhooks.deliver",
    }
    assert set(queues.values()) == set(jobs.QUEUES), "a queue that no worker serves"


@pytest.mark.django_db
def test_a_deferred_job_is_in_the_queue_of_its_task(registrant: User) -> None:
    (domain,) = domains(1, registrant)
    request_check(domain, by=registrant)
    post()
    found = ProcrastinateJob.objects.values_list("task_name", "queue_name", "priority")
    assert set(found) == {("registry.mail.deliver", "default", jobs.FIRST), (check.name, jobs.OUTGOING, 0)}


def test_a_look_up_ends_in_time_without_an_answer(
    silent: SilentNameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = [LOOPBACK], silent.port
    monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
    with pytest.raises(HostNotFound):
        public_addresses("trees.example", 0.2)
    assert silent.asked == {"trees.example"}
    monkeypatch.setattr(dns_lookups, "SECONDS", 0.2)
    with pytest.raises(dns_lookups.LookupFailed):
        dns_lookups.txt_records("trees.example")
