"""The versions of a namespace, as JSON and as the text that was registered."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from registry.namespaces.models import Namespace
from tests.api.conftest import revise

TREES = "/api/v1/namespaces/example-trees/"


@pytest.fixture
def revised(trees: Namespace) -> Namespace:
    revise(trees, purpose="Names trees and shrubs.", revision_information="Shrubs, too.")
    return trees


def test_the_versions_are_listed_from_the_oldest_on(client: Client, revised: Namespace) -> None:
    body = client.get(f"{TREES}versions/").json()
    assert (body["nid"], body["current"]) == ("example-trees", 2)
    assert [each["version"] for each in body["results"]] == [1, 2]
    for listed, stored in zip(body["results"], revised.revisions.all(), strict=True):
        assert listed["digest"] == stored.digest
        assert client.get(listed["url"]).json()["version"] == stored.version
        assert client.get(listed["template"]).content.decode() == stored.text


def test_an_imported_namespace_has_no_versions(client: Client, isbn: Namespace) -> None:
    body = client.get("/api/v1/namespaces/ISBN/versions").json()
    assert body == {"nid": "isbn", "current": 1, "results": []}


def test_an_older_version_keeps_its_sections(client: Client, revised: Namespace) -> None:
    first, second = (client.get(f"{TREES}versions/{number}/").json() for number in (1, 2))
    assert first["sections"]["purpose"].startswith("Names trees in the care")
    assert second["sections"]["purpose"] == "Names trees and shrubs."
    assert first["links"]["namespace"] == f"http://localhost:8000{TREES}"
    assert client.get(first["links"]["template"]).status_code == 200


def test_the_template_is_the_text_that_was_registered(client: Client, revised: Namespace) -> None:
    first, second = revised.revisions.all()
    current = client.get(f"{TREES}template.txt")
    assert current["Content-Type"] == "text/plain; charset=utf-8"
    assert current.content.decode() == second.text
    assert client.get(f"{TREES}versions/1/template.txt").content.decode() == first.text
    assert client.get(f"{TREES}template.txt/").content == current.content


@pytest.mark.parametrize(
    "version", ["3", "0", "01", "-1", "1%0A", "%D9%A1", "1.0", "99999999999999999999", "latest", "%00", "1_0"]
)
@pytest.mark.parametrize("form", ["", "/template.txt"])
def test_an_invalid_version_is_a_404(client: Client, revised: Namespace, version: str, form: str) -> None:
    response = client.get(f"{TREES}versions/{version}{form}")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["type"].endswith("/problems/version-unknown/")


@pytest.mark.parametrize("address", ["template.txt", "versions/1/", "versions/1/template.txt"])
def test_a_text_that_only_iana_has_is_a_404_with_its_address(
    client: Client, isbn: Namespace, address: str
) -> None:
    response = client.get(f"/api/v1/namespaces/isbn/{address}")
    assert response.status_code == 404
    assert isbn.template_url in response.json()["detail"]


def test_an_unregistered_version_names_the_current_one(client: Client, trees: Namespace) -> None:
    detail = client.get(f"{TREES}versions/2/").json()["detail"]
    assert detail == "“example-trees” has no version 2. Its latest version is 1."


@pytest.mark.parametrize(
    ("address", "queries"),
    [("versions/", 2), ("versions/1/", 1), ("versions/1/template.txt", 1), ("template.txt", 1)],
)
def test_versions_take_few_queries(
    client: Client,
    revised: Namespace,
    address: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(queries):
        assert client.get(TREES + address).status_code == 200
