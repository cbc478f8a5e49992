"""`namespaces/{nid}/rules/`, and where URNs are judged by them."""

from typing import Any

import pytest
from django.test import Client
from registry.namespaces.services.rules import set_rules

from registry.accounts.models import Scope, User
from registry.namespaces.models import Namespace, RulesVersion
from tests.api.client import TokenClient, check_problem
from tests.api.conftest import an_imported_namespace

RULES = "namespaces/example-trees/rules/"
SENT = {"basis": "Syntax.", "replaces": 0, "nss_pattern": "[0-9]+:[0-9]+", "ignored_characters": "-"}


def rules_of(client: Client, nid: str = "example-trees") -> Any:
    return client.get(f"/api/v1/namespaces/{nid}/").json()["rules"]


def test_an_administrator_sets_rules_that_are_public(
    client: Client, trees: Namespace, administrator: User
) -> None:
    assert rules_of(client) is None
    answer = TokenClient(administrator).post("namespaces/Example-Trees/rules/", SENT)
    assert answer.status_code == 201, answer.text
    current = {"version": 1, "nss_pattern": "[0-9]+:[0-9]+", "ignores_case": False, "ignored_characters": "-",
               "basis": "Syntax."}  # fmt: skip
    assert rules_of(client).items() >= current.items()
    body = client.get(f"/api/v1/{RULES}").json()
    assert body == answer.json()
    assert (body["nid"], body["current"]) == ("example-trees", 1)
    (first,) = body["results"]
    assert first.items() >= (current | {"set_by": str(administrator)}).items()


def test_the_plain_text_contains_the_rules(client: Client, trees: Namespace, administrator: User) -> None:
    set_rules(trees, by=administrator, basis="Syntax.", replaces=0, nss_pattern="[0-9:]+", ignores_case=True)
    text = client.get("/api/v1/namespaces/example-trees.txt").text
    assert "Names match: [0-9:]+\n" in text
    assert "Ignored when names are compared: letter case.\n" in text


def test_versions_stay_and_an_empty_one_removes_the_rules(
    client: Client, trees: Namespace, administrator: User
) -> None:
    token_client = TokenClient(administrator)
    token_client.post(RULES, SENT)
    answer = token_client.post(RULES, {"basis": "They were wrong.", "replaces": 1})
    assert answer.status_code == 201
    assert (answer.json()["current"], [each["version"] for each in answer.json()["results"]]) == (
        None,
        [1, 2],
    )
    assert rules_of(client) is None


