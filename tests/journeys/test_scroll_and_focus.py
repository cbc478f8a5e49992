"""Focus and scroll position stay when a response replaces parts of a page."""

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, Route, expect

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.namespaces.models import Kind, Namespace, Origin
from tests.journeys.test_draft_form import field, opened, type_and_wait, unfold_sections
from tests.journeys.test_public_pages import sign_in
from tests.journeys.test_typing import shifts_of
from tests.support.factories import a_case_in_review, a_draft, a_person, a_template

pytestmark = pytest.mark.browser

WINDOW = {"width": 1280, "height": 800}
MOMENT = 900  # longer than a page waits for the next letter
IN_FOCUS = "() => document.activeElement.id || document.activeElement.tagName"
# A thing that can have the focus without an id gets lost with its part of the page.
WITHOUT_ID = """parts => parts.flatMap(part => [...part.querySelectorAll("a[href], button, input, [tabindex]")])
    .filter(each => !each.id).map(each => each.outerHTML)"""


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def signed_in(address: str, chromium: Browser, registrant: User) -> BrowserContext:
    context = chromium.new_context(base_url=address, viewport=WINDOW)  # type: ignore[arg-type]
    sign_in(context, address, registrant)
    return context


def competing_case_of(nid: str) -> Case:
    return a_case_in_review(by=a_person(email=f"{nid}@example.org"), namespace_identifier=nid)


def opened_at(width: int, context: BrowserContext, case: Case) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/cases/{case.pk}/edit/")
    unfold_sections(page)
    return page


def in_focus(page: Page) -> str:
    return str(page.evaluate(IN_FOCUS))


def type_then_leave(page: Page, name: str, text: str, there: Locator) -> None:
    """Type, and be elsewhere already when the answer comes."""
    with page.expect_response(lambda answer: answer.url.endswith("/autosave/")):
        field(page, name).fill(text)
        there.focus()
        expect(there).to_be_focused()
    page.wait_for_timeout(100)


def replaced(page: Page, part: str) -> Callable[[], bool]:
    """Whether the part's content has been replaced since."""
    page.locator(part).evaluate("part => { part.firstElementChild.isOld = true; }")
    return lambda: not page.locator(part).evaluate("part => part.firstElementChild?.isOld === true")


@pytest.mark.exhaustive
def test_the_focus_stays_on_a_link_of_the_sections(signed_in: BrowserContext, registrant: User) -> None:
    page = opened(signed_in, drafts.create_case(by=registrant, kind=Kind.FORMAL))
    link = page.get_by_role("navigation", name="Sections").get_by_role("link", name="Assignment")
    is_replaced = replaced(page, "#progress")
    type_then_leave(page, "Purpose", "Names trees.", link)
    assert is_replaced()
    expect(link).to_be_focused()
    page.keyboard.press("Tab")
    expect(
        page.get_by_role("navigation", name="Sections").get_by_role("link", name="Security and Privacy")
    ).to_be_focused()


@pytest.mark.exhaustive
def test_the_focus_stays_on_the_link_to_a_competing_case(signed_in: BrowserContext, registrant: User) -> None:
    first, second = competing_case_of("example-oaks"), competing_case_of("example-oak5")
    page = opened(signed_in, a_draft(by=registrant, namespace_identifier="example-oaks"))
    link = page.locator(f"#competing-case-{first.pk}")
    expect(page.locator(f"#competing-case-{second.pk}")).to_be_visible()
    is_replaced = replaced(page, "#competing-cases-of-draft")
    type_then_leave(page, "Namespace Identifier", "Example-Oaks", link)
    if not is_replaced():  # both said the same
        type_then_leave(page, "Namespace Identifier", "example-oak5", link)
    expect(link).to_be_focused()


@pytest.mark.exhaustive
def test_the_focus_stays_in_the_report_on_the_identifier(signed_in: BrowserContext, registrant: User) -> None:
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA, holder="Example Agency")
    page = opened(signed_in, a_draft(by=registrant, namespace_identifier="isbn"))
    link = page.get_by_role("link", name="See isbn")
    is_replaced = replaced(page, "#namespace_identifier-remarks")
    with page.expect_response(lambda answer: answer.url.endswith("/autosave/")):
        field(page, "Namespace Identifier").fill("ISBN ")
        field(page, "Namespace Identifier").fill("isbn")
        link.focus()
    expect(link).to_be_focused()
    # What is no longer there leaves the focus to its part of the page, not to the beginning of it all.
    type_then_leave(page, "Namespace Identifier", "example-elms", link)
    expect(page.locator("#namespace_identifier-remarks")).to_contain_text("is free")
    assert is_replaced()
    assert in_focus(page) == "namespace_identifier-remarks"


