"""The experts' desk in a browser: a case from the queue to its approval, by keyboard, without script."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import RoleName, User
from registry.cases.models import Case, State
from registry.review_desk.models import CaseAssignment, ChecklistMark
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import a_case_in_review, a_person

pytestmark = pytest.mark.browser


@pytest.fixture
def expert(address: str) -> User:
    return a_person(email="expert@example.org", roles=(RoleName.EXPERT,))


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


@pytest.mark.exhaustive
def test_a_case_goes_from_the_queue_to_its_approval(
    address: str, chromium: Browser, expert: User, registrant: User
) -> None:
    a_case_in_review(by=registrant, namespace_identifier="example-tree")
    case = a_case_in_review(by=registrant)
    page = chromium.new_context(base_url=address).new_page()
    sign_in(page.context, address, expert)
    page.goto("/")
    review_and_ask(page, case)
    change_and_submit(chromium.new_context(base_url=address).new_page(), address, registrant, case)
    approve(page, case)
    case.refresh_from_db()
    assert case.state == State.APPROVED


def review_and_ask(page: Page, case: Case) -> None:
    """Queue, take, comment, set aside, checklist, request changes."""
    page.get_by_role("navigation", name="Account").get_by_role("link", name="Desk").click()
    first = page.get_by_role("region", name="Awaiting first review")
    first.get_by_role("button", name=f"Assign to me (case {case.pk}").click()
    expect(page.get_by_role("status")).to_contain_text("This case is assigned to you")
    expect(page.get_by_role("region", name="Mine")).to_contain_text("Assigned to you since")
    page.get_by_role("region", name="Mine").get_by_role("link", name=f"Case {case.pk}:").click()

    syntax = page.get_by_role("region", name="Syntax")
    syntax.locator("summary", has_text="Comment").click()
    syntax.get_by_role("textbox", name="Comment on Syntax").fill("May a number begin with a zero?")
    syntax.get_by_role("button", name="Comment on Syntax").click()
    expect(page.get_by_role("region", name="Syntax")).to_contain_text("May a number begin with a zero?")

    nid = page.get_by_role("region", name="Namespace Identifier")
    nid.locator("summary", has_text="Dismiss").first.click()
    nid.get_by_role("textbox", name="Reason for dismissing the finding").fill(
        "The other one is withdrawn soon."
    )
    nid.get_by_role("button", name="Dismiss this finding").click()
    expect(page.get_by_role("region", name="Namespace Identifier")).to_contain_text("withdrawn soon")

    syntax = page.get_by_role("region", name="Syntax")
    syntax.get_by_role("checkbox", name=re.compile("Is the structure described")).check()
    note = syntax.get_by_role("textbox", name=re.compile("rules for equivalence"))
    note.fill("Say how two names are compared.")
    expect(page.get_by_role("navigation", name="Sections of this page")).to_contain_text("Syntax 1/6")
    expect(page.get_by_text("Ticks and notes saved at")).to_be_visible()

    page.get_by_role("link", name="Request changes").click()
    page.get_by_role("textbox", name="General remarks").fill("Nearly there.")
    expect(page.get_by_text(re.compile("^Saved at"))).to_be_visible()
    page.get_by_role("button", name="Back to the review").click()
    page.get_by_role("link", name="Request changes").click()
    expect(page.get_by_role("textbox", name="General remarks")).to_have_value("Nearly there.")
    expect(page.get_by_role("textbox", name="Requested change").first).to_have_value(
        "Say how two names are compared."
    )
    page.get_by_role("button", name="Request changes").click()
    expect(page.get_by_role("status").first).to_contain_text("Changes requested")


def change_and_submit(page: Page, address: str, registrant: User, case: Case) -> None:
    """What the registrant does at the same time."""
    sign_in(page.context, address, registrant)
    page.goto(f"{case.get_absolute_url()}edit/")
    syntax = page.get_by_role("textbox", name="Syntax")
    syntax.fill(syntax.input_value() + " Names are compared digit by digit.")
    page.get_by_role("radio", name=re.compile("^done", re.IGNORECASE)).first.check()
    page.get_by_role("button", name="Save draft").click()
    page.goto(f"{case.get_absolute_url()}submit/")
    page.get_by_role("button", name="Submit for review").click()
    expect(page.get_by_role("status")).to_contain_text("Submitted")


def approve(page: Page, case: Case) -> None:
    """The second round: what was asked is done, and the difference shows it."""
    page.get_by_role("navigation", name="Account").get_by_role("link", name="Desk").click()
    again = page.get_by_role("region", name="Mine")
    expect(again).to_contain_text("Also: Resubmitted")
    again.get_by_role("link", name=f"Case {case.pk}:").click()
    syntax = page.get_by_role("region", name="Syntax")
    expect(syntax).to_contain_text("Changed since round 1")
    expect(syntax).to_contain_text("Say how two names are compared.")
    expect(page.get_by_role("region", name="Namespace Identifier")).to_contain_text(
        "in round 1; the section is unchanged"
    )
    page.get_by_role("link", name="Approve").click()
    page.get_by_role("textbox", name="Rationale").fill("Trees need names, and these last.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status").first).to_contain_text("Approved")


@pytest.mark.exhaustive
def test_a_case_is_taken_and_looked_at_by_keyboard_alone_without_script(
    address: str, chromium: Browser, expert: User, registrant: User
) -> None:
    case = a_case_in_review(by=registrant)
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    sign_in(page.context, address, expert)
    page.goto("/desk/queue/first/")
    page.get_by_role("link", name=f"Case {case.pk}:").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name=f"Assign to me (case {case.pk}")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("This case is assigned to you")
    assert CaseAssignment.objects.current().get().person == expert


@pytest.mark.exhaustive
def test_notes_survive_navigation_a_lost_session_and_another_window(
    address: str, chromium: Browser, expert: User, registrant: User
) -> None:
    case = a_case_in_review(by=registrant)
    context = chromium.new_context(base_url=address)
    page, other = context.new_page(), context.new_page()
    sign_in(page.context, address, expert)
    for each in (page, other):
        each.goto(f"/desk/cases/{case.pk}/")
    note = re.compile("^Note on: Is it clear which kinds")
    page.get_by_role("textbox", name=note).fill("Trees only?")
    expect(page.get_by_text("Ticks and notes saved at")).to_be_visible()

    other.get_by_role("textbox", name=note).fill("Which trees?")
    conflict = other.get_by_role("region", name="You changed your ticks and notes in another window")
    expect(conflict).to_contain_text("Trees only?")
    conflict.get_by_role("button", name="Save what is here").click()
    expect(other.get_by_role("textbox", name=note)).to_have_value("Which trees?")
    page.reload()
    expect(page.get_by_role("textbox", name=note)).to_have_value("Which trees?")

    kept = context.cookies()
    context.clear_cookies()
    page.get_by_role("textbox", name=note).fill("Which trees, and where?")
    expect(page.get_by_text("you are signed out")).to_be_visible()
    context.add_cookies([{**each} for each in kept])  # type: ignore[typeddict-item]
    page.get_by_role("checkbox", name=re.compile("^Is it clear which kinds")).check()
    expect(page.get_by_text("Ticks and notes saved at")).to_be_visible()
    assert ChecklistMark.objects.get().note == "Which trees, and where?"


@pytest.mark.exhaustive
def test_an_expert_answers_by_keyboard_and_lands_on_the_next_case(
    address: str, chromium: Browser, expert: User, registrant: User
) -> None:
    first = a_case_in_review(by=registrant)
    following = a_case_in_review(by=registrant, namespace_identifier="example-birds")
    page = chromium.new_context(base_url=address).new_page()
    sign_in(page.context, address, expert)
    page.goto(first.get_absolute_url())
    page.get_by_role("link", name="Review this case").click()
    shortcuts = page.get_by_role("dialog", name="Keyboard shortcuts")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    shortcuts.get_by_role("button", name="Close").click()
    expect(shortcuts).to_have_count(0)
    page.keyboard.press("?")
    expect(shortcuts).to_contain_text("next case")
    page.keyboard.press("Escape")
    expect(shortcuts).to_have_count(0)
    for section in ("Namespace Identifier", "Version"):
        page.keyboard.press("j")
        expect(page.get_by_role("region", name=section, exact=True)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("c")
    expect(page.get_by_role("textbox", name="Comment on Namespace Identifier")).to_be_focused()
    page.keyboard.type("jk?")
    expect(page.get_by_role("textbox", name="Comment on Namespace Identifier")).to_have_value("jk?")
    page.get_by_role("link", name="Go to the decision").focus()
    page.keyboard.press("a")
    expect(page.get_by_role("link", name="Request changes")).to_be_focused()
    page.keyboard.press("Tab")
    page.on("dialog", lambda dialog: dialog.accept())
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Rationale").fill("Trees need names, and these last.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status").first).to_contain_text(f"Next, this is case {following.pk}.")
    assert page.url == f"{address}/desk/cases/{following.pk}/"


@pytest.mark.exhaustive
def test_the_decision_is_reached_with_few_tabs(
    address: str, chromium: Browser, expert: User, registrant: User
) -> None:
    case = a_case_in_review(by=registrant)
    page = chromium.new_context(base_url=address).new_page()
    sign_in(page.context, address, expert)
    page.goto(f"/desk/cases/{case.pk}/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skip to the main content
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Go to the decision")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Approve")).to_be_focused()


@pytest.mark.exhaustive
@pytest.mark.usefixtures("real_counts")
def test_the_inbox_is_read_by_keyboard_and_a_claim_leads_back_to_its_row(
    address: str, chromium: Browser, expert: User, registrant: User
) -> None:
    trees = a_case_in_review(by=registrant)
    birds = a_case_in_review(by=registrant, namespace_identifier="example-birds")
    page = chromium.new_context(base_url=address).new_page()
    sign_in(page.context, address, expert)
    page.goto("/")
    page.get_by_role("link", name=re.compile("^Inbox.*2 waiting$")).click()
    expect(page.locator("summary", has_text="Keyboard shortcuts")).to_be_visible()  # the script has run
    rows = [page.get_by_role("link", name=f"Case {case.pk}:") for case in (trees, birds)]
    for key, row in (("j", rows[0]), ("j", rows[1]), ("j", rows[1]), ("k", rows[0])):
        page.keyboard.press(key)
        expect(row).to_be_focused()
    page.locator("summary", has_text="Keyboard shortcuts").click()
    page.get_by_role("checkbox", name="Shortcuts are on").uncheck()
    page.keyboard.press("j")
    expect(page.get_by_role("checkbox", name="Shortcuts are on")).to_be_focused()
    page.get_by_role("button", name=f"Assign to me (Case {birds.pk}").click()
    expect(page.locator(f"#review-{birds.pk}")).to_contain_text("Assigned to you")
    assert page.url == f"{address}/inbox/#review-{birds.pk}"
    expect(page.get_by_role("status")).to_contain_text("This case is assigned to you")
