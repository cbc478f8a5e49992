"""The form of a draft in a browser: it saves itself, answers while one types, and loses nothing."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from registry.accounts.models import RoleName, User
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import replies_in
from registry.cases.models import ActionPoint, Case, State
from registry.cases.workflow import functions
from registry.devserver.demonstration import FIXTURES
from registry.namespaces.models import Kind
from registry.registration_template.formatting import format_template
from tests.journeys.test_public_pages import faults_of, sign_in
from tests.support.factories import a_case_in_review, a_draft, a_person, a_template

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def sent_back(registrant: User) -> Case:
    """A case with two action points to answer."""
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    return functions.request_changes(
        a_case_in_review(by=registrant, namespace_identifier="example-birds"),
        by=expert,
        round_number=1,
        rationale="Nearly.",
        action_points=[("syntax", "Say whether zeros lead."), ("purpose", "Say who benefits.")],
    )


@pytest.fixture
def signed_in(address: str, chromium: Browser, registrant: User) -> BrowserContext:
    context = chromium.new_context(base_url=address)
    sign_in(context, address, registrant)
    return context


def opened(context: BrowserContext, case: Case) -> Page:
    page = context.new_page()
    page.goto(f"/cases/{case.pk}/edit/")
    return page


def unfold_sections(page: Page) -> None:
    """Open the sections that are folded on a phone."""
    page.locator(".section-fold").evaluate_all("all => all.forEach(each => { each.open = true; })")


def field(page: Page, name: str) -> Locator:
    return page.get_by_role("textbox", name=name, exact=True)


def saved(case: Case) -> Case:
    return Case.objects.get(pk=case.pk)


def type_and_wait(page: Page, name: str, text: str) -> None:
    with page.expect_response(re.compile("/autosave/$")):
        field(page, name).fill(text)


@pytest.mark.exhaustive
def test_autosave_moves_neither_focus_nor_cursor(signed_in: BrowserContext, registrant: User) -> None:
    case = a_draft(by=registrant)
    page = opened(signed_in, case)
    purpose = field(page, "Purpose")
    purpose.fill("Names trees.")
    purpose.press("Home")
    with page.expect_response(re.compile("/autosave/$")):
        page.keyboard.type("It ")
    page.keyboard.type("well ")
    expect(purpose).to_be_focused()
    expect(purpose).to_have_value("It well Names trees.")
    expect(page.locator("#saved")).to_have_text(re.compile(r"^\s*Saved at [0-9]{2}:[0-9]{2} UTC\s*$"))
    expect(page.locator("#stamp input")).to_have_value("2")
    assert saved(case).draft_template.purpose == "It well Names trees."


@pytest.mark.exhaustive
def test_two_tabs_never_overwrite_each_other_silently(signed_in: BrowserContext, registrant: User) -> None:
    case = a_draft(by=registrant)
    first, second = opened(signed_in, case), opened(signed_in, case)
    type_and_wait(first, "Purpose", "Words of the first tab.")
    type_and_wait(second, "Purpose", "Words of the second tab.")
    type_and_wait(second, "Resolution", "None, says the second.")

    expect(second.locator("#saved")).to_contain_text("Not saved: the draft has changed since you opened it")
    expect(field(second, "Purpose")).to_have_value("Words of the second tab.")
    expect(field(second, "Resolution")).to_be_focused()
    assert saved(case).draft_template.purpose == "Words of the first tab."

    second.get_by_role("link", name="See the difference").click()
    purpose = second.get_by_role("region", name="Difference in Purpose")
    expect(purpose.locator("del")).to_have_text("Words of the first tab.")
    expect(purpose.locator("ins")).to_have_text("Words of the second tab.")
    second.get_by_role("button", name="Use the saved text of Purpose").click()
    expect(field(second, "Purpose")).to_have_value("Words of the first tab.")
    expect(field(second, "Resolution")).to_have_value("None, says the second.")
    second.get_by_role("button", name="Save your version").click()
    expect(second.get_by_role("main")).to_contain_text("Draft saved.")
    template = saved(case).draft_template
    assert (template.purpose, template.resolution) == ("Words of the first tab.", "None, says the second.")


@pytest.mark.exhaustive
def test_enter_in_a_line_saves_and_takes_nothing_back(signed_in: BrowserContext, registrant: User) -> None:
    case = a_draft(by=registrant)
    first, second = opened(signed_in, case), opened(signed_in, case)
    type_and_wait(first, "Purpose", "Words of the first tab.")
    type_and_wait(second, "Purpose", "Words of the second tab.")
    expect(second.get_by_role("button", name="Save your version")).to_be_visible()
    field(second, "Date").press("Enter")
    second.wait_for_load_state()
    expect(field(second, "Purpose")).to_have_value("Words of the second tab.")
    assert saved(case).draft_template.purpose == "Words of the first tab."


@pytest.mark.exhaustive
def test_a_button_pressed_at_once_does_not_collide_with_the_saving(
    signed_in: BrowserContext, registrant: User
) -> None:
    case = a_draft(by=registrant)
    page = opened(signed_in, case)
    page.route("**/autosave/", lambda route: (page.wait_for_timeout(600), route.continue_())[1])
    with page.expect_request(re.compile("/autosave/$")):
        field(page, "Purpose").fill("Names trees. Any garden may use it.")
    page.get_by_role("button", name="Save draft").last.click()
    expect(page.get_by_role("main")).to_contain_text("Draft saved.")
    assert saved(case).draft_template.purpose == "Names trees. Any garden may use it."


@pytest.mark.exhaustive
def test_without_a_network_the_text_stays_and_is_saved_later(
    signed_in: BrowserContext, registrant: User
) -> None:
    case = a_draft(by=registrant)
    page = opened(signed_in, case)
    signed_in.set_offline(True)
    field(page, "Purpose").fill("Written in a tunnel.")
    expect(page.get_by_role("alert")).to_contain_text("the registry can’t be reached")
    expect(field(page, "Purpose")).to_have_value("Written in a tunnel.")
    signed_in.set_offline(False)
    expect(page.locator("#stamp input")).to_have_value("1")
    expect(page.locator("#not-sent")).to_be_hidden()
    assert saved(case).draft_template.purpose == "Written in a tunnel."


@pytest.mark.exhaustive
@pytest.mark.parametrize(("status", "words"), [(500, "server error"), (403, "signed out"), (400, "too long")])
def test_a_text_that_the_server_refuses_is_reported_and_kept(
    signed_in: BrowserContext, registrant: User, status: int, words: str
) -> None:
    page = opened(signed_in, a_draft(by=registrant))
    page.route("**/autosave/", lambda route: route.fulfill(status=status, body="<p>No.</p>"))
    field(page, "Purpose").fill("Still here.")
    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(field(page, "Purpose")).to_have_value("Still here.")


@pytest.mark.exhaustive
def test_the_identifier_and_example_urns_are_checked_while_typing(
    signed_in: BrowserContext, registrant: User
) -> None:
    page = opened(signed_in, drafts.create_case(by=registrant, kind=Kind.FORMAL))
    field(page, "Namespace Identifier").press_sequentially("example-")
    identifier = page.locator("#namespace_identifier-remarks")
    expect(identifier).to_contain_text("must not end with a hyphen")
    field(page, "Namespace Identifier").press_sequentially("oaks")
    expect(identifier).to_contain_text("“example-oaks” is free")

    field(page, "Syntax").press_sequentially("As in urn:example-oaks:12:4711?=at=noon#bark.")
    parts = page.locator("#syntax-remarks .urn-parts")
    expect(parts.locator(".part-nid")).to_contain_text("example-oaks")
    for key, text, label in (
        ("nss", "12:4711", "name (NSS)"),
        ("q", "at=noon", "q-component"),
        ("f", "bark", "f-component"),
    ):
        expect(parts.locator(f".part-{key} .part-text")).to_have_text(text)
        expect(parts.locator(f".part-{key} .part-label")).to_have_text(label)
    colours = parts.locator(".part-text").evaluate_all("all => all.map(each => getComputedStyle(each).color)")
    assert len(set(colours)) == len(colours) == 5


@pytest.mark.exhaustive
def test_a_whole_template_is_pasted_and_what_has_no_place_is_shown(
    signed_in: BrowserContext, registrant: User
) -> None:
    text = (FIXTURES / "cases" / "example-museums.txt").read_text(encoding="utf-8")
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL)
    page = opened(signed_in, case)
    page.get_by_role("link", name="Paste a whole template").click()
    field(page, "Completed template, as plain text").fill(f"A note to the reader, above it all.\n\n{text}")
    page.get_by_role("button", name="Fill in the form").click()
    expect(page.get_by_role("region", name="Notes on the pasted text")).to_contain_text(
        "A note to the reader, above it all."
    )
    expect(field(page, "Namespace Identifier")).to_have_value("example-museums")
    expect(field(page, "Assignment")).to_have_value(re.compile("checking that the museum has"))
    assert saved(case).draft_template.purpose == ""
    page.get_by_role("button", name="Save and preview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The saved draft as plain text")
    expect(page.get_by_label("Text of the draft")).to_contain_text("Namespace Identifier: example-museums")
    assert "checking that the museum has" in saved(case).draft_template.assignment
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert "Namespace Identifier:  example-museums" in download.value.path().read_text()


@pytest.mark.exhaustive
def test_the_examples_of_the_form_wrap(signed_in: BrowserContext, registrant: User) -> None:
    page = opened(signed_in, a_draft(by=registrant))
    examples = page.locator(".guidance details")
    examples.evaluate_all("all => all.forEach(each => { each.open = true; })")
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        for wider in page.locator(".guidance pre").evaluate_all(
            "all => all.map(each => each.scrollWidth - each.clientWidth)"
        ):
            assert wider <= 0


@pytest.mark.exhaustive
def test_a_file_is_read_into_the_form_and_never_uploaded(
    signed_in: BrowserContext, registrant: User, tmp_path: Path
) -> None:
    case = a_draft(by=registrant)
    template, picture = tmp_path / "template.txt", tmp_path / "picture.png"
    template.write_text(format_template(a_template(purpose="Names oaks. Any garden may use it.")))
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    page = signed_in.new_page()
    page.goto(f"/cases/{case.pk}/paste/")
    chooser = page.get_by_label("Or choose a text file")
    chooser.set_input_files(picture)
    expect(page.get_by_role("status")).to_have_text("picture.png is not a text file in UTF-8.")
    chooser.set_input_files(template)
    expect(page.get_by_label("Completed template, as plain text")).to_have_value(re.compile("Names oaks"))
    with page.expect_request(re.compile("/paste/$")) as sent:
        page.get_by_role("button", name="Fill in the form").click()
    assert sent.value.headers["content-type"] == "application/x-www-form-urlencoded"
    expect(field(page, "Purpose")).to_have_value("Names oaks. Any garden may use it.")


@pytest.mark.exhaustive
@pytest.mark.parametrize("has_script", [True, False], ids=["with script", "without script"])
def test_replies_to_action_points_need_only_the_keyboard(
    address: str, chromium: Browser, sent_back: Case, registrant: User, has_script: bool
) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=has_script)
    sign_in(context, address, registrant)
    page = opened(context, sent_back)
    page.get_by_role("button", name="Review and submit").press("Enter")
    expect(page.get_by_role("main")).to_contain_text("Answer each action point before you submit")

    first, second = (page.locator(f"#point-{point.pk}") for point in ActionPoint.objects.all())
    first.get_by_label("Done", exact=True).press("Space")
    second.get_by_label("Done", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("It does, in its second sentence.")
    page.get_by_role("button", name="Review and submit").press("Enter")
    page.get_by_role("button", name="Submit for review").press("Enter")
    expect(page.get_by_role("main")).to_contain_text("Submitted.")
    expect(page.get_by_role("main")).to_contain_text("It does, in its second sentence.")
    assert saved(sent_back).state == State.IN_REVIEW
    assert replies_in(saved(sent_back)) == {}


@pytest.mark.exhaustive
def test_a_namespace_can_be_requested_without_javascript(
    address: str, chromium: Browser, registrant: User
) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    sign_in(context, address, registrant)
    page = opened(context, a_draft(by=registrant, purpose=""))
    page.get_by_role("button", name="Save and check").click()
    expect(page.get_by_role("region", name="Not ready to submit")).to_contain_text("Purpose is empty")
    field(page, "Purpose").fill("Names trees, as in urn:example-trees:12:4711. Any garden may use it.")
    page.get_by_role("button", name="Save and check").click()
    expect(page.locator("#purpose-remarks .part-nss .part-text")).to_have_text("12:4711")
    page.get_by_role("button", name="Review and submit").click()
    page.get_by_role("button", name="Submit for review").click()
    expect(page.get_by_role("main")).to_contain_text("Submitted.")


@pytest.mark.exhaustive
def test_on_a_telephone_nothing_is_wider_than_the_window(
    signed_in: BrowserContext, registrant: User, sent_back: Case
) -> None:
    long = "As in urn:example-trees:" + "a1" * 300 + "?=q" + "b" * 90
    case = a_draft(by=registrant, syntax=long)
    drafts_address = f"/cases/{case.pk}/"
    page = opened(signed_in, case)
    other = opened(signed_in, case)
    type_and_wait(other, "Purpose", "Names\n" + "x" * 400)
    type_and_wait(page, "Purpose", "y" * 400)
    expect(page.get_by_role("button", name="Save your version")).to_be_visible()
    for address in (
        "",
        f"{drafts_address}preview/",
        f"{drafts_address}paste/",
        f"/cases/{sent_back.pk}/edit/?check=1",
    ):
        if address:
            page.goto(address)
        for width in (1280, 768, 360, 320):
            page.set_viewport_size({"width": width, "height": 640})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, width)


@pytest.mark.exhaustive
def test_the_form_is_accessible(
    address: str,
    chromium: Browser,
    registrant: User,
    sent_back: Case,
) -> None:
    context = chromium.new_context(
        base_url=address, color_scheme="dark", viewport={"width": 360, "height": 800}, bypass_csp=True
    )
    sign_in(context, address, registrant)
    case = a_draft(
        by=registrant,
        date="tomorrow",
        syntax="As in urn:example-trees:1?+r?=q#f, and not urn:-x:y.",
        namespace_identifier="Ex_ample",
    )
    faults = []
    page = opened(context, sent_back)
    for path in ("edit/", "edit/?check=1", "submit/", ""):
        page.goto(f"/cases/{sent_back.pk}/{path}")
        faults += faults_of(page)
    for path in ("preview/", "paste/", "edit/?check=1", "edit/"):
        page.goto(f"/cases/{case.pk}/{path}")
        faults += faults_of(page)
    other = opened(context, case)
    for each in (other, page):
        unfold_sections(each)
    faults += faults_of(page)
    type_and_wait(other, "Purpose", "Words of another tab.")
    type_and_wait(page, "Purpose", "Words of this tab.")
    expect(page.get_by_role("button", name="Save your version")).to_be_visible()
    faults += faults_of(page)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    faults += faults_of(page)
    assert faults == []


@pytest.mark.exhaustive
def test_the_form_breaks_no_policy(signed_in: BrowserContext, registrant: User) -> None:
    page = signed_in.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"/cases/{a_draft(by=registrant).pk}/edit/")
    type_and_wait(page, "Purpose", "Names trees.")
    expect(page.locator("#stamp input")).to_have_value("1")
    assert complaints == []


@pytest.mark.exhaustive
def test_a_pasted_template_is_undone_in_the_history(signed_in: BrowserContext, registrant: User) -> None:
    case = a_draft(by=registrant)
    before = case.draft_template.purpose
    page = opened(signed_in, case)
    page.get_by_role("link", name="Paste a whole template").click()
    pasted = "Namespace Identifier: example-trees\nPurpose:\n  Names something else.\n"
    page.get_by_role("textbox").last.fill(pasted)
    page.locator("main form button").last.click()
    page.get_by_role("button", name="Save draft").last.click()
    expect(field(page, "Purpose")).to_have_value("Names something else.")
    page.get_by_role("link", name="History and undo").click()
    expect(page.get_by_text("replaced or removed text")).to_be_visible()
    page.get_by_role("link", name="Text 1").click()
    page.get_by_role("button", name="Restore this text").click()
    expect(field(page, "Purpose")).to_have_value(before)
    assert saved(case).draft_template.purpose == before


GRAMMAR = "\n".join(f"{line:<70};x" for line in ['name = country ":" number', "country = 2ALPHA"] * 20)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("has_field_sizing", [True, False])
def test_a_box_grows_with_its_text_and_does_not_wrap_a_grammar(
    signed_in: BrowserContext, registrant: User, has_field_sizing: bool
) -> None:
    case = a_draft(by=registrant, syntax=GRAMMAR)
    page = signed_in.new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    if not has_field_sizing:  # as in browsers that lack it
        page.add_init_script("CSS.supports = () => false")
        page.route("**/draft*.css", _without_field_sizing)
    page.goto(f"/cases/{case.pk}/edit/")
    box = field(page, "Syntax")
    assert _hidden_height(box) == 0
    lines = box.evaluate("box => box.clientHeight / parseFloat(getComputedStyle(box).lineHeight)")
    assert 40 <= lines < 43  # one for each line of the text, and the padding
    assert "monospace" in box.evaluate("box => getComputedStyle(box).fontFamily")
    box.press("Control+End")
    box.press_sequentially("\n\n\n\nEnd.")
    assert _hidden_height(box) == 0

    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def _without_field_sizing(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace("field-sizing: content", ""))


def _hidden_height(box: Locator) -> int:
    """The height in pixels that one would have to scroll to see all of the text."""
    hidden: int = box.evaluate("box => box.scrollHeight - box.clientHeight")
    return hidden
