"""POST /api/v1/namespaces/lookup/: many NIDs at once, registered or not."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.api.namespaces.bulk_lookup import MAX_NIDS
from registry.namespaces.models import Namespace
from tests.api.client import check_problem
from tests.api.schema_checks import check_response, description
from tests.support.factories import a_case_in_review, a_draft, an_imported_namespace

LOOKUP = "/api/v1/namespaces/lookup/"


def looked_up(client: Client, *nids: str) -> Any:
    response = client.post(LOOKUP, {"nids": nids}, "application/json")
    assert response.status_code == 200, response.content
    check_response("post", response)
    return response.json()["results"]


def test_results_are_in_order_and_equal_those_of_one_nid(
    client: Client, trees: Namespace, isbn: Namespace, registrant: User
) -> None:
    case = a_case_in_review(by=registrant, namespace_identifier="hedges")
    a_draft(by=registrant, namespace_identifier="secret-garden")
    nids = ["ISBN", "hedges", "free-name", "x", "secret-garden", "example-trees", "isbn", "", "a\0b", "urn-7"]
    results = looked_up(client, *nids)
    assert [each["nid"] for each in results] == nids
    listed = {each["nid"]: each for each in client.get("/api/v1/namespaces/").json()["results"]}
    for each in results:
        if found := each["namespace"]:
            assert found == listed[each["nid"].lower()]
            assert each["unregistered"] is None
    assert [bool(each["namespace"]) for each in results] == [nid.lower() in listed for nid in nids]
    statuses = {each["nid"]: each["unregistered"] for each in results if each["unregistered"]}
    assert [each["nid_status"] for each in statuses.values()] == [
        "requested", "free", "malformed", "free", "malformed", "malformed", "unregistrable",
    ]  # fmt: skip
    assert [each["case"] for each in statuses["hedges"]["cases"]] == [case.pk]
    for nid in ("hedges", "free-name", "x", "secret-garden", "urn-7"):
        problem = client.get(f"/api/v1/namespaces/{nid}/").json()
        assert {name: problem[name] for name in statuses[nid]} == statuses[nid]


def test_many_nids_take_few_queries(client: Client, db: None) -> None:
    for number in range(20):
        an_imported_namespace(f"names-of-{number}x")
    with CaptureQueriesContext(connection) as few:
        looked_up(client, "names-of-1x", "nobody")
    with CaptureQueriesContext(connection) as many:
        found = looked_up(client, *(f"names-of-{number % 40}x" for number in range(MAX_NIDS)))
    assert len(many) == len(few)
    assert sum(each["namespace"] is not None for each in found) == MAX_NIDS // 2


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"nids": ["isbn"] * (MAX_NIDS + 1)}, "#/nids"),
        ({"nids": "isbn"}, "#/nids"),
        ({"nids": ["isbn", 1]}, "#/nids/1"),
        ({}, "#/nids"),
        ({"nids": [], "more": 1}, "#/more"),
        (["isbn"], "#"),
    ],
)
def test_an_invalid_body_is_refused(client: Client, db: None, body: Any, pointer: str) -> None:
    response = client.post(LOOKUP, body, "application/json")
    problem = check_problem(response, 400, "invalid-fields")
    assert problem["errors"][0]["pointer"] == pointer


def test_no_nids_are_no_results(client: Client, db: None) -> None:
    assert looked_up(client) == []


def test_texts_that_are_too_long_for_one_response_are_refused(
    client: Client, trees: Namespace, isbn: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.core.pagination.MAX_PAGE_TEXT", len(trees.purpose) - 1)
    assert looked_up(client, "example-trees")[0]["namespace"]["nid"] == "example-trees"
    response = client.post(LOOKUP, {"nids": ["example-trees", "isbn"]}, "application/json")
    check_problem(response, 413, "lookup-too-long", "Ask for fewer at once.")


def test_the_nid_lookup_can_still_be_a_namespace(client: Client, db: None) -> None:
    assert client.get(LOOKUP).status_code == 404
    an_imported_namespace("lookup", holder="Example")
    assert client.get(LOOKUP).json()["registrant"] == "Example"
    assert client.head(LOOKUP).status_code == 200
    for coding in ("gzip", "identity"):
        asked = {"accept-encoding": coding}
        by_rule, other = (client.get(each, headers=asked) for each in (LOOKUP, "/api/v1/namespaces/LOOKUP/"))
        assert (by_rule.content, by_rule["ETag"]) == (other.content, other["ETag"])
        again = client.get(LOOKUP, headers={**asked, "if-none-match": by_rule["ETag"]})
        assert again.status_code == 304
    assert looked_up(client, "lookup")[0]["namespace"]["registrant"] == "Example"
    for response in (client.options(LOOKUP), client.put(LOOKUP)):
        assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_a_namespace_that_is_asked_for_often_is_counted_as_often(client: Client, db: None) -> None:
    an_imported_namespace("long", purpose="Names things. " * 15_000)
    assert len(looked_up(client, *["long"] * 9)) == 9
    response = client.post(LOOKUP, {"nids": ["long"] * 10}, "application/json")
    check_problem(response, 413, "lookup-too-long", "Ask for fewer at once.")


def test_a_lone_surrogate_is_returned_as_it_was_sent(client: Client, db: None) -> None:
    response = client.post(LOOKUP, '{"nids": ["\\ud800"]}', "application/json")
    assert response.status_code == 200
    assert b'"nid":"\\ud800"' in response.content


def test_only_the_list_leaves_members_out() -> None:
    """The parameter `fields` belongs to the list."""
    schemas = description()["components"]["schemas"]
    assert schemas["Namespace"]["required"] == ["nid"]
    assert set(schemas["FoundNamespace"]["required"]) == set(schemas["Namespace"]["properties"])
