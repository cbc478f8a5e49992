"""Comparison of two versions of a profile, key by key."""

from dataclasses import fields
from typing import Any

from registry.namespaces.profile_documents import compare_profiles
from registry.registration_template.diff import Change, TemplateDiff
from tests.support.factories import a_profile
from urnsyntax.profiles import Names, Profile

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
    assert unstated == {"Pattern", "Reason without a grammar", "Equivalence"}
    assert (sections[0].title, sections[-1].title) == ("NID", "Sources")
