"""The lists of the fixtures: names that are in use are not refused, and invented ones are where a list is complete."""

import json
from collections import Counter

import pytest

from tests.urnsyntax.profiles.samples import FIXTURES, PROFILES
from urnsyntax.profiles.subnamespaces.importing import MEMBERS
from urnsyntax.profiles.subnamespaces.verifying import verify_list

DATA = FIXTURES.parents[1] / "tests" / "data" / "subnamespaces"
LISTS = {
    path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for path in sorted((FIXTURES.parent / "subnamespaces").glob("*.jsonl"))
}
REAL = (DATA / "real.txt").read_text("utf-8").splitlines()
INVENTED = (DATA / "invented.txt").read_text("utf-8").splitlines()


def judged(urn):
    found = PROFILES.judge(urn)
    assert found, urn
    return found


def test_no_real_name_is_refused():
    assert len(REAL) >= 300
    assert {urn: judged(urn).reason for urn in REAL if judged(urn).conformant is False} == {}


def test_invented_names_are_refused():
    assert len(INVENTED) >= 300
    passed = [urn for urn in INVENTED if judged(urn).conformant is not False]
    assert len(passed) <= len(INVENTED) * 0.05, passed
    # The grammar alone refuses few of them.
    assert Counter(judged(urn).rule for urn in INVENTED)["sub-namespace"] >= len(INVENTED) * 0.95


def test_a_refusal_names_the_list_and_its_date():
    for urn in INVENTED:
        if judged(urn).rule == "sub-namespace":
            unknown = judged(urn).unknown_subnamespace
            assert unknown.coverage == "complete"
            assert unknown.document in judged(urn).reason
            assert unknown.stated_on in judged(urn).reason


def test_many_at_once_get_the_same_verdicts():
    verdicts = [line.conformant for line in PROFILES.judge_many([*REAL, *INVENTED])]
    assert verdicts == [judged(urn).conformant for urn in (*REAL, *INVENTED)]


@pytest.mark.parametrize("nid", LISTS)
def test_each_entry_has_a_source_and_a_date(nid):
    prefixes = [row["prefix"] for row in LISTS[nid]]
    assert prefixes == sorted(set(prefixes))
    for row in LISTS[nid]:
        assert list(row) == [name for name in MEMBERS if name in row]
        assert any(each.isalpha() for each in row["title"])
        assert row["source"]
        assert row["as_of"]


def test_each_list_belongs_to_a_profile_with_levels():
    assert list(LISTS) == sorted(each.nid for each in PROFILES if each.levels)


@pytest.mark.parametrize("nid", LISTS)
def test_each_list_fits_its_profile(nid):
    verification = verify_list(FIXTURES.parent / "subnamespaces" / f"{nid}.jsonl", PROFILES.get(nid))
    assert verification.failures == ()


@pytest.mark.parametrize(
    ("urn", "description"),
    [
        (
            "urn:nbn:de:bvb:19-146642",
            (
                "de: Germany, German National Library; bvb: Bavarian library network, Bibliotheksverbund Bayern; "
                "19: University of Munich (LMU)"
            ),
        ),
        (
            "urn:ietf:params:oauth:grant-type:jwt-bearer",
            (
                "params: Protocol parameters, IANA; oauth: OAuth, IANA; grant-type: OAuth grant types, IANA; "
                "jwt-bearer: JWT bearer token grant"
            ),
        ),
        ("urn:lex:ch;glarus:regiere:erlass:2007-10-15;963", "ch: Switzerland; glarus: Canton of Glarus"),
        ("URN:SERVICE:SOS.Police", "sos: Emergency services; police: Police"),
        (
            "urn:mrn:IALA:aton:us:1234.5",
            "iala: International Organization for Marine Aids to Navigation, IALA; aton: ",
        ),
        (
            "urn:oid:1.3.6.1.4.1.99999",
            "1: ISO; 3: Identified organizations; 6: United States Department of Defense; ",
        ),
    ],
)
def test_people_can_read_who_stands_behind_a_name(urn, description):
    found = "; ".join(each.description for each in judged(urn).subnamespaces)
    assert found.startswith(description)
