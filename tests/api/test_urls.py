"""What holds at every address of the API: no page, no 500, no redirect, open for reading from everywhere."""

import re
from http import HTTPStatus
from urllib.parse import quote, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import example, given, settings
from hypothesis import strategies as st

from registry.accounts.models import User
from registry.api.schema.document import SUFFIX
from registry.api.urls import V1_PATHS
from registry.namespaces.models import Namespace
from tests.api.schema_checks import description

OPEN = [
    "/api/v1/namespaces/",
    "/api/v1/namespaces/isbn/",
    "/api/v1/namespaces/isbn/versions/",
    "/api/v1/nids/isbn/",
    "/api/v1/events/",
    "/api/v1/events/head/",
    "/api/v1/audit-log/",
    "/api/v1/audit-log/heads/",
    "/api/v1/urns/?urn=urn:isbn:1",
    "/api/v1/problems/",
    "/api/v1/problems/not-found/",
]
ROOT = "/api/v1/"
PATH_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@pytest.mark.parametrize("address", [ROOT, *OPEN])
def test_the_last_slash_can_be_left_out_without_a_redirect(
    client: Client, isbn: Namespace, address: str
) -> None:
    path, question, query = address.partition("?")
    without = client.get(path.rstrip("/") + question + query)
    assert without.status_code == 200
    assert without.content == client.get(address).content


@pytest.mark.parametrize("address", [ROOT, *OPEN])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"])
def test_another_method_is_405_with_the_methods_that_there_are(
    client: Client, isbn: Namespace, address: str, method: str
) -> None:
    response = client.generic(method, address, b"{}", "application/json")
    assert response.status_code == 405
    assert response["Content-Type"] == "application/problem+json"
    assert response["Allow"] == "GET, HEAD, OPTIONS"
    assert response.json()["type"].endswith("/problems/method-not-allowed/")


