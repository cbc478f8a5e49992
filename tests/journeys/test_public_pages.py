"""The public pages in a browser: reachable for everybody, on a telephone, in the dark, by keyboard, without script."""

import re
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import User
from registry.namespaces import registering
from registry.namespaces.models import Kind, Namespace, Origin
from tests.factories import PASSWORD, a_case_in_review, a_person, a_submission

pytestmark = pytest.mark.browser

PUBLIC_PAGES = [
    "/",
    "/namespaces/",
    "/namespaces/?q=nothing-like-it",
    "/namespaces/?kind=special",
    "/namespaces/?q=isb&status=active&sort=newest",
    "/guide/",
    "/nids/",
    "/nids/?nid=isbm",
    "/nids/?nid=x-foo",
    "/nids/?nid=fipa",
    "/nids/?nid=example-birds",
    "/nids/?nid=is_bn",
    "/namespaces/?after=zzz",
    "/namespaces/example-trees/",
    "/namespaces/example-trees/versions/1/",
    "/namespaces/example-trees/compare/",
    "/namespaces/example-trees/compare/?from=9&to=x",
    "/namespaces/isbn/",
    "/namespaces/fipa/",
    "/namespaces/is_bn/",
    "/namespaces/x-foo/",
    "/namespaces/isbm/",
    "/urns/",
    "/urns/?urn=urn:isbn:0451450523%3F%2Br%3F%3Dq%23f",
    "/urns/?urn=urn:isbn:" + "a" * 200,
    "/urns/?urn=urn:isbn:a%20b",
    "/registrations/",
    "/figures/",
    "/registry/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/confirm-email/",
    "/accounts/inactive/",
    "/nothing-here/",
]
OWN_PAGES = [
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/logout/",
    "/namespaces/example-trees/",
]


@pytest.fixture
def registrant(address: str) -> User:
    """Somebody with something on every page."""
    person = a_person(email="registrant@example.org")
    with transaction.atomic():
        trees = registering.register_formal(a_submission(), registrant=person).namespace
        changes = {"purpose": "Names trees.\n" + "x" * 300, "revision_information": "Shorter."}
        registering.register_revision(trees, a_submission(version=2, **changes))
    reference = {"type": "uri", "target": "https://example.org/" + "a" * 120, "label": ""}
    isbn = known_by_record("isbn", references=[reference], registered_on="2017-01", updated_on="2020-02-03")
    known_by_record(
        "fipa", deprecated_at=timezone.now(), deprecation_statement="No names are assigned.", successor=isbn
    )
    known_by_record("a-namespace-with-a-rather-long-n")
    a_case_in_review(by=person, namespace_identifier="example-birds")
    return person


def known_by_record(nid: str, **fields: Any) -> Namespace:
    return Namespace.objects.create(nid=nid, kind=Kind.FORMAL, origin=Origin.IANA, **fields)


def sign_in(page: Page, address: str, person: User) -> None:
    page.goto(f"{address}/accounts/login/")
    page.get_by_label("Email").fill(person.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("status")).to_contain_text("You are signed in")


def faults_of(page: Page) -> list[str]:
    """What axe finds on the page as it stands."""
    found = Axe().run(page).response["violations"]
    return [f"{page.url}: {fault['id']}: {node['html']}" for fault in found for node in fault["nodes"]]


# Contrast hangs on the scheme and layout on the width, so each is tried once.
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_everybody_can_use_every_public_page(
    address: str, chromium: Browser, registrant: User, scheme: Literal["light", "dark"], width: int
) -> None:
    page = chromium.new_page(
        color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True, base_url=address
    )
    faults = []
    for path in PUBLIC_PAGES:
        page.goto(path)
        faults += faults_of(page)
    sign_in(page, address, registrant)
    for path in OWN_PAGES:
        page.goto(path)
        faults += faults_of(page)
    assert faults == []


def test_no_page_is_wider_than_its_window(address: str, chromium: Browser, registrant: User) -> None:
    page = chromium.new_page(base_url=address)
    for path in PUBLIC_PAGES:
        page.goto(path)
        for width in (1280, 768, 360, 320):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_a_page_loads_nothing_from_elsewhere_and_breaks_no_policy(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = chromium.new_page(base_url=address)
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path in PUBLIC_PAGES:
        page.goto(path)
    # The browser remarks on the status of pages that say no; that is what they are for.
    assert [each for each in complaints if not re.search("status of (400|404)", each)] == []
    assert {url for url in requests if not url.startswith(address)} == set()


def test_the_first_tab_leads_past_the_head_to_the_content(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = chromium.new_page(base_url=address)
    page.goto("/namespaces/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("NID, registrant, purpose or text")).to_be_focused()


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


def test_a_namespace_is_found_by_keyboard_alone_and_without_script(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    page.goto("/")
    page.get_by_label("Look for a namespace").focus()
    page.keyboard.type("ARBORETUM")
    page.keyboard.press("Enter")
    expect(page.get_by_role("rowheader")).to_have_text("example-trees")
    page.get_by_role("link", name="example-trees").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("urn:example-trees:")
    page.get_by_role("link", name="Compare versions").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("What changed from version 1 to 2")


def test_signing_in_and_out_needs_no_script(address: str, chromium: Browser, registrant: User) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    sign_in(page, address, registrant)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
