"""Remains of mails, pages and documents in a section are findings at submission and at review."""

import pytest

from registry.registration_template.checks.findings import Severity
from registry.registration_template.checks.runner import check_template
from tests.support.factories import a_template

REMAINS = {
    "page-footer": "Example                  Informational                    [Page 1]",
    "page-header": "RFC 9999                Example Names               November 2026",
    "quoted-printable": "number =3D 6DIGIT",
    "invisible-character": "a\u200bb",
    "escape": "The name wxn\\_1 is an example.",
    "wrong-encoding": "Members print \u00e2\u20ac\u0153numbers.",
    "signature": "--",
    "list-footer": "To unsubscribe send an email to urn-leave@ietf.example",
    "quoting": "> Version: 1",
    "fence": "```",
    "html": "<p>Names</p>",
}


@pytest.mark.parametrize("code", REMAINS)
@pytest.mark.parametrize("section", ["purpose", "syntax", "revision_information"])
def test_a_remain_is_a_finding_in_its_section(code: str, section: str) -> None:
    text = f"Names of stations.\n{REMAINS[code]}\nSeries too."
    found = check_template(a_template(**{section: text}), kind="formal")
    [finding] = [each for each in found if each.code == code]
    assert (finding.section, finding.severity) == (section, Severity.ADVICE)
    assert "\u200b" not in finding.message


def test_a_whole_template_has_no_such_finding() -> None:
    found = check_template(a_template(), kind="formal")
    assert not {each.code for each in found} & REMAINS.keys()


def test_an_invisible_character_in_the_registrant_is_a_finding() -> None:
    template = a_template()
    registrant = template.registrant.with_texts({"organization": "Example\u200b Society"})
    found = check_template(a_template(registrant=registrant), kind="formal")
    assert ("registrant", "invisible-character") in {(each.section, each.code) for each in found}
