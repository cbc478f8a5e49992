"""Passkeys in a browser, with a virtual authenticator (Chrome DevTools Protocol, WebAuthn)."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Browser, Page, expect

from registry.accounts import recent_sign_in
from registry.accounts.models import RoleName, User
from registry.cases.models import State
from tests.support.factories import PASSWORD, a_case_in_review, a_person

pytestmark = pytest.mark.browser
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def site(address: str, settings: Any) -> str:
    """The registry by a name: passkeys belong to a host name, not to an address."""
    site = address.replace("127.0.0.1", "localhost")
    settings.PUBLIC_ORIGIN = site
    return site


def a_page(chromium: Browser, site: str) -> Page:
    """A page in a browser with a device that keeps passkeys, and a person who agrees."""
    page = chromium.new_page(base_url=site)
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    return page


def sign_in(page: Page, person: User) -> None:
    page.goto("/accounts/login/?next=/mine/")
    page.get_by_label("E-mail address").fill(person.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()


@pytest.mark.exhaustive
def test_a_passkey_is_added_and_signs_in(chromium: Browser, site: str) -> None:
    person = a_person(email="registrant@example.org")
    page = a_page(chromium, site)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    sign_in(page, person)
    page.get_by_role("link", name="Passkeys").click()
    page.get_by_role("link", name="Add a passkey").click()
    page.locator("#id_name").fill("Example device")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    page.get_by_role("link", name="Passkeys and second factors").last.click()
    expect(page.get_by_text("Example device", exact=True)).to_be_visible()
    sign_out(page)
    page.goto("/accounts/login/?next=/mine/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My page")
    assert Authenticator.objects.get(type=Authenticator.Type.WEBAUTHN).last_used_at
    assert complaints == []


@pytest.mark.exhaustive
def test_after_the_password_the_passkey_is_asked_for(chromium: Browser, site: str) -> None:
    person = a_person(email="registrant@example.org")
    page = a_page(chromium, site)
    sign_in(page, person)
    page.goto("/accounts/2fa/passkeys/add/?next=/mine/")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_role("link", name="I have kept them: continue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My page")
    sign_out(page)
    sign_in(page, person)
    expect(page.get_by_role("heading", level=1)).to_have_text("Second factor")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My page")


@pytest.mark.exhaustive
def test_an_expert_without_a_second_factor_cannot_decide_and_is_led_to_add_a_passkey(
    chromium: Browser, site: str, settings: Any
) -> None:
    settings.REQUIRE_SECOND_FACTOR, settings.SECOND_FACTOR_DAYS = True, 0
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    case = a_case_in_review(by=a_person(email="registrant@example.org"))
    page = a_page(chromium, site)
    sign_in(page, expert)
    expect(page.get_by_text("You can’t act in your role until")).to_be_visible()
    page.goto(f"/cases/{case.pk}/approve/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Add a second factor")
    page.get_by_role("link", name="Add a passkey").last.click()
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_role("link", name="I have kept them: continue").click()
    expect(page).to_have_url(f"{site}/cases/{case.pk}/approve/")
    page.get_by_label("Rationale").fill("Sound, and useful to every garden.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved. Next, an administrator registers it.")).to_be_visible()
    case.refresh_from_db()
    assert case.state == State.APPROVED


def test_a_decision_asks_for_the_passkey_and_keeps_what_was_typed(
    chromium: Browser, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    case = a_case_in_review(by=a_person(email="registrant@example.org"))
    page = a_page(chromium, site)
    sign_in(page, expert)
    page.goto("/accounts/2fa/passkeys/add/?next=/mine/")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_role("link", name="I have kept them: continue").click()
    page.goto(f"/cases/{case.pk}/approve/")
    page.get_by_label("Rationale").fill("Sound, and useful to every garden.")
    # The sign-in was long ago, until it is confirmed.
    monkeypatch.setattr(recent_sign_in, "is_recent", lambda *_: False)
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Confirm that it is you")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("Approved. Next, an administrator registers it.")).to_be_visible()
    case.refresh_from_db()
    assert case.state == State.APPROVED