@pytest.mark.parametrize(
    ("sent", "status", "slug"),
    [
        ({"nss_pattern": "(?=a)"}, 422, "invalid-pattern"),
        ({"nss_pattern": "[0-9]+\n"}, 422, "invalid-pattern"),
        ({"nss_pattern": "é"}, 422, "invalid-pattern"),
        ({"nss_pattern": "x" * 2_001}, 422, "invalid-pattern"),
        ({"ignored_characters": "-\n"}, 422, "invalid-ignored-characters"),
        ({"ignored_characters": "٣"}, 422, "invalid-ignored-characters"),
        ({"basis": ""}, 422, "text-missing"),
        ({"replaces": 1}, 409, "stale-rules"),
        ({"nss_pattern": "", "ignored_characters": ""}, 409, "rules-unchanged"),
        ({"replaces": "0"}, 400, "invalid-fields"),
        ({"ignores_case": "yes"}, 400, "invalid-fields"),
        ({"nss_pattern": None}, 400, "invalid-fields"),
        ({"pattern": "a"}, 400, "invalid-fields"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_invalid_rules_are_rejected(
    trees: Namespace, administrator: User, sent: dict[str, Any], status: int, slug: str
) -> None:
    problem = check_problem(TokenClient(administrator).post(RULES, SENT | sent), status, slug)
    if slug == "stale-rules":
        assert problem["current"] == 0
    assert not RulesVersion.objects.exists()


def test_setting_rules_requires_an_administrator_and_the_scope_decide(
    client: Client, trees: Namespace, registrant: User, expert: User, administrator: User
) -> None:
    for person in (registrant, expert):
        check_problem(TokenClient(person).post(RULES, SENT), 404, "not-found")
    check_problem(TokenClient(administrator, Scope.READ, Scope.WRITE).post(RULES, SENT), 403, "scope-missing")
    check_problem(TokenClient(administrator).post("namespaces/nobody/rules/", SENT), 404, "namespace-unknown")
    check_problem(TokenClient(administrator).get("namespaces/nobody/rules/"), 404, "namespace-unknown")
    assert not RulesVersion.objects.exists()


def test_a_repeated_request_sets_rules_once(trees: Namespace, administrator: User) -> None:
    token_client = TokenClient(administrator)
    first, again = (token_client.post(RULES, SENT, Idempotency_Key='"rules"') for _ in range(2))
    assert (first.status_code, again.status_code, first.json()) == (201, 201, again.json())
    assert RulesVersion.objects.count() == 1


def test_the_etag_changes_with_the_rules(client: Client, trees: Namespace, administrator: User) -> None:
    for path in ("/api/v1/namespaces/example-trees/", f"/api/v1/{RULES}"):
        version = RulesVersion.objects.count()
        tag = client.get(path)["ETag"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
        set_rules(trees, by=administrator, basis=path, replaces=version, ignores_case=True)
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_lists_are_filtered_by_has_rules(client: Client, trees: Namespace, administrator: User) -> None:
    an_imported_namespace(nid="isbn", holder="Example Arboretum")
    set_rules(trees, by=administrator, basis="Syntax.", replaces=0, ignores_case=True)

    def found(query: str) -> list[str]:
        return [each["nid"] for each in client.get(f"/api/v1/namespaces/?{query}").json()["results"]]

    for more in (
        "",
        "&kind=formal",
        "&status=active&ordering=-updated_on",
        "&q=arboretum",
        "&registrant=example",
    ):
        assert found(f"has_rules=true{more}") == ["example-trees"], more
        assert found(f"has_rules=false{more}") == ["isbn"], more
    assert found("has_rules=true&status=deprecated") == []


# Judging


@pytest.mark.parametrize(
    ("urn", "expected"),
    [
        ("urn:example-trees:12:4711", (True, None, "urn:example-trees:12:4711")),
        ("URN:Example-Trees:12:4711?=q", (True, None, "urn:example-trees:12:4711")),
        ("urn:example-trees:1-2:4711", (False, "“1-2:4711” does not match", "urn:example-trees:12:4711")),
        (f"urn:example-trees:{'1' * 8_193}", (None, None, f"urn:example-trees:{'1' * 8_193}")),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_urn_is_checked_by_the_rules_of_its_namespace(
    client: Client, trees: Namespace, administrator: User, urn: str, expected: tuple[Any, ...],
    django_assert_num_queries: Any,
) -> None:  # fmt: skip
    TokenClient(administrator).post(RULES, SENT)
    with django_assert_num_queries(1):
        judged = client.get("/api/v1/urns/", {"urn": urn}).json()["namespace"]["rules"]
    is_conformant, fault, compared_as = expected
    assert (judged["version"], judged["is_conformant"], judged["compared_as"]) == (
        1,
        is_conformant,
        compared_as,
    )
    assert (fault or "") in (judged["fault"] or "")
    assert (fault is None) == (judged["fault"] is None)


def test_a_namespace_without_rules_has_null(client: Client, trees: Namespace) -> None:
    for urn in ("urn:example-trees:1", "urn:nobody:1", "urn:example:1"):
        assert client.get("/api/v1/urns/", {"urn": urn}).json()["namespace"]["rules"] is None


@pytest.mark.parametrize(
    ("first", "second", "by", "rules_version"),
    [
        ("urn:example-trees:1-2", "URN:EXAMPLE-TREES:1-2?=q", "section", None),
        ("urn:example-trees:1-2", "urn:example-trees:12#f", "rules", 1),
        ("urn:example-trees:%2da", "urn:example-trees:%2D-a", "rules", 1),
        ("urn:example-trees:%2D", "urn:example-trees:-", None, 1),
        ("urn:example-trees:12", "urn:example-trees:13", None, 1),
        ("urn:example-trees:A", "urn:example-trees:a", None, 1),
        ("urn:isbn:1-2", "urn:isbn:12", None, None),
        ("urn:nobody:1-2", "urn:nobody:12", None, None),
        ("urn:example-trees:1-2", "urn:isbn:12", None, None),
    ],
)
def test_two_urns_are_compared_by_section_3_then_by_rules(
    client: Client, trees: Namespace, isbn: Namespace, administrator: User, first: str, second: str, by: str | None,
    rules_version: int | None,
) -> None:  # fmt: skip
    set_rules(trees, by=administrator, basis="Syntax.", replaces=0, ignored_characters="-")
    for pair in ((first, second), (second, first)):
        sent = dict(zip(("first", "second"), pair, strict=True))
        body = client.post("/api/v1/urns/compare/", sent, "application/json").json()
        assert (body["are_equivalent"], body["by"], body["rules_version"]) == (
            by is not None,
            by,
            rules_version,
        )
        assert (body["position"] is None) == body["are_equivalent"]


def test_bulk_checks_do_not_read_rules(
    client: Client, trees: Namespace, administrator: User, django_assert_num_queries: Any
) -> None:
    set_rules(trees, by=administrator, basis="Syntax.", replaces=0, nss_pattern="[0-9]+")
    with django_assert_num_queries(0):
        answer = client.post("/api/v1/urns/check/", ["urn:example-trees:x"] * 3, "application/json")
        assert b'"good":3' in answer.getvalue()
