"""Findings: blocking ones, advice, and those of a sound template."""

import dataclasses
from typing import Any

import pytest

from registry.registration_template.checks.findings import Finding, ReferenceData, Severity
from registry.registration_template.checks.runner import check_template
from registry.registration_template.sections import Registrant
from registry.registration_template.template import RegistrationTemplate
from tests.registration_template.known_nids import a_report
from urnsyntax import URN

REGISTRANT = Registrant(
    organization="Example Society",
    address="1 Example Street",
    contact_person="An Expert",
    email="expert@example.org",
)
SOUND = RegistrationTemplate(
    namespace_identifier="wxn",
    version=1,
    date="2026-01-31",
    registrant=REGISTRANT,
    purpose="Names of the weather stations of the society, which archives and forecasts cite.",
    syntax="Five digits, such as urn:wxn:00417. No meaning is defined for r-, q- and f-components.",
    assignment="Closed: the society keeps one register, and a number is unique.",
    security_and_privacy="Stations are public.",
    interoperability="None known.",
    resolution="Resolution is not intended.",
    documentation="Example Society, Names of stations, edition 3.",
    additional_information="A number is never reassigned.",
)
REVISED = {"version": 2, "revision_information": "Six digits."}


def _check(changes: dict[str, Any], **circumstances: Any) -> tuple[Finding, ...]:
    template = dataclasses.replace(SOUND, **changes)
    return check_template(template, **{"kind": "formal", **circumstances})


def _codes(findings: tuple[Finding, ...], severity: Severity | None = None) -> list[str]:
    return [f"{each.section}: {each.code}" for each in findings if severity in (None, each.severity)]


def test_a_sound_submission_gets_no_finding() -> None:
    assert _check({}) == ()
    assert _check({"version": None}) == ()
    assert _check({}, fast_track=True) == ()
    assert _check({"namespace_identifier": ""}, kind="informal") == ()
    assert _check({"version": 2, "revision_information": "Six digits."}, is_revision=True) == ()


