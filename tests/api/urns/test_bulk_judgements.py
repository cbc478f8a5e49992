"""`urns/check/` at the level of namespaces: many URNs judged by the profiles of their namespaces."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.accounts.models import User
from registry.api.urns import checking
from registry.api.urns.bulk import MAX_URNS
from registry.namespaces import profile_cache
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from tests.api.client import check_problem
from tests.api.schema_checks import check_response
from tests.api.urns.conftest import FIXTURES, NIDS
from tests.support.factories import an_imported_namespace
from urnsyntax import InvalidURN, is_urn
from urnsyntax.profiles import Profile, load_profile

CHECK = "/api/v1/urns/check/"


def post(client: Client, texts: list[str], level: Any = "namespace", **headers: str) -> Any:
    # As octets, because the client cannot encode a lone surrogate.
    sent = json.dumps({"urns": texts, "level": level}).encode()
    return client.generic("POST", CHECK, sent, "application/json", headers=headers)


def judged(client: Client, texts: list[str]) -> Any:
    response = post(client, texts)
    assert response.status_code == 200
    return json.loads(response.getvalue())


def one(client: Client, text: str) -> Any:
    (result,) = judged(client, [text])["results"]
    return result


def test_every_urn_is_judged_in_order(client: Client, profiles: list[Profile]) -> None:
    an_imported_namespace(nid="bare")
    texts = [
        "urn:isbn:9780451450523",
        "URN:ISBN:0451450523?=q#f",
        "urn:nobody:1%2c",
        "urn:bare:A",
        "urn:isbn:",
        "urn:uuid:zzz",
    ]
    noted = {
        "deprecated": False,
        "sighted": False,
        "displayed": None,
        "subnamespaces": [],
        "notes": [],
        "doubts": [],
    }
    wrong = {"registered": True, "conformant": False, **noted}
    right = {"registered": True, "conformant": True, "reason": None, **noted}
    unknown = {"conformant": None, "reason": None, **noted}
    digit, letter = (
        "The check digit is wrong; it would be 4.",
        "“z” stands where a hexadecimal digit is expected.",
    )
    assert judged(client, texts) == {
        "results": [
            {"urn": texts[0], "is_urn": True, "nid": "isbn", **wrong, "reason": digit, "canonical": texts[0]},
            {"urn": texts[1], "is_urn": True, "nid": "isbn", **right, "canonical": "urn:isbn:9780451450524"},
            {"urn": texts[2], "is_urn": True, "nid": "nobody", "registered": False, **unknown,
             "canonical": "urn:nobody:1%2C"},
            {"urn": texts[3], "is_urn": True, "nid": "bare", "registered": True, **unknown, "canonical": "urn:bare:A"},
            {"urn": texts[4], "is_urn": False, "nid": None, **wrong, "registered": False,
             "reason": str(InvalidURN(texts[4])), "canonical": None},
            {"urn": texts[5], "is_urn": True, "nid": "uuid", **wrong, "reason": letter, "canonical": texts[5]},
        ],
        "good": 1,
        "bad": 3,
        "unknown": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["urn:nbn:de:0074-1000-0", "urn:nbn:fi-%e4?+x", "urn:nbn:de:0074-1000-9", "urn:nbn:?"]
)
def test_notes_are_those_of_the_check_of_one_urn(client: Client, profiles: list[Profile], text: str) -> None:
    result = one(client, text)
    details = client.get("/api/v1/urns/", {"urn": text}).json()
    judgement = details.get("judgement") or {"notes": []}
    assert result["notes"] == details.get("notes", [])
    assert result["doubts"] == judgement["notes"]
    assert bool(result["notes"]) is ("%" in text)
    assert bool(result["doubts"]) is text.endswith("1000-0")


def test_characters_that_could_be_mistaken_are_displayed_and_noted(client: Client) -> None:
    result = one(client, "urn:example:p%D0%B0ypal?+r")
    assert result["displayed"] == "urn:example:p\u0430ypal?+r"
    assert ["paypal" in note["message"] for note in result["notes"]] == [True, False]
    single = client.get("/api/v1/urns/", {"urn": result["urn"]}).json()
    assert (single["displayed"], single["notes"]) == (result["displayed"], result["notes"])
    assert one(client, "#today")["reason"].endswith(" This is a relative reference.")


def test_the_results_have_the_shape_of_the_description(client: Client, profiles: list[Profile]) -> None:
    for texts in (
        [],
        ["urn:isbn:1", "é", "urn:nobody:1", "urn:example:1", "urn:nbn:de:0074-1000-0", "urn:a1:%e4"],
    ):
        for level in ("namespace", "syntax"):
            response = post(client, texts, level)
            answer = {name: getattr(response, name) for name in ("request", "status_code", "headers")}
            check_response("post", SimpleNamespace(**answer, content=response.getvalue()))


def test_json_lines_have_the_same_content(client: Client, profiles: list[Profile]) -> None:
    texts = ["urn:isbn:0451450523", "no", "urn:oid:1..3"]
    response = post(client, texts, accept="application/jsonl")
    assert response["Content-Type"] == "application/jsonl"
    lines = [json.loads(line) for line in response.getvalue().splitlines()]
    assert lines == judged(client, texts)["results"]


@pytest.mark.parametrize("level", [{}, {"level": "namespace"}])
def test_the_rules_of_namespaces_are_applied_by_default(
    client: Client, profiles: list[Profile], level: dict[str, str]
) -> None:
    texts = ["urn:isbn:hello", "urn:isbn:0451450523", "urn:neverheard:x"]
    for body, kind in (
        (json.dumps(texts), "application/json"),
        (json.dumps({"urns": texts, **level}), "application/json"),
        ("\n".join(texts), "text/plain"),
    ):
        answer = json.loads(client.post(CHECK, body, kind).getvalue())
        assert [each["conformant"] for each in answer["results"]] == [False, True, None]
        assert [each["registered"] for each in answer["results"]] == [True, True, False]
        assert (answer["good"], answer["bad"], answer["unknown"]) == (1, 1, 1)
        assert answer == judged(client, texts)


@pytest.mark.parametrize("level", ["Namespace", "", None, 1, ["namespace"], {}])
def test_another_level_is_a_400(client: Client, level: Any) -> None:
    problem = check_problem(post(client, [], level), 400, "invalid-fields")
    assert problem["errors"] == [{"pointer": "#/level", "detail": "This must be “syntax” or “namespace”."}]


def test_a_deprecated_namespace_is_marked_and_still_judged(
    client: Client, profiles: list[Profile], administrator: User
) -> None:
    deprecate(Namespace.objects.get(nid="isbn"), by=administrator, statement="Use another namespace.")
    result = one(client, "urn:isbn:0451450523")
    assert (result["registered"], result["deprecated"], result["conformant"]) == (True, True, True)
    assert one(client, "urn:issn:0028-0836")["deprecated"] is False


def test_unstated_rules_are_unknown_with_the_reason(client: Client, profiles: list[Profile]) -> None:
    result = one(client, "urn:example:a")
    assert result["conformant"] is None
    assert result["reason"] == next(each.names.unstated for each in profiles if each.nid == "example")


def test_long_texts_are_repeated_if_they_are_urns(client: Client, profiles: list[Profile]) -> None:
    urn = f"urn:isbn:{'1' * 10_000}"
    assert one(client, urn)["urn"] == urn
    result = one(client, f"{urn} ")
    assert (result["urn"], result["is_urn"]) == (f"{urn[:1_000]}…", False)


def test_profiles_are_read_at_once(
    client: Client, profiles: list[Profile], django_assert_num_queries: Any
) -> None:
    texts = [example.urn for profile in profiles for example in profile.names.examples] * 50
    profile_cache._entries.clear()
    for queries in (3, 2):  # the namespaces, the digests of their profiles, and the content of new ones
        with django_assert_num_queries(queries):
            assert judged(client, texts)["bad"] == 0
    with django_assert_num_queries(2):  # the namespaces, and sightings
        assert judged(client, ["urn:nobody:1", "urn:somebody:1"])["unknown"] == 2


def test_a_new_profile_applies_at_once(client: Client, profiles: list[Profile], administrator: User) -> None:
    assert one(client, "urn:isbn:9780451450523")["conformant"] is False
    set_profile(Namespace.objects.get(nid="isbn"), by=administrator, profile=None, basis="Wrong.", replaces=1)
    assert one(client, "urn:isbn:9780451450523")["conformant"] is None


def test_too_many_namespaces_with_a_profile_are_413(
    client: Client, profiles: list[Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "MAX_PROFILES", 2)
    an_imported_namespace(nid="bare")
    two = ["urn:isbn:1", "urn:issn:1", "URN:ISBN:2", "urn:bare:1", "urn:nobody:1"]
    assert post(client, two).status_code == 200
    problem = check_problem(post(client, [*two, "urn:oid:1"]), 413, "too-many-namespaces")
    assert (problem["limit"], problem["sent"]) == (2, 3)


def test_more_than_ten_thousand_urns_are_413(client: Client) -> None:
    assert judged(client, ["urn:example:a"] * MAX_URNS)["unknown"] == MAX_URNS
    check_problem(post(client, ["urn:example:a"] * (MAX_URNS + 1)), 413, "too-many-texts")


EXAMPLES = [
    each.urn
    for nid in NIDS
    for names in [load_profile(FIXTURES / f"{nid}.toml").names]
    for each in (*names.examples, *names.counterexamples)
]
CHANGED = st.builds(
    lambda text, place, character: text[:place] + character + text[place + 1 :],
    st.sampled_from(EXAMPLES),
    st.integers(0, 40),
    st.sampled_from('0aX-:.%é "\\/\ud800\n'),
)


@pytest.mark.exhaustive
@settings(max_examples=50)
@given(st.lists(CHANGED, max_size=5))
def test_many_results_equal_those_of_one_urn(
    client: Client, profiles: list[Profile], texts: list[str]
) -> None:
    results = judged(client, texts)["results"]
    assert [each["urn"] for each in results] == texts
    for result in results:
        assert result["is_urn"] == is_urn(result["urn"])
        if not result["is_urn"]:
            continue
        single = client.get("/api/v1/urns/", {"urn": result["urn"]}).json()
        assert result["nid"] == single["namespace"]["nid"]
        assert result["registered"] == single["namespace"]["is_registered"]
        judgement = single["judgement"] or {
            "conformant": None,
            "reason": None,
            "canonical": single["normalized"],
        }
        for name in ("conformant", "reason", "canonical"):
            assert result[name] == judgement[name]
