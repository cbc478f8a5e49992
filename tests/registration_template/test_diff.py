"""What differs between two templates."""

import dataclasses
import textwrap
from collections.abc import Sized

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.registration_template import diff
from registry.registration_template.diff import (
    Budget,
    Change,
    SectionPair,
    Work,
    compare_sections,
    compare_templates,
    format_diff,
    section_lines,
)
from registry.registration_template.paragraphs import LONGEST_PARAGRAPH, unwrapped_lines
from registry.registration_template.sections import SECTIONS, TEXT_SECTIONS, Registrant
from registry.registration_template.template import RegistrationTemplate
from tests.registration_template.strategies import templates

LINES = [f"Line {number} of the text." for number in range(1, 31)]
BEFORE = RegistrationTemplate(version=1, purpose="\n".join(LINES), syntax="Five digits.")


def test_a_submission_does_not_differ_from_itself() -> None:
    diff = compare_templates(BEFORE, BEFORE)
    assert not diff
    assert [section.change for section in diff.sections] == [Change.SAME] * len(SECTIONS)
    assert format_diff(diff) == ""


def test_sections_are_added_removed_and_changed() -> None:
    after = RegistrationTemplate(version=2, purpose=BEFORE.purpose, documentation="A standard.")
    assert [(section.key, section.change) for section in compare_templates(BEFORE, after).changed] == [
        ("version", Change.CHANGED),
        ("syntax", Change.REMOVED),
        ("documentation", Change.ADDED),
    ]


def test_words_are_marked_inside_a_changed_line_and_the_rest_is_folded() -> None:
    lines = [*LINES]
    lines[14] = "Line 15 of the whole text."
    after = dataclasses.replace(BEFORE, purpose="\n".join(lines))
    assert format_diff(compare_templates(BEFORE, after)) == (
        "Purpose (changed)\n"
        "\n"
        "  … 12 unchanged lines …\n"
        "  Line 13 of the text.\n"
        "  Line 14 of the text.\n"
        "- Line 15 of the text.\n"
        "+ Line 15 of the {+whole +}text.\n"
        "  Line 16 of the text.\n"
        "  Line 17 of the text.\n"
        "  … 13 unchanged lines …"
    )


def test_a_line_that_has_little_in_common_is_removed_and_added() -> None:
    after = dataclasses.replace(BEFORE, syntax="Opaque.")
    (section,) = compare_templates(BEFORE, after).changed
    assert [line.change for line in section.lines] == [Change.REMOVED, Change.ADDED]


def test_the_registrant_is_compared_field_by_field() -> None:
    before = RegistrationTemplate(
        registrant=Registrant(organization="Example Society", email="expert@example.org")
    )
    after = RegistrationTemplate(
        registrant=Registrant(organization="Example Society", email="registrar@example.org")
    )
    (section,) = compare_templates(before, after).changed
    assert section.lines[-1].before_text == "E-mail:  expert@example.org"
    assert section.lines[-1].after_text == "E-mail:  registrar@example.org"


def test_texts_too_long_to_be_compared_are_replaced_in_blocks() -> None:
    before = RegistrationTemplate(purpose="a\nb\n" * 30_000)
    after = RegistrationTemplate(purpose="c\nd\nd\n" * 20_000)
    diff = compare_templates(before, after)
    (section,) = diff.changed
    assert [(line.change, line.count) for line in section.lines] == [
        (Change.REMOVED, 60_000),
        (Change.ADDED, 60_000),
    ]
    assert format_diff(diff).count("\n- ") == format_diff(diff).count("\n+ ") == 60_000


PARAGRAPH = (
    "The Society of Measuring Stations assigns each name once. A station that is moved keeps its name, and a name of a "
    "station that was taken down is never assigned again. Archives and forecasting software cite a series by the name "
    "of its station, wherever a copy of the series is kept."
)
CHANGED = PARAGRAPH.replace("Archives", "Libraries").replace("moved", "renamed").replace("copy", "duplicate")


