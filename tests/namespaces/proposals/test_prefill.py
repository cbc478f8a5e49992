"""What a text states for the proposed profile. It fills empty members only."""

import pytest

from registry.namespaces.proposals.prefill import filled_from, grammar_in, stated_in
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.namespaces.proposals.samples import ABNF, a_proposal
from tests.support.factories import a_template
from tests.support.linear_time import assert_linear_time

SYNTAX = """The structure is:

   tree   = garden ":" number
            [ "/" leaf ]   ; since 2020
   garden = 1*3DIGIT

   number = 1*8DIGIT
   leaf   = 1*ALPHA

   An indented remark. For example: urn:example-trees:12:4711, urn:example-trees:1:1/a.
"""


def test_the_grammar_of_the_syntax_is_found() -> None:
    assert grammar_in(SYNTAX).split("\n")[0] == '   tree   = garden ":" number'
    assert grammar_in(SYNTAX).split("\n")[-1] == "   leaf   = 1*ALPHA"
    assert grammar_in("Names are opaque.") == ""
    assert grammar_in(f"{ABNF}\nA remark.\na = b") == ABNF


def test_prose_is_not_taken_for_a_grammar() -> None:
    assert grammar_in("n = the number of a tree.\n    It is not reused.") == ""
    assert grammar_in(f"{ABNF}\n  where a garden has a number.") == ABNF


def test_all_members_are_taken_from_the_text() -> None:
    text = a_template(
        purpose="Full name: Trees of Gardens.\n\nIt names trees. They live.",
        syntax=SYNTAX,
        assignment="See urn:example-trees:1:1/a, urn:example-trees:9:9 and urn:isbn:1.",
    )
    stated = stated_in(text, nid="example-trees")
    assert stated.title == "Trees of Gardens"
    assert stated.examples.split("\n") == [
        "urn:example-trees:12:4711",
        "urn:example-trees:1:1/a",
        "urn:example-trees:9:9",
    ]
    assert stated.abnf == grammar_in(SYNTAX).strip()


def test_the_summary_is_the_beginning_of_the_purpose() -> None:
    text = a_template(purpose="One  e.g. a\ntree. Two! Three? Four.\n\nFive.")
    assert stated_in(text, nid="x").summary == "One e.g. a tree. Two! Three?"
    assert stated_in(a_template(purpose="x" * 600 + "."), nid="x").summary == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Names follow No. 5 of the list.",
        "Oaks, i.e. Quercus, e.g. Q. robur v. Linnaeus.",
        "Version 1.2 etc. is in use.",
    ],
)
def test_a_summary_does_not_end_at_an_abbreviation(sentence: str) -> None:
    assert stated_in(a_template(purpose=f"{sentence} B."), nid="x").summary == f"{sentence} B."
    assert stated_in(a_template(purpose=f"A. B! {sentence} D."), nid="x").summary == f"A. B! {sentence}"


@pytest.mark.parametrize(
    "text", ["Names" + "\n" * 49_990 + "end", "word " * 9_999, "a" * 50_000, "A.e.g. " * 7_000]
)
def test_a_long_text_is_read_in_linear_time(text: str) -> None:
    def read(purpose: str) -> None:
        stated_in(a_template(purpose=purpose), nid="x")

    assert_linear_time(read, text, "Names of trees. " * 3_000)


def test_what_a_person_typed_stays() -> None:
    text = a_template(syntax=SYNTAX)
    typed = ProposedProfile(title="Oaks", abnf="oak = DIGIT")
    filled = filled_from(typed, text, nid="example-trees")
    assert (filled.title, filled.abnf) == ("Oaks", "oak = DIGIT")
    assert filled.examples.startswith("urn:example-trees:12:4711")
    assert filled_from(a_proposal(), text, nid="example-trees") == a_proposal()
