"""Signing in or out in another window, while a draft is being written: nothing is lost, and it saves itself again."""

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Browser, BrowserContext, Page, expect

from registry.accounts.models import User
from registry.cases.models import Case
from tests.journeys.test_draft_form import field, opened, saved, type_and_wait
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import PASSWORD, a_draft, a_person

pytestmark = pytest.mark.browser

PURPOSE = "Names trees. An hour’s work\nwent into these two lines."
SHORT = "8 words"  # too short to be shown again, but not to be kept


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def case(registrant: User) -> Case:
    return a_draft(by=registrant)


@pytest.fixture
def signed_in(
    request: pytest.FixtureRequest, address: str, chromium: Browser, registrant: User
) -> BrowserContext:
    context = chromium.new_context(base_url=address, java_script_enabled=request.param)
    sign_in(context, address, registrant)
    return context


with_script = pytest.mark.parametrize("signed_in", [True], indirect=True, ids=["with script"])
without_script = pytest.mark.parametrize("signed_in", [False], indirect=True, ids=["without script"])


def sign_in_anew(context: BrowserContext, email: str = "registrant@example.org") -> Page:
    """In another window; which gives the browser another token."""
    window = context.new_page()
    window.goto("/")
    sign_out = window.get_by_role("button", name="Sign out")
    if sign_out.count():
        sign_out.click()
    window.goto("/accounts/login/")
    return fill_in(window, email)


def fill_in(window: Page, email: str = "registrant@example.org") -> Page:
    window.get_by_label("E-mail address", exact=True).fill(email)
    window.get_by_label("Password", exact=True).fill(PASSWORD)
    window.get_by_role("button", name="Sign in", exact=True).click()
    expect(window.get_by_role("status")).to_contain_text("You are signed in")
    return window


def end_the_session() -> None:
    Session.objects.all().delete()


def save(page: Page) -> None:
    page.locator(".form-actions.sticky").get_by_role("button", name="Save draft").click()


@pytest.mark.exhaustive
@with_script
def test_autosave_resumes_after_a_new_sign_in(signed_in: BrowserContext, case: Case) -> None:
    page = opened(signed_in, case)
    sign_in_anew(signed_in)
    type_and_wait(page, "Purpose", PURPOSE)
    expect(page.locator("#stamp input")).to_have_value("1")
    expect(page.locator("#not-sent")).to_be_hidden()
    assert saved(case).draft_template.purpose == PURPOSE


@pytest.mark.exhaustive
@with_script
def test_the_button_saves_after_a_new_sign_in(signed_in: BrowserContext, case: Case) -> None:
    page = opened(signed_in, case)
    sign_in_anew(signed_in)
    field(page, "Purpose").fill(PURPOSE)
    save(page)
    expect(page.get_by_role("main")).to_contain_text("Draft saved.")
    assert saved(case).draft_template.purpose == PURPOSE


@pytest.mark.exhaustive
@with_script
def test_autosave_reports_an_ended_session_and_resumes_after_sign_in(
    signed_in: BrowserContext, case: Case
) -> None:
    page = opened(signed_in, case)
    end_the_session()
    field(page, "Purpose").fill(PURPOSE)
    expect(page.get_by_role("alert")).to_contain_text("Not saved: you are signed out")
    expect(field(page, "Purpose")).to_have_value(PURPOSE)
    with signed_in.expect_page() as opening:
        page.get_by_role("link", name="Sign in (opens a new window)").click()
    fill_in(opening.value).close()
    page.bring_to_front()
    page.evaluate("dispatchEvent(new Event('focus'))")  # without a screen no window ever comes to the front
    expect(page.locator("#stamp input")).to_have_value("1")
    expect(page.locator("#not-sent")).to_be_hidden()
    expect(field(page, "Purpose")).to_be_focused()
    assert saved(case).draft_template.purpose == PURPOSE


