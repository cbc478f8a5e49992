"""The template as a value: its normal form, its JSON form, its digest, and what it refuses."""

import dataclasses
import hashlib
import json

import pytest
from hypothesis import given, settings

from registry.registration_template.exceptions import (
    InvalidCharacter,
    InvalidTemplate,
    TemplateTooLong,
    UnknownField,
    WrongType,
)
from registry.registration_template.normal_form import MAX_CHARACTERS
from registry.registration_template.sections import SECTION_BY_KEY, SECTIONS, Kind, Registrant, Section
from registry.registration_template.template import RegistrationTemplate
from tests.registration_template.strategies import templates


def test_the_fields_are_the_sections_in_the_templates_order() -> None:
    assert [field.name for field in dataclasses.fields(RegistrationTemplate)] == [
        section.key for section in SECTIONS
    ]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("one\r\ntwo\rthree\x0cfour\u2028five", "one\ntwo\nthree\nfour\nfive"),
        ("one  \ntwo\t\n", "one\ntwo"),
        ("\n \n one\n   two\n\n", "one\n  two"),
        ("\t one\n\t two", "one\ntwo"),
        ("one\n\n\ntwo", "one\n\n\ntwo"),
        ("a" * 500, "a" * 500),
        ("ABNF  =  %x41", "ABNF  =  %x41"),
        (" \t\n", ""),
    ],
)
def test_a_text_has_one_normal_form(typed: str, kept: str) -> None:
    assert RegistrationTemplate(purpose=typed).purpose == kept
    assert RegistrationTemplate(purpose=kept).purpose == kept


def test_a_line_has_single_spaces_and_an_identifier_lower_case() -> None:
    template = RegistrationTemplate(
        namespace_identifier=" WXN\n",
        date=" 2026-01-31. ",
        registrant=Registrant(contact_person="An\n  Expert"),
    )
    assert template.namespace_identifier == "wxn"
    assert template.date == "2026-01-31"
    assert template.registrant.contact_person == "An Expert"


@pytest.mark.slow
@given(templates)
@settings(max_examples=50)
def test_the_json_form_gives_the_submission_back(template: RegistrationTemplate) -> None:
    again = RegistrationTemplate.from_json(json.loads(json.dumps(template.to_json())))
    assert again == template
    assert again.digest() == template.digest()


def test_missing_fields_are_empty() -> None:
    assert RegistrationTemplate.from_json({}) == RegistrationTemplate()
    assert RegistrationTemplate.from_json(
        {"registrant": {"email": "expert@example.org"}}
    ).registrant == Registrant(email="expert@example.org")


