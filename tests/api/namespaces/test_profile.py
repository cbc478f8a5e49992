"""`namespaces/{nid}/profile/`, and where URNs are judged by profiles."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.core.digests import digest_of
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace, ProfileVersion
from tests.api.client import TokenClient, check_problem
from tests.support.factories import a_profile, an_imported_namespace

ADDRESS = "namespaces/example-trees/profile/"
PROFILE = a_profile(
    resource="a tree",
    organisation="Example Arboretum",
    homepage="https://trees.example/",
    keywords=["oak"],
    specifications=[{"title": "Numbers of trees"}],
    ignored_characters="-",
)
DOCUMENT = PROFILE.to_dict()
SENT: dict[str, Any] = {"profile": DOCUMENT, "basis": "Syntax.", "replaces": 0}


def profile_of(client: Client, nid: str = "example-trees") -> Any:
    return client.get(f"/api/v1/namespaces/{nid}/").json()["profile"]


def set_on(namespace: Namespace, administrator: User, replaces: int = 0, **rules: Any) -> ProfileVersion:
    profile = a_profile(namespace.nid, **rules)
    return set_profile(namespace, by=administrator, profile=profile, basis="Syntax.", replaces=replaces)


def test_an_administrator_sets_a_profile_that_is_public(
    client: Client, trees: Namespace, administrator: User
) -> None:
    assert profile_of(client) is None
    answer = TokenClient(administrator).post("namespaces/Example-Trees/profile/", SENT)
    assert answer.status_code == 201, answer.text
    body = client.get(f"/api/v1/{ADDRESS}").json()
    assert body == answer.json()
    assert (body["nid"], body["current"]) == ("example-trees", 1)
    (first,) = body["results"]
    first.pop("set_at")
    assert first.pop("proof").endswith("/namespaces/example-trees/profile/versions/1/proof/")
    assert first == {"version": 1, "profile": DOCUMENT, "digest": digest_of(DOCUMENT), "basis": "Syntax.",
                     "set_by": str(administrator)}  # fmt: skip


def test_the_profile_is_part_of_the_namespace(client: Client, trees: Namespace, administrator: User) -> None:
    TokenClient(administrator).post(ADDRESS, SENT)
    assert profile_of(client) == {
        "version": 1,
        "title": "Trees of gardens",
        "summary": "Every tree has a name.",
        "resource": "a tree",
        "organisation": "Example Arboretum",
        "homepage": "https://trees.example/",
        "subjects": ["science"],
        "keywords": ["oak"],
        "specifications": [{"title": "Numbers of trees", "url": None}],
        "grammar": {"kind": "pattern", "text": "[0-9]+:[0-9]+"},
        "ignores_case": False,
        "ignored_characters": "-",
        "equivalence": None,
        "examples": [
            {"urn": f"urn:example-trees:{nss}", "description": None} for nss in ("12:4711", "1:1", "99:4")
        ],
    }
    set_on(trees, administrator, replaces=1, unstated="The registration states none.")
    brief = profile_of(client)
    assert brief["grammar"] == {"kind": "unstated", "text": "The registration states none."}
    assert (brief["version"], brief["resource"], brief["keywords"]) == (2, None, [])


def test_the_plain_text_contains_the_profile(client: Client, trees: Namespace, administrator: User) -> None:
    TokenClient(administrator).post(ADDRESS, SENT)
    text = client.get("/api/v1/namespaces/example-trees.txt").text
    for line in ("Title: Trees of gardens", "Summary: Every tree has a name.", "Organisation: Example Arboretum",
                 "Homepage: https://trees.example/", "Names match: [0-9]+:[0-9]+",
                 "Ignored when names are compared: hyphens."):  # fmt: skip
        assert f"{line}\n" in text
    set_on(trees, administrator, replaces=1, abnf='trees = garden ":" 1*DIGIT\ngarden = 1*DIGIT')
    text = client.get("/api/v1/namespaces/example-trees.txt").text
    assert 'Names match the grammar (ABNF):\n  trees = garden ":" 1*DIGIT\n  garden = 1*DIGIT\n' in text


def test_versions_stay_and_null_removes_the_profile(
    client: Client, trees: Namespace, administrator: User
) -> None:
    token_client = TokenClient(administrator)
    token_client.post(ADDRESS, SENT)
    answer = token_client.post(ADDRESS, {"profile": None, "basis": "It was wrong.", "replaces": 1})
    assert answer.status_code == 201
    body = answer.json()
    assert (body["current"], [each["version"] for each in body["results"]]) == (None, [1, 2])
    assert body["results"][1]["profile"] is None
    assert profile_of(client) is None


def changed(**changes: Any) -> dict[str, Any]:
    return {"profile": DOCUMENT | changes}


def with_names(**changes: Any) -> dict[str, Any]:
    return changed(names=DOCUMENT["names"] | changes)


@pytest.mark.parametrize(
    ("sent", "status", "slug", "members"),
    [
        (changed(title=""), 422, "invalid-document", {"key": "title"}),
        (changed(titel="Trees"), 422, "invalid-document", {"key": "titel", "reason": "The key is unknown."}),
        (changed(nid="a\ud800"), 422, "invalid-document", {"key": "nid"}),
        (changed(subjects=["books"]), 422, "invalid-document", {"key": "subjects[0]"}),
        (with_names(pattern="(?=a)"), 422, "invalid-document", {"key": "names.pattern"}),
        (with_names(pattern="x" * 2_001), 422, "invalid-document", {"key": "names.pattern"}),
        (with_names(pattern="", abnf="a = b"), 422, "invalid-document",
         {"key": "names.pattern"}),
        (with_names(ignored_characters="٣"), 422, "invalid-document", {"key": "names.ignored_characters"}),
        ({"profile": {}}, 422, "invalid-document", {"key": "nid", "reason": "The key is missing."}),
        ({"profile": a_profile("isbn").to_dict()}, 422, "profile-of-other-namespace", {}),
        (with_names(pattern="[0-9]+"), 422, "examples-fail", {}),
        ({"basis": ""}, 422, "text-missing", {}),
        ({"replaces": 1}, 409, "stale-profile", {"current": 0}),
        ({"profile": None}, 409, "profile-unchanged", {}),
        ({"replaces": "0"}, 400, "invalid-fields", {}),
        ({"profile": "nid = 1"}, 400, "invalid-fields", {}),
        ({"profile": [DOCUMENT]}, 400, "invalid-fields", {}),
        ({"pattern": "a"}, 400, "invalid-fields", {}),
    ],
    ids=lambda value: ascii(value)[:40],
)  # fmt: skip
def test_an_invalid_profile_is_rejected(
    trees: Namespace,
    administrator: User,
    sent: dict[str, Any],
    status: int,
    slug: str,
    members: dict[str, Any],
) -> None:
    problem = check_problem(TokenClient(administrator).post(ADDRESS, SENT | sent), status, slug)
    assert problem.items() >= members.items()
    assert not ProfileVersion.objects.exists()


def test_a_fault_in_a_grammar_has_a_place(trees: Namespace, administrator: User) -> None:
    names = {name: value for name, value in DOCUMENT["names"].items() if name != "pattern"}
    document = DOCUMENT | {"names": names | {"abnf": "a = b"}}
    answer = TokenClient(administrator).post(ADDRESS, SENT | {"profile": document})
    problem = check_problem(answer, 422, "invalid-document")
    assert (problem["key"], problem["place"]) == ("names.abnf", "line 1, column 5")
    assert problem["reason"] == "The rule “b” is not defined."


@pytest.mark.parametrize(
    ("rules", "slug"),
    [
        ({"examples": ("1:1", "a:b", "c:d")}, "examples-fail"),
        ({"pattern": "[a-z]", "examples": "abc", "counterexamples": "123"}, "registration-contradicted"),
    ],
)
def test_each_name_that_contradicts_the_profile_is_listed(
    trees: Namespace, administrator: User, rules: dict[str, Any], slug: str
) -> None:
    document = a_profile(**rules).to_dict()
    answer = TokenClient(administrator).post(ADDRESS, SENT | {"profile": document})
    problem = check_problem(answer, 422, slug)
    assert problem["failures"]
    assert all(failure in problem["detail"] for failure in problem["failures"])


def test_a_namespace_that_is_not_registered_has_no_profile(administrator: User) -> None:
    program = TokenClient(administrator)
    for answer in (
        program.post("namespaces/nobody/profile/", SENT),
        program.get("namespaces/nobody/profile/"),
    ):
        check_problem(answer, 404, "namespace-unknown")


def test_a_repeated_request_sets_a_profile_once(trees: Namespace, administrator: User) -> None:
    token_client = TokenClient(administrator)
    first, again = (token_client.post(ADDRESS, SENT, Idempotency_Key='"profile"') for _ in range(2))
    assert (first.status_code, again.status_code, first.json()) == (201, 201, again.json())
    assert ProfileVersion.objects.count() == 1


def test_the_etag_changes_with_the_profile(client: Client, trees: Namespace, administrator: User) -> None:
    for path in ("/api/v1/namespaces/example-trees/", f"/api/v1/{ADDRESS}"):
        version = ProfileVersion.objects.count()
        tag = client.get(path)["ETag"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
        set_on(trees, administrator, replaces=version, title=f"Trees {version}")
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_lists_are_filtered_by_grammar_and_subject(
    client: Client, trees: Namespace, administrator: User
) -> None:
    isbn = an_imported_namespace(nid="isbn", holder="Example Arboretum")
    set_on(trees, administrator)
    set_on(isbn, administrator, unstated="The registration states none.", subjects=["media"])

    def found(query: str) -> list[str]:
        return [each["nid"] for each in client.get(f"/api/v1/namespaces/?{query}").json()["results"]]

    for more in (
        "",
        "&kind=formal",
        "&status=active&ordering=-updated_on",
        "&q=arboretum",
        "&registrant=example",
    ):
        for with_grammar, subject in (("grammar=true", "science"), ("grammar=false", "media")):
            expected = ["example-trees"] if subject == "science" else ["isbn"]
            assert found(f"{with_grammar}{more}") == expected, more
            assert found(f"subject={subject}{more}") == expected, more
            assert found(f"{with_grammar}&subject={subject}{more}") == expected, more
    assert found("grammar=true&status=deprecated") == []
    assert found("grammar=true&subject=media") == []
    assert client.get("/api/v1/namespaces/?subject=books").status_code == 400


# Judging


@pytest.mark.parametrize(
    ("urn", "expected"),
    [
        ("urn:example-trees:12:4711", (True, None, "urn:example-trees:12:4711")),
        ("URN:Example-Trees:12:4711?=q", (True, None, "urn:example-trees:12:4711")),
        ("urn:example-trees:1-2:4711", (False, "“1-2:4711” does not match", "urn:example-trees:12:4711")),
        (f"urn:example-trees:{'1' * 8_193}", (None, "The NSS has 8,193 characters; ", f"urn:example-trees:{'1' * 8_193}")),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_a_urn_is_judged_by_the_profile_of_its_namespace(
    client: Client, trees: Namespace, administrator: User, urn: str, expected: tuple[Any, ...],
    django_assert_num_queries: Any,
) -> None:  # fmt: skip
    TokenClient(administrator).post(ADDRESS, SENT)
    with django_assert_num_queries(2):
        judged = client.get("/api/v1/urns/", {"urn": urn}).json()["judgement"]
    is_conformant, reason, canonical = expected
    assert (judged["profile_version"], judged["conformant"], judged["canonical"]) == (
        1,
        is_conformant,
        canonical,
    )
    assert (reason or "") in (judged["reason"] or "")
    assert (reason is None) == (judged["reason"] is None)


def test_a_namespace_without_a_profile_has_null(client: Client, trees: Namespace) -> None:
    for urn in ("urn:example-trees:1", "urn:nobody:1", "urn:example:1"):
        assert client.get("/api/v1/urns/", {"urn": urn}).json()["judgement"] is None


@pytest.mark.parametrize(
    ("first", "second", "by", "profile_version"),
    [
        ("urn:example-trees:1-2", "URN:EXAMPLE-TREES:1-2?=q", "section", None),
        ("urn:example-trees:1-2", "urn:example-trees:12#f", "profile", 1),
        ("urn:example-trees:%2da", "urn:example-trees:%2D-a", "profile", 1),
        ("urn:example-trees:%2D", "urn:example-trees:-", None, 1),
        ("urn:example-trees:12", "urn:example-trees:13", None, 1),
        ("urn:example-trees:A", "urn:example-trees:a", None, 1),
        ("urn:isbn:1-2", "urn:isbn:12", None, None),
        ("urn:nobody:1-2", "urn:nobody:12", None, None),
        ("urn:example-trees:1-2", "urn:isbn:12", None, None),
    ],
)
def test_two_urns_are_compared_by_section_3_then_by_the_profile(
    client: Client, trees: Namespace, isbn: Namespace, administrator: User, first: str, second: str, by: str | None,
    profile_version: int | None,
) -> None:  # fmt: skip
    set_on(trees, administrator, ignored_characters="-")
    for pair in ((first, second), (second, first)):
        sent = dict(zip(("first", "second"), pair, strict=True))
        body = client.post("/api/v1/urns/compare/", sent, "application/json").json()
        found = (body["are_equivalent"], body["by"], body["profile_version"])
        assert found == (by is not None, by, profile_version)
        assert (body["position"] is None) == body["are_equivalent"]


def test_bulk_checks_of_the_syntax_do_not_read_profiles(
    client: Client, trees: Namespace, administrator: User, django_assert_num_queries: Any
) -> None:
    set_on(trees, administrator)
    with django_assert_num_queries(0):
        answer = client.post(
            "/api/v1/urns/check/",
            {"urns": ["urn:example-trees:x"] * 3, "level": "syntax"},
            "application/json",
        )
        assert b'"good":3' in answer.getvalue()
