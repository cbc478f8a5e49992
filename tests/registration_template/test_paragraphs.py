"""Hard-wrapped text for reading."""

import html
import re
import textwrap

import pytest
from django.utils.html import escape
from hypothesis import given
from hypothesis import strategies as st

from registry.core.links import with_links
from registry.registration_template.paragraphs import rewrapped_html

PROSE = (
    "Names in this namespace identify the measuring stations of the network and the series that they "
    "record, so that archives and forecasting software can cite a series by its name, wherever a copy "
    "of it is kept, and for as long as anybody has a use for it."
)


def reading(text: str) -> str:
    """What a reader sees, without how it is set."""
    return html.unescape(re.sub('</?code>|<span class="item">|</span>', "", rewrapped_html(text)))


@pytest.mark.parametrize("width", [60, 72, 80])
@pytest.mark.parametrize("indent", ["", "   "])
def test_a_hard_wrapped_paragraph_is_put_together(width: int, indent: str) -> None:
    wrapped = textwrap.fill(PROSE, width, initial_indent=indent, subsequent_indent=indent)
    assert wrapped.count("\n") > 2
    assert reading(wrapped) == indent + PROSE


@pytest.mark.parametrize("marker", ["o  ", "- ", "   *  ", "12. ", "(a) ", "  iv) "])
@pytest.mark.parametrize("hanging", [True, False])
def test_the_items_of_a_list_are_put_together(marker: str, hanging: bool) -> None:
    indent = " " * len(marker) if hanging else marker[: len(marker) - len(marker.lstrip())]
    item = textwrap.fill(PROSE, 72, initial_indent=marker, subsequent_indent=indent)
    shown = rewrapped_html(f"These are named:\n{item}\n{marker}trees\n{item}\n\nEnd.")
    one = f'<span class="item">{marker}{html.escape(PROSE)}</span>'
    assert shown == f'These are named:\n{one}\n<span class="item">{marker}trees</span>\n{one}\n\nEnd.'


def test_a_line_with_a_colon_stays_apart_from_what_it_introduces() -> None:
    assert (
        reading(f"o  archive:\n{textwrap.indent(textwrap.fill(PROSE, 65), '   ')}")
        == f"o  archive:\n   {PROSE}"
    )


def test_blanks_at_the_end_of_lines_are_no_columns() -> None:
    wrapped = textwrap.fill(PROSE, 72).replace("\n", " \n")
    assert rewrapped_html(wrapped) == html.escape(PROSE)


def test_an_initial_at_the_start_of_a_line_is_no_item() -> None:
    wrapped = "The names of the trees in the garden were first collected by the botanist John\nA. Smith, whose list is kept."
    assert rewrapped_html(wrapped) == wrapped


def test_a_text_can_have_any_number_of_lines_with_a_colon() -> None:
    text = "a:\n" * 12_500 + "End."
    assert reading(text) == text


def test_an_abbreviation_at_the_start_of_a_line_is_no_item() -> None:
    wrapped = "Special meaning may be assigned to the characters of the Specific String\n(NSS) in these specifications."
    assert reading(wrapped) == wrapped.replace("\n", " ")


def test_a_colon_in_a_sentence_is_no_label() -> None:
    wrapped = "Any garden may take part. The names identify trees, and never\nspecies: those have names of their own."
    assert reading(wrapped) == wrapped.replace("\n", " ")


def test_paragraphs_stay_apart() -> None:
    wrapped = textwrap.fill(PROSE, 72)
    assert reading(f"{wrapped}\n\n{wrapped}\n \nEnd.") == f"{PROSE}\n\n{PROSE}\n\nEnd."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One line.",
        "A short line.\nAnother short line.",
        'wxn-nss = station "/" series ; and a long remark that fills up the whole line\nstation = 5DIGIT',
        'station "/" series ; and a long remark that fills up the whole line\nand = another rule\nx = y',
        "- an item of a list that is as long as a line of text can well be here\n- another item of the list",
        "1. an item of a list that is as long as a line of text can well be here\n2. another item of it",
        "An address, which is broken where its author wanted it broken, not at the margin:\n1 Example Street",
        "urn:wxn:0123456789012345678901234567890123456789012345678901234567890123\nurn:wxn:2",
        "A sentence that is long enough to have been wrapped at the margin, or so.\n    indented further",
        "E-mail goes to the secretariat, which is at the address in the next line of\nAddress: Exampleton",
    ],
)
def test_what_was_broken_on_purpose_stays_broken(text: str) -> None:
    assert reading(text) == text


def test_lines_slightly_shorter_than_the_width_are_joined() -> None:
    wrapped = "Assignment is delegated, and each garden that asks for it is given\nits number; no number that was given is ever given to another garden."
    assert reading(wrapped) == wrapped.replace("\n", " ")


@pytest.mark.parametrize(
    "text",
    [
        '   NSS    = garden ":" tree\n   garden = 1*DIGIT',
        "nss = station",
        "code  what it names\n12    a garden\n13    a tree",
    ],
)
def test_what_is_lined_up_is_set_in_letters_of_one_width(text: str) -> None:
    before, inside, after = (
        rewrapped_html(f"One <b>.\n\n{text}\n\nEnd.").replace("</code>", "<code>").split("<code>")
    )
    assert (before, html.unescape(inside), after) == ("One &lt;b&gt;.\n\n", text, "\n\nEnd.")


@pytest.mark.parametrize(
    "text", ["A sentence.  Another one.", "1 Example Street\nExampletown", "Where a=b holds."]
)
def test_prose_and_addresses_are_not(text: str) -> None:
    assert "<code>" not in rewrapped_html(text)


@given(st.text())
def test_no_word_is_lost_or_moved(text: str) -> None:
    assert reading(text).split() == text.split()


def test_urls_are_links_that_do_not_count() -> None:
    html = rewrapped_html(
        "See https://example.org/a?b=1&c=<2> (http://example.com/x). Or https://example.org/a_(b)! Not www.example.org."
    )
    assert '<a href="https://example.org/a?b=1&amp;c=" rel="nofollow ugc">' in html
    assert '(<a href="http://example.com/x" rel="nofollow ugc">http://example.com/x</a>).' in html
    assert ">https://example.org/a_(b)</a>! Not www.example.org." in html
    assert "<2>" not in html


@pytest.mark.parametrize(
    "text", ["javascript:alert(1)", "name@example.org", '"><script>x</script>', "urn:isbn:0451450523"]
)
def test_nothing_else_is_a_link(text: str) -> None:
    assert with_links(text) == escape(text)
