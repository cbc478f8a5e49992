"""Sign-in with an OpenID provider on this machine, in a browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from oidc_provider_mock import User as Identity
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import User
from tests.support.factories import PASSWORD, a_person
from tests.support.openid_providers import declare, honest_provider

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning")]


@pytest.fixture
def provider(settings: Any, tmp_path: Path) -> Iterator[None]:
    """A provider on another origin, to which the content security policy allows no form to lead."""
    people = [
        Identity(sub="Example Person"),
        Identity(sub="New Person", claims={"email": "new@example.org", "email_verified": True}),
    ]
    with honest_provider(tmp_path, people) as issuer:
        declare(settings, example=issuer)
        yield


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


@pytest.mark.exhaustive
def test_a_provider_is_connected_and_signs_in(chromium: Browser, address: str, provider: None) -> None:
    person = a_person(email="registrant@example.org")
    page = chromium.new_page(base_url=address, ignore_https_errors=True)
    page.goto("/accounts/login/?next=/accounts/connections/")
    page.get_by_label("E-mail address").fill(person.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Connect Example").click()
    page.get_by_role("button", name="Example Person").click()
    expect(page.get_by_text("The provider is connected.")).to_be_visible()
    assert SocialAccount.objects.get().user == User.objects.get(email=person.email)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    page.goto("/accounts/login/?next=/mine/")
    page.get_by_role("button", name="Sign in with Example").click()
    page.get_by_role("button", name="Example Person").first.click()
    heading(page, "My page")


@pytest.mark.exhaustive
def test_a_newcomer_signs_up_with_a_provider(chromium: Browser, address: str, provider: None) -> None:
    page = chromium.new_page(base_url=address, ignore_https_errors=True)

    def sign_in() -> None:
        page.goto("/accounts/login/?next=/mine/")
        page.get_by_role("button", name="Sign in with Example").click()
        page.get_by_role("button", name="New Person").first.click()

    sign_in()
    page.get_by_role("link", name="open the mailbox").click()
    link = page.get_by_role("article").first.get_by_role("link", name=re.compile("confirm-email"))
    expect(link).to_be_visible()
    page.goto(re.sub("^https?://[^/]+", address, link.get_attribute("href") or ""))
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    sign_in()
    heading(page, "My page")
    assert SocialAccount.objects.get().user == User.objects.get(email="new@example.org")
    assert not User.objects.get().has_usable_password()
