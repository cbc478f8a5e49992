"""Organisations in the API and in files: the change controller of a namespace, and the organisation of a case."""

import json
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.models import Case
from registry.namespaces.actions.registration import register_formal
from registry.organisations.actions.organisations import describe_organisation
from registry.organisations.models import Organisation
from registry.publication.formats.json_files import format_json_lines
from tests.api.client import TokenClient
from tests.support.factories import a_template

pytestmark = pytest.mark.django_db
DETAIL = "/api/v1/namespaces/example-trees/"


def controller_of(organisation: Organisation) -> dict[str, Any]:
    return {
        "number": organisation.pk,
        "name": organisation.name,
        "url": f"http://localhost:8000/api/v1/organisations/{organisation.pk}/",
        "html": f"http://localhost:8000/organisations/{organisation.pk}/",
    }


def test_a_namespace_tells_its_change_controller(
    client: Client, arboretum: Organisation, representative: User
) -> None:
    register_formal(a_template(), registrant=arboretum)
    before = client.get(DETAIL).json()
    assert before["change_controller"] == controller_of(arboretum)
    assert before["contact"]["name"] is None
    assert "Change controller: Example Arboretum" in client.get(DETAIL, headers={"Accept": "text/plain"}).text
    linked = client.get(DETAIL, headers={"Accept": "application/ld+json"}).json()
    page = controller_of(arboretum)["html"]
    assert linked["maintainer"] == {"@type": "Organization", "name": "Example Arboretum", "url": page}
    # The stored response is renewed.
    arboretum = describe_organisation(arboretum, by=representative, name="Arboretum of Exampletown")
    assert client.get(DETAIL).json()["change_controller"] == controller_of(arboretum)
    (line,) = map(json.loads, format_json_lines())
    assert line["change_controller"].items() < controller_of(arboretum).items()


def test_a_namespace_of_a_person_names_no_change_controller(client: Client, registrant: User) -> None:
    register_formal(a_template(), registrant=registrant)
    assert client.get(DETAIL).json()["change_controller"] is None
    assert "maintainer" not in client.get(DETAIL, headers={"Accept": "application/ld+json"}).json()
    (line,) = map(json.loads, format_json_lines())
    assert line["change_controller"] is None


@pytest.mark.parametrize(("who", "status"), [("editor", 201), ("contact", 404)])
def test_a_case_is_begun_for_an_organisation(
    who: str, status: int, arboretum: Organisation, request: pytest.FixtureRequest
) -> None:
    answer = TokenClient(request.getfixturevalue(who)).post(
        "cases/", {"kind": "formal", "organisation": arboretum.pk}
    )
    assert answer.status_code == status
    assert Case.objects.filter(organisation=arboretum).exists() == (status == 201)
    if status == 201:
        assert answer.json()["organisation"] == controller_of(arboretum)
