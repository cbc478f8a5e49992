"""The pages of cases in a browser: a talk by keyboard, on paper, on a telephone, in the dark, without script."""

import pytest
from playwright.sync_api import Browser, expect

from registry.accounts.models import RoleName, User
from registry.cases import comments
from registry.cases.models import Case, Comment
from registry.cases.workflow import functions
from tests.cases.transitions.rounds import next_round
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import a_body, a_case_in_review, a_draft, a_namespace, a_person

pytestmark = pytest.mark.browser


@pytest.fixture
def expert(address: str) -> User:
    return a_person(email="expert@example.org", roles=tuple(RoleName))


@pytest.fixture
def registrant(expert: User) -> User:
    """A person with a case in most states, and a draft."""
    person = a_person(email="registrant@example.org")
    decider = a_person(email="decider@example.org", roles=tuple(RoleName))
    a_draft(by=person, namespace_identifier="example-mosses", purpose="")
    declined = a_case_in_review(by=person, namespace_identifier="a-rather-long-namespace-identifi")
    declined = functions.decline(declined, by=decider, round_number=1, reason="Not " + "w" * 200)
    functions.appeal(declined, by=person, reason="Needed.")
    a_case_in_review(by=person, namespace_identifier="example-birds", body=a_body())
    assigner = a_person(email="assigner@example.org", roles=(RoleName.ADMINISTRATOR,))
    a_namespace(by=person, expert=decider, administrator=assigner, namespace_identifier="example-ferns")
    return person


@pytest.fixture
def case(registrant: User, expert: User) -> Case:
    """Two rounds, an action point, and a thread that is deep for a telephone."""
    case = a_case_in_review(by=registrant)
    said = comments.comment(case, by=expert, round_number=1, section="purpose", text="And elms?")
    for number in range(5):
        said = comments.comment(
            case, by=registrant, round_number=1, text=f"Elm {number}, " + "m" * 90, reply_to=said.pk
        )
    points = [("syntax", "Say how long a name may be.")]
    functions.request_changes(case, by=expert, round_number=1, rationale="Close.", action_points=points)
    return next_round(case, syntax="Twelve digits at most, without r-, q- and f-components.")


@pytest.mark.exhaustive
def test_a_thread_is_written_by_keyboard_alone(
    address: str, chromium: Browser, case: Case, expert: User
) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    sign_in(page.context, address, expert)
    page.goto(case.get_absolute_url())
    page.get_by_role("link", name="Comment on Syntax").press("Enter")
    part = page.locator("#round-2-syntax")
    expect(part.get_by_role("textbox", name="Comment")).to_be_focused()
    expect(part.get_by_text("Twelve digits at most")).to_be_in_viewport()
    page.keyboard.type("Why twelve?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your comment is published")
    asked = page.get_by_role("article", name="on round 2, section Syntax")
    expect(asked).to_contain_text("Why twelve?")
    asked.get_by_role("link", name="Reply to Expert").press("Enter")
    expect(page.get_by_role("textbox", name="Reply")).to_be_focused()
    page.keyboard.type("Because of the counters.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    answer = page.get_by_role("article", name="Expert replied to Expert on round 2, section Syntax")
    expect(answer).to_contain_text("Because of the counters.")
    assert page.url.endswith(f"#{answer.get_attribute('id')}")


@pytest.mark.exhaustive
def test_a_section_of_a_round_is_copied(address: str, chromium: Browser, case: Case) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    page = chromium.new_context(base_url=address, permissions=permissions).new_page()
    page.goto(case.get_absolute_url())
    page.get_by_role("button", name="Copy Syntax in round 2").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "Twelve digits at most, without r-, q- and f-components."


@pytest.mark.exhaustive
def test_a_comment_in_a_folded_round_is_found_by_its_address(
    address: str, chromium: Browser, case: Case
) -> None:
    page = chromium.new_page(base_url=address)
    page.goto(case.get_absolute_url())
    folded = page.get_by_text("And elms?")
    expect(folded).not_to_be_visible()
    first = Comment.objects.order_by("pk")[0]
    page.goto(f"/cases/#{first.pk}")
    page.goto(first.get_absolute_url())
    expect(folded).to_be_visible()
    expect(folded).to_be_in_viewport()


@pytest.mark.exhaustive
def test_watching_begins_and_ends_without_script(address: str, chromium: Browser, case: Case) -> None:
    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    sign_in(page.context, address, a_person(email="participant@example.org"))
    page.goto(case.get_absolute_url())
    page.get_by_role("button", name="Subscribe").press("Enter")
    expect(page.get_by_text("subscribers: ")).to_contain_text("Participant")
    page.goto(f"{case.get_absolute_url()}unsubscribe/")
    page.get_by_role("button", name="Unsubscribe").press("Enter")
    expect(page.get_by_text("subscribers: ")).not_to_contain_text("Participant")


@pytest.mark.exhaustive
def test_on_paper_nothing_is_missing_and_nothing_is_there_to_be_pressed(
    address: str, chromium: Browser, case: Case, registrant: User
) -> None:
    page = chromium.new_page(base_url=address)
    sign_in(page.context, address, registrant)
    page.goto(case.get_absolute_url())
    page.emulate_media(media="print")
    for words in (
        "Draft done",
        "Expert review now",
        "Assignment next",
        "With the designated experts",
        "Round 2, the latest",
        "Twelve digits at most",
        "And elms?",
        "Elm 4,",
        "Say how long a name may be.",
        "Close.",
        "2 subscribers",
        "Requested changes",
        f"/cases/{case.pk}/",
    ):
        expect(page.get_by_text(words).first).to_be_visible()
    expect(page.locator('[aria-current="step"]')).to_be_visible()
    main = page.get_by_role("main")
    for role in ("button", "textbox", "combobox"):
        assert main.get_by_role(role).count() == 0  # hidden
    for name in ("Reply", "Comment on", "Edit the template", "Withdraw"):
        assert main.get_by_role("link", name=name).count() == 0
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF-")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.exhaustive
def test_the_progress_and_the_current_step_are_given_as_text(
    address: str, chromium: Browser, case: Case
) -> None:
    page = chromium.new_page(base_url=address)
    page.goto(case.get_absolute_url())
    line = page.get_by_role("list", name="Progress of the case")
    expect(line.get_by_role("listitem")).to_have_text(
        ["Draft done", "Expert review now", "Assignment next", "Registered next"]
    )
    expect(line.locator('[aria-current="step"]')).to_have_text("Expert review now")