@pytest.mark.parametrize(
    ("mapping", "reason"),
    [
        ({"purpos": ""}, UnknownField),
        ({"registrant": {"name": "An Expert"}}, UnknownField),
        ({"registrant": "Example Society"}, WrongType),
        ([], WrongType),
        ({"version": "1"}, WrongType),
        ({"version": True}, WrongType),
        ({"version": 1.0}, WrongType),
        ({"version": -1}, WrongType),
        ({"version": 2**31}, WrongType),
        ({"purpose": None}, WrongType),
        ({"purpose": 1}, WrongType),
        ({"registrant": {"fast_track": "yes"}}, WrongType),
        ({"registrant": {"phone": 5550100}}, WrongType),
        ({"purpose": "\x00"}, InvalidCharacter),
        ({"registrant": {"other": "\x1b"}}, InvalidCharacter),
        ({"date": "\ud800"}, InvalidCharacter),
        ({"purpose": "a" * (MAX_CHARACTERS + 1)}, TemplateTooLong),
        (
            {"purpose": "a" * (MAX_CHARACTERS // 2 + 1), "syntax": "a" * (MAX_CHARACTERS // 2)},
            TemplateTooLong,
        ),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_reason(
    mapping: dict[str, object], reason: type[ValueError]
) -> None:
    with pytest.raises(InvalidTemplate) as caught:
        RegistrationTemplate.from_json(mapping)
    assert type(caught.value) is reason


def test_a_character_that_cannot_be_kept_is_named_with_its_line() -> None:
    with pytest.raises(InvalidCharacter, match=r"purpose contains the character U\+0000 in line 2") as caught:
        RegistrationTemplate(purpose="one\ntwo\x00")
    assert caught.value.section == "purpose"


def test_the_digest_is_that_of_the_filled_sections_in_canonical_json() -> None:
    written = (
        '{"date":"2026-01-31","namespace_identifier":"wxn","purpose":"Größe\\nund Maß",'
        '"registrant":{"email":"expert@example.org"},"version":1}'
    )
    template = RegistrationTemplate(
        namespace_identifier="WXN",
        version=1,
        date="2026-01-31",
        registrant=Registrant(email="expert@example.org"),
        purpose="Größe\nund Maß",
    )
    assert template.digest() == hashlib.sha256(written.encode()).hexdigest()
    assert RegistrationTemplate(version=1).digest() != RegistrationTemplate().digest()


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.key)
def test_every_section_has_title_guidance_example_and_reference(section: Section) -> None:
    assert section.title
    assert section.guidance
    assert section.example
    assert section.reference.startswith("RFC 8141, ")
    assert all(point.endswith((".", "?")) for point in section.guidance)


@pytest.mark.parametrize(
    ("key", "criterion"),
    [
        ("registrant", "stable and competent to assign names (Section 5.1)"),
        ("assignment", "if it no longer can (Section 5.1)"),
        ("assignment", "Are names never reassigned"),
    ],
)
def test_the_guidance_asks_for_the_criteria_of_an_assigning_organisation(key: str, criterion: str) -> None:
    assert criterion in " ".join(SECTION_BY_KEY[key].guidance)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("namespace_identifier", "identifier system"),  # 5.1
        ("purpose", "kinds of resources"),  # 6.4.1 (1)
        ("purpose", "public Internet, or in private networks"),  # (2)
        ("purpose", "Internet users in general, benefit"),  # (3)
        ("purpose", "relate to existing URN namespaces, URI schemes and identifier systems"),  # (4)
        ("purpose", "kinds of software"),  # (5)
        ("purpose", "example with a q-component"),  # (6)
        ("purpose", "part of a standard"),  # (7)
        ("syntax", "ABNF, an algorithm or a regular expression, or state that names are opaque"),  # 6.4.2 (1)
        ("syntax", "IDNA (RFC 5890), PRECIS (RFC 7613) or UAX #31 (Section 2.2)"),
        ("syntax", "special rules for encoding characters"),  # 6.4.2 (2)
        ("syntax", "special meaning in a name"),  # RFC 2141, 2.3.1
        ("syntax", "only make more names equivalent"),  # 6.4.2 (3)
        ("syntax", "functional equivalence"),  # 5; RFC 2141, 7
        ("syntax", "not allowed in a URN, and how are they encoded"),  # 6.4.2 (4)
        ("syntax", "q-components, f-components and r-components mean"),  # 6.4.2 (5)
        ("syntax", "No resolver may require a q-component (Section 2.3.2)"),
        ("assignment", "open, closed or delegated"),  # 6.4.3 (1)
        ("assignment", "prevents a name from being assigned twice"),  # (2)
        ("security_and_privacy", "RFC 6943"),  # 6.4.4
        ("security_and_privacy", "private information"),
        ("security_and_privacy", "guessing names"),
        ("security_and_privacy", "RFC 3552 and RFC 6973"),
        ("security_and_privacy", "RFC 7254"),
        ("security_and_privacy", "characters of a name a special meaning"),  # 8
        ("security_and_privacy", "advisory (Section 8)"),
        ("interoperability", "because of their syntax or scope"),  # 6.4.5
        ("resolution", "intended or expected"),  # 6.4.6
        ("resolution", "run or recommend"),
        ("resolution", "requirements that apply"),
        ("resolution", "query of its own (Section 2.3.2)"),
        ("resolution", "r-components"),
        ("documentation", "an RFC, a standard of another body, or another stable document"),  # Appendix A
        ("additional_information", "namespaces that seem to overlap"),  # 6.4.7
        ("revision_information", "underlying technology and of the management"),  # 6.2
    ],
)
def test_the_guidance_asks_for_what_the_rfc_asks(key: str, words: str) -> None:
    assert words in " ".join(SECTION_BY_KEY[key].guidance)


def test_when_a_section_is_required() -> None:
    def required(*, kind: Kind = "formal", fast_track: bool = False, is_revision: bool = False) -> set[str]:
        return {
            each.key
            for each in SECTIONS
            if each.is_required(kind=kind, fast_track=fast_track, is_revision=is_revision)
        }

    always = {
        "date",
        "registrant",
        "purpose",
        "syntax",
        "assignment",
        "security_and_privacy",
        "interoperability",
        "resolution",
    }
    assert required(kind="informal") == always
    assert required() == always | {"namespace_identifier"}
    assert required(fast_track=True) == required() | {"documentation"}
    assert required(is_revision=True) == required() | {"revision_information"}
