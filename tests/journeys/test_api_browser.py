"""The API's description in a browser: it appears under the Content Security Policy, from this host alone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_the_description_has_its_place_among_the_headings_and_parts_of_the_page(
    chromium: Browser, address: str
) -> None:
    """What Swagger UI draws is not ours, but where it stands is."""
    page = chromium.new_page(bypass_csp=True)
    page.goto(f"{address}/api/v1/schema/browse/")
    page.locator(".opblock-summary-path", has_text="/api/v1/namespaces/").first.wait_for()
    rules = ["heading-order", "landmark-main-is-top-level", "landmark-no-duplicate-main", "landmark-unique"]
    found = Axe().run(page, options={"runOnly": rules}).response["violations"]
    assert [node["html"] for fault in found for node in fault["nodes"]] == []
