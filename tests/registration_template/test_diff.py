"""What differs between two templates."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.registration_template.diff import (
    Budget,
    Change,
    Work,
    compare_templates,
    format_diff,
    section_lines,
)
from registry.registration_template.sections import SECTIONS, Registrant
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


# Few different lines and words, so that much of two texts is common; a small budget, so that it is often spent.
_WORDS = st.lists(st.sampled_from(["one", "two", "three", " ", "  ", "-", "é"]), max_size=8).map("".join)
_TEXTS = st.lists(_WORDS, max_size=25).map("\n".join)
_SMALL = st.builds(
    lambda lines, words, shown: Work(Budget(lines), Budget(words), Budget(shown)),
    st.integers(0, 60),
    st.integers(0, 300),
    st.integers(0, 12),
)


@pytest.mark.slow
@given(templates, templates)
@settings(max_examples=50)
def test_both_sides_can_be_restored_from_the_difference(
    before: RegistrationTemplate, after: RegistrationTemplate
) -> None:
    check_difference(before, after, Work())


@pytest.mark.slow
@given(_TEXTS, _TEXTS, _SMALL)
@settings(max_examples=300)
def test_the_difference_turns_the_text_before_into_the_text_after(
    before: str, after: str, work: Work
) -> None:
    check_difference(RegistrationTemplate(purpose=before), RegistrationTemplate(purpose=after), work)


def check_difference(before: RegistrationTemplate, after: RegistrationTemplate, work: Work) -> None:
    """Apply the difference to `before`: it consumes all its lines, and yields those of `after`."""
    for section in compare_templates(before, after, work).changed:
        old, new = section_lines(before, section.key), section_lines(after, section.key)
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
