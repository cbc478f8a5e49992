"""Resolution with a list: services of a sub-namespace first, and no services for names that the list forbids."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.core.database.prepared_reader import PreparedReader
from registry.core.http.fast_path import FastPaths
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.resolution.actions import confirm_host, hosts_of
from registry.resolution.fast_path import redirect
from registry.resolution.models import Basis
from registry.resolution.namespace_data import OF_ONE_NID, OF_PREFIXES
from tests.resolution.conftest import a_service
from tests.resolution.requests import Answered
from tests.subnamespaces.conftest import GARDENS, Import
from tests.support.factories import a_profile

KEW = "urn:example-gardens:KEW:12"
OAK = "urn:example-gardens:oak:1"
OUTSIDE = "urn:example-gardens:elm:1"


def service(template: str, example: str, **members: Any) -> dict[str, Any]:
    return a_service(template, examples=[example], **members)


LIST = "\n".join(
    json.dumps(each)
    for each in (
        {
            "prefix": "kew",
            "title": "Kew",
            "services": [service("https://kew.example/{nss}", "urn:example-gardens:kew:12", priority=9)],
        },
        {"prefix": "oak", "title": "Oak Park"},
    )
)


@pytest.fixture
def served(gardens: Namespace, import_list: Import, administrator: User) -> Namespace:
    """Gardens with a service, of which one has its own service."""
    profile = a_profile(
        "example-gardens",
        unstated="The gardens decide.",
        ignores_case=True,
        levels=[GARDENS],
        examples=("kew:1", "oak:1"),
        services=[service("https://gardens.example/{nss}", "urn:example-gardens:oak:1")],
    )
    set_profile(gardens, by=administrator, profile=profile, basis="It has a service.", replaces=1)
    import_list(LIST)
    gardens.refresh_from_db()
    return gardens


@pytest.fixture
def confirmed(served: Namespace, administrator: User) -> Namespace:
    assert hosts_of(served) == ["gardens.example", "kew.example"]
    for host in hosts_of(served):
        confirm_host(served, by=administrator, host=host, basis=Basis.ADMINISTRATOR, evidence="It was read.")
    return served


def location(client: Client, urn: str, path: str = "/resolve/") -> tuple[int, str | None]:
    response = client.get(f"{path}{urn}")
    return response.status_code, response.headers.get("Location")


def test_services_of_the_sub_namespace_come_first(client: Client, confirmed: Namespace) -> None:
    assert location(client, KEW) == (303, "https://kew.example/12")
    assert location(client, KEW, "/uri-res/I2C?") == (303, "https://kew.example/12")
    assert location(client, OAK) == (303, "https://gardens.example/oak%3A1")
    listed = client.get(f"/resolve/{KEW}", headers={"Accept": "text/uri-list"}).content.decode()
    assert listed.split()[-2:] == ["https://kew.example/12", "https://gardens.example/KEW%3A12"]
    described = client.get(f"/api/v1/urns/{KEW}").json()
    assert described["services"][0]["address"] == "https://kew.example/12"


def test_a_confirmed_host_comes_before_the_sub_namespace(
    client: Client, served: Namespace, administrator: User
) -> None:
    confirm_host(
        served, by=administrator, host="gardens.example", basis=Basis.ADMINISTRATOR, evidence="It was read."
    )
    assert location(client, KEW) == (303, "https://gardens.example/KEW%3A12")


def test_without_a_confirmed_host_the_sub_namespace_is_asked_for(client: Client, served: Namespace) -> None:
    page = client.get(f"/resolve/{KEW}")
    assert page.status_code == 300
    assert "kew.example" in page.content.decode()


def test_a_name_outside_a_complete_list_is_refused(client: Client, confirmed: Namespace) -> None:
    problem = client.get(f"/resolve/{OUTSIDE}", headers={"Accept": "application/problem+json"})
    assert problem.status_code == 422
    assert problem.json()["rule"] == "sub-namespace"
    assert "The list is complete: List of gardens, as of 2026-01-31." in problem.json()["detail"]
    assert client.get(f"/uri-res/I2C?{OUTSIDE}").status_code == 422


def test_many_names_take_one_query_for_the_list(client: Client, confirmed: Namespace) -> None:
    urns = [KEW, OAK, OUTSIDE, "urn:example-gardens:kem:1", "no URN", *(f"{OAK}{n}" for n in range(50))]
    with CaptureQueriesContext(connection) as captured:
        response = client.post("/api/v1/resolve/", {"urns": urns}, content_type="application/json")
        results = json.loads(b"".join(response.streaming_content))["results"]  # type: ignore[attr-defined]
    assert [each["address"] for each in results[:3]] == [
        "https://kew.example/12",
        "https://gardens.example/oak%3A1",
        None,
    ]
    assert results[2]["reason"].startswith("“elm” is no garden of urn:example-gardens. The list is complete")
    assert sum("subnamespaces_subnamespace" in each["sql"] for each in captured) == 1


class CountingReader(PreparedReader):
    def __init__(self) -> None:
        super().__init__(OF_ONE_NID, OF_PREFIXES)
        self.statements: list[bytes] = []

    def read(self, statement: Any, parameters: list[bytes]) -> Any:
        self.statements.append(statement.name)
        return super().read(statement, parameters)


@pytest.fixture
def reader() -> Iterator[CountingReader]:
    reader = CountingReader()
    yield reader
    reader.close()


class TestFastPath:
    @pytest.fixture
    def db(self, real_database: None) -> None:
        """The fast path reads on connections of its own."""

    def test_the_fast_path_redirects_as_django_does(
        self, confirmed: Namespace, reader: CountingReader
    ) -> None:
        django = get_wsgi_application()
        passed_on: list[str] = []

        def behind(environ: Any, start_response: Any) -> Any:
            passed_on.append(environ["PATH_INFO"])
            return django(environ, start_response)

        front = FastPaths(behind, {"resolution:resolve": partial(redirect, reader)})
        Answered(front, f"/resolve/{KEW}")  # its headers and the profile are known from now on
        passed_on.clear()
        reader.statements.clear()
        for urn in (KEW, OAK):
            own = Answered(front, f"/resolve/{urn}")
            assert not passed_on
            assert vars(own) == vars(Answered(django, f"/resolve/{urn}"))
        assert reader.statements == [b"resolution", b"subnamespaces"] * 2
        assert Answered(front, f"/resolve/{OUTSIDE}").status.startswith("422")
        assert passed_on
