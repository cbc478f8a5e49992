"""GET /api/v1/namespaces/{nid}/events/ and compare/: the history of a namespace, and what its versions changed."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.history import history_of
from registry.namespaces.models import Namespace
from registry.namespaces.profile_documents import compare_profiles
from registry.registration_template.diff import compare_templates
from tests.api.client import check_problem
from tests.api.conftest import revise
from tests.api.schema_checks import check_response
from tests.support.factories import a_case_in_review, a_namespace, a_person, describe

V1 = "/api/v1/namespaces/example-trees/"


def got(client: Client, path: str, **query: Any) -> Any:
    response = client.get(V1 + path, query)
    assert response.status_code == 200, response.content
    check_response("get", response)
    return response.json()


def test_the_history_is_that_of_the_page(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    trees = a_namespace(by=registrant, expert=expert, administrator=administrator)
    heir = a_person(email="heir@example.org")
    accept_transfer(offer_transfer(trees, by=registrant, to=heir.email, reason="I retire."), by=heir)
    describe(trees, by=administrator)
    deprecate(trees, by=administrator, statement="Use another namespace.")
    a_case_in_review(by=registrant, namespace_identifier="example-tree5")
    found = got(client, "events/")["results"]
    lines = history_of(trees)[::-1]
    assert [each["summary"] for each in found] == [line.label for line in lines]
    assert [each["number"] for each in found] == [line.event.number for line in lines]
    assert [each["verb"] for each in found] == [
        "assign", "offer_transfer", "accept_transfer", "set_profile", "deprecate",
    ]  # fmt: skip
    assert all(each["is_public"] for each in found)
    assert "@" not in client.get(f"{V1}events/").text


def test_the_history_is_read_in_pages(client: Client, trees: Namespace, administrator: User) -> None:
    for title in ("Trees", "All trees", "Every tree"):
        describe(trees, by=administrator, title=title)
    page, seen = got(client, "events/", page_size=1), list[int]()
    while page["next"]:
        seen += [each["details"]["version"] for each in page["results"]]
        page = client.get(page["next"]).json()
    assert [*seen, *(each["details"]["version"] for each in page["results"])] == [1, 2, 3]


def test_two_versions_are_compared_as_on_the_page(client: Client, trees: Namespace) -> None:
    second = revise(trees, purpose="Names every tree of a garden.", revision_information="The purpose.")
    third = revise(trees, purpose="Names trees and shrubs.", revision_information="The purpose.")
    first = trees.revisions.get(version=1)
    for query, older, newer in (
        ({}, second, third),
        ({"from": 1}, first, third),
        ({"from": 3, "to": 1}, third, first),
        ({"to": 2, "from": 2}, second, second),
    ):
        found = got(client, "compare/", **query)
        assert (found["from"], found["to"]) == (older.version, newer.version)
        changed = compare_templates(older.template, newer.template).changed
        assert [each["section"] for each in found["changes"]] == [each.key for each in changed]
        for each, section in zip(found["changes"], changed, strict=True):
            assert [(line["before"], line["after"]) for line in each["lines"]] == [
                (line.before_text, line.after_text) for line in section.lines
            ]


@pytest.mark.parametrize("query", [{"from": "9"}, {"to": "3"}])
def test_an_unknown_version_is_a_404(client: Client, trees: Namespace, query: dict[str, str]) -> None:
    revise(trees, purpose="Names every tree of a garden.", revision_information="The purpose.")
    problem = check_problem(client.get(f"{V1}compare/", query), 404, "version-unknown")
    assert "it has 1, 2" in problem["detail"]


def test_one_version_has_nothing_to_be_compared_with(client: Client, trees: Namespace) -> None:
    check_problem(client.get(f"{V1}compare/"), 404, "version-unknown", "fewer than two")


@pytest.mark.parametrize("query", [{"from": "0"}, {"from": "x"}, {"to": ""}, {"version": "1"}])
@pytest.mark.parametrize("path", ["compare/", "profile/compare/"])
def test_an_invalid_number_is_a_400(
    client: Client, trees: Namespace, path: str, query: dict[str, str]
) -> None:
    check_problem(client.get(V1 + path, query), 400, "invalid-parameter")


def test_two_versions_of_the_profile_are_compared_as_on_the_page(
    client: Client, trees: Namespace, administrator: User
) -> None:
    check_problem(client.get(f"{V1}profile/compare/"), 404, "too-few-profile-versions")
    for title in ("Trees", "All trees", "Every tree"):
        describe(trees, by=administrator, title=title)
    set_profile(trees, by=administrator, profile=None, basis="It was wrong.", replaces=3)
    contents = {each.version: each.content for each in trees.profile_versions.all()}
    for query, older, newer in (({}, 3, 4), ({"from": 1, "to": 2}, 1, 2), ({"from": 2, "to": 1}, 2, 1)):
        found = got(client, "profile/compare/", **query)
        assert (found["from"], found["to"]) == (older, newer)
        changed = compare_profiles(contents[older], contents[newer]).changed
        assert [each["section"] for each in found["changes"]] == [each.key for each in changed]
    (title,) = got(client, "profile/compare/", **{"from": 1, "to": 3})["changes"]
    assert title["title"] == "Title"
    assert [(each["before"], each["after"]) for each in title["lines"]] == [("Trees", ""), ("", "Every tree")]
    unknown = client.get(f"{V1}profile/compare/", {"to": 5})
    check_problem(unknown, 404, "no-such-profile-version", "has no version 5")


@pytest.mark.parametrize("path", ["events/", "compare/", "profile/compare/"])
def test_an_unregistered_namespace_is_a_404(client: Client, db: None, path: str) -> None:
    check_problem(client.get(V1 + path), 404, "namespace-unknown")
