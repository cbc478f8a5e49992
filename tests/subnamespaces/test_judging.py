"""Names are judged by the stored lists: on the pages, in the API, and in bulk, as offline."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.api.urns.checking import judged
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from registry.subnamespaces.lists import judge
from registry.subnamespaces.loading import DIRECTORY, LoadOutcome, load_subnamespaces
from tests.subnamespaces.conftest import Import
from tests.support.factories import an_imported_namespace
from urnsyntax import URN, is_urn
from urnsyntax.profiles import Profiles, load_profiles

pytestmark = pytest.mark.django_db
PROFILES = Path(settings.BASE_DIR, "fixtures", "profiles")
DETAIL, CHECK = "/api/v1/urns/", "/api/v1/urns/check/"
MISSING = "urn:ietf:params:neverexisted:x"
BAVARIA = "urn:nbn:de:bvb:19-146642"
MISSPELT = "urn:nbn:de:bvd:1-1"


@pytest.fixture(scope="module")
def offline() -> Profiles:
    return load_profiles(PROFILES)


def load(offline: Profiles, *nids: str) -> None:
    """Register namespaces with their profiles and lists in the fixtures."""
    for nid in nids:
        number = int(nid.removeprefix("urn-")) if nid.startswith("urn-") else None
        namespace = an_imported_namespace(
            nid=nid, kind=Kind.INFORMAL if number else Kind.FORMAL, number=number
        )
        set_profile(namespace, by=None, profile=offline.get(nid), basis="It.", replaces=0)
    files = [(nid, DIRECTORY / f"{nid}.jsonl") for nid in nids if (DIRECTORY / f"{nid}.jsonl").exists()]
    assert {each.outcome for each in load_subnamespaces(files)} <= {LoadOutcome.LOADED}


@pytest.fixture
def lists(offline: Profiles) -> None:
    load(offline, "ietf", "nbn")


def one(client: Client, urn: str) -> Any:
    return client.get(DETAIL, {"urn": urn}).json()


def many(client: Client, texts: list[str]) -> list[Any]:
    response = client.post(CHECK, json.dumps(texts), "application/json")
    return json.loads(response.getvalue())["results"]


@pytest.mark.usefixtures("lists")
def test_a_name_outside_a_complete_list_does_not_conform(client: Client) -> None:
    judgement = one(client, MISSING)["judgement"]
    assert (judgement["conformant"], judgement["rule"]) == (False, "sub-namespace")
    unknown = judgement["unknown_subnamespace"]
    assert (unknown["label"], unknown["parent"], unknown["coverage"]) == (
        "neverexisted",
        "params",
        "complete",
    )
    assert MISSING[unknown["start"] : unknown["end"]] == "neverexisted"
    assert unknown["document"] in judgement["reason"]
    assert unknown["stated_on"] in judgement["reason"]
    (result,) = many(client, [MISSING])
    assert (result["conformant"], result["subnamespaces"]) == (False, ["params"])
    assert result["reason"] == judgement["reason"]
    response = client.get("/urns/", {"urn": MISSING})
    assertContains(response, "Does not follow the rules of")
    assertContains(response, "Not in the list, which is complete.")


@pytest.mark.usefixtures("lists")
def test_the_levels_are_told_in_words(client: Client) -> None:
    judgement = one(client, BAVARIA)["judgement"]
    found = judgement["subnamespaces"]
    assert [each["prefix"] for each in found] == ["de", "de:bvb", "de:bvb:19"]
    assert [BAVARIA[each["start"] : each["end"]] for each in found] == ["de", "bvb", "19"]
    assert (found[0]["title"], found[0]["level"], found[1]["status"]) == ("Germany", "country", "active")
    assert all(each["source"] and each["as_of"] for each in found)
    assert judgement["unknown_subnamespace"] is None
    assert judgement["rest"]["text"] == "146642"
    assert judgement["rest"]["meaning"]
    assert many(client, [BAVARIA])[0]["subnamespaces"] == ["de", "de:bvb", "de:bvb:19"]
    page = client.get("/urns/", {"urn": BAVARIA})
    for text in ("Who stands behind it", "Germany", found[1]["title"], judgement["rest"]["meaning"]):
        assertContains(page, text)


@pytest.mark.usefixtures("lists")
def test_a_label_near_those_of_the_list_is_suggested(client: Client) -> None:
    judgement = one(client, MISSPELT)["judgement"]
    assert judgement["conformant"]
    assert judgement["unknown_subnamespace"]["near"] == ["bvb"]
    assert "“bvb” is" in judgement["notes"][0]["reason"]
    link = '<a class="nid" href="/urns/?urn=urn%3Anbn%3Ade%3Abvb%3A1-1">bvb</a>'
    assertContains(client.get("/urns/", {"urn": MISSPELT}), link)
    verdict = client.get("/namespaces/nbn/check/", {"urn": "de:bvd:1-1"}, headers={"HX-Request": "true"})
    assertContains(verdict, link)
    # Near labels of a bulk check would depend on the other texts.
    alone, beside = many(client, [MISSPELT])[0], many(client, [BAVARIA, MISSPELT])[1]
    assert alone == beside
    assert "bvb" not in alone["doubts"][0]["reason"]


@pytest.mark.usefixtures("lists")
def test_the_name_check_of_a_namespace_consults_the_list(client: Client) -> None:
    asked: dict[str, Any] = {"headers": {"HX-Request": "true"}}
    response = client.get("/namespaces/ietf/check/", {"urn": MISSING}, **asked)
    assertContains(response, "Does not follow the rules of")
    response = client.get("/namespaces/nbn/check/", {"urn": BAVARIA}, **asked)
    assertContains(response, "Germany")


@pytest.mark.usefixtures("lists")
def test_a_repair_is_judged_by_the_whole_list(client: Client) -> None:
    """The prefixes of a repaired name are others than those of the name."""
    details = one(client, "urn:ietf:params:oaut:grant-type:jwt-bearer")
    meant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    assert [each["urn"] for each in details["did_you_mean"]] == [meant]
    details = one(client, "urn:ietf:params:oaut:neverexisted:jwt-bearer")
    assert details["judgement"]["unknown_subnamespace"]["near"] == ["oauth"]


def test_a_list_without_the_prefixes_of_any_text_is_consulted(
    client: Client, import_list: Import, gardens: Namespace
) -> None:
    import_list()
    (result,) = many(client, ["urn:example-gardens:elm:1"])
    assert (result["conformant"], result["subnamespaces"]) == (False, [])
    (result,) = many(client, ["URN:EXAMPLE-GARDENS:KEW:1"])
    assert result["subnamespaces"] == ["kew"]


def test_deprecated_and_retired_ones_are_named_with_the_successor(
    client: Client, import_list: Import, gardens: Namespace
) -> None:
    import_list()
    import_list('{"prefix": "oak", "title": "Oak Park", "status": "retired", "successor": "kew"}\n')
    response = client.get("/urns/", {"urn": "urn:example-gardens:oak:1"})
    assertContains(response, "retired</span>")
    assertContains(response, '<span class="nid">urn:example-gardens:kew</span>')
    assertNotContains(client.get("/urns/", {"urn": "urn:example-gardens:kew:1"}), "badge-deprecated")


def test_a_list_costs_one_query(
    client: Client, import_list: Import, gardens: Namespace, django_assert_num_queries: Any
) -> None:
    known, unknown = URN.parse("urn:example-gardens:kew:1"), URN.parse("urn:example-gardens:kev:1")
    namespace = Namespace.objects.with_profile().get(nid="example-gardens")
    with django_assert_num_queries(0):
        assert judge(namespace, known)
    import_list()
    namespace = Namespace.objects.with_profile().get(nid="example-gardens")
    with django_assert_num_queries(1):
        judgement = judge(namespace, known)
        assert judgement
        assert judgement.subnamespaces
    with django_assert_num_queries(2):
        judgement = judge(namespace, unknown)
        assert judgement
        assert judgement.reason.startswith("“kev” is no garden of urn:example-gardens; “kew” is.")


def test_one_query_reads_the_prefixes_of_many_texts(
    offline: Profiles, django_assert_num_queries: Any
) -> None:
    load(offline, "ietf", "nbn", "isbn")
    texts = [MISSING, BAVARIA, MISSPELT, "urn:nbn:%64e:bvb:1-1", "urn:isbn:0451450523", "é"] * 100
    judged(texts)
    with django_assert_num_queries(3):  # the namespaces, the digests of their profiles, and the prefixes
        assert len(list(judged(texts).results)) == len(texts)
    with django_assert_num_queries(2):
        judged(["urn:isbn:0451450523"] * 100)


def names_in(offline: Profiles) -> Iterator[str]:
    """The examples and counterexamples of all profiles with a list, and names in and beside each of their sub-namespaces."""
    for nid, entries in offline.lists.items():
        profile = offline.get(nid)
        assert profile
        for each in (*profile.names.examples, *profile.names.counterexamples):
            yield each.urn
        for entry in list(entries.values())[::7]:
            yield from (f"urn:{nid}:{entry.prefix}{rest}" for rest in ("", ":1", "-1", "x:1"))


@pytest.mark.exhaustive
@pytest.mark.slow
def test_the_stored_and_bulk_verdicts_are_those_of_the_library(client: Client, offline: Profiles) -> None:
    load(offline, *offline.lists)
    texts = [each for each in dict.fromkeys(names_in(offline)) if is_urn(each)]
    assert len(texts) > 500
    namespaces = {each.nid: each for each in Namespace.objects.with_profile()}
    for text, result, line in zip(texts, many(client, texts), offline.judge_many(texts), strict=True):
        urn, expected = URN.parse(text), offline.judge(text)
        judgement = judge(namespaces[urn.nid.lower()], urn)
        assert expected
        assert judgement
        for name in (
            "conformant",
            "reason",
            "canonical",
            "notes",
            "subnamespaces",
            "unknown_subnamespace",
            "rest",
            "repair",
        ):
            assert getattr(judgement, name) == getattr(expected, name), (text, name)
        assert result["conformant"] == expected.conformant == line.conformant, text
        assert (result["canonical"], result["reason"] or "") == (expected.canonical, line.reason), text
        assert [each["reason"] for each in result["doubts"]] == [each.reason for each in line.doubts], text
        assert (
            result["subnamespaces"]
            == [each.prefix for each in expected.subnamespaces]
            == [*line.subnamespaces]
        )
