"""A text that a person types is kept by the browser until its form is accepted, and the outcome stands where the person is."""

import json
import re

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, expect

from registry.accounts.models import RoleName, User
from registry.cases.models import Case, Comment
from tests.journeys.conftest import PATIENCE
from tests.journeys.test_expired_session import end_the_session
from tests.journeys.test_public_pages import sign_in, sign_in_by_form
from tests.journeys.test_refused_forms import Submission, submissions, visited  # noqa: F401 – fixtures
from tests.support.factories import a_case_in_review, a_person

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demonstration")]
TEXT = "Which trees? An hour’s work\nwent into these two lines."
KEPT = "() => Object.entries(localStorage).filter(([key]) => key.startsWith('kept-text:'))"
# Sends the form with this button, and leaves its message, at a part that is not on the page, for the next page.
SEND_ASIDE = """async label => {
    const named = each => each.textContent.trim() === label || each.ariaLabel === label;
    const { form } = [...document.querySelectorAll("main form button")].find(named);
    form.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    const body = new FormData(form);
    body.append("at", "gone");
    await fetch(form.action, { method: "POST", body, redirect: "manual" });
}"""
UNFOLD = "() => document.querySelectorAll('details').forEach(each => each.open = true)"


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def expert(address: str) -> User:
    return a_person(email="expert@example.org", roles=(RoleName.EXPERT,))


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


@pytest.fixture
def page(address: str, chromium: Browser, expert: User) -> Page:
    context = chromium.new_context(base_url=address, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    sign_in(page.context, address, expert)
    return page


def comment_on_syntax(page: Page, case: Case) -> Locator:
    page.goto(f"/desk/cases/{case.pk}/")
    page.evaluate(UNFOLD)
    return page.get_by_role("textbox", name="Comment on Syntax")


def send(page: Page) -> None:
    page.get_by_role("button", name="Comment on Syntax").click()


def expect_kept(page: Page, *texts: str) -> None:
    """The browser keeps these texts, after a pause in the typing."""
    page.wait_for_function(f"number => ({KEPT})().length === number", arg=len(texts), timeout=PATIENCE)
    assert [json.loads(entry)["text"] for _, entry in page.evaluate(KEPT)] == [*texts]


@pytest.mark.browser
def test_a_comment_is_kept_until_it_is_accepted_and_the_outcome_stands_at_it(page: Page, case: Case) -> None:
    asked = list[str]()

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    comment_on_syntax(page, case).fill(TEXT)
    page.goto("/desk/")
    assert asked == ["beforeunload"]
    again = comment_on_syntax(page, case)
    expect(again).to_have_value(TEXT)
    expect(page.locator(".kept-text")).to_contain_text("was not sent")
    send(page)
    message = page.get_by_role("status").filter(has_text="Your comment is published")
    expect(message).to_be_focused()
    expect(message).to_be_in_viewport()
    comment = Comment.objects.get()
    assert comment.text.splitlines() == TEXT.splitlines()
    expect(page.locator(f"#comment-{comment.pk}")).to_contain_text("Your comment is published")
    expect(comment_on_syntax(page, case)).to_have_value("")
    expect_kept(page)
    assert asked == ["beforeunload"]


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_text_outlasts_a_lost_session_and_a_lost_connection(
    page: Page, address: str, case: Case, expert: User
) -> None:
    field = comment_on_syntax(page, case)
    field.fill(TEXT)
    page.context.set_offline(True)
    with page.expect_event("requestfailed"):
        send(page)
    page.context.set_offline(False)
    expect(comment_on_syntax(page, case)).to_have_value(TEXT)
    end_the_session()
    send(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    sign_in_by_form(page, address, expert)
    expect(comment_on_syntax(page, case)).to_have_value(TEXT)
    send(page)
    expect(page.get_by_text("Your comment is published")).to_be_visible()
    expect_kept(page)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_text_can_be_discarded_and_does_not_replace_what_was_saved_since(page: Page, expert: User) -> None:
    page.goto("/account/name/")
    name = page.get_by_role("main").get_by_role("textbox").first
    name.fill("Ada Example")
    page.goto("/account/")
    expert.name = "Ada Lovelace"
    expert.save(update_fields=["name"])
    page.goto("/account/name/")
    expect(name).to_have_value("Ada Lovelace")
    page.get_by_role("button", name="Show it").click()
    expect(name).to_have_value("Ada Example")
    page.get_by_role("button", name="Discard it").click()
    expect(name).to_have_value("Ada Lovelace")
    expect(page.locator(".kept-text")).to_have_count(0)
    expect_kept(page)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_signing_out_deletes_texts_and_so_does_another_account(
    page: Page, address: str, case: Case, expert: User, registrant: User
) -> None:
    comment_on_syntax(page, case).fill(TEXT)
    expect_kept(page, TEXT)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    expect_kept(page)

    sign_in(page.context, address, expert)
    comment_on_syntax(page, case).fill(TEXT)
    expect_kept(page, TEXT)
    page.context.clear_cookies()
    sign_in(page.context, address, registrant)
    page.goto("/")
    expect_kept(page)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_text_that_is_sent_again_is_accepted(page: Page, case: Case) -> None:
    """After a missing cookie, and on another round, the form has hidden fields."""
    comment_on_syntax(page, case).fill(TEXT)
    page.context.clear_cookies(name="csrftoken")
    send(page)
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_text("Your comment is published")).to_be_visible()
    expect_kept(page)

    comment_on_syntax(page, case).fill(TEXT)
    page.evaluate("() => document.getElementsByName('round_number').forEach(each => each.value = '2')")
    send(page)
    page.get_by_role("button", name="Post as a comment").click()
    expect(page.get_by_text("Your comment is published")).to_be_visible()
    expect(comment_on_syntax(page, case)).to_have_value("")
    expect_kept(page)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_text_that_is_changed_after_a_refusal_is_shown_again(page: Page, expert: User) -> None:
    page.goto("/account/name/")
    name = page.get_by_role("main").get_by_role("textbox").first
    name.fill("Ada www.example.org")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".error").first).to_be_visible()
    name.fill("Ada Example")
    page.goto("/account/name/")
    expect(name).to_have_value("Ada Example")


