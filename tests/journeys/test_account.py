"""The account page in a browser: a name is changed, the sessions of another device end, the account is closed."""

import re

import pytest
from allauth.usersessions.models import UserSession
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import User
from registry.cases.audiences import subscribe, subscribers_of
from registry.mail.preferences import key_for
from tests.journeys.test_public_pages import open_menu, sign_in_by_form
from tests.support.factories import PASSWORD, a_case_in_review, a_person

pytestmark = pytest.mark.browser
WIDTH = 360  # of a phone


@pytest.fixture
def person(address: str) -> User:
    return a_person(email="participant@example.org", name="Participant Example")


def signed_in_at(width: int, chromium: Browser, address: str, person: User) -> Page:
    page = chromium.new_page(base_url=address, viewport={"width": width, "height": 800})
    sign_in_by_form(page, address, person)
    open_menu(page)
    page.get_by_role("link", name="Account", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Account")
    return page


@pytest.mark.exhaustive
def test_a_person_sets_ends_and_closes_on_a_phone(address: str, chromium: Browser, person: User) -> None:
    other = signed_in_at(1280, chromium, address, person)
    page = signed_in_at(WIDTH, chromium, address, person)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    page.get_by_role("link", name="Change the name").click()
    page.get_by_role("textbox", name="Name").fill("Rowan Example")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("region", name="Name", exact=True)).to_contain_text("Rowan Example")

    page.get_by_role("link", name="Manage sessions").click()
    expect(page.get_by_role("row", name=re.compile("Chrome"))).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    page.get_by_role("button", name="End all other sessions").click()
    expect(page.get_by_role("row", name=re.compile("Chrome"))).to_have_count(1)
    other.reload()
    expect(other.get_by_role("heading", level=1)).to_have_text("Sign in")

    open_menu(page)
    page.get_by_role("navigation", name="Account").get_by_role("link", name="Account").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download (JSON)").click()
    assert download.value.suggested_filename == "account-data.json"

    page.get_by_role("link", name="Close the account").click()
    page.get_by_label(re.compile("Close my account")).check()
    page.get_by_role("button", name="Close account").click()
    expect(page.get_by_role("main")).to_contain_text("Your account is closed.")
    open_menu(page)
    expect(page.get_by_role("navigation", name="Account")).to_contain_text("Sign in")


@pytest.mark.exhaustive
def test_one_session_is_ended(address: str, chromium: Browser, person: User) -> None:
    page, lost, kept = (signed_in_at(1280, chromium, address, person) for _ in range(3))
    page.get_by_role("link", name="Manage sessions").click()
    sessions = page.get_by_role("row", name=re.compile("Chrome"))
    expect(sessions).to_have_count(3)
    key = UserSession.objects.order_by("created_at")[1].pk
    page.locator(f'button[name="session"][value="{key}"]').click()
    expect(sessions).to_have_count(2)
    lost.reload()
    expect(lost.get_by_role("heading", level=1)).to_have_text("Sign in")
    kept.reload()
    expect(kept.get_by_role("heading", level=1)).to_have_text("Account")


@pytest.mark.exhaustive
def test_a_newcomer_confirms_the_address_in_the_mailbox(address: str, chromium: Browser) -> None:
    page = chromium.new_page(base_url=address, viewport={"width": WIDTH, "height": 800})
    page.goto("/accounts/signup/")
    page.get_by_label("E-mail address").fill("newcomer@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="open the mailbox").click()
    link = page.get_by_role("article").first.get_by_role("link", name=re.compile("confirm-email"))
    expect(link).to_be_visible()  # the mailbox has replaced the page before it
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    page.goto(re.sub("^https?://[^/]+", address, link.get_attribute("href") or ""))
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("main")).to_contain_text("You are signed in")


def test_the_link_of_a_mail_unsubscribes_without_signing_in(
    address: str, chromium: Browser, person: User
) -> None:
    case = a_case_in_review(by=a_person(email="registrant@example.org"))
    subscribe(case, by=person)
    page = chromium.new_page(base_url=address, viewport={"width": WIDTH, "height": 800})
    page.goto(f"/cases/unsubscribe/{key_for(f'case-{case.pk}', person)}/")
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    page.get_by_role("button", name="Unsubscribe").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are unsubscribed")
    assert person not in subscribers_of(case)
