"""The public pages in a browser: by keyboard, without script."""

import re
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.db import transaction
from playwright.sync_api import Browser, BrowserContext, Page, expect

from registry.accounts.models import User
from registry.namespaces.actions import registration
from tests.support.browser import signed_in
from tests.support.factories import PASSWORD, a_person, a_template

pytestmark = pytest.mark.browser


@pytest.fixture
def registrant(address: str) -> User:
    """A person with a namespace of two versions."""
    person = a_person(email="registrant@example.org")
    with transaction.atomic():
        trees = registration.register_formal(a_template(), registrant=person).namespace
        changes = {"purpose": "Names trees.", "revision_information": "Shorter."}
        registration.register_revision(trees, a_template(version=2, **changes))
    return person


def sign_in(context: BrowserContext, address: str, person: User) -> None:
    """Let a browser have the session of someone who signed in a moment ago."""
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": signed_in(person).cookies[name].value, "url": address}])


def sign_in_by_form(page: Page, address: str, person: User) -> None:
    page.goto(f"{address}/accounts/login/")
    page.get_by_label("E-mail address").fill(person.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("You are signed in")


def open_menu(page: Page) -> None:
    """Show the links of the header, which are in a menu on a phone."""
    menu = page.get_by_role("button", name="Menu")
    if menu.is_visible():
        menu.click()


def faults_of(page: Page) -> list[str]:
    """What axe finds on the page as it stands."""
    found = Axe().run(page).response["violations"]
    return [f"{page.url}: {fault['id']}: {node['html']}" for fault in found for node in fault["nodes"]]


@pytest.mark.exhaustive
def test_the_first_tab_leads_past_the_head_to_the_content(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = chromium.new_page(base_url=address)
    page.goto("/namespaces/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to main content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("NID or words")).to_be_focused()


@pytest.mark.exhaustive
def test_the_first_screen_of_the_home_page_has_the_search_and_the_three_tasks(
    address: str, chromium: Browser
) -> None:
    page = chromium.new_page(base_url=address, viewport={"width": 1280, "height": 720})
    page.goto("/")
    main = page.get_by_role("main")
    for button in ("Search", "Check the NID", "Check the URN"):
        expect(main.get_by_role("button", name=button, exact=True)).to_be_in_viewport(ratio=1)
    expect(main.get_by_role("link", name="Find out")).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 360, "height": 740})
    expect(main.get_by_role("button", name="Search", exact=True)).to_be_in_viewport(ratio=1)


@pytest.mark.exhaustive
def test_the_filters_of_the_list_stand_in_one_line(address: str, chromium: Browser) -> None:
    page = chromium.new_page(base_url=address, viewport={"width": 1280, "height": 720})
    page.goto("/namespaces/")
    fields = page.get_by_role("main").locator("form.search :is(input:not([type=hidden]), select, .button)")
    lines = fields.evaluate_all(
        "fields => fields.map(each => Math.round(each.getBoundingClientRect().bottom))"
    )
    assert len(lines) == 7
    assert len(set(lines)) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_focus_is_always_visible(
    address: str, chromium: Browser, registrant: User, scheme: Literal["light", "dark"]
) -> None:
    page = chromium.new_page(base_url=address, color_scheme=scheme)
    for path in ("/", "/namespaces/example-trees/", "/accounts/login/"):
        page.goto(path)
        for _ in range(12):
            page.keyboard.press("Tab")
            outline = page.evaluate(
                "(({outlineStyle, outlineWidth}) => [outlineStyle, parseFloat(outlineWidth)])"
                "(getComputedStyle(document.activeElement))"
            )
            assert outline[0] == "solid", path
            assert outline[1] >= 2, path


@pytest.mark.exhaustive
def test_a_namespace_is_found_by_keyboard_alone_and_without_script(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    page.goto("/")
    page.get_by_label("Search for a URN, a namespace or words").focus()
    page.keyboard.type("ARBORETUM")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Results for “ARBORETUM”")
    found = page.get_by_role("region", name="Namespaces").get_by_role("link")
    expect(found).to_have_text("urn:example-trees")
    found.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("urn:example-trees:")
    page.get_by_role("link", name="Compare versions").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Changes from version 1 to 2")


@pytest.mark.exhaustive
def test_signing_in_and_out_needs_no_script(address: str, chromium: Browser, registrant: User) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    sign_in_by_form(page, address, registrant)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


@pytest.mark.exhaustive
def test_a_section_and_a_citation_are_copied(address: str, chromium: Browser, registrant: User) -> None:
    context = chromium.new_context(base_url=address, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/namespaces/example-trees/")
    for name, text in (
        ("Copy the section Purpose", "Names trees."),
        ("Copy the citation", "urn:example-trees. In: URN namespace registry."),
    ):
        button = page.get_by_role("button", name=name)
        button.click()
        expect(page.get_by_role("button", name="Copied")).not_to_have_count(0)
        assert text in page.evaluate("navigator.clipboard.readText()")
    cited = page.locator("#citation")
    expect(cited).to_have_text(re.compile(r"\(accessed 2[0-9]{3}-[0-9]{2}-[0-9]{2}\)\.$"))
    page.goto("/urns/?urn=URN:example-trees:a")
    page.get_by_role("button", name="Copy the canonical form").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "urn:example-trees:a"


@pytest.mark.exhaustive
def test_without_script_there_is_nothing_to_copy_with(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    page.goto("/namespaces/example-trees/")
    expect(page.locator("#citation")).to_contain_text("(accessed [date])")
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
