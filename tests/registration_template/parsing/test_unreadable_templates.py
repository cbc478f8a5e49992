"""What is no template, or more than one; and hostile text."""

import pytest

from registry.registration_template.exceptions import (
    InputTooLong,
    InvalidTemplate,
    MultipleTemplates,
    NoHeadings,
    NotPlainText,
    TemplateTooLong,
    TooManyHeadings,
    UnreadableTemplate,
)
from registry.registration_template.parsing.parser import parse_template
from tests.registration_template.samples import PLAIN
from tests.support.linear_time import assert_linear_time


def test_two_templates_in_one_document_are_refused_by_line() -> None:
    with pytest.raises(MultipleTemplates, match="lines 3, 27") as caught:
        parse_template(PLAIN + "\n" + PLAIN)
    assert caught.value.line == 27


def test_the_identifier_mentioned_again_begins_no_template() -> None:
    parsed = parse_template(PLAIN + "\nNamespace Identifier:  wxo\n")
    assert parsed.template.namespace_identifier == "wxn"
    assert parsed.template.assignment.endswith("Namespace Identifier:  wxo")


def test_a_template_may_lack_its_first_heading() -> None:
    parsed = parse_template(PLAIN.replace("Namespace Identifier:  wxn", "wxn"))
    assert parsed.template.namespace_identifier == ""
    assert parsed.template.syntax == "An opaque string."
    assert [line.text for line in parsed.unplaced][1:] == ["wxn"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NoHeadings),
        ("\n", NoHeadings),
        ("Date: tomorrow\n", NoHeadings),
        ("A letter.\n\nWithout any heading.\n" * 1000, NoHeadings),
        ("Namespace Identifier: wxn\x00\n", NotPlainText),
        ("\x7fELF\x02\x01\x01" + "\x00" * 100, NotPlainText),
        ("Namespace Identifier: \ud800\n", NotPlainText),
        ("x" * 10_000_000, InputTooLong),
        ("Namespace Identifier: wxn\n" + "\n" * 300_000, InputTooLong),
        ("Namespace Identifier: wxn\n" + "Syntax:\n" * 10_000, TooManyHeadings),
        (PLAIN * 2, MultipleTemplates),
        (PLAIN + "word " * 60_000, TemplateTooLong),
    ],
    ids=[
        "empty",
        "newline",
        "one heading",
        "no heading",
        "NUL",
        "binary",
        "surrogate",
        "10 MB",
        "300,000 lines",
        "10,000",
        "two",
        "much",
    ],
)
def test_what_is_no_template_is_refused_with_a_reason(text: str, reason: type[ValueError]) -> None:
    with pytest.raises((UnreadableTemplate, InvalidTemplate)) as caught:
        parse_template(text)
    assert type(caught.value) is reason
    assert str(caught.value).endswith(".")


@pytest.mark.slow
@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "text",
    [
        "Namespace Identifier: " + " " * 60_000 + "x",
        "Namespace Identifier: " + "-" * 60_000,
        "Namespace Identifier: wxn\nVersion: version" + " " * 60_000 + "x",
        "Namespace Identifier: wxn\nRegistrant:\n" + "a" * 30_000 + " " * 30_000 + "@",
        "Namespace Identifier: wxn\nSyntax: " + "urn:" * 15_000,
        "Namespace Identifier: wxn\nSyntax: " + "urn:wxn:" + ")" * 60_000,
        "Namespace Identifier: wxn\nSyntax:\n" + "a\n" * 10_000,
        "Namespace Identifier: wxn\nSyntax:\n" + "1." * 30_000,
        "Namespace Identifier: wxn\nRegistrant:\n" + "Required:\n" * 10_000,
        "Namespace Identifier: wxn\nRegistrant:\nRegistrant: a\n" + "b\n" * 10_000,
    ],
    ids=[
        "spaces",
        "hyphens",
        "version",
        "contact",
        "URNs",
        "parentheses",
        "lines",
        "numbers",
        "labels",
        "address",
    ],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    from registry.registration_template.checks.runner import check_template
    from registry.registration_template.formatting import format_template

    def read(text: str) -> None:
        template = parse_template(text).template
        check_template(template, kind="formal")
        assert parse_template(format_template(template)).template == template

    harmless = PLAIN.replace(
        "Purpose:\n", "Purpose:\n" + "Names are assigned in order.\n" * (len(text) // 29)
    )
    assert_linear_time(read, text, harmless)
