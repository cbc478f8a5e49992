"""GET /api/v1/nids/{nid}/: may this NID be registered?"""

from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.workflow import functions
from registry.namespaces.models import Namespace
from tests.support.factories import a_case_in_review, a_template


def check(client: Client, nid: str) -> dict[str, object]:
    response = client.get(f"/api/v1/nids/{quote(nid, safe='')}/")
    assert response.status_code == 200
    body: dict[str, object] = response.json()
    return body


def test_a_free_nid(client: Client, db: None) -> None:
    assert check(client, "Nobody") == {
        "nid": "nobody",
        "status": "free",
        "section": "5.1",
        "reason": "“nobody” is free and can be registered as a formal namespace.",
        "position": None,
        "rule": None,
        "pointed": None,
        "namespace": None,
        "cases": [],
        "sightings": [],
        "resembles": [],
    }


def test_similar_names_are_listed(client: Client, isbn: Namespace) -> None:
    assert check(client, "isbm")["resembles"] == [
        {
            "kind": "namespace",
            "name": "isbn",
            "reason": "It looks like “isbn”, which is registered: it differs in one character.",
            "html": "http://localhost:8000/namespaces/isbn/",
        }
    ]
    (country,) = check(client, "fra")["resembles"]  # type: ignore[misc]
    assert (country["kind"], country["name"], country["html"]) == ("country_code", "FRA", None)


@pytest.mark.parametrize("spelling", ["isbn", "ISBN", "Isbn"])
def test_a_registered_nid_links_to_its_namespace(client: Client, isbn: Namespace, spelling: str) -> None:
    body = check(client, spelling)
    assert (body["nid"], body["status"], body["section"]) == ("isbn", "registered", "5.1 (1)")
    assert body["namespace"] == "http://localhost:8000/api/v1/namespaces/isbn/"


MALFORMED = [
    ("isbn\n", 4),
    ("ísbn", 0),
    ("isb٣", 3),
    ("a" * 33, 32),
    ("a", 1),
    ("-a", 0),
    ("a-", 1),
    ("a/b", 1),
    ("/", 0),
    ("a b", 1),
    ("\0a", 0),
    ("a?b", 1),
    ("%41b", 0),
]


@pytest.mark.parametrize(("nid", "position"), MALFORMED, ids=lambda value: ascii(value)[:40])
def test_a_malformed_nid_is_reported_with_the_position_of_the_error(
    client: Client, nid: str, position: int
) -> None:
    body = check(client, nid)
    assert (body["nid"], body["status"], body["position"]) == (nid, "malformed", position)
    assert "^" in str(body["pointed"])


@pytest.mark.parametrize("nid", ["de-isbn", "ab", "X-local", "urn-07", "urn-12", "example"])
def test_an_unregistrable_nid_is_not_malformed(client: Client, nid: str, db: None) -> None:
    body = check(client, nid)
    assert (body["status"], body["position"]) == ("unregistrable", None)


def test_a_registered_nid_is_reported_as_registered_even_if_rules_forbid_it(client: Client, db: None) -> None:
    Namespace.objects.create(nid="example", kind="formal")
    assert check(client, "example")["status"] == "registered"


def test_a_requested_nid_names_every_open_case(client: Client, registrant: User, participant: User) -> None:
    cases = [a_case_in_review(by=person) for person in (registrant, participant)]
    body = check(client, "example-trees")
    assert body["status"] == "requested"
    assert [each["case"] for each in body["cases"]] == [case.pk for case in cases]  # type: ignore[attr-defined]


def test_a_withdrawn_case_requests_no_nid(client: Client, registrant: User) -> None:
    functions.withdraw(a_case_in_review(by=registrant), by=registrant)
    assert check(client, "example-trees")["status"] == "free"


def test_a_public_case_requests_its_submitted_nid(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    unsubmitted = a_template(namespace_identifier="secret-trees")
    drafts.save_draft(case, unsubmitted, by=registrant, stamp=case.draft_stamp)
    assert check(client, "secret-trees")["status"] == "free"
    assert check(client, "example-trees")["status"] == "requested"


@pytest.mark.parametrize(("nid", "queries"), [("isbn", 1), ("nobody", 7), ("de-isbn", 3), ("isbn-", 1)])
def test_a_check_takes_few_queries(
    client: Client,
    isbn: Namespace,
    nid: str,
    queries: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(queries):
        check(client, nid)