@pytest.mark.parametrize(
    ("changes", "circumstances", "expected"),
    [
        ({"namespace_identifier": ""}, {}, "namespace_identifier: missing"),
        (
            {"namespace_identifier": "", "syntax": "urn:urn-99:1, with no r-, q- or f-component."},
            {"kind": "informal"},
            "syntax: example-of-other-number",
        ),
        (
            {"namespace_identifier": "urn-9", "syntax": "urn:urn-99:1, with no r-, q- or f-component."}
            | REVISED,
            {"kind": "informal", "is_revision": True},
            "syntax: example-of-other-number",
        ),
        ({"assignment": "tbd"}, {}, "assignment: missing"),
        ({"interoperability": " To be determined. "}, {}, "interoperability: missing"),
        ({"security_and_privacy": "???"}, {}, "security_and_privacy: missing"),
        (
            {"registrant": dataclasses.replace(REGISTRANT, contact_person="n/a")},
            {},
            "registrant: no-contact-person",
        ),
        (
            {"registrant": dataclasses.replace(REGISTRANT, email="name at museum.example")},
            {},
            "registrant: not-an-email-address",
        ),
        (
            {"registrant": dataclasses.replace(REGISTRANT, email="name@museum")},
            {},
            "registrant: not-an-email-address",
        ),
        (
            {"registrant": dataclasses.replace(REGISTRANT, phone="call me maybe")},
            {},
            "registrant: not-a-phone-number",
        ),
        ({"namespace_identifier": "wxn\u0301"}, {}, "namespace_identifier: malformed"),
        ({"namespace_identifier": "w"}, {}, "namespace_identifier: malformed"),
        ({"namespace_identifier": "wxn-"}, {}, "namespace_identifier: malformed"),
        ({"namespace_identifier": "w" * 33}, {}, "namespace_identifier: malformed"),
        ({"namespace_identifier": "wx\u0663"}, {}, "namespace_identifier: malformed"),
        ({"namespace_identifier": "urn-9"}, {}, "namespace_identifier: not-registrable"),
        ({"namespace_identifier": "x-wxn"}, {}, "namespace_identifier: not-registrable"),
        ({"namespace_identifier": "de-wxn"}, {}, "namespace_identifier: not-registrable"),
        ({"namespace_identifier": "wx"}, {}, "namespace_identifier: not-registrable"),
        ({"namespace_identifier": "example"}, {}, "namespace_identifier: not-registrable"),
        (
            {},
            {"reference_data": ReferenceData(nid_report=a_report("wxn", registered=frozenset({"wxn"})))},
            "namespace_identifier: registered",
        ),
        ({}, {"kind": "informal"}, "namespace_identifier: not-informal"),
        (
            {"version": 2, "revision_information": "More."},
            {"is_revision": True, "reference_data": ReferenceData(revised_nid="wxo")},
            "namespace_identifier: other-namespace",
        ),
        ({"version": 2}, {}, "version: not-first-version"),
        ({"version": 0}, {}, "version: not-first-version"),
        ({"revision_information": "More."}, {"is_revision": True}, "version: not-next-version"),
        (
            {"version": 4, "revision_information": "More."},
            {"is_revision": True, "reference_data": ReferenceData(revised_version=2)},
            "version: not-next-version",
        ),
        ({"date": ""}, {}, "date: missing"),
        ({"date": "2026-1-31"}, {}, "date: not-a-date"),
        ({"date": "2026-02-30"}, {}, "date: not-a-date"),
        ({"date": "٢٠٢٦-٠١-٣١"}, {}, "date: not-a-date"),
        ({"date": "2026-01-311"}, {}, "date: not-a-date"),
        ({"registrant": dataclasses.replace(REGISTRANT, organization="")}, {}, "registrant: no-organization"),
        ({"registrant": dataclasses.replace(REGISTRANT, address="")}, {}, "registrant: no-address"),
        (
            {"registrant": dataclasses.replace(REGISTRANT, contact_person="")},
            {},
            "registrant: no-contact-person",
        ),
        ({"registrant": dataclasses.replace(REGISTRANT, email="")}, {}, "registrant: no-contact-details"),
        ({"purpose": ""}, {}, "purpose: missing"),
        ({"syntax": ""}, {}, "syntax: missing"),
        ({"assignment": "\n"}, {}, "assignment: missing"),
        ({"security_and_privacy": ""}, {}, "security_and_privacy: missing"),
        ({"interoperability": ""}, {}, "interoperability: missing"),
        ({"resolution": ""}, {}, "resolution: missing"),
        # It MUST say whether resolution is intended or expected (6.4.6).
        ({"resolution": "N/A"}, {}, "resolution: missing"),
        ({"resolution": "Not applicable."}, {}, "resolution: missing"),
        ({"documentation": ""}, {"fast_track": True}, "documentation: missing"),
        ({"documentation": "None."}, {"fast_track": True}, "documentation: missing"),
        ({"version": 2}, {"is_revision": True}, "revision_information: missing"),
        (
            {"version": 2, "revision_information": "N/A"},
            {"is_revision": True},
            "revision_information: missing",
        ),
        ({"purpose": "See urn:wxn:größe."}, {}, "purpose: example-malformed"),
        ({"assignment": "Closed. One register, unique: urn:wxn:100%."}, {}, "assignment: example-malformed"),
    ],
)
def test_this_blocks(changes: dict[str, Any], circumstances: dict[str, Any], expected: str) -> None:
    assert _codes(_check(changes, **circumstances), Severity.BLOCKING) == [expected]