@pytest.mark.parametrize("address", [ROOT, *OPEN])
def test_options_allows_cross_origin_requests(client: Client, isbn: Namespace, address: str) -> None:
    asked = {"origin": "https://elsewhere.example", "access-control-request-method": "GET"}
    response = client.options(address, headers=asked)
    assert (response.status_code, response.content) == (200, b"")
    assert response["Allow"] == response["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "If-None-Match" in response["Access-Control-Allow-Headers"]


@pytest.mark.parametrize(
    "address", [ROOT, *OPEN, "/api/v1/nothing/", "/api/v1/namespaces/nobody/", "/api/v1/?x=1"]
)
def test_every_response_is_readable_from_other_origins(client: Client, isbn: Namespace, address: str) -> None:
    response = client.get(address, headers={"origin": "https://elsewhere.example"})
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response


UNKNOWN = [
    "/api/v2/",
    "/api/v1/nothing/",
    "/api/v1/nothing",
    "/api/v1/namespaces/isbn/nothing/",
    "/api/v1/namespaces/isbn/versions/1/template.pdf",
    "/api/v1/namespaces//",
    "/api/v1/problems/nothing/",
    "/api/v1/%00",
    "/api/v1/%FF%FE",
    "/api/v1/%0A",
    "/api/v1/namespaces/isbn%0A/versions/",
    "/api/v1/" + "a/" * 5000,
]


@pytest.mark.parametrize("address", UNKNOWN, ids=lambda address: address[:40])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_address_is_a_404_as_a_problem(
    client: Client, isbn: Namespace, address: str, method: str
) -> None:
    response = client.generic(method, address)
    if method == "POST" and response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        assert address in {"/api/v1/problems/nothing/", "/api/v1/namespaces/isbn%0A/versions/"}
        return
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == 404


def test_addresses_outside_the_api_keep_their_error_pages(client: Client, db: None) -> None:
    assert client.get("/apian/")["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("accept", ["text/html", "application/xml;q=0", "image/*", "a", "x/y; q*=foo''%41"])
def test_an_unavailable_format_is_406(client: Client, isbn: Namespace, accept: str) -> None:
    response = client.get("/api/v1/namespaces/isbn/", headers={"accept": accept})
    assert response.status_code == 406
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "accept",
    ["*/*", "application/json", "application/*", "text/html, */*;q=0.1", "application/json; indent=4", ""],
)
def test_every_accept_that_allows_json_gets_the_same_response(
    client: Client, isbn: Namespace, accept: str
) -> None:
    plain = client.get("/api/v1/namespaces/isbn/")
    response = client.get("/api/v1/namespaces/isbn/", headers={"accept": accept})
    assert (response.status_code, response.content) == (200, plain.content)
    assert response["Content-Type"] == "application/json"


@pytest.mark.parametrize("accept", ["*/*; a*=utf-8''%0D%0AX-Evil:1", "application/json; a*=utf-8''%0A"])
def test_a_parameter_of_accept_cannot_write_into_the_headers(
    client: Client, isbn: Namespace, accept: str
) -> None:
    response = client.get("/api/v1/namespaces/isbn/", headers={"accept": accept})
    assert response.status_code == 200
    assert "X-Evil" not in response


def test_a_foreign_host_is_refused_as_a_problem(client: Client, db: None) -> None:
    response = client.get("/api/v1/", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["type"].endswith("/problems/invalid-request/")


@pytest.mark.parametrize("address", [ROOT, *OPEN, "/api/v1/namespaces/?page_size=1", "/api/v1/nids/free/"])
def test_the_response_does_not_depend_on_the_host(
    client: Client, isbn: Namespace, trees: Namespace, address: str
) -> None:
    answers = [client.get(address, headers={"host": host}) for host in ("localhost", "127.0.0.1:8000")]
    assert answers[0].content == answers[1].content
    assert answers[0].get("Link") == answers[1].get("Link")


def test_too_many_parameters_are_refused_as_a_problem(client: Client, db: None) -> None:
    response = client.get("/api/v1/namespaces/?" + "&".join(f"p{n}=1" for n in range(2000)))
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"


def test_public_resources_ignore_sessions(
    client: Client,
    isbn: Namespace,
    registrant: User,
) -> None:
    strangers = client.get("/api/v1/namespaces/isbn/")
    client.force_login(registrant)
    with CaptureQueriesContext(connection) as queries:  # none of them counts requests: lookups are unlimited
        response = client.get("/api/v1/namespaces/isbn/")
    assert len(queries) == 1
    assert response.content == strangers.content
    assert response["Vary"] == strangers["Vary"]


def test_an_expired_session_cookie_is_ignored(client: Client, isbn: Namespace) -> None:
    client.cookies["sessionid"] = "0123456789abcdefghijklmnopqrstuv"
    response = client.get("/api/v1/namespaces/isbn/")
    assert not response.cookies
    assert "Cookie" not in response["Vary"]


def test_the_root_names_every_resource(client: Client) -> None:
    """Resources of a record, such as the rounds of a case, stand below it, and its links lead to them."""
    addresses = (address.partition("{?")[0] for address in client.get(ROOT).json().values())
    named = {urlsplit(address).path.removeprefix(ROOT) for address in addresses}
    routes = {PATH_PARAMETER.sub(r"{\1}", str(each.pattern)) for each in V1_PATHS if each.name}
    resources = {each for each in routes if not each.endswith(SUFFIX)} - {"", "schema/browse/"}
    missing = {each for each in resources - named if not any(is_below(each, parent) for parent in named)}
    assert missing == set()
    assert named - routes == {"/api/", "cases/{number}/{transition}/"}


def is_below(route: str, parent: str) -> bool:
    """Whether a route belongs to a record of another one, or to one of its records."""
    return route.startswith(parent) and "{" in route


def test_the_root_leads_to_everything(client: Client, isbn: Namespace) -> None:
    missing = dict.fromkeys(("version", "template", "compare_versions"), "version-unknown")
    missing |= dict.fromkeys(("case", "compare_rounds"), "case-unknown")
    missing |= dict.fromkeys(("signed_head", "signed_note"), "head-unknown")
    missing["organisation"] = "organisation-unknown"
    missing["sighting"] = missing["register"] = missing["entry"] = "not-found"
    missing["look_up_namespaces"] = "namespace-unknown"  # of the NID “lookup”
    for name, template in client.get(ROOT).json().items():
        address = (
            template.split("{?")[0]
            .replace("{nid}", "isbn")
            .replace("{version}", "1")
            .replace("{number}", "1")
            .replace("{entry}", "1")
            .replace("{organisation}", "1")
            .replace("{transition}", "submit")
            .replace("{size}", "latest")
        )
        if name in {
            "check_urns",
            "compare_urns",
            "resolve_urns",
            "claim_namespace",
            "revise",
            "deprecate",
            "register_entries",
        }:
            assert client.get(address)["Allow"] == "POST, OPTIONS"
            continue
        if name == "documentation":
            assert client.get(address, headers={"accept": "text/html"}).status_code == 200
            continue
        response = client.get(address, {"urn": "urn:isbn:1"} if name == "urn" else None)
        if name in missing:
            assert response.json()["type"].endswith(f"/problems/{missing[name]}/")
        elif name in {
            *("actions", "draft", "account", "notifications", "token"),
            *(
                "entry_requests",
                "entry_request",
                "webhooks",
                "webhook",
                "claims",
                "claim",
                "own_sightings",
                "domains",
                "members",
                "transfers",
            ),
        }:
            assert response.json()["type"].endswith("/problems/token-missing/")
        elif name in {"own_tokens", "own_token"}:
            assert response.json()["type"].endswith("/problems/recent-sign-in-required/")
        elif name in {"transition", "check"}:
            assert response.headers["Allow"] == "POST, OPTIONS"
        else:
            assert response.status_code == 200


def test_the_root_names_every_parameter_of_an_address(client: Client) -> None:
    templates = [each.partition("{?") for each in client.get(ROOT).json().values() if "{?" in each]
    assert len(templates) >= 4
    for address, _, names in templates:
        parameters = description()["paths"][urlsplit(address).path]["get"]["parameters"]
        described = {each["name"] for each in parameters if each.get("in") == "query"}
        assert set(names.rstrip("}").split(",")) == described, address


# Pieces of real addresses, and pieces that have broken parsers, in any order.
PIECES = st.one_of(
    st.sampled_from(
        ["namespaces", "isbn", "versions", "template.txt", "nids", "urns", "problems", "/", "//"]
    ),
    st.sampled_from(["urn:isbn:1", "1", "?urn=", "?", "&", "=", ";", "+", "#", ".."]),
    st.sampled_from(["%00", "%0A", "%FF", "%ED%A0%80", "%2F", "%252F", "%", "%%", "%C3%A9"]),
    st.sampled_from(["q=", "page_size=", "after=", "updated_since=", "kind=formal", "status="]),
    st.text(st.characters(codec="utf-8"), max_size=8).map(quote),
    st.binary(max_size=6).map(quote),
)


@pytest.mark.exhaustive
@settings(max_examples=400)
@example(room="", pieces=["problems"], accept="text/html")
@given(
    room=st.sampled_from(
        ["", "namespaces/", "namespaces/?", "namespaces/isbn/", "nids/", "urns/", "urns/?urn="]
    ),
    pieces=st.lists(PIECES, max_size=6),
    accept=st.sampled_from(["*/*", "*/*", "text/html", "text/plain", ";,/"]),
)
def test_no_address_causes_an_internal_error_or_a_page(
    client: Client, isbn: Namespace, room: str, pieces: list[str], accept: str
) -> None:
    response = client.get(f"/api/v1/{room}{''.join(pieces)}", headers={"accept": accept})
    if response.status_code == HTTPStatus.SEE_OTHER:  # the types of problems are pages, too
        assert accept == "text/html"
        assert response["Location"].startswith("/api/problems/")
        return
    assert response.status_code in {200, 400, 404, 406}
    kind = response["Content-Type"].partition(";")[0]
    if response.status_code == HTTPStatus.OK:
        assert kind in {"application/json", "text/plain"}
    else:
        assert kind == "application/problem+json"
        problem = response.json()
        assert {"type", "title", "status", "detail", "instance"} <= set(problem)
        assert problem["status"] == response.status_code


@pytest.mark.parametrize(
    ("method", "address", "name"),
    [
        ("GET", "/api/v1/namespaces/isbn/", "getNamespace"),
        ("HEAD", "/api/v1/namespaces/", "listNamespaces"),
        ("GET", "/api/v1/namespaces/nobody/", "getNamespace"),
        ("POST", "/api/v1/cases/", "createCase"),
        ("PUT", "/api/v1/cases/", ""),
        ("OPTIONS", "/api/v1/cases/", ""),
        ("GET", "/api/v1/nothing/", ""),
    ],
)
def test_every_response_links_to_the_descriptions_of_the_api(
    client: Client, isbn: Namespace, method: str, address: str, name: str
) -> None:
    """RFC 8631, and the part of the documentation that describes the operation."""
    found = [link for link in client.generic(method, address)["Link"].split(", ") if "next" not in link]
    expected = ['</api/v1/schema/>; rel="service-desc"', '</api/>; rel="service-doc"']
    assert found == expected + [f'</api/reference/#{name}>; rel="describedby"'] * bool(name)
    if name:
        reference = client.get("/api/reference/", headers={"accept": "text/html"})
        assert f'id="{name}"' in reference.text
