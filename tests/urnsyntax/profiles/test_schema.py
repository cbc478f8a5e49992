"""Profiles as mappings: what the schema takes, how it points at a fault, and that nothing is lost."""

import json

import pytest

from tests.urnsyntax.profiles.samples import FIXTURES, GRAMMAR, mapping, profile, with_names
from tests.urnsyntax.profiles.services.samples import service
from urnsyntax.profiles import InvalidProfile, Profile, Profiles, load_profile, load_profiles
from urnsyntax.profiles.profile import FACTS, SUBJECTS


def refused(changed):
    with pytest.raises(InvalidProfile) as refusal:
        Profile.from_dict(changed)
    return str(refusal.value)


def source(*facts):
    return {"facts": list(facts), "kind": "curated", "document": "Registration of urn:trees"}


DOUBLED = "\n".join([*(f"r{n} = r{n + 1} / r{n + 1}" for n in range(20)), "r20 = DIGIT"])
REFUSED = [
    (mapping(titel="x"), "titel: The key is unknown. Use one of: nid, title"),
    (mapping(title=None), "title: The key is missing. Add it."),
    (mapping(title="x" * 121), "title: The text has 121 characters; the limit is 120."),
    (mapping(title=""), "title: The text is empty"),
    (mapping(title=" Trees"), "title: The text is empty or has spaces around it."),
    (mapping(title="a\nb"), "title: Character 2 is U+000A."),
    (mapping(title=7), "title: This is a number. Write a text."),
    (mapping(nid="Trees"), "nid: “Trees” is not a NID in lower case."),
    (mapping(nid="t_"), "nid: “t_” is not a NID"),
    (mapping(summary="x" * 501), "summary: The text has 501 characters; the limit is 500."),
    (mapping(subjects=[]), "subjects: The list has 0 items; it needs 1 to 3."),
    (mapping(subjects=["books"]), "subjects[0]: “books” is not a subject. Use one of: bibliography"),
    (mapping(subjects=["law", "law"]), "subjects[1]: “law” is repeated."),
    (mapping(subjects="law"), "subjects: This is a text. Write a list."),
    (mapping(names=[]), "names: This is a list. Write a table"),
    (mapping(names={}), "names: The grammar is missing. Set exactly one of abnf, pattern and unstated."),
    (mapping(names={"abnf": GRAMMAR, "pattern": "a"}), "names: abnf and pattern are set."),
    (mapping(names={"abnf": "a = b"}), "names.abnf, line 1, column 5: The rule “b” is not defined."),
    (mapping(names={"pattern": "a(?=b)"}), "names.pattern, line 1, column 2: RE2 rejects the pattern"),
    (
        mapping(names={"abnf": GRAMMAR, "parts": {"root": "root"}}),
        "names.parts: The grammar has no rule or group “root”.",
    ),
    (
        mapping(names={"abnf": GRAMMAR, "parts": {"Leaf": "leaf"}}),
        "names.parts: The grammar has no rule or group “Leaf”. It has: alpha, digit",
    ),
    (
        with_names(abnf=GRAMMAR, ignored_characters="9"),
        "names.ignored_characters, line 1, column 1: Character 1",
    ),
    (with_names(abnf=GRAMMAR, equivalence="trees"), "names.equivalence: “trees” is not an equivalence."),
    (
        with_names(abnf=GRAMMAR, ignores_case="yes"),
        "names.ignores_case: This is a text. Write true or false.",
    ),
    (
        with_names(abnf=GRAMMAR, checks=[{"algorithm": "sum"}]),
        "names.checks[0].algorithm: “sum” is not an algorithm.",
    ),
    (
        with_names(abnf=GRAMMAR, checks=[{"algorithm": "luhn", "part": "root"}]),
        "names.checks[0].part: The grammar has no rule or group “root”. It has: alpha, digit, garden, leaf, number, tree",
    ),
    (
        with_names(unstated="None.", checks=[{"algorithm": "luhn"}]),
        "names.checks: Check digits need a grammar.",
    ),
    (
        with_names(abnf=GRAMMAR, examples=[{"urn": "urn:trees:"}]),
        "names.examples[0].urn: “urn:trees:” is not a URN: at position 10, the NSS is empty",
    ),
    (
        with_names(abnf=GRAMMAR, examples=[{"urn": "urn:isbn:1"}]),
        "names.examples[0].urn: “urn:isbn:1” belongs to another namespace. Write urn:trees: and a name.",
    ),
    (
        with_names(abnf=GRAMMAR, counterexamples=[{"urn": "urn:trees:x"}]),
        "names.counterexamples[0].reason: The key is missing.",
    ),
    (mapping(homepage="ftp://a.example"), "homepage: “ftp://a.example” is not a web address."),
    (mapping(homepage="https://a b"), "homepage: “https://a b” is not a web address."),
    (mapping(homepage="javascript:alert(1)"), "homepage: “javascript:alert(1)” is not a web address."),
    (mapping(sources=[]), "sources: The list has 0 items"),
    (mapping(sources=[source("title")]), "sources: These facts have no source: summary, subjects, grammar."),
    (mapping(sources=[source("colour")]), "sources[0].facts[0]: “colour” is not a fact."),
    (
        mapping(sources=[source("title", "summary"), source("title")]),
        "sources[1].facts: “title” has two sources. Keep one.",
    ),
    (mapping(sources=[source("homepage")]), "sources[0].facts: The profile does not state “homepage”."),
    (mapping(keywords=["x"] * 16), "keywords: The list has 16 items; it needs 0 to 15."),
]


