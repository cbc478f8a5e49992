"""What ten registered templates get, and why that is right."""

import re
from collections import Counter
from functools import cache

import pytest

from registry.namespaces.confusables import countries
from registry.publication.iana.xml_format import parse_xml
from registry.registration_template.checks.findings import ReferenceData, Severity
from registry.registration_template.checks.runner import check_template
from registry.registration_template.parsing.parser import parse_template
from tests.data import IANA_NEWEST
from tests.registration_template.known_nids import a_report
from tests.support.factories import a_template
from tests.support.shared_data import shared

# Each finding as “section: code”, the blocking ones with an exclamation mark.
FINDINGS = {
    # Says who, what, how unique and where specified, down to the components of a URN: nothing to add.
    "8141/isbn.8141.txt": [],
    # Version 2 whose file ends after Documentation: a revision MUST describe differences (Section 6.2).
    # The organization and its address stand there, but no label says which lines they are.
    "8141/mrn.8141.txt": ["registrant: unlabelled-details", "revision_information!: missing"],
    # Asks for the fast track, which needs a specification (Section 6.3), and says “None.” under
    # Documentation. Assignment names a process, not whether others may assign, what keeps names unique, or
    # that they are permanent.
    "8141/csa.8141.txt": [
        "syntax: components-not-mentioned",
        "assignment: openness-not-stated",
        "assignment: uniqueness-not-explained",
        "assignment: permanence-not-stated",
        "documentation!: missing",
    ],
    # The same template without the fast track: a specification is recommended, not required (Section 6.2).
    "8141/cta.8141.txt": [
        "syntax: components-not-mentioned",
        "assignment: openness-not-stated",
        "assignment: uniqueness-not-explained",
        "assignment: permanence-not-stated",
        "documentation: no-specification",
    ],
    # The date is 2020-04-2, and Appendix A asks for YYYY-MM-DD. “N/A” does not say what was considered.
    "8141/gdst.8141.txt": [
        "date!: not-a-date",
        "registrant: unlabelled-details",
        "syntax: components-not-mentioned",
        "security_and_privacy: says-nothing",
    ],
    # Its format and its examples still say “assignedNID”. The registry assigns its number.
    "8141/urn-8.8141.txt": [
        "namespace_identifier: assigned-by-registry",
        "registrant: unlabelled-details",
        "syntax: example-placeholder",
        "syntax: components-not-mentioned",
    ],
    # RFC 2141 and RFC 3406 had been obsolete for seven years when it was registered.
    "8141/pno.8141.txt": [
        "registrant: unlabelled-details",
        "syntax: components-not-mentioned",
        "assignment: uniqueness-not-explained",
        "assignment: permanence-not-stated",
        "security_and_privacy: obsolete-reference",
        "security_and_privacy: obsolete-reference",
    ],
    # Every part of Registrant has its label; Assignment says who is responsible and that names are unique.
    "8141/uic.8141.txt": ["syntax: components-not-mentioned"],
    # The label “Address:” is there, with nothing behind it.
    "8141/doi.8141.txt": ["registrant: unlabelled-details"],
    # The older form has neither Security and Privacy nor Interoperability, which is explained. Its purpose is a scope.
    "3406/ucode.3406.txt": [
        "registrant: unlabelled-details",
        "purpose: only-scope",
        "syntax: components-not-mentioned",
        "syntax: obsolete-reference",
        "security_and_privacy: not-in-older-form",
        "interoperability: not-in-older-form",
    ],
}