def changed_words(before: str, after: str) -> tuple[list[str], list[str]]:
    """The words that a comparison of a section marks on both sides."""
    (section,) = compare_templates(
        RegistrationTemplate(purpose=before), RegistrationTemplate(purpose=after)
    ).changed
    return tuple(
        [span.text for line in section.lines for span in side(line) if span.is_changed]
        for side in (lambda line: line.before, lambda line: line.after)
    )  # type: ignore[return-value]


@pytest.mark.parametrize("width", [44, 60, 72, 90, 10_000])
@pytest.mark.parametrize("marker", ["", "   ", "o  ", "1. "])
def test_a_paragraph_wrapped_anew_is_the_same(width: int, marker: str) -> None:
    before = RegistrationTemplate(purpose=f"Rules:\n\n{_wrapped(PARAGRAPH, 72, marker)}\n\n\nEnd.")
    after = RegistrationTemplate(purpose=f"Rules:\n\n{_wrapped(PARAGRAPH, width, marker)}\n\nEnd.")
    assert not compare_templates(before, after)


@pytest.mark.parametrize("width", [60, 72, 10_000])
def test_three_changed_words_of_a_paragraph_wrapped_anew_are_three_words(width: int) -> None:
    assert changed_words(_wrapped(PARAGRAPH, 72), _wrapped(CHANGED, width)) == (
        ["moved", "Archives", "copy"],
        ["renamed", "Libraries", "duplicate"],
    )


def test_a_line_edited_by_hand_leaves_its_paragraph_together() -> None:
    lines = _wrapped(PARAGRAPH, 72).split("\n")
    lines[1] += " also if it is rebuilt, repaired or handed to another society,"
    assert changed_words(_wrapped(PARAGRAPH, 72), "\n".join(lines)) == (
        [],
        ["also if it is rebuilt, repaired or handed to another society, "],
    )


def test_a_changed_paragraph_is_found_behind_an_added_one() -> None:
    added = "This paragraph describes how the numbers of stations are assigned."
    before, after = _wrapped(PARAGRAPH, 72), f"{added}\n\n{_wrapped(CHANGED, 66)}"
    assert changed_words(before, after) == (
        ["moved", "Archives", "copy"],
        [added, "", "renamed", "Libraries", "duplicate"],
    )


@pytest.mark.parametrize(
    "lines",
    [
        [
            "station = country-code region-code number-of-station",
            'number-of-station = 4*8DIGIT [ "-" 1*DIGIT ]',
        ],
        ["urn:example:1234 is the station on the roof", "urn:example:5678 is the station at the river"],
        ["o one item of a list of stations that are kept", "o another item of a list of stations"],
        ["Society of Measuring Stations", "12 Main Street", "1200 Geneva"],
        ["number      meaning of the number in the name", "12          a station on the roof of a building"],
        ["The stations are those of these three regions:", "the north of the country with its islands"],
    ],
)
def test_lines_that_are_no_prose_are_compared_as_lines(lines: list[str]) -> None:
    before = RegistrationTemplate(syntax="\n".join(lines))
    after = RegistrationTemplate(syntax=" ".join(lines))
    (section,) = compare_templates(before, after).changed
    assert section.key == "syntax"
    assert unwrapped_lines(lines) == lines


def test_a_paragraph_without_end_is_compared_by_its_lines() -> None:
    lines = [f"Line {number} of a paragraph that has no end, and no blank line." for number in range(9_000)]
    changed = [*lines]
    changed[4_000] = "Line 4000 of a paragraph that has some end, and no blank line."
    assert sum(map(len, lines)) > 50 * LONGEST_PARAGRAPH
    work = Work()
    section = compare_sections([SectionPair("purpose", "Purpose", lines, changed, is_prose=True)], work)
    assert [line.change for line in section.changed[0].lines if line.change is not Change.SAME] == [
        Change.FOLDED,
        Change.CHANGED,
        Change.FOLDED,
    ]


