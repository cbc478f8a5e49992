"""One record as JSON, as plain text and as XML: chosen by Accept or by the end of the address, all say the same."""

from typing import Any
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring
from django.test import Client

from registry.accounts.models import User
from registry.api.framework.renderers import ITEM_NAMES
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.models import Namespace
from tests.api.conftest import revise

TREES = "/api/v1/namespaces/example-trees"
MEDIA_TYPES = {
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
    "xml": "application/xml; charset=utf-8",
}
IN_FORMATS = [TREES, f"{TREES}/versions", f"{TREES}/versions/1"]


@pytest.mark.parametrize("address", IN_FORMATS)
@pytest.mark.parametrize("suffix", MEDIA_TYPES)
def test_the_suffix_selects_the_format_like_accept(
    client: Client, trees: Namespace, address: str, suffix: str
) -> None:
    media_type = MEDIA_TYPES[suffix]
    by_name = client.get(f"{address}.{suffix}", headers={"accept": "image/png"})
    by_accept = client.get(f"{address}/", headers={"accept": media_type.partition(";")[0]})
    assert by_name.status_code == by_accept.status_code == 200
    assert by_name["Content-Type"] == by_accept["Content-Type"] == media_type
    assert by_name.content == by_accept.content
    assert by_name["ETag"] == by_accept["ETag"]


@pytest.mark.parametrize("address", IN_FORMATS)
def test_formats_have_different_etags(client: Client, trees: Namespace, address: str) -> None:
    assert len({client.get(f"{address}.{suffix}")["ETag"] for suffix in MEDIA_TYPES}) == 3


@pytest.mark.parametrize(
    ("accept", "suffix"),
    [
        ("*/*", "json"),
        ("text/*", "txt"),
        ("TEXT/PLAIN", "txt"),
        ("text/plain, */*", "txt"),
        ("application/json, text/plain, */*", "json"),
        ("application/json;q=0.5, text/plain;q=0.6", "txt"),
        ("application/json;q=0, */*;q=0.1", "txt"),
        ("application/json;q=0,text/plain;q=0.000,*/*", "xml"),
        ("application/*;q=0.2, application/xml;q=0.3", "xml"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "json"),
        ("application/xml;charset=utf-8", "xml"),
        ("nonsense, ;, text/plain;q=2", "txt"),
        ("application/ld+json", "jsonld"),
        (
            'application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted", application/json;q=0.9',
            "jsonld",
        ),
    ],
)
def test_accept_follows_rfc_9110(client: Client, trees: Namespace, accept: str, suffix: str) -> None:
    response = client.get(TREES, headers={"accept": accept})
    expected = MEDIA_TYPES | {"jsonld": "application/ld+json"}
    assert response["Content-Type"] == expected[suffix]


@pytest.mark.parametrize("suffix", ["yaml", "pdf", "json%0A", "js%C3%B6n", "", "jsonx"])
def test_an_unknown_suffix_is_a_404(client: Client, trees: Namespace, suffix: str) -> None:
    response = client.get(f"{TREES}.{suffix}")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_the_plain_text_contains_members_and_template(client: Client, trees: Namespace) -> None:
    text = client.get(f"{TREES}.txt").content.decode()
    facts, _, template = text.partition("\n\n")
    assert "NID: example-trees\nKind: formal\nStatus: active\nVersion: 1\n" in facts
    assert template == trees.revisions.get().text
    assert client.get(f"{TREES}/versions/1.txt").content.decode() == template


def test_the_plain_text_of_an_imported_namespace_links_to_its_template(
    client: Client, isbn: Namespace
) -> None:
    lines = client.get("/api/v1/namespaces/ISBN.txt").content.decode().splitlines()
    assert f"Template: {isbn.template_url}" in lines
    assert "Reference: RFC 8254" in lines


@pytest.mark.parametrize("suffix", MEDIA_TYPES)
def test_every_format_shows_the_deprecation(
    client: Client, trees: Namespace, isbn: Namespace, administrator: User, suffix: str
) -> None:
    deprecate(trees, by=administrator, statement="No more\nof it.", successor=isbn)
    response = client.get(f"{TREES}.{suffix}")
    assert response.status_code == 200
    words = response.content.decode()
    assert "deprecated" in words
    assert "No more" in words
    assert "isbn" in words


def test_the_versions_as_text_are_a_line_each(client: Client, trees: Namespace) -> None:
    revise(trees, revision_information="Shrubs, too.")
    lines = client.get(f"{TREES}/versions.txt").content.decode().splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2"]
    for line in lines:
        assert client.get(line.split()[2]).status_code == 200


def test_an_empty_text_has_its_media_type(client: Client, isbn: Namespace) -> None:
    response = client.get("/api/v1/namespaces/isbn/versions.txt")
    assert (response.status_code, response.content) == (200, b"")
    assert response["Content-Type"] == MEDIA_TYPES["txt"]


@pytest.mark.parametrize("address", IN_FORMATS)
def test_the_xml_equals_the_json(
    client: Client, trees: Namespace, isbn: Namespace, administrator: User, address: str
) -> None:
    revise(trees, purpose='1 < 2 & 3 > 2\r\n]]> "“ü” \t', revision_information="Shrubs, too.")
    deprecate(trees, by=administrator, statement="No more.", successor=isbn)
    root = fromstring(client.get(f"{address}.xml").content)
    assert _as_json(root) == _as_text(client.get(f"{address}.json").json())


def _as_json(element: Element) -> Any:
    if len(element) == 0:
        return element.text or ""
    if {each.tag for each in element} == {ITEM_NAMES.get(element.tag)}:
        return [_as_json(each) for each in element]
    return {each.tag: _as_json(each) for each in element}


def _as_text(value: Any) -> Any:
    """The JSON with texts for leaves, and without what is null; an empty list has no elements."""
    if isinstance(value, dict):
        return {name: _as_text(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_as_text(each) for each in value] or "\n  "
    return str(value).lower() if isinstance(value, bool) else str(value)
