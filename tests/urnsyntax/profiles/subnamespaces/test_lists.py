"""Lists in files: reading, verification, and the commands that use them."""

import json

import pytest

from tests.urnsyntax.cli.test_command_line import run
from tests.urnsyntax.profiles.subnamespaces.samples import ENTRIES, TREES, entry, level, listed, trees
from urnsyntax.profiles import InvalidProfile, Profiles, SubNamespace, load_profiles
from urnsyntax.profiles.subnamespaces.lists import load_list
from urnsyntax.profiles.subnamespaces.verifying import failures_of_list

TOML = """
nid = "trees"
title = "Trees"
summary = "Trees."
subjects = ["science"]
[names]
pattern = "(?P<country>[a-z]+):.*"
parts = { country = "country of the tree" }
[[names.examples]]
urn = "urn:trees:de:bvb:1"
[[sources]]
facts = ["title", "summary", "subjects", "grammar", "examples"]
kind = "curated"
document = "Trees"
[[levels]]
name = "country"
coverage = "complete"
rest = "a tree"
source = { document = "Register", url = "https://gardens.example/", stated_on = "2026-11" }
[[levels]]
of = "de"
name = "garden"
coverage = "partial"
rest = "a number of the garden"
source = { document = "Gardens", url = "https://gardens.example/", stated_on = "2026-10" }
"""
LINES = [entry("de", "Germany", holder="National Garden"), entry("de:bvb", "Bavarian gardens")]


@pytest.fixture
def files(tmp_path):
    """A directory with a profile and its list."""
    for name in ("profiles", "subnamespaces"):
        (tmp_path / name).mkdir()
    (tmp_path / "profiles" / "trees.toml").write_text(TOML)
    write(tmp_path / "subnamespaces" / "trees.jsonl", *LINES)
    return tmp_path


def write(path, *entries):
    path.write_text("".join(f"{json.dumps(each)}\n" for each in entries))
    return path


WRONG = {
    "no JSON": (b"{", "trees.jsonl: line 1: This is not a JSON object."),
    "no object": (
        b"[]",
        "trees.jsonl: line 1: This is a list. Write a table with keys (in JSON, an object).",
    ),
    "not UTF-8": (b'{"prefix": "\xff"}', "trees.jsonl: line 1: This is not a JSON object."),
    "deep": (b"[" * 90_000, "trees.jsonl: line 1: This is not a JSON object."),
    "long": (b" " * 100_001, "trees.jsonl: line 1: The line has more than 100,000 octets."),
    "key": (b'{"prefixes": "a"}', "trees.jsonl: prefixes, line 1: The key is unknown."),
    "title": (b'{"prefix": "a"}', "trees.jsonl: title, line 1: The key is missing."),
    "prefix": (
        b'{"prefix": "a b", "title": "A"}',
        "trees.jsonl: prefix, line 1: “a b” is not a prefix of names",
    ),
    "status": (
        b'{"prefix": "a", "title": "A", "status": "new"}',
        "trees.jsonl: status, line 1: “new” is not a status.",
    ),
    "names": (
        b'{"prefix": "a", "title": "A", "names": {"abnf": "a = b"}}',
        "trees.jsonl: names.abnf, line 1, line 1, column 5: The rule “b” is not defined.",
    ),
    "name of a field": (
        b'{"prefix": "a", "title": "A", "fields": {"Kind": "Park"}}',
        "trees.jsonl: fields.Kind, line 1: “Kind” is not a name of a field. Write at most 40 small letters",
    ),
    "value of a field": (
        b'{"prefix": "a", "title": "A", "fields": {"opened": 1854}}',
        "trees.jsonl: fields.opened, line 1: This is a number. Write a text.",
    ),
    "long value": (
        b'{"prefix": "a", "title": "A", "fields": {"kind": "' + b"a" * 1_001 + b'"}}',
        "trees.jsonl: fields.kind, line 1: The text has 1,001 characters; the limit is 1,000.",
    ),
    "many fields": (
        json.dumps(
            {"prefix": "a", "title": "A", "fields": {f"field_{number}": "a" for number in range(21)}}
        ).encode(),
        "trees.jsonl: fields, line 1: The table has 21 keys; the limit is 20.",
    ),
}


@pytest.mark.parametrize(("line", "reason"), WRONG.values(), ids=WRONG)
def test_a_wrong_line_is_named(tmp_path, line, reason):
    path = tmp_path / "trees.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(InvalidProfile) as refusal:
        load_list(path, TREES)
    assert str(refusal.value).startswith(reason)


def test_an_entry_is_the_same_after_writing_and_reading():
    whole = entry(
        "de",
        status="deprecated",
        successor="fi",
        reference="RFC 1",
        url="https://a.example/",
        names={"pattern": "a"},
        fields={"kind": "Park", "places": "East\nWest"},
    )
    for each in (whole, *ENTRIES):
        assert SubNamespace.from_dict(each, "trees").to_dict() == each


