"""The rule by which the media type of a response is chosen."""

import pytest

from registry.api.namespaces.fast_paths import FORMATS
from registry.api.namespaces.views import NamespaceDetailView, NamespaceListView
from registry.core.http.negotiation import JSON, PAGE, PROBLEM, preferred, prefers_page

TEXT, XML = "text/plain", "application/xml"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", PAGE),
        (" ", PAGE),
        ("*/*", PAGE),
        (BROWSER, PAGE),
        ("application/xhtml+xml", PAGE),
        ("application/*", PAGE),
        ("text/*", PAGE),
        ("text/html;q=0.9, */*", PAGE),
        ("application/json;q=0.9, */*", PAGE),
        ("text/html, application/json", PAGE),
        ("application/json", JSON),
        ("APPLICATION/JSON", JSON),
        ("application/json, */*", JSON),
        ("application/json, text/html;q=0.9", JSON),
        ("text/html;q=0, */*;q=0.1", JSON),
        ("text/*;q=0, */*", JSON),
        ("text/html;q=0, application/json;q=0, */*", XML),
        ("image/png", None),
        ("image/png, text/*;q=0", None),
        ("*/*;q=0", None),
        ("application/json;q=0", None),
        ("nonsense", None),
    ],
)
def test_the_preferred_type_is_chosen(accept: str, chosen: str | None) -> None:
    assert preferred(accept, (PAGE, JSON, XML)) == chosen


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (BROWSER, JSON),
        ("text/html, */*;q=0.1", JSON),
        ("text/html", None),
        ("text/html, application/xml;q=0.9", XML),
        ("text/html, text/plain;q=0.9, */*;q=0.1", JSON),
        ("text/plain, text/html;q=0.5, */*;q=0.1", TEXT),
        ("text/plain, text/html, */*;q=0.1", TEXT),
        ("application/json;q=0, */*", TEXT),
        ("application/json;q=0, text/html, */*", TEXT),
        ("application/json;q=0, text/html, */*;q=0.5", TEXT),
        ("application/*;q=0, text/plain;q=0, text/html, */*;q=0.5", None),
    ],
)
def test_a_browser_gets_the_first_offer_where_there_is_no_page(accept: str, chosen: str | None) -> None:
    assert preferred(accept, (JSON, TEXT, XML)) == chosen


@pytest.mark.parametrize(
    ("accept", "is_page"),
    [
        (BROWSER, True),
        ("text/html", True),
        ("text/*", True),
        ("text/html;q=0.1, */*", True),
        ("", False),
        ("*/*", False),
        ("application/*", False),
        ("text/html;q=0, */*", False),
        ("application/problem+json, text/html;q=0.9", False),
        ("image/png", False),
    ],
)
def test_a_page_is_preferred_only_if_it_is_asked_for(accept: str, is_page: bool) -> None:
    assert prefers_page(accept, (PROBLEM, JSON)) is is_page


@pytest.mark.parametrize("view", [NamespaceDetailView, NamespaceListView])
def test_the_fast_paths_take_only_requests_for_json(
    view: type[NamespaceDetailView | NamespaceListView],
) -> None:
    offered = [str(each.media_type) for each in view.renderer_classes]
    assert {preferred(accept, offered) for accept in FORMATS} == {JSON}
