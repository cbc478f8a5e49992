"""The API's description in a browser: it appears under the Content Security Policy, from this host alone."""

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_the_description_is_browsed_without_any_outside_host(chromium: Browser, address: str) -> None:
    page = chromium.new_page()
    asked, complaints = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{address}/api/v1/schema/browse/")
    page.locator(".opblock-summary-path", has_text="/api/v1/namespaces/").first.wait_for()
    assert {
        url.partition("/api")[0].partition("/static")[0] for url in asked if not url.startswith("data:")
    } == {address}
    assert complaints == []