@pytest.mark.exhaustive
def test_the_focus_stays_where_an_example_goes_wrong(signed_in: BrowserContext, registrant: User) -> None:
    page = opened(signed_in, a_draft(by=registrant, syntax="As in urn:-a:1, not urn:-b:2."))
    caret = page.locator("#syntax-example-2")
    is_replaced = replaced(page, "#syntax-remarks")
    type_then_leave(page, "Syntax", "As in urn:example-trees:1, not urn:-b:2.", caret)
    assert is_replaced()
    expect(caret).to_be_focused()


@pytest.mark.exhaustive
def test_the_focus_stays_in_the_notice_of_a_conflict(signed_in: BrowserContext, registrant: User) -> None:
    case = a_draft(by=registrant)
    first, second = opened(signed_in, case), opened(signed_in, case)
    type_and_wait(first, "Purpose", "Words of the first tab.")
    type_and_wait(second, "Purpose", "Words of the second tab.")
    take = second.get_by_role("button", name="Use the saved text of Purpose")
    is_replaced = replaced(second, "#conflict .conflict-difference")
    type_then_leave(second, "Syntax", "Words of the second tab.", take)
    expect(take).to_be_focused()
    assert is_replaced()

    link = second.get_by_role("link", name="See the difference")
    type_then_leave(second, "Resolution", "None.", link)
    expect(link).to_be_focused()
    # The two agree: the button goes, and so does the focus, no further than to where it stood.
    type_then_leave(second, "Purpose", "Words of the first tab.", take)
    assert in_focus(second) == "conflict"


@pytest.mark.exhaustive
def test_a_late_response_does_not_move_the_focus(signed_in: BrowserContext, registrant: User) -> None:
    """By the time it comes, the person has gone on from the link."""
    page = opened(signed_in, drafts.create_case(by=registrant, kind=Kind.FORMAL))
    page.route("**/autosave/", lambda route: late(page, route))
    with page.expect_response(lambda answer: answer.url.endswith("/autosave/")):
        field(page, "Purpose").fill("Names trees.")
        page.get_by_role("navigation", name="Sections").get_by_role("link", name="Assignment").focus()
        page.wait_for_timeout(MOMENT)
        field(page, "Syntax").focus()
        page.keyboard.type("written since")
    page.keyboard.type(", and after")
    expect(field(page, "Syntax")).to_be_focused()
    expect(field(page, "Syntax")).to_have_value("written since, and after")


def late(page: Page, route: Route) -> None:
    with suppress(Error):  # the test may have ended and closed the page
        page.wait_for_timeout(MOMENT)
        route.continue_()


@pytest.mark.exhaustive
def test_a_notice_above_does_not_move_the_field_in_use(signed_in: BrowserContext, registrant: User) -> None:
    competing_case_of("example-oaks")
    page = opened_at(360, signed_in, drafts.create_case(by=registrant, kind=Kind.FORMAL))
    identifier = field(page, "Namespace Identifier")
    identifier.focus()
    before = identifier.bounding_box()
    assert before
    identifier.press_sequentially("example-oaks")
    expect(page.get_by_role("region", name="Other open cases")).to_be_visible()
    after = identifier.bounding_box()
    assert after
    assert abs(after["y"] - before["y"]) <= 1, (before, after)
    # And back again: the notice goes.
    page.wait_for_timeout(MOMENT)
    identifier.press("Control+a")
    identifier.press_sequentially("example-elms")
    expect(page.get_by_role("region", name="Other open cases")).to_have_count(0)
    gone = identifier.bounding_box()
    assert gone
    assert abs(gone["y"] - before["y"]) <= 1, (before, gone)


