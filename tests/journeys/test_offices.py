"""The desks of administrators and of the liaison in a browser: cases ended there, for everybody, on a telephone."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import RoleName, User
from registry.mail import outbox
from registry.mail.models import Message
from registry.namespaces.models import Kind, Namespace
from registry.publication.importing import import_versions
from registry.record.models import Event
from registry.registrations import actions, acts
from registry.registrations.models import Registration
from tests.factories import a_body, a_case_in_review, a_person, an_approved_case
from tests.journeys.test_public_pages import faults_of, sign_in
from tests.publication.samples import a_record, a_version, an_xml

pytestmark = pytest.mark.browser


@pytest.fixture
def officer(address: str) -> User:
    """Somebody who is administrator and liaison, and for whom something waits everywhere."""
    officer = a_person(email="officer@example.org", roles=(RoleName.ADMINISTRATOR, RoleName.LIAISON))
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    author = a_person(email="registrant@example.org")
    an_approved_case(by=author, expert=expert)
    an_approved_case(by=author, expert=expert)
    an_approved_case(by=author, expert=expert, kind=Kind.INFORMAL)
    taken = {"namespace_identifier": "example-a-rather-long-identifier", "syntax": "Opaque."}
    actions.assign(an_approved_case(by=author, expert=expert, **taken), by=officer)
    case = a_case_in_review(by=author, namespace_identifier="example-elms", syntax="Opaque.")
    acts.anticipate_standards_action(case, by=expert, anticipated=True, reason="Part of a standard.")
    actions.forward_report(case, by=expert, round_number=1, report="Sound. " * 60 + "x" * 90)
    a_case_in_review(by=author, body=a_body(), namespace_identifier="example-firs", syntax="Opaque.")
    Message.objects.filter(name="submit").update(
        last_error="The mail server answered 451 " + "x" * 80, attempts=1
    )
    outbox.post_words("password_reset_key", to="somebody@example.org", subject="Reset", body="A link")
    import_versions(
        [a_version(an_xml(updated="2020-01-01", formal=a_record("example-a") + a_record("example-b")))]
    )
    import_versions([a_version(an_xml(updated="2021-01-01", formal=a_record("example-a", rfc="rfc9000")))])
    return officer


def pages() -> list[str]:
    brought = Event.objects.filter(verb="import_iana").latest("number").number
    number, mail = (
        Event.objects.filter(verb="submit").latest("number").number,
        Message.objects.latest("pk").pk,
    )
    case = Registration.objects.get(requested_nid="example-elms")
    return [
        "/desk/assignments/",
        "/desk/liaison/",
        "/desk/bodies/",
        f"/desk/bodies/{Registration.objects.get(requested_nid='example-firs').body_id}/",
        "/desk/outbox/",
        "/desk/outbox/?show=sent",
        f"/desk/outbox/{mail}/",
        "/desk/imports/",
        f"/desk/imports/{brought}/",
        "/desk/imports/vanished/",
        "/desk/corrections/",
        f"/desk/corrections/?of={case.pk}",
        "/desk/corrections/?of=nothing",
        f"/desk/corrections/{number}/",
    ]


def unfold(page: Page) -> None:
    for folded in page.locator("details.decision").all():
        folded.locator("summary").click()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_everybody_can_use_every_page_of_the_offices(
    address: str, chromium: Browser, officer: User, scheme: Literal["light", "dark"], width: int
) -> None:
    page = chromium.new_page(
        color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True, base_url=address
    )
    sign_in(page, address, officer)
    faults = []
    for path in pages():
        page.goto(path)
        unfold(page)
        faults += faults_of(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    assert faults == []


def test_the_offices_and_the_tables_break_no_policy(address: str, chromium: Browser, officer: User) -> None:
    page = chromium.new_page(base_url=address)
    complaints: list[str] = []
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    sign_in(page, address, officer)
    case = Registration.objects.get(requested_nid="example-elms")
    tables = [
        "/admin/",
        "/admin/registrations/registration/",
        "/admin/record/event/",
        "/admin/accounts/user/",
    ]
    for path in [*pages(), *tables, f"/admin/registrations/registration/{case.pk}/change/"]:
        page.goto(path)
        expect(page.locator("h1").last).to_be_visible()
    assert complaints == []
    assert {url for url in requests if not url.startswith(address)} == set()


def test_two_cases_are_ended_by_keyboard_alone(address: str, chromium: Browser, officer: User) -> None:
    page = chromium.new_page(base_url=address)
    sign_in(page, address, officer)
    page.goto("/desk/assignments/")
    page.get_by_role("button", name="Assign").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("example-trees: Registered.")
    assert Namespace.objects.filter(nid="example-trees").exists()
    # The other case that wanted it can't have it any more, and says so.
    taken = page.get_by_role("region", name=re.compile("example-trees"))
    expect(taken).to_contain_text("in the way")
    expect(taken.get_by_role("button", name="Assign")).to_have_count(0)
    taken.get_by_text("Return it to the registrant").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("The identifier was registered meanwhile.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Returned.")


def test_a_standard_is_directed_and_then_assigned_from_the_desk(
    address: str, chromium: Browser, officer: User
) -> None:
    page = chromium.new_context(base_url=address, java_script_enabled=False).new_page()
    sign_in(page, address, officer)
    page.goto("/desk/liaison/")
    asked = page.get_by_role("region", name=re.compile("example-elms"))
    expect(asked).to_contain_text("Sound.")
    asked.get_by_text("Record the direction").first.click()
    asked.get_by_label("that the namespace is to be registered").check()
    asked.get_by_role("button", name="Record the direction").click()
    # Without the reference it is not recorded, and what was chosen is still chosen.
    asked = page.get_by_role("region", name=re.compile("example-elms"))
    expect(asked.get_by_role("alert")).to_contain_text("reference")
    expect(asked.get_by_label("that the namespace is to be registered")).to_be_checked()
    asked.get_by_label("Reference to the decision").fill("Ballot 7")
    asked.get_by_role("button", name="Record the direction").click()
    expect(page.get_by_role("status")).to_contain_text("The direction is recorded.")
    page.goto("/desk/assignments/")
    page.get_by_role("region", name=re.compile("example-elms")).get_by_role("button", name="Assign").click()
    expect(page.get_by_role("status")).to_contain_text("example-elms: Registered.")


def test_a_body_is_recognised_and_its_case_assigned_from_the_desk(
    address: str, chromium: Browser, officer: User
) -> None:
    page = chromium.new_page(base_url=address)
    sign_in(page, address, officer)
    page.goto("/desk/liaison/")
    asked = page.get_by_role("region", name=re.compile("example-firs"))
    asked.get_by_text("Recognised", exact=False).first.click()
    asked.get_by_label("Reference to the recognition").fill("Minutes, item 4")
    asked.get_by_role("button", name="Record the recognition").click()
    expect(page.get_by_role("status")).to_contain_text("The recognition is recorded.")
    case = Registration.objects.get(requested_nid="example-firs")
    actions.request_completion(case, by=case.registrant)
    page.goto("/desk/assignments/")
    page.get_by_role("region", name=re.compile("example-firs")).get_by_role("button", name="Assign").click()
    expect(page.get_by_role("status")).to_contain_text("example-firs: Registered.")
