"""The layout of pages in a browser, at the width of a desktop and of a phone."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from registry.accounts.models import RoleName, User
from tests.journeys.test_draft_form import unfold_sections
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import a_case_in_review, a_draft, a_person, an_imported_namespace, describe

pytestmark = pytest.mark.browser


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def signed_in(address: str, chromium: Browser, registrant: User) -> BrowserContext:
    context = chromium.new_context(base_url=address)
    sign_in(context, address, registrant)
    return context


@pytest.fixture
def administrator_of_all(address: str, registrant: User) -> User:
    """An administrator of a registry with a case and a namespace."""
    a_case_in_review(by=registrant, namespace_identifier="example-birds")
    an_imported_namespace("isbn")
    return a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))


def opened_at(width: int, context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    return page


@pytest.mark.exhaustive
def test_the_form_does_not_move_the_header_and_begins_below_it(
    signed_in: BrowserContext, registrant: User
) -> None:
    addresses = ("/cases/mine/", f"/cases/{a_draft(by=registrant).pk}/edit/")
    pages = [opened_at(1280, signed_in, each) for each in addresses]
    for width in (1280, 1600):
        for page in pages:
            page.set_viewport_size({"width": width, "height": 800})
        first, second = [page.locator(".masthead .wordmark").bounding_box() for page in pages]
        assert first == second
        title = pages[1].get_by_role("heading", level=1).bounding_box()
        assert second is not None
        assert title is not None
        assert title["x"] == second["x"]


@pytest.mark.exhaustive
def test_on_a_phone_the_header_leaves_room_and_its_menu_opens_by_keyboard(
    administrator_of_all: User, address: str, chromium: Browser
) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    sign_in(context, address, administrator_of_all)
    page = opened_at(360, context, "/desk/")
    header = page.locator(".masthead").bounding_box()
    assert header is not None
    assert header["height"] <= 120
    sign_out = page.get_by_role("button", name="Sign out")
    expect(sign_out).to_be_hidden()
    page.get_by_role("button", name="Menu").press("Enter")
    expect(sign_out).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(sign_out).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("navigation", name="Registry").get_by_role("link", name="Guide").click()
    expect(page).to_have_url(f"{address}/guide/")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("system", "theme"), [("light", "dark"), ("dark", "light")])
def test_the_chosen_colours_stay_and_paper_is_white(
    address: str, chromium: Browser, system: Literal["light", "dark"], theme: str
) -> None:
    context = chromium.new_context(base_url=address, color_scheme=system)
    page = opened_at(1280, context, "/")
    background = "getComputedStyle(document.body).backgroundColor"
    by_system = page.evaluate(background)
    page.get_by_label(theme.capitalize(), exact=True).check()
    chosen = page.evaluate(background)
    assert chosen != by_system
    page.goto("/guide/")
    assert page.evaluate(background) == chosen
    page.emulate_media(media="print")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    page.get_by_label("As in the system").check()
    page.reload()
    assert page.evaluate(background) == by_system


@pytest.mark.exhaustive
@pytest.mark.parametrize("has_script", [True, False])
def test_guidance_is_folded_on_a_phone_and_open_on_a_desktop(
    address: str, chromium: Browser, registrant: User, has_script: bool
) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=has_script)
    sign_in(context, address, registrant)
    form = f"/cases/{a_draft(by=registrant).pk}/edit/"
    narrow, wide = opened_at(360, context, form), opened_at(1280, context, form)
    guidance, summary = "#purpose-guidance", "#purpose .folded-if-narrow > summary"
    narrow.locator(".section-fold", has=narrow.locator("#purpose")).locator("> summary").click()
    for page, is_narrow in ((narrow, True), (wide, False)):
        expect(page.locator(summary)).to_be_visible(visible=is_narrow)
        box = page.locator(guidance).bounding_box()
        assert (box is None or box["height"] == 0) == is_narrow
    narrow.locator(summary).click()
    expect(narrow.locator(guidance)).to_be_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [360, 800])
def test_the_time_of_the_last_save_covers_no_text(
    signed_in: BrowserContext, registrant: User, width: int
) -> None:
    page = opened_at(width, signed_in, f"/cases/{a_draft(by=registrant).pk}/edit/")
    status = page.locator("#saved")
    expect(status).to_be_in_viewport()
    bar, main = status.bounding_box(), page.locator("form.draft").bounding_box()
    assert bar is not None
    assert main is not None
    assert (bar["x"], bar["width"]) == (main["x"], main["width"])
    actions = page.locator(".form-actions.sticky").bounding_box()
    assert actions is not None
    is_sticky = width >= 768
    below = actions["y"] if is_sticky else 800
    assert abs(bar["y"] + bar["height"] - below) <= 1
    unfold_sections(page)
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    field = page.locator("form.draft textarea, form.draft input[type=text]").last
    last, bar = field.bounding_box(), status.bounding_box()
    assert last is not None
    assert bar is not None
    assert last["y"] + last["height"] <= bar["y"]


@pytest.mark.exhaustive
def test_on_a_desktop_the_time_of_the_last_save_is_beside_the_buttons(
    signed_in: BrowserContext, registrant: User
) -> None:
    page = opened_at(1280, signed_in, f"/cases/{a_draft(by=registrant).pk}/edit/")
    status, actions = page.locator("#saved").bounding_box(), page.locator(".form-actions").bounding_box()
    last = page.locator(".form-actions button").last.bounding_box()
    assert status is not None
    assert actions is not None
    assert last is not None
    assert actions["y"] <= status["y"]
    assert status["y"] + status["height"] <= actions["y"] + actions["height"]
    assert last["x"] + last["width"] <= status["x"]


@pytest.mark.exhaustive
def test_each_value_in_a_list_has_a_heading_on_a_phone(
    address: str, chromium: Browser, administrator_of_all: User
) -> None:
    context = chromium.new_context(base_url=address)
    sign_in(context, address, administrator_of_all)
    for address_of_list in ("/cases/", "/namespaces/", "/people/"):
        page = opened_at(360, context, address_of_list)
        cells = page.locator("table.stacked td:not(:empty)")
        headings = cells.evaluate_all("all => all.map(each => getComputedStyle(each, '::before').content)")
        assert headings
        assert [each for each in headings if each in ("none", "normal")] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.exhaustive
def test_dates_and_titles_do_not_break_apart_on_a_phone(
    address: str, chromium: Browser, administrator_of_all: User, registrant: User
) -> None:
    """A date stays in one line, and “Copy” beside the title of its section, however long that is."""
    case = a_case_in_review(by=registrant, namespace_identifier="example-oaks")
    page = opened_at(360, chromium.new_context(base_url=address), case.get_absolute_url())
    lines = page.locator("time").evaluate_all("all => all.map(each => each.getClientRects().length)")
    assert set(lines) == {1}
    copies = page.locator(".part-head > button")
    assert copies.count() > 5
    is_beside = (
        "each => each.getBoundingClientRect().left > each.previousElementSibling.getBoundingClientRect().left"
    )
    assert copies.evaluate_all(f"all => all.every({is_beside})")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.exhaustive
def test_kind_and_date_share_a_line_in_the_list_on_a_phone(
    address: str, chromium: Browser, registrant: User
) -> None:
    describe(
        an_imported_namespace("isbn", registered_on="2018-06-19"),
        summary="Names every tree of a garden, and each part of it that was described.",
    )
    page = opened_at(360, chromium.new_context(base_url=address), "/namespaces/")
    kind, registered = (page.locator(f"td[data-label={each}]").first for each in ("Kind", "Registered"))
    first, second = kind.bounding_box(), registered.bounding_box()
    assert first is not None
    assert second is not None
    assert second["x"] > first["x"] + first["width"]
    assert abs(first["y"] - second["y"]) < first["height"]
