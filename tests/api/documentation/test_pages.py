"""The pages of the API documentation: what is on them, for whom they are, and how they are cached."""

import json
import re
import shlex
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.api.documentation import views
from registry.api.documentation.reference import groups, members_of, type_of
from registry.api.documentation.views import GUIDES
from registry.api.schema.document import TAGS
from registry.api.schema.examples import recorded_operation
from registry.api.templatetags.api_documentation import inline_code
from tests.api.schema_checks import described_operations

pytestmark = pytest.mark.django_db
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ADDRESSES = (
    "/api/",
    "/api/reference/",
    "/api/problems/",
    *(f"/api/guides/{slug}/" for slug in GUIDES),
    *(f"/api/reference/{tag.name}/" for tag in TAGS),
)


class _Ids(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids = list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]


def read(client: Client, address: str, **headers: str) -> Any:
    return client.get(address, headers={"accept": BROWSER} | headers)


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_page_is_there_and_linked(client: Client, address: str) -> None:
    page = read(client, address)
    assert (page.status_code, page["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert 'aria-current="page"' in page.text
    for other in ADDRESSES:
        assert f'href="{other}"' in page.text


@pytest.mark.parametrize("accept", ["*/*", "", "text/html", "image/png"])
def test_the_address_of_the_api_is_its_documentation(client: Client, accept: str) -> None:
    answer = client.get("/api/", headers={"accept": accept} if accept else {})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "Accept" in answer["Vary"]
    assert '</api/v1/>; rel="alternate"; type="application/json"' in answer["Link"]


def test_programs_that_prefer_json_are_led_to_the_api(client: Client) -> None:
    answer = client.get("/api/", headers={"accept": "application/json, text/html;q=0.5"}, follow=True)
    assert answer.redirect_chain == [("/api/v1/", 303)]
    assert answer.json()["namespaces"].startswith("http://localhost:8000/api/v1/namespaces/")


@pytest.mark.parametrize("address", ["/api", "/api/docs/"])
def test_other_addresses_lead_there(client: Client, address: str) -> None:
    for accept in (BROWSER, "*/*", "application/json"):
        answer = read(client, address, accept=accept)
        assert (answer.status_code, answer["Location"]) == (301, "/api/")


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_the_usual_addresses_of_the_document_lead_to_it(client: Client, suffix: str) -> None:
    answer = client.get(f"/openapi.{suffix}")
    assert (answer.status_code, answer["Location"]) == (301, f"/api/v1/schema.{suffix}")
    assert answer["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    "address", ["/api/guides/nothing/", "/api/reference/nothing/", "/api/problems/nothing/"]
)
@pytest.mark.parametrize(
    ("accept", "media_type"), [(BROWSER, "text/html; charset=utf-8"), ("*/*", "application/problem+json")]
)
def test_a_page_that_there_is_not_is_not_found(
    client: Client, address: str, accept: str, media_type: str
) -> None:
    answer = read(client, address, accept=accept)
    assert (answer.status_code, answer["Content-Type"]) == (404, media_type)


@pytest.mark.parametrize("address", ["/api/v1/problems/nid-taken/", "/api/v1/problems/nid-taken"])
def test_the_address_of_a_problem_type_has_a_page_for_people(client: Client, address: str) -> None:
    page = client.get(address, headers={"accept": BROWSER}, follow=True)
    assert page.redirect_chain == [("/api/problems/nid-taken/", 303)]
    assert "<code>http://localhost:8000/api/v1/problems/nid-taken/</code>" in page.text
    for accept in ("*/*", "application/json", "image/png;q=0.5, application/*"):
        assert client.get(address, headers={"accept": accept}).json()["title"] in page.text


def test_every_operation_is_in_the_reference_once(client: Client) -> None:
    overview = _Ids(read(client, "/api/reference/").text).ids
    pages = {tag.name: read(client, f"/api/reference/{tag.name}/").text for tag in TAGS}
    found = [each for page in pages.values() for each in _Ids(page).ids]
    for name, (_, _, operation) in described_operations().items():
        assert overview.count(name) == 1
        assert found.count(name) == 1
        assert f'<h2 id="{name}">' in pages[operation["tags"][0]]


def test_an_operation_is_described_with_an_example_and_folded_errors(client: Client) -> None:
    text = read(client, "/api/reference/namespaces/").text
    part = text.partition('<h2 id="deprecateNamespace">')[2].partition("</section>")[0]
    assert "POST</b> /api/v1/namespaces/{nid}/deprecate/" in part
    assert "A namespace identifier; case is ignored." in part
    assert "curl http://localhost:8000/api/v1/namespaces/example-trees/deprecate/" in part
    assert "Authorization: Bearer $TOKEN" in part
    recorded = recorded_operation("deprecateNamespace")["responses"]["200"]["application/json"]["example"]
    assert f"&quot;deprecated_at&quot;: &quot;{recorded['deprecated_at']}&quot;" in part
    assert "The reason for the deprecation" in part
    before, _, errors = part.partition("<summary>Errors:")
    assert 'href="/api/v1/problems/already-deprecated/"' in errors
    assert "problems/" not in before


def test_every_example_request_is_complete(client: Client) -> None:
    for group in groups("https://registry.example.org").values():
        for operation in group.operations:
            words = shlex.split(operation.request)
            assert not re.search(r"[{}…]|None", operation.request.partition("--data")[0]), operation.name
            assert [each for each in words if each.startswith("https://registry.example.org/api/v1/")]
            assert ("Authorization: Bearer $TOKEN" in operation.request) == operation.needs_token
            assert ("--data" in operation.request) == bool(operation.bodies)
            is_session_write = operation.needs_session and operation.method != "GET"
            assert ("Origin: https://registry.example.org" in words) == is_session_write, operation.name


def test_a_page_is_confirmed_by_its_etag_and_shared(client: Client) -> None:
    first = read(client, "/api/reference/urns/")
    assert first["Cache-Control"] == "public, no-cache"
    again = read(client, "/api/reference/urns/", **{"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "Accept" in read(client, "/api/")["Vary"]


def test_a_page_of_a_person_who_is_signed_in_is_private(client: Client, registrant: User) -> None:
    client.force_login(registrant)
    page = read(client, "/api/")
    assert page["Cache-Control"] == "private, no-store"
    assert "Sign out" in page.text


def test_the_content_is_rendered_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read(client, "/api/reference/urns/")

    def refuse(*_: Any) -> str:
        raise AssertionError("the page is rendered again")

    monkeypatch.setattr(views, "render_to_string", refuse)
    assert read(client, "/api/reference/urns/").content == first.content


@pytest.mark.exhaustive
def test_the_pages_have_the_settings_of_the_installation(client: Client, settings: Any) -> None:
    settings.PUBLIC_ORIGIN, settings.API_READS_A_MINUTE = "https://urn.example.net", 4321
    assert "https://urn.example.net/api/v1" in read(client, "/api/").text
    assert "4321" in read(client, "/api/guides/limits/").text
    assert "registry.example.org" not in read(client, "/api/reference/namespaces/").text


def test_the_problem_in_the_guide_is_the_one_of_the_api(client: Client) -> None:
    shown = re.search(r"<code>(\{.*?)</code>", read(client, "/api/guides/errors/").text, re.DOTALL)
    assert shown
    answer = client.get("/api/v1/namespaces/?kind=special").json()
    assert json.loads(shown[1].replace("&quot;", '"')).keys() == answer.keys()


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "text"),
        ({"type": ["string", "null"], "format": "date-time"}, "time or null"),
        ({"type": "array", "items": {"type": "integer"}}, "list of integers"),
        ({"oneOf": [{"$ref": "#/components/schemas/Kind"}, {"type": "null"}]}, "text or null"),
        (
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object"}]},
            "list of texts or object",
        ),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "list: text or null"),
        ({}, "any value"),
    ],
)
def test_types_in_words(schema: dict[str, Any], text: str) -> None:
    document = {"components": {"schemas": {"Kind": {"type": "string", "enum": ["formal", "informal"]}}}}
    assert type_of(document, schema) == text


def test_text_between_backticks_is_code_and_nothing_else_is_html() -> None:
    assert inline_code("Use `a<b` & `c`.") == "Use <code>a&lt;b</code> &amp; <code>c</code>."
    assert inline_code("<script>") == "&lt;script&gt;"


def test_members_of_members_are_named_by_their_path() -> None:
    inner = {"type": "object", "properties": {"nid": {"type": "string", "description": "The NID."}}}
    schema = {
        "type": "object",
        "required": ["results"],
        "properties": {"results": {"type": "array", "items": inner}},
    }
    assert [(each.name, each.is_required) for each in members_of({}, schema)] == [
        ("results", True),
        ("results[].nid", False),
    ]