# The findings on all registered templates: in the format of RFC 8141 (25) and in that of RFC 3406 (45).
# Before introductions, unusual headings and labels were read, and before the older form was explained, there were
# 23 and 61 unplaced lines, 3 and 109 blocking findings, and 58 and 111 items of advice.
TOTALS = {
    # line or finding                                     8141  3406
    "unplaced lines": (23, 61),  # titles and notes about the file
    "blocking findings": (3, 14),
    "advice": (65, 254),
    "namespace_identifier: assigned-by-registry": (1, 1),
    "date!: not-a-date": (1, 5),
    "registrant!: no-organization": (0, 1),
    "registrant!: no-address": (0, 1),
    "registrant!: no-contact-person": (0, 1),
    "registrant!: no-contact-details": (0, 5),
    "registrant!: not-an-email-address": (0, 1),
    "registrant: unlabelled-details": (16, 18),
    "purpose: only-scope": (0, 37),
    "syntax: components-not-mentioned": (19, 43),
    "syntax: example-placeholder": (1, 1),
    "syntax: no-structure": (1, 0),
    "syntax: obsolete-reference": (0, 29),
    "syntax: section-not-found": (0, 3),
    "assignment: obsolete-reference": (0, 1),
    "assignment: openness-not-stated": (2, 0),
    "assignment: permanence-not-stated": (9, 6),
    "assignment: continuity-not-stated": (4, 3),
    "assignment: section-not-found": (0, 1),
    "assignment: uniqueness-not-explained": (5, 0),
    "security_and_privacy: not-in-older-form": (0, 45),
    "security_and_privacy: obsolete-reference": (2, 0),
    "security_and_privacy: says-nothing": (1, 0),
    "interoperability: not-in-older-form": (0, 45),
    "documentation!: missing": (1, 0),
    "documentation: no-specification": (4, 14),
    "documentation: obsolete-reference": (0, 1),
    "revision_information!: missing": (1, 0),
    "revision_information: not-in-older-form": (0, 6),
}


@cache
def _findings(name: str) -> list[str]:
    parsed = parse_template(shared(f"data/templates/{name}").read_bytes().decode())
    template = parsed.template
    found = check_template(
        template,
        kind="informal" if re.fullmatch("urn-[0-9]+", template.namespace_identifier) else "formal",
        fast_track=template.registrant.fast_track,
        is_revision=(template.version or 1) > 1,
        older_form=parsed.form == "3406",
    )
    return [f"{each.section}{'!' * (each.severity is Severity.BLOCKING)}: {each.code}" for each in found]


@pytest.mark.parametrize("name", FINDINGS)
def test_findings_on_a_registered_template(name: str) -> None:
    assert _findings(name) == FINDINGS[name]


def test_templates_registered_under_rfc_8141_are_not_blocked_but_for_what_they_lack() -> None:
    folder = shared("data/templates/8141")
    blocked = {
        path.name: [each for each in _findings(f"8141/{path.name}") if "!" in each]
        for path in folder.glob("*.txt")
    }
    assert {name: findings for name, findings in blocked.items() if findings} == {
        "mrn.8141.txt": ["revision_information!: missing"],
        "csa.8141.txt": ["documentation!: missing"],
        "gdst.8141.txt": ["date!: not-a-date"],
    }


def test_the_findings_on_all_registered_templates() -> None:
    totals = {form: Counter[str]() for form in ("8141", "3406")}
    for form, total in totals.items():
        for path in shared(f"data/templates/{form}").glob("*.txt"):
            found = _findings(f"{form}/{path.name}")
            blocking = sum("!" in each for each in found)
            total.update(found)
            total["blocking findings"] += blocking
            total["advice"] += len(found) - blocking
            total["unplaced lines"] += len(parse_template(path.read_bytes().decode()).unplaced)
    kinds = totals["8141"].keys() | totals["3406"].keys()
    assert {kind: (totals["8141"][kind], totals["3406"][kind]) for kind in kinds} == TOTALS


def test_no_example_of_a_registered_template_is_taken_for_malformed() -> None:
    folder = shared("data/templates")
    for path in folder.glob("*/*.txt"):
        assert "example-malformed" not in " ".join(_findings(f"{path.parent.name}/{path.name}")), path.name


def test_the_registry_around_a_template_adds_what_only_it_knows() -> None:
    registered = frozenset(record.nid for record in parse_xml(IANA_NEWEST.read_bytes()).records)
    names = {code: country.name for code, country in countries().items() if len(code) == 3}

    def findings_on_the_identifier(registered: frozenset[str]) -> list[tuple[Severity, str]]:
        reference_data = ReferenceData(nid_report=a_report("cta", registered=registered, countries=names))
        template = a_template(namespace_identifier="cta")
        found = check_template(template, kind="formal", reference_data=reference_data)
        return [(each.severity, each.code) for each in found if each.section == "namespace_identifier"]

    assert findings_on_the_identifier(registered) == [(Severity.BLOCKING, "registered")]
    assert findings_on_the_identifier(registered - {"cta"}) == [(Severity.ADVICE, "lookalike")]
