"""The desks of administrators and of the liaison in a browser: cases ended there, by keyboard, without script.

One person records the decision of the liaison, and another registers the namespace: the separation of duties.
"""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import RoleName, User
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.namespaces.models import Namespace
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import a_body, a_case_in_review, a_person, an_approved_case

pytestmark = pytest.mark.browser


@pytest.fixture
def officer(address: str) -> User:
    """A person who is administrator and liaison, with tasks on every page."""
    officer = a_person(email="officer@example.org", roles=(RoleName.ADMINISTRATOR, RoleName.LIAISON))
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    author = a_person(email="registrant@example.org")
    an_approved_case(by=author, expert=expert)
    an_approved_case(by=author, expert=expert)
    case = a_case_in_review(by=author, namespace_identifier="example-elms", syntax="Opaque.")
    people.anticipate_standards_action(case, by=expert, anticipated=True, reason="Part of a standard.")
    functions.forward_report(case, by=expert, round_number=1, report="Sound.")
    a_case_in_review(by=author, body=a_body(), namespace_identifier="example-firs", syntax="Opaque.")
    return officer


@pytest.fixture
def administrator(address: str) -> User:
    """A person who did not decide in any of the cases."""
    return a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))


def assign_as_another(page: Page, address: str, nid: str, administrator: User) -> None:
    """Assign the case of a NID as `administrator`, after the liaison whose page it is finds it nowhere to assign."""
    page.goto("/desk/assignments/")
    requested = page.get_by_role("region", name=re.compile(nid))
    expect(page.get_by_role("link", name="Assign …").first).to_be_visible()
    expect(requested).to_have_count(0)
    page.context.clear_cookies()
    sign_in(page.context, address, administrator)
    page.goto("/desk/assignments/")
    requested.get_by_role("link", name="Assign …").click()
    expect(page.get_by_text(f"Registers {nid}, version 1, permanently.")).to_be_visible()
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Registered.")


@pytest.mark.exhaustive
def test_two_cases_are_ended_by_keyboard_alone(address: str, chromium: Browser, officer: User) -> None:
    page = chromium.new_page(base_url=address)
    sign_in(page.context, address, officer)
    page.goto("/desk/assignments/")
    page.get_by_role("link", name="Assign …").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Assign", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Registered.")
    page.goto("/desk/assignments/")
    assert Namespace.objects.filter(nid="example-trees").exists()
    # The other case that wanted it can no longer have it, and says so.
    taken = page.get_by_role("region", name=re.compile("example-trees"))
    expect(taken).to_contain_text("blocked")
    expect(taken.get_by_role("link", name="Assign …")).to_have_count(0)
    taken.get_by_text("Return to the registrant").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("The identifier has since been registered.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Returned.")


@pytest.mark.exhaustive
def test_a_standard_is_directed_and_then_assigned_from_the_desk(
    address: str, chromium: Browser, officer: User, administrator: User
) -> None:
    page = chromium.new_context(base_url=address, java_script_enabled=False).new_page()
    sign_in(page.context, address, officer)
    page.goto("/desk/liaison/")
    asked = page.get_by_role("region", name=re.compile("example-elms"))
    expect(asked).to_contain_text("Sound.")
    asked.get_by_text("Record the direction").first.click()
    asked.get_by_label("register the namespace").check()
    asked.get_by_role("button", name="Record the direction").click()
    # Without the reference it is not recorded, and what was chosen is still chosen.
    asked = page.get_by_role("region", name=re.compile("example-elms"))
    expect(asked.get_by_role("alert")).to_be_visible()
    expect(asked.get_by_label("Reference to the decision")).to_have_accessible_description(
        re.compile("reference")
    )
    expect(asked.get_by_label("register the namespace")).to_be_checked()
    asked.get_by_label("Reference to the decision").fill("Ballot 7")
    asked.get_by_role("button", name="Record the direction").click()
    expect(page.get_by_role("status")).to_contain_text("The direction is recorded.")
    assign_as_another(page, address, "example-elms", administrator)


@pytest.mark.exhaustive
def test_a_body_is_recognised_and_its_case_assigned_from_the_desk(
    address: str, chromium: Browser, officer: User, administrator: User
) -> None:
    page = chromium.new_page(base_url=address)
    sign_in(page.context, address, officer)
    page.goto("/desk/liaison/")
    asked = page.get_by_role("region", name=re.compile("example-firs"))
    asked.get_by_text(re.compile("^Recognise")).first.click()
    asked.get_by_label("Reference to the recognition").fill("Minutes, item 4")
    asked.get_by_role("button", name="Recognise the body").click()
    expect(page.get_by_role("status")).to_contain_text("The recognition is recorded.")
    case = Case.objects.get(requested_nid="example-firs")
    functions.request_completion(case, by=case.registrant)
    assign_as_another(page, address, "example-firs", administrator)


@pytest.mark.exhaustive
def test_an_empty_reference_is_shown_in_view(address: str, chromium: Browser, officer: User) -> None:
    registrant = a_person(email="many-cases@example.org")
    expert = a_person(email="reporter@example.org", roles=(RoleName.EXPERT,))
    for name in ("oaks", "pines", "elders", "birches"):
        case = a_case_in_review(by=registrant, namespace_identifier=f"example-{name}")
        people.anticipate_standards_action(case, by=expert, anticipated=True, reason="A standard.")
        functions.forward_report(case, by=expert, round_number=1, report="We support it. " * 200)
    page = chromium.new_page(base_url=address)
    sign_in(page.context, address, officer)
    page.goto("/desk/liaison/")
    last = page.get_by_role("region", name=re.compile("example-birches"))
    last.get_by_text("Record the direction").first.click()
    last.get_by_role("radio").first.check()
    last.get_by_role("button", name="Record the direction").click()
    error = last.get_by_role("alert").first
    expect(error).to_be_in_viewport()
