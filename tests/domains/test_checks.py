"""Proofs of domains: looked for by the worker in a DNS and on a web server on loopback, and what follows from them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.core.rate_limits import LimitExceeded
from registry.core.validators import TextMissing
from registry.domains import actions, checks
from registry.domains.actions import (
    CheckedJustNow,
    DomainPresent,
    InvalidDomain,
    TooManyDomains,
    add_domain,
    remove_domain,
    request_check,
)
from registry.domains.checks import check_domain, check_due_domains, look_for_proof
from registry.domains.models import CHECKED_FOR, GRACE, Method, OrganisationDomain
from registry.mail.models import Message
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import Organisation
from tests.domains.conftest import NameServer
from tests.support.factories import a_person
from tests.support.https_servers import LOOPBACK, Authority, Exchange, FakeDNS, https_server

pytestmark = pytest.mark.django_db
DOMAIN = "gardens.example"


@pytest.fixture
def society(registrant: User) -> Organisation:
    return create_organisation(by=registrant, name="Society of gardens")


@pytest.fixture
def domain(society: Organisation, registrant: User) -> OrganisationDomain:
    return add_domain(society, by=registrant, domain=DOMAIN)


@pytest.fixture
def no_web_server(fake_dns: FakeDNS) -> FakeDNS:
    """All names are without addresses."""
    return fake_dns


def published(name_server: NameServer, domain: OrganisationDomain) -> None:
    name_server.records[domain.record_name] = ["v=spf1 -all", domain.proof]


def made_older(domain: OrganisationDomain, by: timedelta) -> None:
    """Move what was recorded of the domain into the past."""
    domain.refresh_from_db()
    for name in ("checked_at", "verified_at", "failing_since", "check_requested_at"):
        if at := getattr(domain, name):
            setattr(domain, name, at - by)
    domain.save()


def verbs() -> list[str]:
    ours = Event.objects.filter(verb__endswith="_domain").order_by("number")
    return list(ours.values_list("verb", flat=True))


@pytest.fixture
def verified(
    domain: OrganisationDomain, name_server: NameServer, no_web_server: FakeDNS
) -> OrganisationDomain:
    published(name_server, domain)
    check_domain(domain.pk)
    domain.refresh_from_db()
    return domain


def test_a_record_proves_a_domain(verified: OrganisationDomain, society: Organisation) -> None:
    assert (verified.is_verified, verified.method, verified.failure) == (True, Method.DNS, "")
    event = Event.objects.get(verb="verify_domain")
    assert event.details["domain"] == DOMAIN
    assert event.details["organisation"] == society.pk
    assert Message.objects.get(name="verify_domain").to == "registrant@example.org"
    check_domain(verified.pk)
    assert verbs() == ["verify_domain"]


@pytest.fixture
def web_server(
    domain: OrganisationDomain,
    name_server: NameServer,
    authority: Authority,
    fake_dns: FakeDNS,
    loopback_allowed: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[Callable[[Exchange], None]], None]]:
    """Sets what the web server of the domain replies."""
    replies: list[Callable[[Exchange], None]] = []
    fake_dns[DOMAIN] = LOOPBACK

    def respond(exchange: Exchange) -> None:
        replies[-1](exchange)

    with https_server(authority.certificate(DOMAIN), respond) as server:
        address = f"https://{DOMAIN}:{server.port}/.well-known/urn-registry.txt"
        monkeypatch.setattr(OrganisationDomain, "file_address", address)
        yield replies.append


def test_a_file_proves_a_domain(domain: OrganisationDomain, web_server: Any) -> None:
    web_server(lambda exchange: exchange.reply(body=f"# ours\n{domain.proof}\r\n".encode()))
    check_domain(domain.pk)
    domain.refresh_from_db()
    assert (domain.is_verified, domain.method) == (True, Method.WEB)


@pytest.mark.parametrize(
    "respond",
    [
        pytest.param(lambda exchange, proof: exchange.reply(body=b"urn-registry=another"), id="another text"),
        pytest.param(
            lambda exchange, proof: exchange.reply(body=f"not {proof}".encode()), id="part of a line"
        ),
        pytest.param(lambda exchange, proof: exchange.reply("404 Not Found", body=proof.encode()), id="404"),
        pytest.param(lambda exchange, proof: exchange.redirect("https://other.example/"), id="a redirect"),
        pytest.param(lambda exchange, proof: exchange.reply(body=b"\xff" * 100_000), id="a long file"),
    ],
)
def test_another_file_proves_nothing(domain: OrganisationDomain, web_server: Any, respond: Any) -> None:
    web_server(lambda exchange: respond(exchange, domain.proof))
    check_domain(domain.pk)
    domain.refresh_from_db()
    assert not domain.is_verified
    assert f"_urn-registry.{DOMAIN} does not have the text" in domain.failure
    assert "/.well-known/urn-registry.txt does not have the text" in domain.failure


def test_a_private_address_is_not_asked(
    domain: OrganisationDomain, name_server: NameServer, fake_dns: FakeDNS
) -> None:
    fake_dns[DOMAIN] = "192.168.0.1"
    outcome = look_for_proof(domain)
    assert outcome.method is None
    assert "is not public" in outcome.failure
    assert "192.168" not in outcome.failure


def test_a_record_of_another_organisation_or_place_proves_nothing(
    domain: OrganisationDomain, name_server: NameServer, no_web_server: FakeDNS, expert: User
) -> None:
    other = add_domain(create_organisation(by=expert, name="Other"), by=expert, domain=DOMAIN)
    name_server.records[domain.record_name] = [other.proof]
    name_server.records[DOMAIN] = [domain.proof]
    assert look_for_proof(domain).method is None
    assert look_for_proof(other).method is Method.DNS


def test_a_name_server_that_fails_is_named(
    domain: OrganisationDomain, name_server: NameServer, no_web_server: FakeDNS
) -> None:
    name_server.broken.add(domain.record_name)
    assert f"No name server answered for {domain.record_name}." in look_for_proof(domain).failure
    name_server.broken.clear()
    name_server.records[domain.record_name] = []
    assert "does not have the text" in look_for_proof(domain).failure


def test_a_long_record_is_read_whole(
    domain: OrganisationDomain, name_server: NameServer, no_web_server: FakeDNS
) -> None:
    half = len(domain.proof) // 2
    name_server.records[domain.record_name] = [f'"{domain.proof[:half]}" "{domain.proof[half:]}"']
    assert look_for_proof(domain).method is Method.DNS


def test_a_verified_domain_is_checked_again_after_30_days(
    verified: OrganisationDomain, name_server: NameServer
) -> None:
    assert check_due_domains() == 0
    made_older(verified, CHECKED_FOR)
    assert check_due_domains() == 1
    verified.refresh_from_db()
    assert timezone.now() - verified.checked_at < timedelta(days=1)  # type: ignore[operator]
    assert verbs() == ["verify_domain"]


def test_a_worker_that_is_stopped_begins_no_other_check(
    verified: OrganisationDomain, name_server: NameServer
) -> None:
    made_older(verified, CHECKED_FOR)
    assert check_due_domains(should_stop=lambda: True) == 0
    assert check_due_domains() == 1


def test_a_missing_proof_is_mailed_and_the_domain_is_lost_after_the_grace(
    verified: OrganisationDomain, name_server: NameServer
) -> None:
    name_server.records.clear()
    made_older(verified, CHECKED_FOR)
    check_due_domains()
    verified.refresh_from_db()
    assert verified.is_verified
    assert verified.failing_since
    (warning,) = Message.objects.filter(name="domain_failing")
    assert f"{verified.lost_at:%Y-%m-%d}" in warning.subject
    made_older(verified, timedelta(days=1))
    check_due_domains()
    assert Message.objects.filter(name="domain_failing").count() == 1
    made_older(verified, GRACE)
    check_due_domains()
    verified.refresh_from_db()
    assert not verified.is_verified
    assert verbs() == ["verify_domain", "lose_domain"]
    assert Message.objects.filter(name="lose_domain").count() == 1
    assert check_due_domains() == 0


def test_a_proof_that_returns_within_the_grace_ends_it(
    verified: OrganisationDomain, name_server: NameServer
) -> None:
    name_server.records.clear()
    made_older(verified, CHECKED_FOR)
    check_due_domains()
    published(name_server, verified)
    made_older(verified, timedelta(days=1))
    check_due_domains()
    verified.refresh_from_db()
    assert (verified.is_verified, verified.failing_since, verified.failure) == (True, None, "")
    assert verbs() == ["verify_domain"]


def test_a_check_waits_for_the_worker_outside_of_the_transaction(
    domain: OrganisationDomain, registrant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("asked in the request")

    monkeypatch.setattr(checks, "look_for_proof", fail)
    for _ in range(2):
        assert request_check(domain, by=registrant).check_requested_at
    (job,) = ProcrastinateJob.objects.filter(task_name="registry.domains.check")
    assert job.args == {"key": domain.pk}


def test_a_check_that_was_not_made_can_be_requested_again(
    domain: OrganisationDomain, registrant: User
) -> None:
    request_check(domain, by=registrant)
    made_older(domain, timedelta(hours=1))
    request_check(domain, by=registrant)
    assert ProcrastinateJob.objects.filter(task_name="registry.domains.check").count() == 2


def test_domains_are_limited(society: Organisation, registrant: User, settings: Any) -> None:
    settings.ACTIONS_AN_HOUR = {"domains": 1}
    add_domain(society, by=registrant, domain="gardens.example")
    with pytest.raises(LimitExceeded):
        add_domain(society, by=registrant, domain="trees.example")


def test_a_check_that_was_not_made_is_made_daily(
    domain: OrganisationDomain, registrant: User, name_server: NameServer, no_web_server: FakeDNS
) -> None:
    request_check(domain, by=registrant)
    assert check_due_domains() == 0
    made_older(domain, timedelta(hours=1))
    assert check_due_domains() == 1
    domain.refresh_from_db()
    assert domain.check_requested_at is None
    with pytest.raises(CheckedJustNow):
        request_check(domain, by=registrant)


def test_the_look_up_holds_no_lock(
    domain: OrganisationDomain,
    monkeypatch: pytest.MonkeyPatch,
    name_server: NameServer,
    no_web_server: FakeDNS,
) -> None:
    outer = len(connection.savepoint_ids)
    depths: list[int] = []

    def look(each: OrganisationDomain) -> Any:
        depths.append(len(connection.savepoint_ids))
        each.delete()  # removed meanwhile
        return look_for_proof(each)

    monkeypatch.setattr(checks, "look_for_proof", look)
    check_domain(domain.pk)
    assert depths == [outer]
    assert not OrganisationDomain.objects.exists()
    check_domain(domain.pk)


def test_a_removed_domain_leaves_an_event_if_it_was_verified(
    verified: OrganisationDomain, society: Organisation, registrant: User
) -> None:
    remove_domain(add_domain(society, by=registrant, domain="trees.example"), by=registrant)
    remove_domain(verified, by=registrant)
    assert verbs() == ["verify_domain", "remove_domain"]
    assert not society.domains.exists()


@pytest.mark.parametrize(
    "text",
    [
        "example",
        "https://gardens.example/",
        "gardens.example/x",
        "gärten.example",
        "127.0.0.1",
        "localhost",
        f"{'a' * 60}.{'b' * 60}.{'c' * 60}.{'d' * 60}.{'e' * 60}.example",
        "a b.example",
        "gardens.example:443",
    ],
)
def test_what_is_no_domain_is_refused(society: Organisation, registrant: User, text: str) -> None:
    with pytest.raises(InvalidDomain, match="Write it as"):
        add_domain(society, by=registrant, domain=text)
    with pytest.raises(TextMissing):
        add_domain(society, by=registrant, domain=" ")


def test_a_domain_is_named_once_and_there_is_a_limit(
    domain: OrganisationDomain, society: Organisation, registrant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DomainPresent):
        add_domain(society, by=registrant, domain=f"{DOMAIN.upper()}.")
    monkeypatch.setattr(actions, "MAX_DOMAINS", 1)
    with pytest.raises(TooManyDomains):
        add_domain(society, by=registrant, domain="trees.example")


def test_the_database_refuses_a_verified_domain_without_a_proof(domain: OrganisationDomain) -> None:
    with pytest.raises(IntegrityError, match="verified_domain_has_a_proof"), transaction.atomic():
        OrganisationDomain.objects.filter(pk=domain.pk).update(verified_at=timezone.now())


def test_every_refusal_is_of_the_registry(society: Organisation) -> None:
    stranger = a_person(email="stranger@example.org")
    with pytest.raises(RegistryError):
        add_domain(society, by=stranger, domain=DOMAIN)
