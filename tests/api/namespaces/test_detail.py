"""GET /api/v1/namespaces/{nid}/: one namespace, or why there is none."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.models import Namespace
from tests.api.conftest import revise
from tests.support.factories import a_case_in_review, a_draft, an_imported_namespace

ADDRESS = "/api/v1/namespaces/{}/"


def test_an_imported_namespace_shows_what_iana_knows_and_null_for_the_rest(
    client: Client, isbn: Namespace
) -> None:
    response = client.get(ADDRESS.format("isbn"))
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response.json() == {
        "nid": "isbn",
        "title": None,
        "kind": "formal",
        "number": None,
        "status": "active",
        "origin": "iana",
        "version": 1,
        "registered_on": "2001-01",
        "updated_on": "2017-04-11",
        "registrant": "Example ISBN Agency",
        "purpose": None,
        "references": [{"type": "rfc", "target": "rfc8254", "label": "RFC 8254"}],
        "template_url": "https://www.iana.org/assignments/urn-formal/isbn",
        "changed_at": isbn.changed_at.isoformat().replace("+00:00", "Z"),
        "sections": None,
        "change_controller": None,
        "contact": None,
        "versions": [],
        "deprecation": None,
        "profile": None,
        "links": {
            "self": "http://localhost:8000/api/v1/namespaces/isbn/",
            "html": "http://localhost:8000/namespaces/isbn/",
            "versions": "http://localhost:8000/api/v1/namespaces/isbn/versions/",
            "template": None,
            "subnamespaces": None,
            "register": None,
        },
    }


def test_a_namespace_registered_here_shows_every_section_of_its_template(
    client: Client, trees: Namespace
) -> None:
    body = client.get(ADDRESS.format("example-trees")).json()
    assert trees.latest is not None
    assert body["sections"] == trees.latest.template.to_json()
    assert body["registrant"] == "Example Arboretum"
    assert body["origin"] == "registry"
    assert body["versions"] == [
        {
            "version": 1,
            "url": "http://localhost:8000/api/v1/namespaces/example-trees/versions/1/",
            "template": "http://localhost:8000/api/v1/namespaces/example-trees/versions/1/template.txt",
        }
    ]


def test_the_account_of_the_registrant_is_not_shown(client: Client, registrant: User) -> None:
    an_imported_namespace(nid="held", registrant=registrant)
    assert registrant.email not in client.get(ADDRESS.format("held")).content.decode()


@pytest.mark.parametrize("spelling", ["ISBN/", "isbn", "Isbn", "iSBN/"])
def test_letter_case_and_trailing_slash_do_not_change_the_response(
    client: Client, isbn: Namespace, spelling: str
) -> None:
    canonical = client.get(ADDRESS.format("isbn"))
    other = client.get(f"/api/v1/namespaces/{spelling}")
    assert other.status_code == 200
    assert other.content == canonical.content
    assert other["ETag"] == canonical["ETag"]


def test_an_informal_namespace_shows_its_number(client: Client, db: None) -> None:
    an_imported_namespace(nid="urn-7", kind="informal", number=7)
    body = client.get(ADDRESS.format("URN-7")).json()
    assert (body["nid"], body["kind"], body["number"]) == ("urn-7", "informal", 7)


def test_a_revision_becomes_the_current_version(client: Client, trees: Namespace) -> None:
    revise(trees, purpose="Names trees and shrubs.", revision_information="Shrubs, too.")
    body = client.get(ADDRESS.format("example-trees")).json()
    assert body["version"] == 2
    assert body["sections"]["purpose"] == body["purpose"] == "Names trees and shrubs."
    assert [each["version"] for each in body["versions"]] == [1, 2]


def test_a_deprecated_namespace_stays_200_and_names_its_successor(
    client: Client, isbn: Namespace, trees: Namespace, administrator: User
) -> None:
    deprecate(isbn, by=administrator, statement="Use the trees.", successor=trees)
    response = client.get(ADDRESS.format("isbn"))
    assert response.status_code == 200
    body = response.json()
    assert body["status"] == "deprecated"
    assert body["deprecation"]["statement"] == "Use the trees."
    assert body["deprecation"]["successor"] == {
        "nid": "example-trees",
        "url": "http://localhost:8000/api/v1/namespaces/example-trees/",
    }


@pytest.mark.parametrize("nid", ["isbn", "example-trees"])
def test_a_lookup_is_one_query_when_its_response_is_stored(
    client: Client, isbn: Namespace, trees: Namespace, nid: str
) -> None:
    client.get(ADDRESS.format(nid))
    with CaptureQueriesContext(connection) as queries:
        assert client.get(ADDRESS.format(nid)).status_code == 200
    assert len(queries) == 1


def test_a_miss_is_three_queries(client: Client, db: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(ADDRESS.format("nobody")).status_code == 404
    assert len(queries) == 3  # the last one for sightings of the NID


MALFORMED = [
    ("isbn%0A", "isbn\n", 4),
    ("%C3%A9bn", "ébn", 0),
    ("isb%D9%A3", "isb٣", 3),
    ("a" * 33, "a" * 33, 32),
    ("-isbn", "-isbn", 0),
    ("isbn-", "isbn-", 4),
    ("a", "a", 1),
    ("is%00bn", "is\0bn", 2),
    ("is%20bn", "is bn", 2),
    ("x" * 10_000, "x" * 1_000 + "…", 32),
]


@pytest.mark.parametrize(("path", "text", "position"), MALFORMED, ids=lambda text: ascii(text)[:40])
def test_a_malformed_nid_is_a_404_with_the_position_of_the_error(
    client: Client, path: str, text: str, position: int, db: None
) -> None:
    response = client.get(ADDRESS.format(path))
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["nid"] == text
    assert (problem["nid_status"], problem["position"], problem["rule"]) == ("malformed", position, "NID")
    assert problem["section"] == "2.1"
    assert problem["pointed"].splitlines()[1].strip().startswith("^")


@pytest.mark.parametrize(
    ("nid", "section"),
    [
        ("de-isbn", "5.1 (3)"),
        ("xn--isbn", "5.1 (3)"),
        ("ab", "5.1 (3)"),
        ("x-isbn", "5.1 (4)"),
        ("urn-07", "5.1 (2)"),
        ("urn-4711", "5.2"),
        ("urn", "RFC 2141, Section 2.1"),
    ],
)
def test_an_unregistrable_nid_is_a_404_that_cites_the_rule(
    client: Client, nid: str, section: str, db: None
) -> None:
    problem = client.get(ADDRESS.format(nid)).json()
    assert problem["status"] == 404
    assert (problem["nid_status"], problem["section"]) == ("unregistrable", section)
    assert problem["position"] is None


def test_a_free_nid_is_a_404_with_every_member_of_a_problem(client: Client, db: None) -> None:
    response = client.get(ADDRESS.format("Nobody"))
    assert response.status_code == 404
    problem = response.json()
    assert problem.pop("type").endswith("/api/v1/problems/namespace-unknown/")
    assert problem == {
        "title": "No such namespace",
        "status": 404,
        "detail": "“nobody” is free and can be registered as a formal namespace.",
        "instance": "/api/v1/namespaces/Nobody/",
        "nid": "nobody",
        "nid_status": "free",
        "section": "5.1",
        "position": None,
        "rule": None,
        "pointed": None,
        "cases": [],
        "sightings": [],
    }


def test_a_requested_nid_names_the_case(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    problem = client.get(ADDRESS.format("example-trees")).json()
    assert problem["nid_status"] == "requested"
    assert problem["cases"] == [{"case": case.pk, "html": f"http://localhost:8000/cases/{case.pk}/"}]


def test_a_draft_is_not_revealed(client: Client, registrant: User) -> None:
    a_draft(by=registrant)
    assert client.get(ADDRESS.format("example-trees")).json()["nid_status"] == "free"


def test_resources_below_an_unknown_namespace_are_404(client: Client, db: None) -> None:
    for below in ("versions/", "versions/1/", "template.txt", "versions/1/template.txt"):
        response = client.get(ADDRESS.format("nobody") + below)
        assert response.status_code == 404
        assert response.json()["nid_status"] == "free"
