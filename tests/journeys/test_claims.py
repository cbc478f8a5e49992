"""A claim of `isbn` with evidence, decided by an administrator, in a browser: without script, by keyboard."""

import pytest
from playwright.sync_api import Browser, expect

from registry.accounts.models import RoleName
from tests.journeys.test_governance import page_of
from tests.support.factories import a_person, an_imported_namespace

pytestmark = pytest.mark.browser


@pytest.mark.exhaustive
def test_isbn_is_claimed_with_evidence_and_an_administrator_approves(address: str, chromium: Browser) -> None:
    an_imported_namespace("isbn")
    agency = a_person(email="agency@example.org")
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))

    claimant = page_of(agency, chromium, address)
    claimant.goto("/namespaces/isbn/")
    claimant.get_by_role("link", name="This namespace is mine").press("Enter")
    claimant.get_by_label("I control a domain").check()
    claimant.get_by_label("Links").fill("example.org")
    claimant.get_by_role("button", name="Send the claim").press("Enter")
    expect(claimant.get_by_text("This field is required.", exact=True)).to_be_visible()
    claimant.get_by_label("Statement").fill("I manage the agency’s registration.")
    claimant.get_by_label("Links").fill("https://example.org/about")
    claimant.get_by_role("button", name="Send the claim").press("Enter")
    expect(claimant.get_by_role("status")).to_contain_text("sent to the administrators")

    visitor = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    visitor.set_viewport_size({"width": 360, "height": 640})
    visitor.goto("/namespaces/isbn/")
    expect(visitor.get_by_role("heading", name="under consideration")).to_be_visible()
    expect(visitor.get_by_text("Agency")).to_have_count(0)

    desk = page_of(administrator, chromium, address)
    desk.goto("/desk/")
    desk.get_by_role("link", name="Claims", exact=True).click()
    desk.get_by_role("link", name="See the evidence").press("Enter")
    expect(desk.get_by_text("I manage the agency’s registration.")).to_be_visible()
    expect(desk.get_by_role("heading", name="What the registration says")).to_be_visible()
    decision = desk.get_by_role("region", name="Approve the claim")
    decision.get_by_label("Reason").fill("The site of the agency names them.")
    decision.get_by_role("button", name="Approve the claim").press("Enter")
    expect(desk.get_by_role("status")).to_contain_text("The claim was approved.")

    claimant.goto("/namespaces/isbn/")
    expect(claimant.get_by_text("You are the registrant.")).to_be_visible()
    claimant.get_by_role("button", name="Revise this namespace").press("Enter")
    expect(claimant.get_by_role("heading", name="isbn")).to_be_visible()