@pytest.mark.exhaustive
def test_autosave_while_typing_moves_nothing(signed_in: BrowserContext, registrant: User) -> None:
    sound = {
        name: str(getattr(a_template(), name.lower())) for name in ("Purpose", "Assignment", "Resolution")
    }
    page = opened_at(1280, signed_in, a_draft(by=registrant, **dict.fromkeys(map(str.lower, sound), "")))
    asked_for = shifts_of(page)  # sections unfold
    for name, text in sound.items():
        before = shifts_of(page)
        with page.expect_response(re.compile("/autosave/$")):
            field(page, name).fill(text)
            asked_for += shifts_of(page) - before  # its box grows with the text
        page.wait_for_timeout(MOMENT)
    assert shifts_of(page) - asked_for < 0.02


@pytest.mark.exhaustive
def test_nothing_that_can_have_the_focus_in_a_replaced_part_is_without_a_name(
    signed_in: BrowserContext, registrant: User
) -> None:
    competing_case_of("example-oaks")
    wrong = a_draft(by=registrant, namespace_identifier="example-oaks", syntax="urn:-a:1 urn:x-:2 urn:ok:3")
    malformed = a_draft(by=registrant, namespace_identifier="-oaks")
    first, second = opened(signed_in, wrong), opened(signed_in, wrong)
    type_and_wait(first, "Purpose", "Words of the first tab.")
    type_and_wait(second, "Purpose", "Words of the second tab.")
    third = opened(signed_in, malformed)
    pages = [second, third]
    for address in (
        "/nids/",
        "/nids/?nid=example-0aks",
        "/nids/?nid=-a",
        "/nids/?nid=urn-1",
        "/namespaces/?q=oak",
    ):
        page = signed_in.new_page()
        page.goto(address)
        pages.append(page)
    parts = "#progress, #competing-cases-of-draft, #conflict, #saved, .remarks, #nid-report, #search-results"
    for page in pages:
        found = page.locator(parts)
        assert found.count(), page.url
        assert found.evaluate_all(WITHOUT_ID) == []
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
        assert len(ids) == len(set(ids)), page.url


@pytest.mark.exhaustive
def test_the_check_of_a_nid_leaves_the_focus_where_it_is(address: str, chromium: Browser) -> None:
    page = chromium.new_page(base_url=address)
    page.goto("/nids/?nid=example-oaks")
    page.route("**/nids/?*", lambda route: late(page, route))
    typed = page.get_by_label("Namespace identifier (NID)")
    for nid, focus in (
        ("example-oak", "request-nid"),
        ("example-elms", "guide"),
        ("x-foo", "guide"),
        ("a_b", "nid-report"),
    ):
        there = page.locator(f"#{focus if focus != 'nid-report' else 'guide'}")
        with page.expect_response(lambda answer: "/nids/" in answer.url):
            typed.fill(nid)
            there.focus()
        page.wait_for_timeout(100)
        assert in_focus(page) == focus, nid


@pytest.mark.exhaustive
def test_the_search_leaves_the_focus_where_it_is(address: str, chromium: Browser) -> None:
    for nid in ("isbn", "issn"):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL, origin=Origin.IANA, holder="Example Agency")
    page = chromium.new_page(base_url=address)
    page.goto("/namespaces/")
    page.route("**/namespaces/?*", lambda route: late(page, route))
    row = page.get_by_role("link", name="isbn")
    for question, focus in (("agency", "namespace-isbn"), ("issn", "search-results")):
        with page.expect_response(lambda answer: "/namespaces/" in answer.url):
            page.get_by_role("main").get_by_role("searchbox").fill(question)
            row.focus()
        page.wait_for_timeout(100)
        assert in_focus(page) == focus, question


@pytest.mark.exhaustive
def test_letters_typed_while_a_response_arrives_are_kept(address: str, chromium: Browser) -> None:
    page = chromium.new_page(base_url=address)
    page.goto("/nids/")
    page.route("**/nids/?*", lambda route: late(page, route))
    typed = page.get_by_label("Namespace identifier (NID)")
    typed.press_sequentially("example-hornbeams-of-the-garden", delay=120)
    expect(page.locator("#verdict")).to_have_text("This identifier is free")
    expect(page.locator("#nid-report .verdict-urn")).to_have_text("urn:example-hornbeams-of-the-garden:")
    expect(typed).to_have_value("example-hornbeams-of-the-garden")
    expect(typed).to_be_focused()
