"""Hypothesis strategies for invalid templates."""

from hypothesis import strategies as st

from registry.registration_template.parsing.headings import SECTION_NAMES
from registry.registration_template.sections import TEXT_SECTIONS, Registrant
from registry.registration_template.template import RegistrationTemplate

_HEADINGS = st.sampled_from(sorted(SECTION_NAMES)).map(lambda name: name.capitalize() + ":")
_LABELS = st.sampled_from(
    [
        "Name:",
        "Address:",
        "E-mail: x@example.org",
        "Contact person:",
        "Registrant",
        "Fast track: not requested",
    ]
)
_ODDITIES = st.sampled_from(
    [
        "",
        " ",
        "\t",
        "=====",
        "[]",
        "(created 2001-02-03)",
        "fast-track procedure",
        "3.1.  Syntax:",
        "Syntax",
        "Namespace Identifier:  other",
        "DOI assignment:",
        "requested",
        '"quoted"',
        "\u00a0",
        "\u2003x",
        "1-800-555-0100",
        "http://www.example.org/" + "a" * 80,
    ]
)
_WORDS = st.lists(st.text(alphabet="ab.:- \"'(", min_size=1, max_size=12), min_size=1, max_size=40).map(
    " ".join
)
_CHARACTERS = st.characters(
    codec="utf-8",
    exclude_categories=["Cs"],
    exclude_characters=[chr(code) for code in (*range(9), *range(0x0E, 0x20), 0xFFFE, 0xFFFF)],
)
_LINES = st.one_of(_HEADINGS, _LABELS, _ODDITIES, _WORDS, st.text(_CHARACTERS, max_size=30))
_INDENTED = st.tuples(st.sampled_from(["", "", " ", "  ", "   ", "\t", " " * 50]), _LINES).map("".join)
texts = st.lists(_INDENTED, max_size=8).flatmap(
    lambda lines: st.sampled_from(["\n", "\n", "\r\n", "\n\n", "  \n"]).map(lambda end: end.join(lines))
)
lines = st.one_of(_LINES, st.just(""), st.from_regex(r"[a-z0-9-]{2,32}", fullmatch=True))

registrants = st.builds(
    Registrant,
    organization=lines,
    address=texts,
    contact_person=lines,
    email=lines,
    phone=lines,
    postal_address=texts,
    fast_track=st.booleans(),
    other=texts,
)
templates = st.builds(
    RegistrationTemplate,
    namespace_identifier=lines,
    version=st.none() | st.integers(0, 2**31 - 1),
    date=st.one_of(lines, st.dates().map(str)),
    registrant=registrants,
    **dict.fromkeys(TEXT_SECTIONS, texts),
)
