"""Profiles as TOML documents, and comparison of two versions, key by key."""

from dataclasses import fields
from typing import Any

import pytest

from registry.namespaces.profile_documents import (
    InvalidDocument,
    compare_profiles,
    profile_from_toml,
    to_toml,
)
from registry.registration_template.diff import Change, TemplateDiff
from tests.support.factories import a_profile
from tests.support.linear_time import assert_linear_time
from tests.urnsyntax.profiles.samples import FIXTURES
from urnsyntax.profiles import Names, Profile, load_profiles

GRAMMAR = "plant = number\nnumber = 8DIGIT\n"
WHOLE = {
    "resource": "a tree",
    "organisation": "Gardens",
    "homepage": "https://gardens.example/",
    "keywords": ["oak", "beech"],
    "specifications": [{"title": "Numbers", "url": "https://gardens.example/numbers"}],
    "ignores_case": True,
    "ignored_characters": "-",
    "notes": ["A note.", "Another note."],
    "parts": {"number": "number of the plant"},
    "checks": [{"algorithm": "gtin", "part": "number"}],
    "examples": ("73513537",),
    "counterexamples": ("73513538",),
}


def content(**changes: Any) -> dict[str, Any]:
    return a_profile("plants", **{"abnf": GRAMMAR, **WHOLE, **changes}).to_dict()


def changed(diff: TemplateDiff) -> dict[str, tuple[list[str], list[str]]]:
    """The removed and added lines by title."""
    return {
        section.title: (
            [line.before_text for line in section.lines if line.change is not Change.SAME and line.before],
            [line.after_text for line in section.lines if line.change is not Change.SAME and line.after],
        )
        for section in diff.changed
    }


def test_equal_profiles_have_no_difference() -> None:
    assert not compare_profiles(content(), content())
    assert not compare_profiles(None, None)


def test_only_the_lines_that_changed_are_compared() -> None:
    diff = compare_profiles(
        content(),
        content(
            title="Plants",
            abnf=GRAMMAR.replace("8", "13"),
            keywords=["oak", "birch"],
            parts={"number": "number"},
            examples=("9780306406157",),
            counterexamples=("9780306406158",),
        ),
    )
    assert changed(diff) == {
        "Title": (["Trees of gardens"], ["Plants"]),
        "Keywords": (["beech"], ["birch"]),
        "Grammar in ABNF": (["number = 8DIGIT"], ["number = 13DIGIT"]),
        "Parts": (["number: number of the plant"], ["number: number"]),
        "Examples": (["urn:plants:73513537"], ["urn:plants:9780306406157"]),
        "Counterexamples": (
            ["urn:plants:73513538; It is wrong."],
            ["urn:plants:9780306406158; It is wrong."],
        ),
    }


def test_a_fact_that_is_added_or_removed_changes_its_sources_too() -> None:
    before = content()
    del before["homepage"], before["names"]["ignores_case"]
    before["sources"] = [
        each | {"facts": [f for f in each["facts"] if f != "homepage"]} for each in before["sources"]
    ]
    diff = compare_profiles(before, content())
    lines = changed(diff)
    assert lines["Homepage"] == ([], ["https://gardens.example/"])
    assert lines["Ignores case"] == ([], ["yes"])
    (removed,), (added,) = lines["Sources"]
    assert "homepage" not in removed
    assert "homepage" in added
    assert added.endswith("; registration; Registration of urn:plants; Syntax")


def test_every_key_has_a_section() -> None:
    sections = compare_profiles(None, content()).sections
    assert len(sections) == len(fields(Profile)) - 1 + len(fields(Names))
    unstated = {section.title for section in sections if section.change is Change.SAME}
    assert unstated == {"Pattern", "Reason without a grammar", "Equivalence", "Services", "Levels"}
    assert (sections[0].title, sections[-1].title) == ("NID", "Sources")


@pytest.mark.slow
def test_every_profile_of_the_fixtures_is_written_and_read_again() -> None:
    profiles = list(load_profiles(FIXTURES))
    assert len(profiles) == 105
    for profile in profiles:
        assert profile_from_toml(to_toml(profile)) == profile, profile.nid


@pytest.mark.parametrize(
    ("profile", "lines"),
    [
        (a_profile(abnf='trees = 1*DIGIT ":" 1*DIGIT'), "abnf = '''\n\ntrees = 1*DIGIT \":\" 1*DIGIT\n'''\n"),
        (a_profile(pattern=r"\d+:\d+"), "pattern = '\\d+:\\d+'\n"),
        (a_profile(pattern="[0-9]+:[0-9]+|'"), 'pattern = "[0-9]+:[0-9]+|\'"\n'),
        (a_profile(abnf="trees = 1*DIGIT %x3A 1*DIGIT ; '''"), "trees = 1*DIGIT %x3A 1*DIGIT ; '''"),
        (a_profile(title="“Trees” \\ \" ' é 漢字"), 'title = "“Trees” \\\\ \\" \' é 漢字"\n'),
    ],
)
def test_grammars_are_written_without_escapes(profile: Profile, lines: str) -> None:
    assert lines in to_toml(profile)
    assert profile_from_toml(to_toml(profile)) == profile
    assert profile_from_toml(to_toml(profile).replace("\n", "\r\n")) == profile


@pytest.mark.parametrize(
    "document",
    ["nid = " + "[" * 90_000, "nid = " + "{a=" * 30_000, "a." * 40_000 + "b = 1", "[" + "a." * 40_000 + "a]",
     ("." * 51 + "\n") * 1_900, "a = 1\na = 2", '"\\ud800" = 1', "\x00", "nid", "nid = nan", "nid = 1979-05-27"],
    ids=range(11),
)  # fmt: skip
def test_a_hostile_document_is_refused_at_once(document: str) -> None:
    def read(document: str) -> None:
        with pytest.raises(InvalidDocument):
            profile_from_toml(document)

    assert_linear_time(read, document, "# A comment.\n" * (len(document) // 13))
