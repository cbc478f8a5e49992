"""Levels in profiles, and the walk along a name: which sub-namespaces are found, and what is refused or noted."""

import pytest

from tests.urnsyntax.profiles.samples import mapping
from tests.urnsyntax.profiles.subnamespaces.samples import LISTED, SOURCE, TREES, entry, level, listed, trees
from urnsyntax.profiles import InvalidProfile, Profile
from urnsyntax.profiles.subnamespaces.levels import MAX_BOUNDARIES

REFUSED = [
    ({"name": "x"}, "levels[0].coverage: The key is missing."),
    (
        level(coverage="whole"),
        "levels[0].coverage: “whole” is not a coverage. Use one of: complete, partial, free.",
    ),
    (level(source=None), "levels[0].source: This is another kind of value."),
    (
        {"name": "x", "coverage": "partial"},
        "levels[0].source: The source of a list that is partial is missing.",
    ),
    (level(of="de"), "levels: The level of the namespace itself is missing."),
    (level(separator=""), "levels[0].separator: “” is not one or more separators."),
    (level(separator="::"), "levels[0].separator: “::” is not one or more separators."),
    (level(separator="a"), "levels[0].separator: “a” is not one or more separators."),
    (level(below="all"), "levels[0].below: “all” is not what can follow. Use one of: free, nothing."),
    (level(of="é"), "levels[0].of: “é” is not a prefix of names"),
    (level(of="/a"), "levels[0].of: “/a” is not a prefix of names"),
    (level(source={**SOURCE, "stated_on": "today"}), "levels[0].source.stated_on: “today” is not a date."),
]


@pytest.mark.parametrize(("wrong", "reason"), REFUSED, ids=[reason[:40] for _, reason in REFUSED])
def test_a_level_that_cannot_be_used_is_refused(wrong, reason):
    with pytest.raises(InvalidProfile) as refusal:
        Profile.from_dict(mapping(levels=[wrong]))
    assert str(refusal.value).startswith(reason)


def test_two_levels_of_one_prefix_are_refused():
    with pytest.raises(InvalidProfile, match=r"levels\[2\].of: “DE” has two levels. Keep one."):
        Profile.from_dict(mapping(levels=[level(), level(of="de"), level(of="DE")]))


def test_levels_are_the_same_after_writing_and_reading():
    assert Profile.from_dict(TREES.to_dict()) == TREES
    assert Profile.from_dict(mapping()).walker is None


# What is found on the way, whether the name conforms, and the label that is not listed ("" if there is none).
WALKS = {
    "de:bvb:19-1": (["de", "de:bvb"], True, ""),
    "de:bvb-1": (["de", "de:bvb"], True, ""),
    "de:bvd:19-1": (["de"], True, "bvd"),
    "de:bvd-19:1": (["de"], True, "bvd"),
    "de-bvd:19": (["de"], True, ""),
    "de": (["de"], True, ""),
    "fi-fe1": (["fi"], True, ""),
    "fi:x:y-1": (["fi"], True, ""),
    "zz-1": ([], False, "zz"),
    "fin-1": ([], False, "fin"),
    "xx": (["xx"], True, ""),
    "xx:oak": (["xx", "xx:oak"], True, ""),
    "xx:oak:base:1.0": (["xx", "xx:oak", "xx:oak:base:1.0"], True, ""),
    "xx:oak:base:1.0:a": (["xx", "xx:oak", "xx:oak:base:1.0"], False, "a"),
    "xx:oak:base:1.1": (["xx", "xx:oak"], False, "base:1.1"),
    "xx:oak-1": (["xx"], False, "oak-1"),
    "xx:elm:base": (["xx"], False, "elm:base"),
}


@pytest.mark.parametrize(("name", "expected"), WALKS.items(), ids=WALKS)
def test_the_way_of_a_name(name, expected):
    judgement = TREES.judge(f"urn:trees:{name}", LISTED)
    unknown = judgement.unknown_subnamespace
    found = [each.prefix for each in judgement.subnamespaces]
    assert (found, judgement.conformant is not False, unknown.label if unknown else "") == expected


def test_a_list_is_not_consulted_without_entries_or_levels():
    for entries in (None, {}):
        judgement = TREES.judge("urn:trees:zz-1", entries)
        assert (judgement.conformant, judgement.subnamespaces, judgement.rest) == (None, (), ("", ""))
    assert Profile.from_dict(mapping()).judge("urn:trees:1:1", LISTED).conformant


def test_a_free_level_is_never_doubtful():
    free = trees({"name": "country", "coverage": "free", "below": "nothing"})
    judgement = free.judge("urn:trees:zz:1", listed(free, entry("zz")))
    assert (judgement.unknown_subnamespace, judgement.notes) == (None, ())


def test_a_rule_of_a_list_that_is_known_in_part_is_a_note():
    partial = trees(level(coverage="partial", below="nothing"))
    judgement = partial.judge("urn:trees:zz:1", listed(partial, entry("zz")))
    assert judgement.conformant is None
    assert [each.reason for each in judgement.notes] == [
        "Nothing can follow urn:trees:zz, but “1” does. The list is not complete: Register of gardens, as of 2026-11-01."
    ]


NAMES = {
    "equivalence": ({"equivalence": "nbn"}, [level(separator=":-", sample="-1")], "DE:Bvb", "de:bvb"),
    "two parts": ({"equivalence": "mrn"}, [level(sample=":a:1")], "IALA", "iala"),
    "case": ({"ignores_case": True}, [level(sample=":X")], "Oak", "oak"),
    "ignored": ({"ignored_characters": "-"}, [level()], "o-a-k", "oak"),
    "triplets": ({}, [level()], "a%c3%a9", "a%C3%A9"),
    "exact": ({}, [level()], "Oak", "Oak"),
}


@pytest.mark.parametrize(("names", "levels", "written", "key"), NAMES.values(), ids=NAMES)
def test_a_prefix_is_compared_as_the_namespace_compares_names(names, levels, written, key):
    profile = trees(*levels, names={"pattern": ".*", **names})
    entries = listed(profile, entry(written, "Found"))
    assert list(entries) == [key]
    for each in (written, key):
        judgement = profile.judge(f"urn:trees:{each}{levels[0].get('sample', ':1')}", entries)
        assert [found.title for found in judgement.subnamespaces] == ["Found"]
        assert judgement.conformant


def test_the_sample_of_the_level_decides_how_a_prefix_is_normalized():
    profile = trees(
        level(sample=":a:1"), level(of="*", sample=":1"), names={"pattern": ".*", "equivalence": "mrn"}
    )
    assert list(listed(profile, entry("IALA"), entry("IALA:AtoN"))) == ["iala", "iala:aton"]


@pytest.mark.parametrize("separators", [MAX_BOUNDARIES - 1, MAX_BOUNDARIES, 8_000])
def test_the_boundaries_of_a_name_are_bounded(separators):
    name = "de" + ":" * separators
    assert len(TREES.walker.prefixes(name)) == min(separators + 1, MAX_BOUNDARIES)
    assert [each.prefix for each in TREES.judge(f"urn:trees:{name}", LISTED).subnamespaces] == ["de"]


def test_only_the_prefixes_of_a_name_are_looked_up():
    class Asked(dict):
        def get(self, key, default=None):
            asked.append(key)
            return super().get(key, default)

    asked = []
    TREES.judge("urn:trees:de:bvb:19-1", Asked(LISTED))
    assert asked == TREES.walker.prefixes("de:bvb:19-1") == ["de", "de:bvb", "de:bvb:19", "de:bvb:19-1"]