@pytest.mark.parametrize(
    ("changes", "circumstances", "expected"),
    [
        (
            {"namespace_identifier": "urn-9", "syntax": "Opaque. No q-component."},
            {"kind": "informal"},
            "namespace_identifier: assigned-by-registry",
        ),
        (
            {},
            {"reference_data": ReferenceData(nid_report=a_report("wxn", countries={"WXN": "Wexland"}))},
            "namespace_identifier: country-code",
        ),
        (
            {},
            {"reference_data": ReferenceData(nid_report=a_report("wxn", uri_schemes=frozenset({"wxn"})))},
            "namespace_identifier: uri-scheme",
        ),
        (
            {},
            {"reference_data": ReferenceData(nid_report=a_report("wxn", requested=frozenset({"wxn"})))},
            "namespace_identifier: requested",
        ),
        (
            {},
            {"reference_data": ReferenceData(nid_report=a_report("wxn", requested=frozenset({"wnx"})))},
            "namespace_identifier: lookalike",
        ),
        (
            {},
            {"reference_data": ReferenceData(nid_report=a_report("wxn", registered=frozenset({"w-xn"})))},
            "namespace_identifier: lookalike",
        ),
        ({"documentation": ""}, {}, "documentation: no-specification"),
        ({"documentation": "None"}, {}, "documentation: no-specification"),
        ({"syntax": "Five digits."}, {}, "syntax: components-not-mentioned"),
        ({"syntax": "Words in UTF-8. q-components are undefined."}, {}, "syntax: non-ascii-names"),
        ({"syntax": "urn:wxn:gr%C3%B6%C3%9Fe, and an undefined q-component"}, {}, "syntax: non-ascii-names"),
        ({"assignment": "Numbers are unique."}, {}, "assignment: openness-not-stated"),
        ({"assignment": "Open to everybody."}, {}, "assignment: uniqueness-not-explained"),
        ({"assignment": "N/A"}, {}, "assignment: says-nothing"),
        ({"purpose": "Scope: Global"}, {}, "purpose: only-scope"),
        ({"purpose": "Scope:\n\n   Global."}, {}, "purpose: only-scope"),
        ({"purpose": "2.13.  Scope\n\n   Global."}, {}, "purpose: only-scope"),
        ({"purpose": "Scope:  The WXN URN is global in scope."}, {}, "purpose: only-scope"),
        ({"purpose": "Global"}, {}, "purpose: only-scope"),
        ({"purpose": "Names of weather stations."}, {}, "purpose: too-short"),
        ({"syntax": "As usual. No r-, q- or f-components."}, {}, "syntax: no-structure"),
        ({"documentation": "There is no external documentation."}, {}, "documentation: no-specification"),
        ({"documentation": "No external documentation"}, {}, "documentation: no-specification"),
        ({"documentation": "No."}, {}, "documentation: no-specification"),
        ({"documentation": "None yet."}, {}, "documentation: no-specification"),
        ({"documentation": "There is none at this time."}, {}, "documentation: no-specification"),
        ({"documentation": "Not yet available"}, {}, "documentation: no-specification"),
        ({"documentation": "The namespace has no documentation."}, {}, "documentation: no-specification"),
        ({"documentation": "To be determined."}, {}, "documentation: no-specification"),
        (
            {"documentation": "No additional documentation is available."},
            {},
            "documentation: no-specification",
        ),
        ({"resolution": "See Section 4.2."}, {}, "resolution: section-not-found"),
        (
            {"resolution": "As described in sections 4.2 of this document."},
            {},
            "resolution: section-not-found",
        ),
        ({"resolution": "The page is xxx."}, {}, "resolution: placeholder"),
        ({"security_and_privacy": "N/A."}, {}, "security_and_privacy: says-nothing"),
        ({"resolution": "As RFC 2141 says."}, {}, "resolution: obsolete-reference"),
        ({"resolution": "It is TBD."}, {}, "resolution: placeholder"),
        ({"resolution": "See RFC XXXX."}, {}, "resolution: placeholder"),
        ({"registrant": dataclasses.replace(REGISTRANT, other="TBD")}, {}, "registrant: placeholder"),
        ({"purpose": f"{SOUND.purpose} As urn:nid:1."}, {}, "purpose: example-placeholder"),
        (
            {"purpose": f"{SOUND.purpose} As urn:assignedNID:1 and urn:assignedNID:2."},
            {},
            "purpose: example-placeholder",
        ),
        ({"purpose": f"{SOUND.purpose} Like urn:assignedNID:{{id}}."}, {}, "purpose: placeholder"),
        ({"purpose": f"{SOUND.purpose} As urn:wxo:1."}, {}, "purpose: example-of-other-namespace"),
        (
            {"registrant": Registrant(other="Example Society\nAn Expert, expert@example.org")},
            {},
            "registrant: unlabelled-details",
        ),
        (
            {"registrant": Registrant(other="Example Society\nAn Expert", phone="+1 555 0100")},
            {},
            "registrant: unlabelled-details",
        ),
        (
            {"registrant": dataclasses.replace(REGISTRANT, address="", other="https://www.example.org/")},
            {},
            "registrant: unlabelled-details",
        ),
    ],
)
def test_advice(changes: dict[str, Any], circumstances: dict[str, Any], expected: str) -> None:
    findings = _check(changes, **circumstances)
    assert _codes(findings) == [expected]
    assert findings[0].severity is Severity.ADVICE


