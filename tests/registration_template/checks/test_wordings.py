"""Advice on Assignment, by many ways to say it: none where the text says it in other words."""

import pytest

from registry.registration_template.checks.runner import check_template
from tests.support.factories import a_template

OPEN = "Anyone can apply for a name."


def advised(assignment: str) -> set[str]:
    template = a_template(assignment=assignment, syntax="Five digits. No q-, r- or f-components are defined.")
    findings = check_template(template, kind="formal", fast_track=False, is_revision=False)
    return {finding.code for finding in findings if finding.section == "assignment"}


@pytest.mark.parametrize(
    "sentence",
    [
        "Each tree gets the next free number of its garden.",
        "No two trees have the same number.",
        "The register refuses a number that is already taken.",
        "A number is given out once.",
        "Numbers are consecutive within a year.",
        "Every member works within its own range\n   of numbers.",
        "The secretariat keeps one list of all names and looks there first.",
        "Names that are no longer used are retired, and stay reserved.",
        "A name that exists already is rejected.",
        "The database does not accept a second entry with one name.",
        "The identifier is the SHA-256 digest of the file.",
        "A name is derived from the accession number, and each item has exactly one.",
        "Numbers count up from 1 and are not given again.",
        "Before a code is issued, the office checks that it is free.",
        "The primary key of the catalogue is the name.",
        "Only one code is designated for each work.",
        "See ISO 2108.",
        "Described in Section 3 of the reference manual.",
    ],
)
def test_a_text_that_explains_uniqueness_in_other_words_gets_no_advice(sentence: str) -> None:
    text = sentence if sentence.startswith(("See", "Described")) else f"{OPEN} {sentence}"
    assert "uniqueness-not-explained" not in advised(text)


@pytest.mark.parametrize(
    "sentence",
    [
        "Names are assigned by the secretariat on request.",
        "The committee assigns names at its meetings.",
        "A registration authority manages the assignment of values for each class.",
        "Members send proposals to the office, which approves them within ten days.",
        "Names are published on the website of the society.",
        "Assignment is delegated to national centres.",
    ],
)
def test_a_text_that_does_not_explain_uniqueness_gets_advice(sentence: str) -> None:
    assert "uniqueness-not-explained" in advised(f"{OPEN} {sentence}")


@pytest.mark.parametrize(
    "sentence",
    [
        "The society centrally assigns the numbers.",
        "Codes are managed by the secretariat.",
        "An entity that has a number can then\n   create numbers below it.",
        "Each member assigns its own names.",
        "Names are proposed, and approved by the board.",
        "A name is assigned through publication in the journal.",
        "Each club that joins gets a range, and chooses what its trails are called.",
        "The library numbers books as it catalogues them.",
        "Each national centre assigns names to the films of its country.",
    ],
)
def test_a_text_that_says_who_assigns_in_other_words_gets_no_advice(sentence: str) -> None:
    assert "openness-not-stated" not in advised(f"{sentence} No two are the same.")
