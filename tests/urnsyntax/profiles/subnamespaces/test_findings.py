"""Judgements with lists: words, notes, repairs, rules and services of sub-namespaces, and many URNs at once."""

import pytest

from tests.urnsyntax.profiles.services.samples import service
from tests.urnsyntax.profiles.subnamespaces.samples import LISTED, TREES, entry, level, listed, trees
from urnsyntax.profiles import Profile, Profiles

COMPLETE = "The list is complete: Register of gardens, as of 2026-11-01."
PARTIAL = "The list is not complete: Register of gardens, as of 2026-11-01."


def judge(name):
    return TREES.judge(f"urn:trees:{name}", LISTED)


def test_what_was_found_is_described_the_outermost_first():
    judgement = judge("de:bvb:19-1")
    assert [(each.level, each.description) for each in judgement.subnamespaces] == [
        ("country", "de: Germany, National Garden"),
        ("garden", "bvb: Bavarian gardens, Gardens of Bavaria"),
    ]
    assert judgement.rest == ("19-1", "a number that the garden assigns")
    assert [str(judgement.urn)[each.start : each.end] for each in judgement.subnamespaces] == ["de", "bvb"]
    assert [(each.source, each.as_of) for each in judgement.subnamespaces] == [
        ("Register of gardens", "2026-11-01"),  # of the level
        ("List of gardens", "2026-10"),
    ]
    assert judge("fi-1").subnamespaces[0].description == "fi: Finland"


REASONS = {
    "zz-1": (f"“zz” is no country of urn:trees. {COMPLETE}", 10),
    "dee-1": (f"“dee” is no country of urn:trees; “de” is. {COMPLETE}", 10),
    "xx:elm": (f"“elm” is no list of urn:trees:xx. {COMPLETE}", 13),
    "xx:OAK": (f"“OAK” is no list of urn:trees:xx; “oak” is. {COMPLETE}", 13),
    "xx:": (f"The list is missing after urn:trees:xx. {COMPLETE}", 13),
    "xx:oak:1": (f"Nothing can follow urn:trees:xx:oak, but “1” does. {COMPLETE}", 17),
}


@pytest.mark.parametrize(("name", "expected"), REASONS.items(), ids=REASONS)
def test_a_name_outside_a_complete_list_is_refused(name, expected):
    judgement = judge(name)
    assert judgement.conformant is False
    assert (judgement.reason, judgement.position) == expected
    assert (judgement.rule, judgement.notes) == ("sub-namespace", ())


NOTES = {
    "de:bvd:1-1": f"“bvd” is no known garden of urn:trees:de; “bvb” is. {PARTIAL}",
    "de:zzzz:1-1": f"“zzzz” is no known garden of urn:trees:de. {PARTIAL}",
    "de:old-1": "urn:trees:de:old (Old gardens) is deprecated. Use urn:trees:de:bvb instead.",
    "de:was-1": "urn:trees:de:was (Gone gardens) is retired: no new names are assigned.",
}


@pytest.mark.parametrize(("name", "reason"), NOTES.items(), ids=NOTES)
def test_what_is_doubtful_is_a_note(name, reason):
    judgement = judge(name)
    assert judgement.conformant is not False
    assert [(each.reason, each.position, each.rule) for each in judgement.notes] == [
        (reason, 13, "sub-namespace")
    ]


def test_an_unknown_label_names_its_list_and_its_place():
    unknown = judge("de:bvd:1-1").unknown_subnamespace
    assert (unknown.label, unknown.parent, unknown.level, unknown.coverage) == (
        "bvd",
        "de",
        "garden",
        "partial",
    )
    assert (unknown.document, unknown.stated_on) == ("Register of gardens", "2026-11-01")
    assert (unknown.start, unknown.end, unknown.near) == (13, 16, ("bvb",))
    # A retired one is not offered.
    assert judge("de:wat-1").unknown_subnamespace.near == ()


@pytest.mark.parametrize("label", ["", "dd", "z" * 65])
def test_a_label_that_is_short_or_long_has_no_near_ones(label):
    assert judge(f"{label}-1").unknown_subnamespace.near == ()


def test_several_near_ones_are_named_and_none_is_the_repair():
    entries = listed(PROFILE, *map(entry, ("oak", "oat", "oar", "oad", "elm")))
    judgement = PROFILE.judge("urn:trees:oaf:1", entries)
    assert judgement.reason.startswith("“oaf” is no country of urn:trees; “oad”, “oak”, “oar” are. The list")
    assert judgement.repair is None


