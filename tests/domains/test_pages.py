"""The pages of domains, for representatives, and the verified domains on the page of the organisation."""

import html

import pytest
from django.template import engines
from django.test import Client

from registry.accounts.models import User
from registry.domains.actions import add_domain
from registry.domains.checks import check_domain
from registry.domains.models import OrganisationDomain
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import Organisation
from tests.domains.conftest import NameServer
from tests.security.test_stolen_sessions import asks_for_password, later
from tests.support.browser import signed_in
from tests.support.factories import a_template
from tests.support.https_servers import FakeDNS

pytestmark = pytest.mark.django_db


@pytest.fixture
def society(registrant: User) -> Organisation:
    return create_organisation(by=registrant, name="Society of gardens")


def test_a_representative_adds_checks_and_removes_a_domain(
    society: Organisation, registrant: User, name_server: NameServer, fake_dns: FakeDNS
) -> None:
    browser, path = signed_in(registrant), f"/organisations/{society.pk}/domains/"
    refused = browser.post(path, {"domain": "https://gardens.example/"})
    assert refused.status_code == 422
    assert 'value="https://gardens.example/"' in refused.text
    assert browser.post(path, {"domain": "Gardens.example"}, follow=True).status_code == 200
    domain = OrganisationDomain.objects.get()
    page = html.unescape(browser.get(path).text)
    for text in (domain.record_name, domain.file_address, domain.proof, "not verified"):
        assert text in page
    asked = browser.post(f"{path}{domain.pk}/check/", follow=True)
    assert "The check runs within a minute." in asked.text
    check_domain(domain.pk)
    page = html.unescape(browser.get(path).text)
    assert "does not have the text" in page
    again = browser.post(f"{path}{domain.pk}/check/")
    assert again.status_code == 409
    assert "less than a minute ago" in again.text
    assert browser.post(f"{path}{domain.pk}/remove/", follow=True).status_code == 200
    assert not OrganisationDomain.objects.exists()


def test_a_change_of_domains_needs_a_recent_sign_in(society: Organisation, registrant: User) -> None:
    domain = add_domain(society, by=registrant, domain="gardens.example")
    browser, path = signed_in(registrant), f"/organisations/{society.pk}/domains/"
    with later(minutes=16):
        assert browser.get(path).status_code == 200
        assert asks_for_password(browser.post(path, {"domain": "trees.example"}))
        assert asks_for_password(browser.post(f"{path}{domain.pk}/remove/"))
    assert OrganisationDomain.objects.get() == domain


def test_the_pages_of_domains_do_not_exist_for_others(
    society: Organisation, registrant: User, expert: User
) -> None:
    domain = add_domain(society, by=registrant, domain="gardens.example")
    browser = signed_in(expert)
    assert browser.get(f"/organisations/{society.pk}/domains/").status_code == 404
    assert browser.get("/organisations/4711/domains/").status_code == 404
    other = create_organisation(by=expert, name="Other")
    assert browser.post(f"/organisations/{other.pk}/domains/{domain.pk}/remove/").status_code == 404


def test_only_verified_domains_are_shown_to_others(
    society: Organisation, registrant: User, name_server: NameServer, fake_dns: FakeDNS
) -> None:
    domain = add_domain(society, by=registrant, domain="gardens.example")
    template = engines["django"].from_string("{% load domains %}{% verified_domains organisation %}")

    def shown(user: User | None = None) -> str:
        return template.render({"organisation": society, "user": user})

    assert shown().strip() == ""
    assert "Manage domains" in shown(registrant)
    assert "gardens.example" not in shown(registrant)
    name_server.records[domain.record_name] = [domain.proof]
    namespace = register_formal(a_template(), registrant=registrant).namespace
    Namespace.objects.filter(pk=namespace.pk).update(registrant=None, organisation=society)
    assert "gardens.example" not in Client().get(namespace.get_absolute_url()).text
    check_domain(domain.pk)
    assert "gardens.example" in shown()
    assert "Manage domains" not in shown()
    assert "gardens.example" in Client().get(namespace.get_absolute_url()).text
