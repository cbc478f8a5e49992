"""The parts of an organisation and its domains in a browser: without script, by keyboard."""

import pytest
from playwright.sync_api import Browser, expect

from registry.accounts.models import User
from registry.cases.models import Case
from registry.domains.checks import check_domain
from registry.domains.models import OrganisationDomain
from registry.namespaces.actions.registration import register_formal
from registry.organisations.models import MemberRole, Organisation
from tests.domains.conftest import *  # noqa: F403  # its servers
from tests.domains.conftest import NameServer
from tests.journeys.test_governance import page_of
from tests.organisations.conftest import an_organisation, join
from tests.support.factories import a_person, a_template
from tests.support.https_servers import FakeDNS

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
TREES = "/namespaces/example-trees/"


@pytest.fixture
def representative(address: str) -> User:
    return a_person(email="representative@example.org")


@pytest.fixture
def arboretum(representative: User) -> Organisation:
    organisation = an_organisation(by=representative)
    register_formal(a_template(), registrant=organisation)
    return organisation


def test_an_editor_begins_a_revision_and_a_contact_reads_it(
    address: str, chromium: Browser, representative: User, arboretum: Organisation
) -> None:
    people = {part: a_person(email=f"{part}@example.org") for part in (MemberRole.EDITOR, MemberRole.CONTACT)}
    for part, person in people.items():
        join(arboretum, person, part, by=representative)
    editor, reader, submitter = (
        page_of(person, chromium, address) for person in (*people.values(), representative)
    )
    editor.goto(arboretum.get_absolute_url())
    editor.get_by_role("link", name="Revise example-trees").press("Enter")
    editor.get_by_role("button", name="Start a revision").press("Enter")
    expect(editor.get_by_role("heading", level=1)).to_contain_text("example-trees")
    case = Case.objects.get()
    editor.goto(case.get_absolute_url())
    expect(editor.get_by_role("link", name="Edit the template")).to_be_visible()
    editor.goto(f"/cases/{case.pk}/submit/")
    expect(editor.get_by_role("heading", level=1)).to_have_text("Not found")

    reader.goto(case.get_absolute_url())
    expect(reader.get_by_role("definition").filter(has_text="Example Arboretum")).to_be_visible()
    expect(reader.get_by_role("link", name="Edit the template")).to_have_count(0)
    reader.goto(TREES)
    expect(reader.get_by_role("button", name="Revise this namespace")).to_have_count(0)

    submitter.goto(f"/cases/{case.pk}/submit/")
    expect(submitter.get_by_role("heading", level=1)).to_have_text("Review and confirm")


def test_a_domain_is_verified(
    address: str,
    chromium: Browser,
    representative: User,
    arboretum: Organisation,
    name_server: NameServer,
    fake_dns: FakeDNS,
) -> None:
    page = page_of(representative, chromium, address)
    page.goto(arboretum.get_absolute_url())
    page.get_by_role("link", name="Manage domains").press("Enter")
    page.get_by_role("textbox", name="Domain").fill("Arboretum.example")
    page.get_by_role("button", name="Add the domain").press("Enter")
    domain = OrganisationDomain.objects.get()
    card = page.get_by_role("region", name="arboretum.example")
    name_server.records[card.locator("code").first.inner_text()] = [card.locator("code").last.inner_text()]
    card.get_by_role("button", name="Check now").press("Enter")
    expect(card.get_by_text("The check runs within a minute.")).to_be_visible()
    check_domain(domain.pk)  # as the worker does
    page.reload()
    expect(card.get_by_text("verified", exact=True)).to_be_visible()

    visitor = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    visitor.goto(arboretum.get_absolute_url())
    expect(visitor.get_by_role("region", name="Verified domains")).to_contain_text("arboretum.example")


def test_a_contact_is_changed_beside_the_text(
    address: str, chromium: Browser, representative: User, arboretum: Organisation
) -> None:
    page = page_of(representative, chromium, address)
    page.goto(TREES)
    page.get_by_role("link", name="Change the contact").press("Enter")
    page.get_by_role("textbox", name="Name").fill("Registrar of the arboretum")
    page.get_by_label("E-mail address").fill("registrar")
    page.get_by_label("Reason").fill("The former contact has retired.")
    page.get_by_role("button", name="Change the contact").press("Enter")
    expect(page.get_by_text("Enter an e-mail address, such as name@example.org.", exact=True)).to_be_visible()
    page.get_by_label("E-mail address").fill("registrar@example.org")
    page.get_by_role("button", name="Change the contact").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The contact was changed.")

    visitor = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    visitor.goto(TREES)
    contact = visitor.get_by_role("region", name="Contact", exact=True)
    expect(contact).to_contain_text("Registrar of the arboretum, registrar@example.org")
    visitor.goto(f"{TREES}versions/1/template.txt")
    expect(visitor.get_by_text("registrar@example.org")).to_have_count(0)
