"""`/uri-res/`: the services of RFC 2483, and their names of RFC 2169."""

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.resolution.models import HealthState, ServiceHealth
from registry.resolution.views import OLD_NAMES, URI_SERVICES
from tests.resolution.conftest import a_namespace_with, a_profile_with, a_service, confirm_all

pytestmark = pytest.mark.django_db

RFC = "https://www.rfc-editor.org/rfc/rfc2648"
INFORMATION = "https://www.rfc-editor.org/info/rfc2648"
DATATRACKER = "https://datatracker.ietf.org/doc/rfc2648/"


@pytest.mark.parametrize(
    ("service", "address"),
    [
        ("I2L", RFC), ("N2L", RFC), ("I2R", RFC), ("N2R", RFC), ("i2l", RFC),
        ("I2C", INFORMATION), ("N2C", INFORMATION),
    ],
)  # fmt: skip
def test_a_single_answer_is_a_redirect(client: Client, ietf: Namespace, service: str, address: str) -> None:
    response = client.get(f"/uri-res/{service}?urn:ietf:rfc:2648")
    assert (response.status_code, response["Location"]) == (303, address)


@pytest.mark.parametrize(
    ("service", "addresses"),
    [
        ("I2Ls", [RFC]), ("N2Ls", [RFC]), ("I2Rs", [RFC]), ("N2Rs", [RFC]),
        ("I2CS", [INFORMATION, DATATRACKER]),
    ],
)  # fmt: skip
def test_several_answers_are_a_list(
    client: Client, ietf: Namespace, service: str, addresses: list[str]
) -> None:
    response = client.get(f"/uri-res/{service}?urn:ietf:rfc:2648")
    assert (response.status_code, response["Content-Type"]) == (200, "text/uri-list; charset=utf-8")
    lines = response.content.decode().split("\r\n")
    assert lines == ["# urn:ietf:rfc:2648", *addresses, ""]


@pytest.mark.parametrize(
    ("service", "urns"),
    [
        ("I2N", ["urn:isbn:9780451450524"]),
        ("N2N", ["urn:isbn:9780451450524"]),
        ("I2Ns", ["urn:isbn:9780451450524", "urn:isbn:0451450523", "urn:isbn:978-0-451-45052-4", "urn:isbn:0-451-45052-3"]),
    ],
)  # fmt: skip
def test_equivalent_urns_are_derived(client: Client, isbn: Namespace, service: str, urns: list[str]) -> None:
    response = client.get(f"/uri-res/{service}?urn:isbn:0451450523")
    assert response.content.decode().split("\r\n") == ["# urn:isbn:0451450523", *urns, ""]


@pytest.mark.parametrize("accept", ["*/*", "text/uri-list", "text/html"])
@pytest.mark.parametrize(
    ("asked", "kind"), [("I2N", "I2N"), ("N2N", "I2N"), ("I2Ns", "I2N"), ("I2Ns", "I2Ns"), ("N2Ns", "I2Ns")]
)
def test_a_service_for_urns_comes_first(
    client: Client, administrator: User, asked: str, kind: str, accept: str
) -> None:
    profile = a_profile_with(a_service("https://trees.example/urn/{nss}", kind=kind))
    confirm_all(a_namespace_with(profile), by=administrator)
    response = client.get(f"/uri-res/{asked}?urn:example-trees:12:4711", headers={"accept": accept})
    assert (response.status_code, response["Location"]) == (303, "https://trees.example/urn/12%3A4711")


@pytest.mark.parametrize("asked", ["I2N", "I2Ns"])
def test_a_service_for_urns_on_an_unconfirmed_host_is_asked_for(client: Client, asked: str) -> None:
    a_namespace_with(a_profile_with(a_service("https://trees.example/urn/{nss}", kind="I2N")))
    response = client.get(f"/uri-res/{asked}?urn:example-trees:12:4711", headers={"accept": "text/uri-list"})
    assert (response.status_code, response["Content-Type"]) == (300, "text/html; charset=utf-8")


def test_a_service_for_many_urns_does_not_return_one(client: Client, administrator: User) -> None:
    profile = a_profile_with(a_service("https://trees.example/urn/{nss}", kind="I2Ns"))
    confirm_all(a_namespace_with(profile), by=administrator)
    response = client.get("/uri-res/I2N?urn:example-trees:12:4711")
    lines = response.content.decode().split("\r\n")
    assert lines == ["# urn:example-trees:12:4711", "urn:example-trees:12:4711", ""]


def test_a_list_of_services_that_are_down_says_so(client: Client, trees: Namespace) -> None:
    now = timezone.now()
    ServiceHealth.objects.create(
        namespace=trees, template="https://trees.example/{nss}", state=HealthState.DOWN,
        failures=20, checked_at=now, failing_since=now,
    )  # fmt: skip
    response = client.get("/uri-res/I2CS?urn:example-trees:12:4711")
    assert response.content.decode().split("\r\n") == [
        "# urn:example-trees:12:4711", "# left out: 1 on hosts that are down or not confirmed", "",
    ]  # fmt: skip
    assert client.get("/uri-res/I2C?urn:example-trees:12:4711").status_code == 409


def test_the_query_is_the_urn_as_it_is(client: Client, administrator: User) -> None:
    profile = a_profile_with(
        a_service(
            "https://trees.example/{nss}?{q}", kind="I2R", examples=["urn:example-trees:a"], passes_q=True
        ),
        unstated="Every name is allowed.",
    )
    confirm_all(a_namespace_with(profile), by=administrator)
    response = client.get("/uri-res/I2R?urn:example-trees:a%2Fb?=x=%20")
    assert response["Location"] == "https://trees.example/a%2Fb?x=%20"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("I2L?urn:ietf:rfc:x", 422),
        ("I2Ns?urn:ietf:rfc:x", 422),
        ("I2Ls?urn:nothing:1", 404),
        ("I2N?urn:nothing:1", 404),
        ("I2L", 400),
        ("I2Ls?urn:", 400),
        ("I2R?urn:ietf:bcp:47", 404),
    ],
)
def test_refusals_are_the_same_as_elsewhere(client: Client, ietf: Namespace, path: str, status: int) -> None:
    response = client.get(f"/uri-res/{path}")
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")


def test_an_unknown_service_gets_the_list(client: Client, db: None) -> None:
    response = client.get("/uri-res/I2X?urn:ietf:rfc:2648")
    assert response.status_code == 404
    assert response.json()["services"] == [each.name for each in URI_SERVICES.values()] + list(OLD_NAMES)