GRAMMAR = {
    "abnf": 'nss = 1*3ALPHA ":" rest\nrest = 1*( ALPHA / DIGIT / ":" / "-" )',
    "parts": {"rest": "rest"},
}
BELOW = {
    "abnf": "rest = number\nnumber = 8DIGIT",
    "parts": {"number": "number"},
    "checks": [{"algorithm": "gtin"}],
}
PROFILE = trees(level(), names=GRAMMAR)
WITH_RULES = listed(
    PROFILE,
    entry(
        "de",
        names=BELOW,
        services=[service(template="https://gardens.example/{number}", examples=["urn:trees:de:73513537"])],
    ),
    entry("fi", services=[service(template="https://fi.example/{nss}", examples=["urn:trees:fi:1"])]),
    entry("it", names={"pattern": "[a-z-]+", "ignored_characters": "-"}),
)
RULES = {
    "de:73513537": (True, "", None, None),
    "de:73513538": (False, "The check digit is wrong; it would be 7.", 20, "urn:trees:de:73513537"),
    "de:7351353": (False, "The name ends where a digit is expected (number).", 20, None),
    "de:7351353x": (False, "“x” stands where a digit is expected (number).", 20, None),
    "it:a-b": (True, "", None, None),
    "it:1": (False, "“1” does not match the pattern “[a-z-]+”.", None, None),
    "dee:1": (False, f"“dee” is no country of urn:trees; “de” is. {COMPLETE}", 10, None),
    "fii:1": (False, f"“fii” is no country of urn:trees; “fi” is. {COMPLETE}", 10, "urn:trees:fi:1"),
    "9:1": (False, "“9” stands where a letter is expected.", 10, None),
}


@pytest.mark.parametrize(("name", "expected"), RULES.items(), ids=RULES)
def test_the_rules_of_a_sub_namespace_judge_what_follows_it(name, expected):
    conformant, reason, position, repair = expected
    judgement = PROFILE.judge(f"urn:trees:{name}", WITH_RULES)
    assert (judgement.conformant, judgement.repair) == (conformant, repair)
    assert (judgement.reason, judgement.position) == (reason, position)


def test_the_parts_and_check_digits_of_the_rest_have_their_places_in_the_urn():
    judgement = PROFILE.judge("urn:trees:de:73513537", WITH_RULES)
    assert [(each.rule, each.text) for each in judgement.parts] == [
        ("rest", "73513537"),
        ("number", "73513537"),
    ]
    assert {str(judgement.urn)[each.start : each.end] for each in judgement.parts} == {"73513537"}
    assert [(each.algorithm, each.start) for each in judgement.check_digits] == [("gtin", 13)]


def test_the_equivalence_of_a_sub_namespace_refines_that_of_the_namespace():
    assert PROFILE.judge("urn:trees:it:a-b", WITH_RULES).canonical == "urn:trees:it:ab"
    assert PROFILE.judge("urn:trees:de:a-b", WITH_RULES).canonical == "urn:trees:de:a-b"
    assert PROFILE.judge("urn:trees:it:a-b").canonical == "urn:trees:it:a-b"


def test_the_services_of_a_sub_namespace_come_first():
    whole = trees(level()).to_dict()
    whole["sources"][0]["facts"].append("services")
    whole["services"] = [service(template="https://trees.example/{+nss}", examples=["urn:trees:fi:1"])]
    profile = Profile.from_dict(whole)
    profiles = Profiles([profile], {"trees": WITH_RULES})

    def addresses(urn):
        return [each.address for each in profiles.resolve(urn).services]

    assert addresses("urn:trees:fi:1") == ["https://fi.example/1", "https://trees.example/fi:1"]
    assert addresses("urn:trees:de:73513537") == [
        "https://gardens.example/73513537",
        "https://trees.example/de:73513537",
    ]
    assert addresses("urn:trees:zz:1") == []
    assert addresses("urn:other:1") == []


def test_judging_many_agrees_with_judging_one():
    profiles = Profiles([TREES], {"trees": LISTED})
    names = [*REASONS, *NOTES, "de:bvb:19-1", "fi-1"]
    texts = [*(f"urn:trees:{each}" for each in names), "urn:other:1", "no URN"]
    results = list(profiles.judge_many(texts))
    assert [each.text for each in results] == texts
    for each in results[:-2]:
        judgement = profiles.judge(each.text)
        assert each.conformant is judgement.conformant
        near = judgement.unknown_subnamespace.near if judgement.unknown_subnamespace else ()
        assert each.reason == judgement.reason.replace("; “" + "".join(near) + "” is.", ".")
        assert each.canonical == judgement.canonical == each.judgement.canonical
        assert each.judgement.subnamespaces == judgement.subnamespaces
    assert [each.conformant for each in results[-2:]] == [None, False]
    assert sum(each.conformant is False for each in results) == len(REASONS) + 1


def test_judging_many_applies_the_rules_of_sub_namespaces():
    profiles = Profiles([PROFILE], {"trees": WITH_RULES})
    results = {each.text: each for each in profiles.judge_many([f"urn:trees:{each}" for each in RULES])}
    assert {text[10:]: each.conformant for text, each in results.items()} == {
        name: expected[0] for name, expected in RULES.items()
    }
    assert results["urn:trees:it:a-b"].canonical == "urn:trees:it:ab"
