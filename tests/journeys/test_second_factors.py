"""Sign-in with a code of an authenticator app, and with a recovery code, in a browser without script."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.accounts.test_second_factors import code_of
from tests.journeys.test_governance import page_of
from tests.support.factories import PASSWORD, a_person

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def sign_in_again(page: Page, email: str, code: str) -> None:
    page.get_by_role("button", name="Sign out").press("Enter")
    page.goto("/accounts/login/?next=/mine/")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Second factor")
    page.get_by_label("Code").fill(code)
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).press("Enter")


def test_codes_of_an_app_and_recovery_codes_sign_in(address: str, chromium: Browser) -> None:
    person = a_person(email="registrant@example.org")
    page = page_of(person, chromium, address)
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Add an authenticator app").press("Enter")
    secret = page.get_by_label("Key").input_value()
    # Each code counts once, so the sign-in below needs another one.
    page.get_by_label("Code").fill(code_of(secret, earlier=1))
    page.get_by_role("button", name="Add the app").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    recovery_code = page.locator("pre").inner_text().split()[0]

    sign_in_again(page, person.email, code_of(secret))
    expect(page.get_by_role("heading", level=1)).to_have_text("My page")
    sign_in_again(page, person.email, recovery_code)
    expect(page.get_by_role("heading", level=1)).to_have_text("My page")
    # Each recovery code works once.
    sign_in_again(page, person.email, recovery_code)
    expect(
        page.get_by_text("The code or the passkey was not accepted. Try again.", exact=True)
    ).to_be_visible()
