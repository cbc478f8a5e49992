"""The published pages in a browser: what needs the living site gets there, with JavaScript and without."""

from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import Browser

from registry.publication.snapshot.publisher import publish
from tests.support.servers import serving_files

pytestmark = pytest.mark.browser


@pytest.mark.exhaustive
@pytest.mark.parametrize("with_javascript", [True, False])
def test_a_search_on_a_published_copy_goes_to_the_registry(
    address: str, chromium: Browser, tmp_path: Path, with_javascript: bool
) -> None:
    with override_settings(PUBLIC_ORIGIN=address, ALLOWED_HOSTS=["127.0.0.1"]):
        publish(tmp_path)
    page = chromium.new_context(java_script_enabled=with_javascript).new_page()
    with serving_files(tmp_path / "current") as copy:
        page.goto(f"{copy}/namespaces/")
        page.get_by_label("NID or words").fill("trees")
        page.get_by_role("main").get_by_role("button", name="Search").click()
        page.wait_for_url(f"{address}/namespaces/?q=trees*")
