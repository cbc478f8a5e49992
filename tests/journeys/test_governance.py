"""Transfer, deprecation and roles in a browser: without script, on a telephone, in the dark, by keyboard."""

import pytest
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import RoleName, User
from registry.namespaces.actions import registration
from registry.namespaces.models import Kind, Namespace, Origin
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import a_person, a_template

pytestmark = pytest.mark.browser

TREES = "/namespaces/example-trees/"


class People:
    def __init__(self) -> None:
        self.registrant = a_person(email="registrant@example.org")
        self.heir = a_person(email="heir@example.org")
        self.administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
        self.expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT, RoleName.LIAISON))


@pytest.fixture
def people(address: str) -> People:
    people = People()
    registration.register_formal(a_template(), registrant=people.registrant)
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA)
    return people


def page_of(person: User, chromium: Browser, address: str) -> Page:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    sign_in(page.context, address, person)
    return page


@pytest.mark.exhaustive
def test_a_namespace_is_handed_on_by_keyboard_and_without_script(
    address: str, chromium: Browser, people: People
) -> None:
    giver = page_of(people.registrant, chromium, address)
    giver.goto(TREES)
    giver.get_by_role("link", name="Transfer this namespace").press("Enter")
    giver.get_by_label("E-mail address").fill("heir")
    giver.get_by_label("Reason").fill("I retire.")
    giver.get_by_role("button", name="Send the offer").press("Enter")
    expect(
        giver.get_by_text("Enter an e-mail address, such as name@example.org.", exact=True)
    ).to_be_visible()
    expect(giver.get_by_label("Reason")).to_have_value("I retire.")
    giver.get_by_label("E-mail address").fill("heir@example.org")
    giver.keyboard.press("Enter")
    expect(giver.get_by_role("status")).to_contain_text("The offer was recorded.")

    taker = page_of(people.heir, chromium, address)
    taker.goto("/mine/")
    taker.get_by_role("link", name="Respond to the offer of example-trees").press("Enter")
    expect(taker.get_by_text("I retire.")).to_be_visible()
    taker.get_by_role("button", name="Accept the offer").press("Enter")
    expect(taker.get_by_role("status")).to_contain_text("The offer was accepted")
    taker.goto("/mine/")
    expect(taker.get_by_role("link", name="Revise example-trees")).to_be_visible()
    giver.goto("/mine/")
    expect(giver.get_by_text("You have no namespaces.")).to_be_visible()


@pytest.mark.exhaustive
def test_an_administrator_grants_a_role_and_deprecates(
    address: str, chromium: Browser, people: People
) -> None:
    page = page_of(people.administrator, chromium, address)
    page.goto("/mine/")
    page.get_by_role("link", name="People and roles").click()
    page.get_by_role("link", name="Grant a role").click()
    page.get_by_label("E-mail address").fill("heir@example.org")
    page.get_by_label("administrator").check()
    page.get_by_label("Reason").fill("Elected.")
    page.get_by_role("button", name="Grant the role").click()
    expect(page.get_by_role("row", name="Heir")).to_contain_text("administrator")
    page.get_by_role("link", name="Withdraw the role “administrator” from Heir").click()
    page.get_by_label("Reason").fill("Elected by mistake.")
    page.get_by_role("button", name="Withdraw the role").click()
    expect(page.get_by_role("row", name="Heir")).to_have_count(0)
    page.goto(TREES)
    page.get_by_role("link", name="Deprecate").click()
    page.get_by_label("Statement").fill("No garden uses it.")
    page.get_by_label("Successor").fill("isbn")
    page.get_by_role("button", name="Deprecate this namespace").click()
    expect(page.get_by_role("heading", name="This namespace is deprecated")).to_be_visible()