@pytest.mark.parametrize(
    "changes",
    [
        {"resolution": "RFC 2141 is obsolete: RFC 8141 replaces it."},
        {"interoperability": "None."},
        {"registrant": dataclasses.replace(REGISTRANT, email="expert&example.org")},
        {"registrant": dataclasses.replace(REGISTRANT, email="An Expert <an.expert+urn@museum.example>")},
        {"registrant": dataclasses.replace(REGISTRANT, email="a@example.org, b@example.museum")},
        {"registrant": dataclasses.replace(REGISTRANT, phone="+1 (555) 0100-22 ext. 7")},
        {"registrant": dataclasses.replace(REGISTRANT, phone="+31(0)20 5304488")},
        {"purpose": "Names of the weather stations of the society, and of their series"[:60]},
        {"syntax": "Names are opaque. The r-, q- and f-components are undefined."},
        {"syntax": 'wxn-nss = 5DIGIT ; with "?=" undefined'},
        {"documentation": "There is no external documentation except the Example Report 3."},
        {"documentation": "None other than the Example Report 3."},
        {"documentation": "Not available online: the Example Report 3."},
        {"resolution": "See Section 4.2 of RFC 8141, and Section 3. of the Example Report."},
        {"resolution": "RFC 8141, Section 4.2, and [1], Section 7."},
        {"resolution": "None."},
        {"resolution": "Not applicable, because no resolution is intended."},
        {"resolution": "See Section 4.2.\n\n4.2.  Resolvers\n\nNone."},
        {"resolution": "The page is bdxxx.html, where xxx is the tag."},
        {"resolution": "The page of xxx, where xxx stands for the tag."},
        {"resolution": "The page of xxx, where xxx = the tag."},
        {"resolution": "The name has the pattern XXXX-XXXX."},
        {"syntax": "Five digits. Unicode characters are not allowed, nor are q-components."},
        {"syntax": "Five digits. The titles of series are internationalized. No q-component."},
        {"syntax": "Five digits, and no q-component. Unlike them, names of other namespaces contain UTF-8."},
        {"syntax": "Five digits, unlike urn:wxo:gr%C3%B6%C3%9Fe. No q-component."},
        {"syntax": "Five digits, unlike urn:wxo:1 and urn:wxo:1%C3%9F. No q-component."},
        {"purpose": f"{SOUND.purpose} Unlike the existing namespace of urn:wxo:1, it names series."},
        {"assignment": "Decentralised: members have ranges, and names are unique."},
        {"assignment": "Assignment is decentralized, and names are unique."},
        {"assignment": "Delegated to members with unique ranges."},
        {"syntax": "Words in UTF-8, which the language of the stations makes necessary. No q-component."},
        {"purpose": f"{SOUND.purpose} As todo el mundo knows."},
        {"purpose": f"{SOUND.purpose} Like urn:{{nid}}:{{nss}} and urn:wxn:<number>."},
    ],
)
def test_this_is_as_good_as_the_sound_one(changes: dict[str, Any]) -> None:
    assert _check(changes) == ()


@pytest.mark.parametrize("key", ["security_and_privacy", "interoperability"])
def test_a_section_that_the_older_form_does_not_have_is_explained(key: str) -> None:
    findings = _check({key: ""}, older_form=True)
    assert _codes(findings) == [f"{key}: not-in-older-form"]
    assert findings[0].severity is Severity.ADVICE
    assert findings[0].message.endswith("to bring the template up to RFC 8141.")
    assert _codes(_check({"syntax": ""}, older_form=True)) == ["syntax: missing"]


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("See Section 3.4.", "Section 3.4, which is"),
        ("See Sections 2, 3, and 4.", "Sections 2, 3, 4, which are"),
        ("See Sections 3.1-3.3.", "Sections 3.1, 3.3, which are"),
        ("See Sections 3.1\u20133.3 and 4.", "Sections 3.1, 3.3, 4, which are"),
        ("See sections 3 to 5.", "Sections 3, 5, which are"),
        ("See Sections 3, or 5.", "Sections 3, 5, which are"),
        (
            "See Section " + ", ".join(str(number) for number in range(10, 24)),
            "Sections 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 4 others, which are",
        ),
    ],
)
def test_sections_that_are_not_in_the_template_are_listed(text: str, sections: str) -> None:
    (finding,) = _check({"resolution": text})
    assert finding.message.startswith(f"Resolution refers to {sections} not in the template.")


@pytest.mark.parametrize("text", ["See Section 4.2a.", "See Section 6.4.100.", "See Section 3-x."])
def test_a_part_of_a_name_is_no_section(text: str) -> None:
    assert _check({"resolution": text}) == ()


def test_a_urn_of_another_namespace_may_be_mentioned() -> None:
    reference_data = ReferenceData(registered_nids=frozenset({"uuid"}))
    assert (
        _check(
            {"purpose": f"{SOUND.purpose} See urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6."},
            reference_data=reference_data,
        )
        == ()
    )