@pytest.mark.parametrize(("changed", "reason"), REFUSED, ids=[reason[:30] for _, reason in REFUSED])
def test_a_fault_is_named_with_its_key_and_reason(changed, reason):
    assert refused(changed).startswith(reason)


def test_a_profile_is_the_same_after_writing_and_reading():
    for each in load_profiles(FIXTURES):
        written = each.to_dict()
        assert Profile.from_dict(written) == each
        assert Profile.from_dict(json.loads(json.dumps(written))) == each


def test_empty_values_are_not_written():
    assert "homepage" not in Profile.from_dict(mapping()).to_dict()
    assert Profile.from_dict(mapping()).to_dict() == mapping(names={"abnf": GRAMMAR.strip("\n")})


def test_each_fact_that_is_stated_needs_a_source():
    names = {
        "abnf": GRAMMAR,
        "ignores_case": True,
        "checks": [{"algorithm": "luhn", "part": "garden"}],
        "examples": [{"urn": "urn:trees:1:2"}],
    }
    whole = mapping(
        names=names,
        resource="a tree",
        organisation="A garden",
        homepage="https://garden.example/",
        keywords=["tree"],
        specifications=[{"title": "Trees"}],
        services=[service(template="https://garden.example/{nss}", examples=["urn:trees:1:2"])],
        sources=[source(*FACTS)],
    )
    assert Profile.from_dict(whole).facts == frozenset(FACTS)
    for fact in FACTS:
        without = [each for each in FACTS if each != fact]
        assert f"no source: {fact}." in refused({**whole, "sources": [source(*without)]})


def test_exact_comparison_can_have_a_source():
    assert Profile.from_dict(
        mapping(sources=[source("title", "summary", "subjects", "grammar", "comparison")])
    )


def test_subjects_are_sorted_and_differ():
    assert sorted(set(SUBJECTS)) == list(SUBJECTS)


def test_a_profile_knows_its_rules():
    known = profile(abnf=GRAMMAR, parts={"leaf": "leaf"})
    assert known.names.labels == {"leaf": "leaf"}
    assert known.names.grammar is known.names.grammar


# Files


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


TOML = """
nid = "trees"
title = "Trees"
summary = "Trees."
subjects = ["science"]
[names]
unstated = "None is stated."
[[sources]]
facts = ["title", "summary", "subjects", "grammar"]
kind = "curated"
document = "Trees"
"""


def test_a_directory_of_profiles_is_loaded(tmp_path):
    write(tmp_path, "trees.toml", TOML)
    write(tmp_path, "notes.txt", "not a profile")
    loaded = load_profiles(tmp_path)
    assert [each.nid for each in loaded] == ["trees"]
    assert loaded.get("Trees") is loaded.get("trees")
    assert loaded.get("tree") is None
    assert len(loaded) == 1
    assert "trees" in loaded
    assert len(Profiles()) == 0


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("tree.toml", TOML, "tree.toml: nid: The file has another name than “trees”."),
        ("trees.toml", TOML.replace('"Trees."', ""), "trees.toml: This is not TOML: "),
        ("trees.toml", TOML + "x = 1", "trees.toml: sources[0].x: The key is unknown."),
        ("trees.toml", TOML + "#" * 100_000, "trees.toml: The file has more than 100,000 octets."),
    ],
)
def test_a_wrong_file_is_named(tmp_path, name, text, reason):
    with pytest.raises(InvalidProfile) as refusal:
        load_profile(write(tmp_path, name, text))
    assert str(refusal.value).startswith(reason)
    assert refusal.value.file == name


def test_a_file_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "trees.toml"
    path.write_bytes(TOML.encode() + b"# \xff")
    with pytest.raises(InvalidProfile, match=r"trees.toml: Octet \d+ is not UTF-8."):
        load_profile(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_profile(tmp_path / "trees.toml")