@pytest.mark.exhaustive
@with_script
def test_typing_on_is_enough_once_one_has_signed_in_again(signed_in: BrowserContext, case: Case) -> None:
    page = opened(signed_in, case)
    end_the_session()
    type_and_wait(page, "Purpose", PURPOSE)
    expect(page.locator("#not-sent")).to_be_visible()
    sign_in_anew(signed_in)
    field(page, "Purpose").press("End")
    page.keyboard.type(" And more.")
    expect(page.locator("#stamp input")).not_to_have_value("0")
    expect(page.locator("#not-sent")).to_be_hidden()
    assert saved(case).draft_template.purpose.endswith("lines. And more.")


@pytest.mark.exhaustive
@with_script
def test_autosave_reports_another_account_and_saves_nothing(signed_in: BrowserContext, case: Case) -> None:
    a_person(email="somebody-else@example.org")
    page = opened(signed_in, case)
    sign_in_anew(signed_in, "somebody-else@example.org")
    type_and_wait(page, "Purpose", PURPOSE)
    expect(page.get_by_role("alert")).to_contain_text("you are signed in with another account")
    expect(field(page, "Purpose")).to_have_value(PURPOSE)
    assert saved(case).draft_stamp == case.draft_stamp
    sign_in_anew(signed_in)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("#not-sent")).to_be_hidden()
    assert saved(case).draft_template.purpose == PURPOSE


@pytest.mark.exhaustive
@without_script
def test_saving_after_the_session_ended_leads_through_sign_in_and_back(
    signed_in: BrowserContext, case: Case
) -> None:
    page = opened(signed_in, case)
    end_the_session()
    field(page, "Purpose").fill(PURPOSE)
    field(page, "Resolution").fill(SHORT)
    page.on("dialog", lambda dialog: dialog.accept())
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    expect(page.get_by_label("Purpose")).to_have_value(PURPOSE)
    with signed_in.expect_page() as opening:
        page.get_by_role("link", name="Sign in (opens a new window)").click()
    fill_in(opening.value)
    again = page.get_by_role("button", name="Send again")
    again.click()
    page.wait_for_load_state()
    if again.count():  # without script the token is still the old one, and one presses twice
        again.click()
    expect(page.get_by_role("main")).to_contain_text("Draft saved.")
    expect(field(page, "Purpose")).to_have_value(PURPOSE)
    template = saved(case).draft_template
    assert (template.purpose, template.resolution) == (PURPOSE, SHORT)


@pytest.mark.exhaustive
@with_script
def test_the_button_with_a_token_that_has_changed_loses_nothing(
    signed_in: BrowserContext, case: Case
) -> None:
    page = opened(signed_in, case)
    sign_in_anew(signed_in)
    field(page, "Purpose").fill(PURPOSE)
    field(page, "Resolution").fill(SHORT)
    save(page)
    page.wait_for_load_state()
    again = page.get_by_role("button", name="Send again")
    if again.count():
        again.click()
    expect(page.get_by_role("main")).to_contain_text("Draft saved.")
    template = saved(case).draft_template
    assert (template.purpose, template.resolution) == (PURPOSE, SHORT)


@pytest.mark.exhaustive
@without_script
def test_what_was_sent_again_overwrites_nothing_unseen(signed_in: BrowserContext, case: Case) -> None:
    """In the window in which one has signed in, one may go on writing."""
    page = opened(signed_in, case)
    end_the_session()
    field(page, "Purpose").fill(PURPOSE)
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    other = sign_in_anew(signed_in)
    other.goto(f"/cases/{case.pk}/edit/")
    field(other, "Purpose").fill("Words of the other window.")
    save(other)
    expect(other.get_by_role("main")).to_contain_text("Draft saved.")
    again = page.get_by_role("button", name="Send again")
    again.click()
    page.wait_for_load_state()
    if again.count():
        again.click()
    expect(page.get_by_role("heading", name=re.compile("^This draft was changed"))).to_be_visible()
    expect(field(page, "Purpose")).to_have_value(PURPOSE)
    assert saved(case).draft_template.purpose == "Words of the other window."
