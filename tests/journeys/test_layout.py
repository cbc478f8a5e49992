"""The layout of pages in a browser, at the width of a desktop and of a phone."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from registry.accounts.models import User
from tests.journeys.test_public_pages import sign_in
from tests.support.factories import a_draft, a_person

pytestmark = pytest.mark.browser


@pytest.fixture
def registrant(address: str) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def signed_in(address: str, chromium: Browser, registrant: User) -> BrowserContext:
    context = chromium.new_context(base_url=address)
    sign_in(context.new_page(), address, registrant)
    return context


def opened_at(width: int, context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    return page


@pytest.mark.parametrize("width", [1280, 1600])
def test_the_form_does_not_move_the_header(signed_in: BrowserContext, registrant: User, width: int) -> None:
    addresses = ("/cases/mine/", f"/cases/{a_draft(by=registrant).pk}/edit/")
    pages = [opened_at(width, signed_in, each) for each in addresses]
    first, second = [page.locator(".masthead .wordmark").bounding_box() for page in pages]
    assert first == second