@pytest.mark.exhaustive
@pytest.mark.browser
def test_another_window_does_not_write_texts_back_after_a_sign_out(page: Page, case: Case) -> None:
    other = page.context.new_page()
    comment_on_syntax(other, case).fill(TEXT)
    expect_kept(other, TEXT)
    page.goto("/desk/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    other.goto("/")
    expect_kept(other)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_sign_out_that_is_cancelled_deletes_nothing(page: Page, case: Case) -> None:
    comment_on_syntax(page, case).fill(TEXT)
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Sign out").click()
    page.goto("/desk/")
    expect_kept(page, TEXT)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_closing_the_account_deletes_texts_unless_it_is_refused(page: Page, address: str, case: Case) -> None:
    person = a_person(email="closing@example.org")
    sign_in(page.context, address, person)
    page.goto("/account/name/")
    page.get_by_role("main").get_by_role("textbox").first.fill("Ada Example")
    expect_kept(page, "Ada Example")
    page.goto("/account/close/")
    page.evaluate("() => document.querySelector('main form').noValidate = true")
    page.get_by_role("button", name="Close account").click()
    expect(page.locator(".error").first).to_be_visible()
    expect_kept(page, "Ada Example")
    page.get_by_label("Close my account").check()
    page.get_by_role("button", name="Close account").click()
    expect(page.get_by_text("Your account is closed.")).to_be_visible()
    expect_kept(page)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_two_outcomes_on_one_page_are_both_read(page: Page, case: Case) -> None:
    """That of a part which the page no longer has does not cover the page."""
    comment_on_syntax(page, case).fill(TEXT)
    page.get_by_role("textbox", name="Comment on Purpose").fill("What for?")
    expect_kept(page, TEXT, "What for?")
    page.evaluate(SEND_ASIDE, "Comment on Purpose")
    send(page)
    messages = page.get_by_role("status").filter(has_text="Your comment is published")
    expect(messages).to_have_count(2)
    assert messages.evaluate_all("all => all.map(each => getComputedStyle(each).position)") == ["static"] * 2
    expect_kept(page)


@pytest.mark.exhaustive
@pytest.mark.browser
def test_without_script_the_outcome_stays_in_sight(
    address: str, chromium: Browser, case: Case, expert: User
) -> None:
    page = chromium.new_context(base_url=address, java_script_enabled=False).new_page()
    sign_in(page.context, address, expert)
    page.goto(f"/desk/cases/{case.pk}/")
    syntax = page.get_by_role("region", name="Syntax")
    syntax.locator("summary", has_text="Comment").click()
    syntax.get_by_role("textbox", name="Comment on Syntax").fill(TEXT)
    send(page)
    expect(page).to_have_url(re.compile(rf"#comment-{Comment.objects.get().pk}$"))
    expect(page.get_by_role("status").filter(has_text="Your comment is published")).to_be_in_viewport()


def test_every_accepted_form_with_texts_says_so(submissions: list[Submission]) -> None:  # noqa: F811
    """A form that leads elsewhere names the number with which the browser sent it."""
    number, faults, accepted = "0123456789abcdef" * 2, list[str](), 0
    for each in submissions:
        if each.is_part or not each.form.has_kept_texts:
            continue
        answer, following = each.send_and_follow({**each.values(), "kept_texts": [number]})
        if answer.status_code != 302:
            continue
        accepted += 1
        if f'|{number}"' not in following.text:
            faults.append(str(each))
    assert faults == []
    assert accepted