def test_lists_beside_the_profiles_are_loaded(files):
    loaded = load_profiles(files / "profiles")
    assert list(loaded.lists["trees"]) == ["de", "de:bvb"]
    assert loaded.judge("urn:trees:zz:1").conformant is False
    assert load_profiles(files / "profiles", files / "profiles").lists == {}
    (files / "subnamespaces" / "trees.jsonl").unlink()
    assert load_profiles(files / "profiles").judge("urn:trees:zz:1").conformant


def test_a_list_of_a_namespace_without_levels_is_not_read(files):
    (files / "subnamespaces" / "other.jsonl").write_text("{")
    assert list(load_profiles(files / "profiles").lists) == ["trees"]
    assert Profiles().lists == {}


# Verification: lists with one fault each


FAULTS = {
    "twice": ([entry("de"), entry("de")], "de: The prefix is the same as “de”. Remove one."),
    "order": ([entry("fi"), entry("de")], "de: The list is not sorted by prefix."),
    "end": ([entry("fi:")], "fi:: “fi:” is no country: “:-” separates them."),
    "separator": ([entry("fi-a")], "fi-a: “fi-a” is no country: “:-” separates them."),
    "empty label": ([entry("fi"), entry("fi::a")], "fi::a: “:a” is no branch: “:-” separates them."),
    "too deep": (
        [entry("a" + ":a" * 40)],
        f"a{':a' * 40}: The prefix is at no boundary of the level “country”",
    ),
    "successor": (
        [entry("fi", status="retired", successor="se")],
        "fi: The list does not contain the successor “se”.",
    ),
    "active": ([entry("fi", successor="fi")], "fi: A successor is stated, but the sub-namespace is active."),
    "source": ([entry("fi"), entry("fi:a")], "fi:a: The source is missing."),
    "level": (
        [entry("xx")],
        "de: The profile has a level below this prefix, but the list does not contain it.",
    ),
}


