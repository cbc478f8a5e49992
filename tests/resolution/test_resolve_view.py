"""`/resolve/` and a URN: redirects, choices, questions, refusals, and the formats of each."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.namespaces.models import Kind, Namespace
from registry.resolution.formats import MAX_LINK
from registry.resolution.models import HealthState, ServiceHealth
from registry.resolution.services.hosts import withdraw_host
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    confirm_all,
    fixture_profile,
)

pytestmark = pytest.mark.django_db

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
TREE = "/resolve/urn:example-trees:12:4711"


def get(client: Client, path: str, accept: str | None = None, **headers: str) -> Any:
    return client.get(path, headers=({"accept": accept} if accept is not None else {}) | headers)


# Redirects


@pytest.mark.parametrize(
    ("urn", "address"),
    [
        ("urn:ietf:rfc:2648", "https://www.rfc-editor.org/rfc/rfc2648"),
        ("URN:IETF:rfc:2648", "https://www.rfc-editor.org/rfc/rfc2648"),
        ("urn:ietf:std:50", "https://www.rfc-editor.org/info/std50"),
        ("urn:isbn:0451450523?+x=1?=lang=en#p3", "https://openlibrary.org/isbn/9780451450524"),
        ("urn:isbn:0451450523%3F+x=1%3F=lang=en%23p3", "https://openlibrary.org/isbn/9780451450524"),
    ],
)
@pytest.mark.parametrize("accept", [None, "", "*/*", BROWSER, "text/html", "application/rdf+xml", "nonsense"])
def test_a_urn_is_redirected_to_the_best_service(
    client: Client, ietf: Namespace, isbn: Namespace, urn: str, address: str, accept: str | None
) -> None:
    response = get(client, f"/resolve/{urn}", accept)
    assert (response.status_code, response["Location"]) == (303, address)
    assert response["Vary"] == "Accept"
    assert response["Cache-Control"] == "no-cache"


def test_a_german_national_bibliography_number_is_redirected_to_its_library(
    client: Client, administrator: User
) -> None:
    confirm_all(a_namespace_with(fixture_profile("nbn")), by=administrator)
    response = get(client, "/resolve/urn:nbn:de:bvb:19-146642")
    assert response["Location"] == "https://nbn-resolving.org/urn:nbn:de:bvb:19-146642"


def test_head_has_the_same_headers(client: Client, ietf: Namespace) -> None:
    got, headed = get(client, "/resolve/urn:ietf:rfc:2648"), client.head("/resolve/urn:ietf:rfc:2648")
    assert (headed.status_code, headed["Location"], headed["Link"]) == (303, got["Location"], got["Link"])
    assert headed.content == b""


@pytest.mark.parametrize("path", ["/resolve/urn:ietf:rfc:2648", "/uri-res/I2L?urn:ietf:rfc:2648"])
def test_other_methods_are_not_allowed_with_and_without_a_token(ietf: Namespace, path: str) -> None:
    for client in (Client(), Client(enforce_csrf_checks=True)):
        response = client.post(path)
        assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("12:4711?=lang=en", "https://trees.example/12%3A4711?lang=en"),
        ("12:4711?+r=1?=a=%20b&c", "https://trees.example/12%3A4711?a=%20b&c"),
        ("12:4711?=a?b/c", "https://trees.example/12%3A4711?a%3Fb/c"),
        ("12:4711", "https://trees.example/12%3A4711"),
    ],
)
def test_the_q_component_reaches_a_service_that_passes_it(
    client: Client, administrator: User, path: str, address: str
) -> None:
    profile = a_profile_with(a_service("https://trees.example/{nss}?{q}", passes_q=True))
    confirm_all(a_namespace_with(profile), by=administrator)
    assert get(client, f"/resolve/urn:example-trees:{path}")["Location"] == address


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("a%252Fb", "https://trees.example/a%2Fb"),
        ("%C3%A9", "https://trees.example/%C3%A9"),
        ("%25c3%25a9", "https://trees.example/%C3%A9"),
        ("a%20b", "https://trees.example/a%20b"),
        ("%FF", "https://trees.example/%FF"),
    ],
)
def test_percent_encodings_survive_once(client: Client, administrator: User, path: str, address: str) -> None:
    profile = a_profile_with(a_service(examples=["urn:example-trees:a"]), unstated="Every name is allowed.")
    confirm_all(a_namespace_with(profile), by=administrator)
    assert get(client, f"/resolve/urn:example-trees:{path}")["Location"] == address


def test_the_link_set_is_named_in_one_short_header(client: Client, ietf: Namespace) -> None:
    link = get(client, "/resolve/urn:ietf:rfc:2648?+x=1")["Link"]
    assert link.endswith(
        '/resolve/urn:ietf:rfc:2648%3F+x=1>; rel="linkset"; type="application/linkset+json"; '
        'anchor="urn:ietf:rfc:2648?+x=1"'
    )


@pytest.mark.parametrize(
    ("length", "has_link", "has_anchor"),
    [(MAX_LINK // 4, True, True), (MAX_LINK // 2, True, False), (MAX_LINK, False, False)],
)
def test_a_link_that_would_be_long_is_left_out(
    client: Client, administrator: User, length: int, has_link: bool, has_anchor: bool
) -> None:
    profile = a_profile_with(a_service(examples=["urn:example-trees:a"]), unstated="Every name is allowed.")
    trees = deprecated(confirm_all(a_namespace_with(profile), by=administrator))
    response = get(client, f"/resolve/urn:{trees.nid}:{'a' * length}")
    assert response.status_code == 303
    assert ('rel="linkset"' in response["Link"], "anchor=" in response["Link"]) == (has_link, has_anchor)
    assert 'rel="deprecation"' in response["Link"]


def deprecated(namespace: Namespace) -> Namespace:
    namespace.deprecated_at = timezone.now()
    namespace.deprecation_statement = "The garden closed."
    namespace.save()
    return namespace


def test_a_deprecated_namespace_resolves_and_says_so(client: Client, trees: Namespace) -> None:
    deprecated(trees)
    response = get(client, TREE)
    assert response.status_code == 303
    assert trees.deprecated_at
    assert response["Deprecation"] == f"@{trees.deprecated_at.timestamp():.0f}"
    assert 'rel="deprecation"' in response["Link"]
    assert get(client, TREE, "application/json").json()["is_deprecated"] is True


# Formats


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
        ("get", "/resolve/", 404),
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
            }
        ],
    }


# Choices and questions


def test_several_equally_good_services_are_shown(client: Client, administrator: User) -> None:
    profile = a_profile_with(a_service(), a_service("https://oaks.example/{nss}", title="Oaks"))
    confirm_all(a_namespace_with(profile), by=administrator)
    response = get(client, TREE, BROWSER)
    assert (response.status_code, response.has_header("Location")) == (300, False)
    for address in ("https://trees.example/12%3A4711", "https://oaks.example/12%3A4711"):
        assertContains(response, f'<a href="{address}" rel="noreferrer">', status_code=300)
    assert get(client, TREE, "application/json").json()["outcome"] == "choice"


@pytest.mark.parametrize("accept", [None, BROWSER])
def test_an_unconfirmed_host_is_named_and_linked(client: Client, db: None, accept: str | None) -> None:
    a_namespace_with(a_profile_with(a_service()))
    response = get(client, TREE, accept)
    assert (response.status_code, response.has_header("Location")) == (300, False)
    assertContains(response, 'Continue to <span class="nid">trees.example</span>?', status_code=300)
    assertContains(response, 'href="https://trees.example/12%3A4711" rel="noreferrer"', status_code=300)


def test_several_unconfirmed_hosts_are_all_named(client: Client, db: None) -> None:
    a_namespace_with(a_profile_with(a_service(), a_service("https://oaks.example/{nss}", title="Oaks")))
    response = get(client, TREE, BROWSER)
    assertContains(response, "Choose an unconfirmed host", status_code=300)
    for host in ("trees.example", "oaks.example"):
        assertContains(response, f"Continue to {host}</a>", status_code=300)


def test_an_unconfirmed_host_of_several_services_is_one_host(client: Client, db: None) -> None:
    a_namespace_with(a_profile_with(a_service(), a_service("https://trees.example/b/{nss}", title="Bark")))
    response = get(client, TREE, BROWSER)
    assertContains(response, 'Continue to <span class="nid">trees.example</span>?', status_code=300)
    assertContains(response, 'href="https://trees.example/b/12%3A4711"', status_code=300)


def test_addresses_on_unconfirmed_hosts_are_marked_for_programs(client: Client, db: None) -> None:
    a_namespace_with(a_profile_with(a_service()))
    body = get(client, TREE, "application/json").json()
    assert (body["outcome"], body["address"]) == ("unconfirmed", None)
    assert body["services"][0]["host_confirmed"] is False
    listed = get(client, TREE, "text/uri-list").content.decode()
    assert listed == (
        "# urn:example-trees:12:4711\r\n# left out: 1 on hosts that are down or not confirmed\r\n"
    )


def test_a_withdrawn_host_is_asked_for_again(client: Client, trees: Namespace, administrator: User) -> None:
    assert get(client, TREE).status_code == 303
    withdraw_host(trees, by=administrator, host="trees.example", reason="It was sold.")
    assert get(client, TREE).status_code == 300


# Refusals, for programs and for people


def problem(client: Client, path: str) -> dict[str, Any]:
    response = get(client, path)
    assert response["Content-Type"] == "application/problem+json"
    assert "Accept" in response["Vary"]
    body: dict[str, Any] = response.json()
    assert body["status"] == response.status_code
    page = get(client, path, BROWSER)
    assert (page.status_code, page["Content-Type"]) == (response.status_code, "text/html; charset=utf-8")
    assertContains(page, body["title"], status_code=response.status_code)
    return body | {"type": body["type"].rstrip("/").rpartition("/")[2]}


def test_a_text_that_is_no_urn(client: Client, isbn: Namespace) -> None:
    body = problem(client, "/resolve/urn:isbn:")
    assert (body["status"], body["type"], body["position"], body["rule"]) == (400, "not-a-urn", 9, "NSS")
    body = problem(client, "/resolve/urn:isbn:0451450523?page=1")
    assert (body["status"], body["position"]) == (400, 19)


def test_a_name_that_breaks_the_rules(client: Client, isbn: Namespace) -> None:
    body = problem(client, "/resolve/urn:isbn:0451450524")
    assert (body["status"], body["type"]) == (422, "not-conformant")
    assert body["reason"] == "The check digit is wrong; it would be 3."
    assert body["repair"] == "urn:isbn:0451450523"
    page = get(client, "/resolve/urn:isbn:0451450524", BROWSER)
    assertContains(page, 'href="/resolve/urn:isbn:0451450523"', status_code=422)


def test_a_nid_that_is_not_registered(client: Client, isbn: Namespace) -> None:
    body = problem(client, "/resolve/urn:isbm:0451450523")
    assert (body["status"], body["type"]) == (404, "namespace-not-registered")
    assert body["similar_nids"] == ["isbn"]
    assert [each["urn"] for each in body["did_you_mean"]] == ["urn:isbn:0451450523"]


def test_an_informal_namespace_that_is_not_assigned(client: Client, db: None) -> None:
    body = problem(client, "/resolve/urn:urn-999:a")
    assert (body["status"], body["type"]) == (404, "informal-namespace-not-assigned")


def test_a_namespace_without_services(client: Client, db: None) -> None:
    a_namespace_with(fixture_profile("example"))
    body = problem(client, "/resolve/urn:example:a")
    assert (body["status"], body["type"]) == (404, "no-services")
    assert body["organisation"]
    assert body["specifications"]
    page = get(client, "/resolve/urn:example:a", BROWSER)
    assertContains(page, body["specifications"][0]["title"], status_code=404)


def test_a_namespace_without_a_profile(client: Client, db: None) -> None:
    Namespace.objects.create(nid="wxn", kind=Kind.FORMAL, holder="Example Weather Network")
    assert problem(client, "/resolve/urn:wxn:a")["type"] == "no-services"
    assertContains(get(client, "/resolve/urn:wxn:a", BROWSER), "Example Weather Network", status_code=404)


def test_services_for_other_names(client: Client, db: None) -> None:
    a_namespace_with(a_profile_with(a_service(only={"nss": ["12:*"]})))
    body = problem(client, "/resolve/urn:example-trees:13:1")
    assert (body["status"], body["type"]) == (404, "no-suitable-service")


def test_an_address_that_would_not_be_safe(client: Client, db: None) -> None:
    a_namespace_with(
        a_profile_with(a_service(examples=["urn:example-trees:a"]), unstated="Every name is allowed.")
    )
    for path in ("a%0D%0ALocation:x", "..", "%252e%252e"):
        body = problem(client, f"/resolve/urn:example-trees:{path}")
        assert (body["status"], body["type"]) == (422, "no-safe-address")


def test_a_service_that_is_down(client: Client, trees: Namespace) -> None:
    now = timezone.now()
    ServiceHealth.objects.create(
        namespace=trees, template="https://trees.example/{nss}", state=HealthState.DOWN,
        failures=20, checked_at=now, failing_since=now,
    )  # fmt: skip
    body = problem(client, TREE)
    assert (body["status"], body["type"]) == (409, "services-down")
    (service,) = body["services"]
    assert (service["address"], service["health"]) == ("https://trees.example/12%3A4711", "down")
    assert service["host_confirmed"] is True
    assert 'rel="linkset"' in get(client, TREE)["Link"]
    described = get(client, TREE, "application/json")
    assert (described.status_code, described.json()["outcome"]) == (200, "down")
    assert described.json()["services"] == body["services"]
    (context,) = get(client, TREE, "application/linkset+json").json()["linkset"]
    assert context["describedby"][0]["health"] == ["down"]
    assert "# left out: 1 " in get(client, TREE, "text/uri-list").content.decode()
    page = get(client, TREE, BROWSER)
    assertContains(page, f"has been down since {now:%Y-%m-%d}", status_code=409)
    assertContains(page, 'href="https://trees.example/12%3A4711"', status_code=409)


def test_pages_and_problems_are_those_of_the_request(client: Client, trees: Namespace) -> None:
    assert client.post(TREE).headers["Content-Type"] == "application/problem+json"
    assertNotContains(client.get("/statistics/nothing/"), "problem+json", status_code=404)
