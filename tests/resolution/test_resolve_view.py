"""`/resolve/` and a URN: redirects, choices, and hosts that are not confirmed."""

import pytest
from django.test import Client
from pytest_django.asserts import assertContains

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.resolution.actions import withdraw_host
from registry.resolution.formats import MAX_LINK
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    confirm_all,
    fixture_profile,
)
from tests.resolution.requests import BROWSER, TREE, deprecated, get

pytestmark = pytest.mark.django_db


# Redirects


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("urn", "address"),
    [
        ("urn:ietf:rfc:2648", "https://www.rfc-editor.org/rfc/rfc2648"),
        ("URN:IETF:rfc:2648", "https://www.rfc-editor.org/rfc/rfc2648"),
        ("urn:ietf:std:50", "https://www.rfc-editor.org/info/std50"),
        (
            "urn:isbn:0451450523?+x=1?=lang=en#kept-by-the-client",
            "https://openlibrary.org/isbn/9780451450524",
        ),
        ("urn:isbn:0451450523%3F+x=1%3F=lang=en%23p3", "https://openlibrary.org/isbn/9780451450524#p3"),
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


def test_a_deprecated_namespace_resolves_and_says_so(client: Client, trees: Namespace) -> None:
    deprecated(trees)
    response = get(client, TREE)
    assert response.status_code == 303
    assert trees.deprecated_at
    assert response["Deprecation"] == f"@{trees.deprecated_at.timestamp():.0f}"
    assert 'rel="deprecation"' in response["Link"]
    assert get(client, TREE, "application/json").json()["is_deprecated"] is True


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
