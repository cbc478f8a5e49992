"""An introduction above a template is its Purpose; numbered references are its Documentation."""

import pytest

from registry.registration_template.parsing.parser import parse_template
from tests.registration_template.samples import OLDER, PLAIN

WITHOUT_PURPOSE = PLAIN.replace("Purpose:\n\nNames of stations.\n\n", "")
BODY = "   Stations of the example network have names.\n\n   Archives cite them."
PURPOSE = "Stations of the example network have names.\n\nArchives cite them."


@pytest.mark.parametrize(
    "heading", ["Introduction:\n", "Introduction\n", "1.  Introduction\n", "INTRODUCTION\n============\n", "A. Overview\n"]
)  # fmt: skip
def test_an_introduction_is_the_missing_purpose(heading: str) -> None:
    parsed = parse_template(f"A request\n\n{heading}\n{BODY}\n\n{WITHOUT_PURPOSE}")
    assert parsed.template.purpose == PURPOSE
    assert parsed.lines["purpose"] == 3
    assert [line.text for line in parsed.unplaced] == [
        "A request",
        "Namespace Registration for the Example Society",
    ]


def test_the_introduction_precedes_the_scope_of_the_older_form() -> None:
    template = parse_template(f"1.  Introduction\n\n{BODY}\n\n{OLDER}").template
    assert template.purpose == f"{PURPOSE}\n\nScope:\n\n   Global."


def test_a_later_section_above_the_template_is_not_part_of_the_introduction() -> None:
    text = f"1.  Introduction\n\n{BODY}\n\n1.1.  Terms\n\n   As in RFC 8141.\n\n{WITHOUT_PURPOSE}"
    parsed = parse_template(text)
    assert parsed.template.purpose == PURPOSE
    assert [line.text for line in parsed.unplaced][:2] == ["1.1.  Terms", "As in RFC 8141."]


@pytest.mark.parametrize("above", ["Overview\n\n", "Contents\n\n1.  Introduction\n\n2.  Template\n\n"])
def test_a_title_without_text_is_not_the_introduction(above: str) -> None:
    parsed = parse_template(f"{above}1.  Introduction\n\n{BODY}\n\n{WITHOUT_PURPOSE}")
    assert parsed.template.purpose == PURPOSE
    assert parsed.unplaced[0].text == above.splitlines()[0]


def test_a_line_that_ends_in_a_colon_is_no_title() -> None:
    text = f"Introduction\n\nNames of these stations:\n\nAll.\n\n{WITHOUT_PURPOSE}"
    assert parse_template(text).template.purpose == "Names of these stations:\n\nAll."


def test_an_introduction_does_not_replace_the_purpose() -> None:
    parsed = parse_template(f"Introduction:\n\n{BODY}\n\n{PLAIN}")
    assert parsed.template == parse_template(PLAIN).template
    assert len(parsed.unplaced) == 4


def _numbered(text: str) -> str:
    numbers = iter(range(1, 30))
    return "\n".join(
        f"{next(numbers)}.  {line}" if line and not line.startswith(" ") and ":" in line else line
        for line in text.splitlines()
    )


@pytest.mark.parametrize("name", ["References", "References:", "Normative References"])
def test_numbered_references_are_documentation(name: str) -> None:
    text = f"{_numbered(PLAIN)}\n\n9.  {name}\n\n   [1] A standard.\n"
    assert parse_template(text).template.documentation == "[1] A standard."


def test_divided_references_are_one_section() -> None:
    text = f"{_numbered(PLAIN)}\n\n9.  References\n\n9.1.  Normative References\n\n   [1] A standard.\n"
    assert parse_template(text).template.documentation == "9.1.  Normative References\n\n   [1] A standard."


@pytest.mark.parametrize("documentation_first", [True, False])
def test_numbered_references_follow_the_documentation(documentation_first: bool) -> None:
    sections = ["8.  Documentation:\n\nA report.", "9.  References:\n\n   [1] A standard."]
    added = "\n\n".join(sections if documentation_first else reversed(sections))
    template = parse_template(f"{_numbered(PLAIN)}\n\n{added}\n").template
    assert template.documentation.startswith("A report.\n\n9.  References:")
    assert template.documentation.endswith("[1] A standard.")
    assert template.assignment == "By the society."
