"""An organisation in a browser: a representative leaves, and another goes on. Without script, on a phone, by keyboard."""

import pytest
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import User
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.organisations.models import Membership
from tests.journeys.test_governance import page_of
from tests.support.factories import a_person, a_template

pytestmark = pytest.mark.browser


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).press("Enter")


def create_with(second: User, page: Page) -> None:
    page.goto("/account/")
    page.get_by_role("link", name="Manage organisations").press("Enter")
    page.get_by_role("link", name="Create an organisation").press("Enter")
    page.get_by_label("Name", exact=True).fill("Example Arboretum")
    press(page, "Create")
    expect(page.get_by_text("needs two representatives")).to_be_visible()
    page.get_by_label("E-mail address").fill(second.email)
    press(page, "Send the invitation")
    expect(page.get_by_role("status")).to_contain_text("was recorded")


def accept(page: Page) -> None:
    page.goto("/organisations/")
    page.get_by_role("link", name="Respond").press("Enter")
    press(page, "Accept")
    expect(page.get_by_role("status")).to_contain_text("You are a member")


def leave(page: Page) -> None:
    page.goto("/organisations/")
    page.get_by_role("link", name="Members", exact=False).first.press("Enter")
    page.get_by_role("link", name="Change or leave").press("Enter")
    press(page, "Leave the organisation")


@pytest.mark.exhaustive
def test_a_representative_leaves_and_another_goes_on(address: str, chromium: Browser) -> None:
    first, second = (a_person(email=f"{which}@example.org") for which in ("first", "second"))
    register_formal(a_template(), registrant=first)
    leaver, successor = page_of(first, chromium, address), page_of(second, chromium, address)

    create_with(second, leaver)
    leaver.get_by_role("link", name="Example Arboretum").press("Enter")
    leaver.get_by_role("link", name="Move my namespaces here").press("Enter")
    expect(leaver.get_by_label("example-trees")).to_be_checked()
    press(leaver, "Move the namespaces")
    expect(leaver.get_by_role("status")).to_contain_text("example-trees")

    leave(leaver)
    expect(leaver.get_by_role("alert")).to_contain_text("Invite another representative first")
    accept(successor)
    leave(leaver)
    expect(leaver.get_by_role("status")).to_contain_text("You left the organisation")

    visitor = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    visitor.set_viewport_size({"width": 360, "height": 640})
    visitor.goto("/namespaces/example-trees/")
    visitor.get_by_role("link", name="Example Arboretum").press("Enter")
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Example Arboretum")
    assert visitor.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(visitor.get_by_text("Second")).to_have_count(0)

    leaver.goto("/namespaces/example-trees/")
    expect(leaver.get_by_role("button", name="Revise this namespace")).to_have_count(0)
    successor.goto("/namespaces/example-trees/")
    press(successor, "Revise this namespace")
    expect(successor.get_by_role("heading", name="example-trees")).to_be_visible()
    revision = Namespace.objects.get(nid="example-trees").cases.get()
    assert revision.organisation == Membership.objects.of(second).get().organisation
