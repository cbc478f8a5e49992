"""What differs between two submissions."""

import dataclasses

from hypothesis import given, settings

from registry.appendix_a.difference import Change, compare, format_difference, lines_of
from registry.appendix_a.sections import SECTIONS
from registry.appendix_a.submission import Registrant, Submission
from tests.appendix_a.strategies import submissions

LINES = [f"Line {number} of the text." for number in range(1, 31)]
BEFORE = Submission(version=1, purpose="\n".join(LINES), syntax="Five digits.")


def test_a_submission_does_not_differ_from_itself() -> None:
    difference = compare(BEFORE, BEFORE)
    assert not difference
    assert [section.change for section in difference.sections] == [Change.SAME] * len(SECTIONS)
    assert format_difference(difference) == ""


def test_sections_are_added_removed_and_changed() -> None:
    after = Submission(version=2, purpose=BEFORE.purpose, documentation="A standard.")
    assert [(section.key, section.change) for section in compare(BEFORE, after).changed] == [
        ("version", Change.CHANGED),
        ("syntax", Change.REMOVED),
        ("documentation", Change.ADDED),
    ]


def test_words_are_marked_inside_a_changed_line_and_the_rest_is_folded() -> None:
    lines = [*LINES]
    lines[14] = "Line 15 of the whole text."
    after = dataclasses.replace(BEFORE, purpose="\n".join(lines))
    assert format_difference(compare(BEFORE, after)) == (
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
    (section,) = compare(BEFORE, after).changed
    assert [line.change for line in section.lines] == [Change.REMOVED, Change.ADDED]


def test_the_registrant_is_compared_field_by_field() -> None:
    before = Submission(registrant=Registrant(organization="Example Society", email="expert@example.org"))
    after = Submission(registrant=Registrant(organization="Example Society", email="registrar@example.org"))
    (section,) = compare(before, after).changed
    assert section.lines[-1].before_text == "E-mail:  expert@example.org"
    assert section.lines[-1].after_text == "E-mail:  registrar@example.org"


def test_texts_too_long_to_be_compared_are_replaced() -> None:
    before = Submission(purpose="a\nb\n" * 30_000)
    after = Submission(purpose="b\na\na\n" * 20_000)
    (section,) = compare(before, after).changed
    assert {line.change for line in section.lines} == {Change.REMOVED, Change.ADDED}
    assert len(section.lines) == 120_000


@given(submissions, submissions)
@settings(max_examples=50, deadline=None)
def test_both_sides_can_be_told_from_the_difference(before: Submission, after: Submission) -> None:
    for section in compare(before, after).changed:
        old, new = lines_of(before, section.key), lines_of(after, section.key)
        at_old = at_new = 0
        for line in section.lines:
            if line.change is Change.FOLDED:
                at_old, at_new = at_old + line.count, at_new + line.count
                continue
            if line.change is not Change.ADDED:
                assert line.before_text == old[at_old]
                at_old += 1
            if line.change is not Change.REMOVED:
                assert line.after_text == new[at_new]
                at_new += 1
        assert (at_old, at_new) == (len(old), len(new))
