"""Pages that respond while a person types, in a browser; and the same pages without scripts."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, Origin
from registry.registers.actions.registers import register_entry
from tests.journeys.test_public_pages import sign_in
from tests.registers.conftest import a_described_namespace, a_register
from tests.support.factories import a_person, a_profile

pytestmark = pytest.mark.browser


@pytest.fixture
def registry(address: str) -> str:
    for nid, holder in (("isbn", "Example Agency"), ("issn", "Example Centre"), ("wxn", "Example Weather")):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL, origin=Origin.IANA, holder=holder)
    return address


def shifts_of(page: Page) -> float:
    """How far things have moved on the page without being asked to (cumulative layout shift)."""
    return float(
        page.evaluate(
            """() => new Promise(answer => {
                let sum = 0;
                new PerformanceObserver(list => {
                    for (const entry of list.getEntries()) sum += entry.value;
                }).observe({type: 'layout-shift', buffered: true});
                setTimeout(() => answer(sum), 300);
            })"""
        )
    )


@pytest.mark.exhaustive
def test_the_check_is_updated_while_typing(registry: str, chromium: Browser) -> None:
    page = chromium.new_page(base_url=registry, viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/nids/")
    field = page.get_by_label("Namespace identifier (NID)")
    field.press_sequentially("isbm")
    expect(page.locator("#nid-report")).to_contain_text("It looks like “isbn”")
    expect(page).to_have_url(re.compile(r"/nids/\?nid=isbm$"))
    expect(field).to_be_focused()
    field.press("Backspace")
    field.press_sequentially("n")
    expect(page.locator("#verdict")).to_have_text("Registered")
    field.fill("x-foo")
    expect(page.locator("#nid-report")).to_contain_text("Section 5.1 (4)")
    assert shifts_of(page) < 0.02
    assert complaints == []


@pytest.mark.exhaustive
def test_a_name_is_judged_while_typing_and_without_scripts_on_the_page_of_its_urn(
    registry: str, chromium: Browser
) -> None:
    isbn = Namespace.objects.get(nid="isbn")
    set_profile(isbn, by=None, profile=a_profile("isbn"), basis="The files.", replaces=0)
    page = chromium.new_page(base_url=registry, viewport={"width": 360, "height": 700})
    page.goto("/namespaces/isbn/")
    field = page.get_by_label("Try a name")
    expect(field).to_have_value("urn:isbn:12:4711")
    field.fill("12:47x")
    expect(page.locator("#name-verdict")).to_contain_text("Does not follow the rules of isbn")
    field.press("Backspace")
    expect(page.locator("#name-verdict")).to_contain_text("Follows the rules of isbn")
    expect(page).to_have_url(re.compile(r"/namespaces/isbn/$"))
    expect(field).to_be_focused()
    bare = chromium.new_context(base_url=registry, java_script_enabled=False).new_page()
    bare.goto("/namespaces/isbn/")
    bare.get_by_label("Try a name").press("Enter")
    expect(bare).to_have_url(re.compile(r"/urns/\?urn=urn%3Aisbn%3A12%3A4711$"))


@pytest.mark.exhaustive
def test_a_label_of_a_register_is_checked_while_typing(address: str, chromium: Browser) -> None:
    holder, requester = (a_person(email=f"{who}@example.org") for who in ("holder", "requester"))
    register = a_register(a_described_namespace(registrant=holder), by=holder)
    register_entry(register, by=holder, label="1ima", title="Lima")
    page = chromium.new_page(base_url=address)
    sign_in(page.context, address, requester)
    page.goto(f"{register.get_absolute_url()}request/")
    field, answer = page.get_by_label("Label"), page.locator("#id_label_check")
    field.press_sequentially("lima")
    expect(answer).to_contain_text("could be mistaken for “1ima”")
    field.press("Backspace")
    expect(answer).to_contain_text("Nothing that is listed stands against urn:example-trees:lim.")
    expect(field).to_be_focused()
    field.fill("")
    expect(answer).to_be_empty()


@pytest.mark.exhaustive
def test_the_list_is_updated_while_typing_and_back_returns_to_it(registry: str, chromium: Browser) -> None:
    page = chromium.new_page(base_url=registry, viewport={"width": 1280, "height": 900})
    page.goto("/")
    page.get_by_role("navigation", name="Registry").get_by_role("link", name="Namespaces").click()
    rows = page.get_by_role("rowheader")
    expect(rows).to_have_text(["isbn", "issn", "wxn"])
    page.get_by_role("main").get_by_role("searchbox").press_sequentially("weath")
    expect(rows).to_have_text(["wxn"])
    expect(page).to_have_url(re.compile(r"/namespaces/\?q=weath&sort=nid$"))
    rows.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("urn:wxn:")
    page.go_back()
    expect(page.get_by_role("main").get_by_role("searchbox")).to_have_value("weath")
    expect(rows).to_have_text(["wxn"])
    page.go_back()
    expect(page).to_have_url(f"{registry}/")


@pytest.mark.exhaustive
def test_choosing_a_sort_order_needs_no_button(registry: str, chromium: Browser) -> None:
    page = chromium.new_page(base_url=registry)
    page.goto("/namespaces/")
    page.get_by_label("Sort by").select_option("newest")
    expect(page.get_by_role("rowheader")).to_have_text(["wxn", "issn", "isbn"])
    page.get_by_label("Kind").select_option("informal")
    expect(page.get_by_role("heading", name="No namespace matches")).to_be_visible()


@pytest.mark.exhaustive
def test_without_script_everything_is_there_by_buttons(registry: str, chromium: Browser) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=registry).new_page()
    page.goto("/nids/")
    page.get_by_label("Namespace identifier (NID)").fill("isbm")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#nid-report")).to_contain_text("It looks like “isbn”")
    page.get_by_role("link", name="Namespaces").click()
    page.get_by_role("main").get_by_role("searchbox").fill("weather")
    page.get_by_label("Sort by").select_option("newest")
    page.get_by_role("main").get_by_role("button", name="Search").click()
    expect(page.get_by_role("rowheader")).to_have_text(["wxn"])
    page.get_by_role("link", name="Guide").click()
    page.get_by_text("We are a standards body").click()
    expect(page.get_by_text("Reviews are advice only")).to_be_visible()


# The width that a select takes if it may be as wide as its longest option, and the width that it has.
WIDTHS = """selects => selects.map(select => {
    const copy = select.cloneNode(true);
    Object.assign(copy.style, {position: "absolute", width: "max-content", minWidth: 0, maxWidth: "none"});
    document.body.append(copy);
    const needed = copy.offsetWidth;
    copy.remove();
    return [needed, select.offsetWidth];
})"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("path", "selects"), [("/namespaces/", 5), ("/cases/", 3)])
def test_no_filter_cuts_its_options_on_a_telephone(
    registry: str, chromium: Browser, path: str, selects: int
) -> None:
    page = chromium.new_page(base_url=registry, viewport={"width": 360, "height": 740})
    page.goto(path)
    widths = page.locator("main form.search select").evaluate_all(WIDTHS)
    assert len(widths) == selects
    assert [pair for pair in widths if pair[0] > pair[1]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