HOSTILE = [
    ["a b " * 125_000, "b a " * 125_000],
    [f"{number:x} w" * 9 for number in range(50_000)],
    [word for number in range(10_000) for word in (f"{number:x} " * 10, "")],
    ["a\tb c d e f g " + " " * 40_000 + f"{number}" for number in range(12)],
    ["1. " * 160_000],
    ["=" * 500_000, ":" * 500_000],
]


@pytest.mark.parametrize("lines", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_spend_no_more_than_the_budgets(lines: list[str]) -> None:
    """Each step of the comparison is taken from a budget, so that no text costs more than another."""
    work = Work()
    pair = SectionPair("purpose", "Purpose", lines, [f"x{line}" for line in reversed(lines)], is_prose=True)
    (section,) = compare_sections([pair], work).changed
    shown = [line for line in section.lines if line.count == 1]
    assert len(shown) <= 2 * Work().shown_lines.left
    # A search may end one row of diagonals after its budget.
    assert min(work.lines.left, work.words.left, work.shown_lines.left) >= -1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([f"w{number}" for number in range(499)], ["a " * 90_000 + "b"]),
        (
            [f"w{number}" for number in range(480)],
            ["a b c d e f g h i " * 211 + f"{number}" for number in range(10)],
        ),
    ],
    ids=["one long line", "ten long lines"],
)
def test_short_lines_beside_long_ones_cost_what_is_charged(
    before: list[str], after: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = 0

    def counted(value: Sized) -> int:
        nonlocal measured
        measured += 1
        return len(value)

    monkeypatch.setattr(
        diff, "len", counted, raising=False
    )  # the comparison measures each word that it looks at
    for sides in ((before, after), (after, before)):
        compare_sections([SectionPair("purpose", "Purpose", *sides)])
    assert 0 < measured < 2 * 4 * Work().words.left


# Few different lines and words, so that much of two texts is common; a small budget, so that it is often spent.
_WORDS = st.lists(st.sampled_from(["one", "two", "three", " ", "  ", "-", "é"]), max_size=8).map("".join)
_TEXTS = st.lists(_WORDS, max_size=25).map("\n".join)
_SMALL = st.builds(
    lambda lines, words, shown: Work(Budget(lines), Budget(words), Budget(shown)),
    st.integers(0, 60),
    st.integers(0, 300),
    st.integers(0, 12),
)


@pytest.mark.exhaustive
@pytest.mark.slow
@given(templates, templates)
@settings(max_examples=15)
def test_both_sides_can_be_restored_from_the_difference(
    before: RegistrationTemplate, after: RegistrationTemplate
) -> None:
    check_difference(before, after, Work())


@pytest.mark.slow
@given(_TEXTS, _TEXTS, _SMALL)
@settings(max_examples=100)
def test_the_difference_turns_the_text_before_into_the_text_after(
    before: str, after: str, work: Work
) -> None:
    check_difference(RegistrationTemplate(purpose=before), RegistrationTemplate(purpose=after), work)


def check_difference(before: RegistrationTemplate, after: RegistrationTemplate, work: Work) -> None:
    """Apply the difference to `before`: it consumes all its lines, and yields those of `after`."""
    for section in compare_templates(before, after, work).changed:
        old, new = _compared(before, section.key), _compared(after, section.key)
        at_old, built = 0, list[str]()
        for line in section.lines:
            removed = [] if line.change is Change.ADDED else old[at_old : at_old + line.count]
            if line.change is Change.FOLDED:
                built += removed
            elif line.change is not Change.ADDED:
                assert line.before_text.split("\n") == removed
            if line.change not in (Change.REMOVED, Change.FOLDED):
                built += line.after_text.split("\n")
            at_old += len(removed)
        assert (at_old, built) == (len(old), new)


def _compared(template: RegistrationTemplate, key: str) -> list[str]:
    lines = section_lines(template, key)
    return unwrapped_lines(lines) if key in TEXT_SECTIONS else lines


def _wrapped(text: str, width: int, marker: str = "") -> str:
    return textwrap.fill(text, width, initial_indent=marker, subsequent_indent=" " * len(marker))