def test_an_example_that_breaks_the_namespaces_own_rule_blocks() -> None:
    def five_digits(urn: URN) -> str | None:
        return None if urn.nss.isdecimal() else "a name has five digits."

    reference_data = ReferenceData(example_rule=five_digits)
    assert _check({}, reference_data=reference_data) == ()
    findings = _check({"purpose": "As urn:wxn:north."}, reference_data=reference_data)
    assert _codes(findings, Severity.BLOCKING) == ["purpose: example-breaks-rule"]
    assert "a name has five digits" in findings[0].message
    assert "propose another grammar, or first ask an administrator" in findings[0].message


def test_a_revision_keeps_an_identifier_that_current_rules_forbid() -> None:
    reference_data = ReferenceData(
        nid_report=a_report("wxn", registered=frozenset({"wxn"})), revised_nid="wxn", revised_version=1
    )
    changes = {"version": 2, "revision_information": "Six digits."}
    assert _check(changes, is_revision=True, reference_data=reference_data) == ()


DETAILS = ["no-organization", "no-address", "no-contact-person", "no-contact-details"]


@pytest.mark.parametrize(
    ("registrant", "expected"),
    [
        (Registrant(other="."), DETAILS),
        (Registrant(other=".\n.\n"), DETAILS),
        (Registrant(other="see above"), DETAILS),
        (Registrant(other="See the web: https://www.example.org/"), DETAILS),
        (Registrant(other="one two three four five six seven eight nine ten eleven"), DETAILS),
        (Registrant(other="Example Society, expert@example.org"), DETAILS[:3]),
        (Registrant(other=".", email="expert@example.org"), DETAILS[:3]),
        (Registrant(other="Example Society\nAn Expert"), DETAILS[3:]),
        (dataclasses.replace(REGISTRANT, address="", other="."), ["no-address"]),
    ],
)
def test_free_text_that_can_not_hold_the_details_excuses_no_label(
    registrant: Registrant, expected: list[str]
) -> None:
    found = _codes(_check({"registrant": registrant}), Severity.BLOCKING)
    assert found == [f"registrant: {code}" for code in expected]


def test_an_empty_submission_gets_a_finding_for_each_missing_section() -> None:
    findings = check_template(RegistrationTemplate(), kind="formal", is_revision=True, fast_track=True)
    lacking = [each.section for each in findings if each.severity is Severity.BLOCKING]
    assert [key for key in lacking if key != "registrant"] == [
        "namespace_identifier",
        "date",
        "purpose",
        "syntax",
        "assignment",
        "security_and_privacy",
        "interoperability",
        "resolution",
        "documentation",
        "revision_information",
    ]
    assert lacking.count("registrant") == 4


def test_a_finding_names_the_remedy_and_the_rule() -> None:
    for finding in check_template(
        RegistrationTemplate(namespace_identifier="x-y", date="soon"), kind="formal"
    ):
        assert finding.message.endswith((".", "?"))
        assert finding.reference.startswith("RFC ")
        assert finding.to_json()["severity"] == "blocking" or finding.severity is Severity.ADVICE


@pytest.mark.parametrize("field", ["organization", "address", "contact_person"])
def test_an_email_address_in_another_field_is_a_way_to_contact(field: str) -> None:
    registrant = dataclasses.replace(REGISTRANT, email="", **{field: "An Expert <expert@example.org>"})
    assert _check({"registrant": registrant}) == ()


def test_examples_that_are_all_of_another_namespace_are_remarked() -> None:
    isbn = ReferenceData(registered_nids=frozenset({"isbn", "issn"}))
    syntax = "Thirteen digits, such as URN:ISBN:978-91-29-69770-1. No r-, q- or f-components."
    findings = _check({"syntax": syntax}, reference_data=isbn)
    assert _codes(findings) == ["syntax: examples-of-other-namespaces"]
    assert findings[0].message == (
        "All examples use isbn; none uses wxn. Check that the text was written for wxn."
    )
    assert _check({"syntax": f"{SOUND.syntax} Unlike urn:isbn:9789129697701."}, reference_data=isbn) == ()


def test_findings_on_contact_details_name_their_field() -> None:
    registrant = Registrant(organization="Example Society", email="none", phone="none")
    fields = {each.code: each.field for each in _check({"registrant": registrant})}
    assert fields["not-an-email-address"] == "email"
    assert fields["not-a-phone-number"] == "phone"
    assert fields["no-contact-person"] == "contact_person"


def test_an_unnumbered_example_and_a_comparison_with_another_number_are_sound() -> None:
    for syntax in (
        "As in urn:urn-N:00417. No r-, q- or f-components.",
        "As in urn:urn-N:00417, unlike urn:urn-5:1. No r-, q- or f-components.",
    ):
        assert _check({"namespace_identifier": "", "syntax": syntax}, kind="informal") == ()
