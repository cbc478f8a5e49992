"""`/resolve/` and a URN: the formats of descriptions and errors, and their headers."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    confirm_all,
)
from tests.resolution.requests import BROWSER, TREE, deprecated, get

pytestmark = pytest.mark.django_db


def test_a_link_set_is_never_redirected(client: Client, ietf: Namespace) -> None:
    response = get(client, "/resolve/urn:ietf:rfc:2648#p", "application/linkset+json")
    assert (response.status_code, response["Content-Type"]) == (200, "application/linkset+json")
    (context,) = response.json()["linkset"]
    assert response.json().keys() == {"linkset"}
    assert context["anchor"] == "urn:ietf:rfc:2648"
    assert context["alternate"] == [
        {
            "href": "https://www.rfc-editor.org/rfc/rfc2648",
            "title": "Text of the RFC",
            "hreflang": ["en"],
            "kind": ["I2R"],
            "host-confirmed": ["true"],
            "health": ["unknown"],
        }
    ]
    assert len(context["describedby"]) == 2
    page = "http://localhost:8000/namespaces/ietf/"
    assert context["collection"] == [{"href": page, "type": "text/html"}]


def test_a_link_set_has_the_syntax_of_the_header_too(client: Client, ietf: Namespace) -> None:
    response = get(client, "/resolve/urn:ietf:rfc:2648#p", "application/linkset")
    assert (response.status_code, response["Content-Type"]) == (200, "application/linkset")
    lines = response.content.decode().removesuffix("\n").split(",\n")
    assert len(lines) == 4
    assert lines[0] == (
        '<https://www.rfc-editor.org/rfc/rfc2648>; anchor="urn:ietf:rfc:2648"; rel="alternate"; '
        'title="Text of the RFC"; hreflang="en"; kind="I2R"; host-confirmed="true"; health="unknown"'
    )
    assert lines[3] == (
        '<http://localhost:8000/namespaces/ietf/>; anchor="urn:ietf:rfc:2648"; rel="collection"; type="text/html"'
    )


def test_titles_in_links_are_quoted_or_encoded(client: Client, administrator: User) -> None:
    profile = a_profile_with(
        a_service(title='The "tree" \\'), a_service("https://trees.example/b/{nss}", title="Bäume")
    )
    confirm_all(a_namespace_with(profile), by=administrator)
    links = get(client, TREE, "application/linkset").content.decode()
    assert 'title="The \\"tree\\" \\\\"; ' in links
    assert "title*=UTF-8''B%C3%A4ume; " in links


@pytest.mark.parametrize(
    "accept", ["application/json", "application/linkset+json", "application/linkset", "text/uri-list"]
)
def test_an_unchanged_description_has_the_same_headers(client: Client, trees: Namespace, accept: str) -> None:
    deprecated(trees)
    first = get(client, TREE, accept)
    again = get(client, TREE, accept, if_none_match=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert {"Access-Control-Allow-Origin", "Deprecation", "Link"} <= first.headers.keys()
    assert _headers_without_content(again) == _headers_without_content(first)


def _headers_without_content(response: Any) -> dict[str, str]:
    of_content = ("Content-Type", "Content-Length")
    return {name: value for name, value in response.items() if name not in of_content}


def test_a_list_of_addresses_is_never_redirected(client: Client, ietf: Namespace) -> None:
    response = get(client, "/resolve/urn:ietf:rfc:2648", "text/uri-list")
    assert response["Content-Type"] == "text/uri-list; charset=utf-8"
    assert response.content.decode() == (
        "# urn:ietf:rfc:2648\r\nhttps://www.rfc-editor.org/rfc/rfc2648\r\n"
        "https://www.rfc-editor.org/info/rfc2648\r\nhttps://datatracker.ietf.org/doc/rfc2648/\r\n"
    )


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("application/json", "application/json"),
        ("application/json, text/plain, */*", "application/json"),
        ("application/linkset+json;q=0.5, application/json;q=0.4", "application/linkset+json"),
        ("application/json, text/html;q=0.1", "application/json"),
        ("application/linkset", "application/linkset"),
        ("application/*", None),
        ("text/html;q=0.9, */*", None),
        ("application/json;q=0.5, */*", None),
        ("text/uri-list, */*;q=0.1", "text/uri-list"),
        ("text/html, application/json", None),
        ("application/json;q=0", None),
        ("text/*", None),
    ],
)
def test_the_preferred_format_is_chosen(
    client: Client, trees: Namespace, accept: str, media_type: str | None
) -> None:
    response = get(client, TREE, accept)
    assert response["Vary"] == "Accept"
    if media_type is None:
        assert response.status_code == 303
    else:
        assert (response.status_code, response["Content-Type"].partition(";")[0]) == (200, media_type)


@pytest.mark.parametrize(
    ("accept", "is_page"),
    [
        (BROWSER, True),
        ("text/html;q=0.9, */*", True),
        ("text/html, application/json", True),
        ("text/*", True),
        ("application/json, text/html;q=0.1", False),
        ("application/problem+json, text/html;q=0.1", False),
        ("application/linkset, text/html;q=0.1", False),
        ("text/html;q=0", False),
        ("*/*", False),
        ("", False),
    ],
)
def test_errors_have_the_format_that_successes_would_have(
    client: Client, trees: Namespace, accept: str, is_page: bool
) -> None:
    response = get(client, "/resolve/urn:nothing:1", accept)
    media_type = "text/html" if is_page else "application/problem+json"
    assert (response.status_code, response["Content-Type"].partition(";")[0]) == (404, media_type)


@pytest.mark.parametrize("accept", ["*/*", BROWSER])
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", TREE, 303),
        ("get", "/resolve/urn:nothing:1", 404),
        ("get", "/resolve/", 400),
        ("get", "/uri-res/", 404),
        ("get", "/uri-res/I2X?urn:nothing:1", 404),
        ("get", "/uri-res/I2L?urn:", 400),
        ("post", TREE, 405),
        ("put", "/uri-res/I2L?urn:nothing:1", 405),
    ],
)
def test_caches_ask_again_for_every_response(
    client: Client, trees: Namespace, accept: str, method: str, path: str, status: int
) -> None:
    response = getattr(client, method)(path, headers={"accept": accept})
    assert response.status_code == status
    assert "Accept" in response["Vary"].split(", ")
    assert response["Cache-Control"] == "no-cache"


def test_the_description_lists_each_service(client: Client, trees: Namespace) -> None:
    body = get(client, f"{TREE}?+x=1", "application/json").json()
    assert body == {
        "urn": "urn:example-trees:12:4711?+x=1",
        "outcome": "redirect",
        "address": "https://trees.example/12%3A4711",
        "namespace": "http://localhost:8000/namespaces/example-trees/",
        "is_deprecated": False,
        "services": [
            {
                "kind": "I2C",
                "title": "Page of the tree",
                "address": "https://trees.example/12%3A4711",
                "host": "trees.example",
                "media_type": None,
                "language": None,
                "priority": 0,
                "host_confirmed": True,
                "health": "unknown",
                "failing_since": None,
                "ignored_r_names": ["x"],
                "ignores_q_component": False,
            }
        ],
    }