@pytest.mark.parametrize(("entries", "failure"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_list_is_found(entries, failure):
    entries = [SubNamespace.from_dict(each, "trees") for each in entries]
    failures = list(failures_of_list(entries, TREES, TREES.walker))
    assert [each for each in failures if each.startswith(failure)], failures


def test_a_list_without_fault_has_no_failure():
    assert list(failures_of_list(listed(TREES).values(), TREES, TREES.walker)) == []


def test_equal_prefixes_are_found_after_normalization():
    profile = trees(level(sample=":a"), names={"pattern": ".*", "ignores_case": True})
    entries = [SubNamespace.from_dict(entry(each), "trees") for each in ("DE", "de")]
    assert "de: The prefix is the same as “DE”. Remove one." in failures_of_list(
        entries, profile, profile.walker
    )


@pytest.mark.parametrize(
    ("prefix", "is_possible"), [("12", True), ("12:3", True), ("1234", False), ("12:a", False)]
)
def test_a_prefix_with_which_no_name_can_begin_is_found(prefix, is_possible):
    profile = trees(level(), names={"abnf": 'tree = 1*3DIGIT ":" 1*DIGIT'})
    failures = list(
        failures_of_list([SubNamespace.from_dict(entry(prefix), "trees")], profile, profile.walker)
    )
    assert bool(failures) is not is_possible
    assert all("No name can begin with the prefix" in each for each in failures)


EXAMPLE = [{"urn": "urn:trees:1", "description": "A tree"}]


def test_examples_that_the_list_forbids_are_found():
    profile = trees(level(), names={"unstated": "All.", "examples": EXAMPLE})
    names = {
        "pattern": "a",
        "examples": [{"urn": "urn:trees:fi:b"}],
        "counterexamples": [{"urn": "urn:trees:fi:a", "reason": "No."}],
    }
    entries = [SubNamespace.from_dict(entry("fi", names=names), "trees")]
    assert [
        each.partition(". The list")[0] for each in failures_of_list(entries, profile, profile.walker)
    ] == [
        "urn:trees:1 is an example of the profile, but: “1” is no country of urn:trees",
        "fi: urn:trees:fi:b is an example, but: “b” does not match the pattern “a”.",
        "fi: urn:trees:fi:a is a counterexample, but the rules allow it.",
    ]


def test_an_example_elsewhere_is_found():
    """Only examples below a prefix can be affected by what is added below it, so that no other list needs to be judged again."""
    names = {"unstated": "All.", "examples": [{"urn": "urn:trees:de:1"}], "counterexamples": []}
    entries = [SubNamespace.from_dict(each, "trees") for each in (entry("de"), entry("fi", names=names))]
    profile = trees(level())
    assert list(failures_of_list(entries, profile, profile.walker)) == [
        "fi: urn:trees:de:1 is an example or counterexample, but does not begin with the prefix."
    ]


# Commands


def test_the_command_shows_the_levels_in_words(capsys, files):
    profiles = ("--profiles", str(files / "profiles"))
    code, out, _ = run(capsys, "check", *profiles, "urn:trees:de:bvb:19", "urn:trees:de:bvd:19")
    assert code == 0
    # The part that is the label of a sub-namespace is not repeated.
    assert out[2:6] == [
        "  country      de: Germany, National Garden",
        "  garden       bvb: Bavarian gardens",
        "  the rest     19: a number of the garden",
        "  canonical    urn:trees:de:bvb:19",
    ]
    note = "“bvd” is no known garden of urn:trees:de; “bvb” is. The list is not complete: Gardens, as of 2026-10."
    assert out[-1] == f"  note         {note}"
    code, _, err = run(capsys, "check", *profiles, "urn:trees:se:1")
    assert code == 1
    reason = "“se” is no country of urn:trees. The list is complete: Register, as of 2026-11."
    assert err.splitlines() == ["urn:trees:se:1", " " * 10 + f"^ {reason}"]


def test_the_command_prints_the_levels_as_json(capsys, files):
    code, out, _ = run(
        capsys,
        "check",
        "--json",
        "--profiles",
        str(files / "profiles"),
        "urn:trees:de:bvb:19",
        "urn:trees:de:bvd:19",
    )
    known, unknown = map(json.loads, out)
    assert code == 0
    assert [(each["prefix"], each["level"], each["start"]) for each in known["subnamespaces"]] == [
        ("de", "country", 10),
        ("de:bvb", "garden", 13),
    ]
    assert known["rest"] == {"text": "19", "description": "a number of the garden"}
    assert known["unknown_subnamespace"] is None
    assert unknown["unknown_subnamespace"]["near"] == ["bvb"]
    assert unknown["doubts"][0]["rule"] == "sub-namespace"


def test_the_lines_of_a_file_are_judged_by_the_lists(capsys, files):
    lines = files / "urns.txt"
    lines.write_text("urn:trees:de:bvb:19\nurn:trees:zz:1\n")
    code, out, _ = run(capsys, "check", "--profiles", str(files / "profiles"), "--file", str(lines))
    reason = "“zz” is no country of urn:trees. The list is complete: Register, as of 2026-11."
    assert (code, out) == (1, [f"{lines}:2: position 10: {reason}", f"{lines}: 1 good, 1 bad"])
    code, out, _ = run(capsys, "check", "--json", "--profiles", str(files / "profiles"), "--file", str(lines))
    assert json.loads(out[0])["unknown_subnamespace"]["label"] == "zz"


def test_another_directory_of_lists_can_be_named(capsys, files):
    (files / "none").mkdir()
    arguments = ("check", "urn:trees:zz:1", "--subnamespaces")
    profiles = ("--profiles", str(files / "profiles"))
    assert run(capsys, *arguments, str(files / "none"), *profiles)[0] == 0
    assert run(capsys, *arguments, str(files / "subnamespaces"), *profiles)[0] == 1
    for wrong in ((str(files / "missing"), *profiles), (str(files / "none"),)):
        code, _, err = run(capsys, *arguments, *wrong)
        assert (code, "irectory: " in err or "needs --profiles" in err) == (2, True)


def test_lists_are_verified_and_counted(capsys, files):
    code, out, _ = run(capsys, "subnamespaces", str(files / "subnamespaces"))
    assert (code, [line.split() for line in out]) == (
        0,
        [
            ["nid", "sub-namespaces", "active", "deprecated", "retired"],
            ["trees", "2", "2", "0", "0"],
            ["1", "lists,", "0", "with", "failures"],
        ],
    )
    write(files / "subnamespaces" / "trees.jsonl", *LINES, entry("fi", status="retired", successor="zz"), {})
    (files / "subnamespaces" / "other.jsonl").write_text("")
    code, out, _ = run(capsys, "subnamespaces", str(files / "subnamespaces"))
    assert code == 1
    assert out[-4:] == [
        "other: The namespace “other” has no profile, so the list would not be used.",
        "trees: prefix, line 4: The key is missing. Add it.",
        "trees: fi: The list does not contain the successor “zz”.",
        "2 lists, 2 with failures",
    ]
    code, out, _ = run(
        capsys,
        "subnamespaces",
        "--json",
        "--profiles",
        str(files / "profiles"),
        str(files / "subnamespaces" / "trees.jsonl"),
    )
    assert (code, len(json.loads(out[0])["failures"]), json.loads(out[0])["retired"]) == (1, 2, "1")


def test_a_path_that_cannot_be_verified_is_a_usage_error(capsys, files):
    for path in ("missing.jsonl", "profiles", "missing"):
        code, _, err = run(capsys, "subnamespaces", "--profiles", str(files / "profiles"), str(files / path))
        assert (code, bool(err)) == (2, True)
    code, _, err = run(capsys, "subnamespaces", str(files / "missing" / "trees.jsonl"))
    assert (code, err) == (
        2,
        f"python -m urnsyntax: There is no file or directory {files}/missing/trees.jsonl.\n",
    )
