"""The sections of a draft on a phone: folded with their status, open where there is something to correct."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from registry.accounts.models import RoleName, User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.namespaces.models import Kind
from registry.registration_template.sections import SECTIONS
from tests.journeys.test_draft_form import field, saved
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import a_case_in_review, a_draft, a_person

pytestmark = pytest.mark.browser

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
NUMBER = len(SECTIONS) + 1  # with the proposed profile
HEIGHT = "document.documentElement.scrollHeight"
WITHOUT_BOX = """all => all.filter(each => !each.checkVisibility({contentVisibilityAuto: true})).map(each => each.name)"""


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


def opened(address: str, chromium: Browser, case: Case, by: User, *, has_script: bool = True) -> Page:
    context = chromium.new_context(base_url=address, viewport=PHONE, java_script_enabled=has_script)  # type: ignore[arg-type]
    return opened_in(context, address, case, by)


def opened_in(context: BrowserContext, address: str, case: Case, by: User) -> Page:
    page = context.new_page()
    sign_in(page.context, address, by)
    page.goto(f"/cases/{case.pk}/edit/")
    return page


def fold(page: Page, title: str) -> Locator:
    return page.locator("details.section-fold").filter(
        has=page.get_by_role("heading", name=title, exact=True)
    )


def top(there: Locator) -> float:
    return float(there.evaluate("there => there.getBoundingClientRect().top"))


def open_titles(page: Page) -> list[str]:
    titles = page.locator("details.section-fold[open] > summary > h2").all_inner_texts()
    return [" ".join(each.split()) for each in titles]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("has_script", [True, False], ids=["with script", "without script"])
def test_a_complete_draft_is_a_short_list_on_a_phone_and_a_form_on_a_desktop(
    address: str, chromium: Browser, registrant: User, has_script: bool
) -> None:
    page = opened(address, chromium, a_draft(by=registrant), registrant, has_script=has_script)
    fields = page.locator(".section-fold :is(input, textarea)")
    assert page.locator(".section-fold").count() == NUMBER
    assert len(fields.evaluate_all(WITHOUT_BOX)) == fields.count()
    folded = page.evaluate(HEIGHT)
    expect(page.get_by_role("navigation", name="Sections")).to_be_hidden()

    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    assert fields.evaluate_all(WITHOUT_BOX) == []
    expect(page.get_by_role("navigation", name="Sections")).to_be_visible()
    expect(fold(page, "Purpose").locator(".stage")).to_be_hidden()

    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for summary in page.locator(".section-fold > summary").all():
        summary.click()
    assert fields.evaluate_all(WITHOUT_BOX) == []
    assert folded * 2.5 < page.evaluate(HEIGHT)


@pytest.mark.exhaustive
def test_a_section_with_an_error_is_open_and_the_others_say_how_far_they_are(
    address: str, chromium: Browser, registrant: User
) -> None:
    case = a_draft(by=registrant, date="tomorrow", resolution="", purpose="Names trees.")
    page = opened(address, chromium, case, registrant)
    assert open_titles(page) == ["Date"]
    expect(page.locator("#date-remarks")).to_be_visible()
    for title, stage in {
        "Date": "needs fixing",
        "Resolution": "to do",
        "Purpose": "advice done",
        "Syntax": "done",
    }.items():
        expect(fold(page, title).locator(".stage")).to_have_text(stage)
    page.get_by_role("button", name="Save and check").click()
    assert open_titles(page) == ["Date", "Resolution"]


@pytest.mark.exhaustive
def test_a_section_with_an_action_point_is_open(address: str, chromium: Browser, registrant: User) -> None:
    case = functions.request_changes(
        a_case_in_review(by=registrant, namespace_identifier="example-birds"),
        by=a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
        round_number=1,
        rationale="Nearly.",
        action_points=[("syntax", "Say whether zeros lead.")],
    )
    page = opened(address, chromium, case, registrant)
    assert open_titles(page) == ["Syntax"]
    expect(page.get_by_text("To change: Say whether zeros lead.")).to_be_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize("has_script", [True, False], ids=["with script", "without script"])
def test_a_link_to_a_folded_section_opens_it(
    address: str, chromium: Browser, registrant: User, has_script: bool
) -> None:
    case = a_draft(by=registrant, purpose="Names trees.")
    page = opened(address, chromium, case, registrant, has_script=has_script)
    page.goto(f"/cases/{case.pk}/edit/?check=1")
    assert open_titles(page) == []
    page.get_by_role("region", name="advice").get_by_role("link", name="Purpose").click()
    assert open_titles(page) == ["Purpose"]
    expect(page.get_by_role("heading", name="Purpose", exact=True)).to_be_in_viewport(ratio=1)
    expect(field(page, "Purpose")).to_be_in_viewport()


@pytest.mark.exhaustive
def test_the_status_follows_what_is_typed_and_nothing_moves(
    address: str, chromium: Browser, registrant: User
) -> None:
    case = a_draft(by=registrant, purpose="", assignment="")
    page = opened(address, chromium, case, registrant)
    for title in ("Purpose", "Assignment"):
        expect(fold(page, title).locator(".stage")).to_have_text("to do")
        fold(page, title).locator("summary").first.click()
        there = field(page, title)
        there.scroll_into_view_if_needed()
        before = top(there)
        with page.expect_response(re.compile("/autosave/$")):
            there.fill("Anyone can name a tree in a garden. Each name is given once, and never again.")
        expect(fold(page, title).locator(".stage")).to_have_text("done")
        expect(there).to_be_focused()
        assert abs(top(there) - before) <= 1
    assert open_titles(page) == ["Purpose", "Assignment"]
    assert saved(case).draft_template.purpose.startswith("Anyone")


@pytest.mark.exhaustive
def test_sections_open_and_close_by_the_keyboard(address: str, chromium: Browser, registrant: User) -> None:
    page = opened(address, chromium, drafts.create_case(by=registrant, kind=Kind.FORMAL), registrant)
    summary = fold(page, "Purpose").locator("summary").first
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # Guidance
    page.keyboard.press("Tab")
    expect(field(page, "Purpose")).to_be_focused()
    page.keyboard.press("Tab")
    expect(fold(page, "Syntax").locator("summary").first).to_be_focused()
    page.keyboard.press("Tab")
    expect(fold(page, "Assignment").locator("summary").first).to_be_focused()


@pytest.mark.exhaustive
def test_on_a_desktop_headings_are_no_stops_of_the_keyboard(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = opened(address, chromium, a_draft(by=registrant), registrant)
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    expect(page.get_by_role("heading", name="Purpose", exact=True)).to_be_visible()
    can_have_focus = (
        "all => all.filter(each => { each.focus(); return each === document.activeElement; }).length"
    )
    assert page.locator(".section-fold > summary").evaluate_all(can_have_focus) == 0


@pytest.mark.exhaustive
def test_the_section_in_use_stays_open_when_the_window_becomes_narrow(
    address: str, chromium: Browser, registrant: User
) -> None:
    page = opened(address, chromium, a_draft(by=registrant), registrant)
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    field(page, "Syntax").click()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    expect(field(page, "Syntax")).to_be_visible()
    expect(field(page, "Syntax")).to_be_focused()
    assert open_titles(page) == ["Syntax"]


@pytest.mark.exhaustive
def test_all_sections_are_printed(address: str, chromium: Browser, registrant: User) -> None:
    page = opened(address, chromium, a_draft(by=registrant), registrant)
    page.emulate_media(media="print")
    assert page.locator(".section-fold :is(input, textarea)").evaluate_all(WITHOUT_BOX) == []
    expect(fold(page, "Purpose").locator(".stage")).to_be_hidden()
