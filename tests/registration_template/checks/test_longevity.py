"""Questions about the criteria of RFC 8141, Section 5.1: asked of texts that are silent, and of no other."""

import dataclasses
import re
from functools import cache

import pytest

from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.checks.runner import check_template
from registry.registration_template.parsing.parser import parse_template
from tests.support.factories import a_template
from tests.support.shared_data import shared

PERMANENCE, CONTINUITY = "permanence-not-stated", "continuity-not-stated"

# All 70 shared templates were read. These are silent: 15 on permanence, and 7 of companies and projects on continuity.
SILENT = {
    PERMANENCE: {
        *(
            "3gpp",
            "bbf",
            "broadband-forum-org",
            "dslforum-org",
            "cgi",
            "ieee",
        ),  # say only where names are listed
        *("csa", "cta", "gvat", "itu", "nfi", "pno", "wmo"),  # who assigns, and nothing else
        "gdr",  # that names are unique
        "thread",  # reuses parts of names, which is not about names
    },
    CONTINUITY: {"3gpp", "3gpp2", "onem2m", "dgiwg", "adid", "stalwart", "thread"},
}

# Those that address it in words that are easily missed, and how.
ADDRESSED = {
    PERMANENCE: {
        "onem2m": "an assignment can't be deleted",
        "mrn": "an identifier is assigned only once",
        "lex": "persistence depends on institutions",
        "uic": "long-term stability, under Security",
        "lei": "permanent, in another section",
        "isbn": "in another section",
        "c2pa": "self-assigned UUIDs",
        "pwid": "an algorithm",
        "newsml": "an organisation is identified for all time",
        "mace": "usable over time",
        "publicid": "no uniform policy of persistence is possible",
        "fipa": "committed to the persistence of resources",
        "swift": "valid for 15 years",
        "uci": "reassignment is checked",
        "urn-2": "informal",
        "eic": "another document describes assignment",
    },
    CONTINUITY: {
        "nfi": "a custodian is being formed",
        "isbn": "in use for 45 years",
        "nfc": "persistence beyond the lifetime of resources",
        "web3d": "committed to accessibility",
        "doi": "records are transferred",
        "uci": "a substitute is found",
        "itu": "not a company",
        "gvat": "a government",
    },
}


def _questions(**changes: str) -> list[Finding]:
    registrant = dataclasses.replace(
        a_template().registrant, organization=changes.pop("organization", "Example Society")
    )
    found = check_template(a_template(registrant=registrant, **changes), kind="formal")
    return [each for each in found if each.code in SILENT]


@cache
def codes_of_registered_templates() -> dict[str, set[str]]:
    """The codes of the findings on each, by its name."""
    found = {}
    for path in shared("data/templates").glob("*/*.txt"):
        template = parse_template(path.read_bytes().decode()).template
        kind = "informal" if re.fullmatch("urn-[0-9]+", template.namespace_identifier) else "formal"
        findings = check_template(template, kind=kind, fast_track=template.registrant.fast_track)  # type: ignore[arg-type]
        found[path.name.partition(".")[0]] = {each.code for each in findings}
    return found


@pytest.mark.parametrize("code", SILENT)
def test_exactly_the_silent_ones_of_the_registered_templates_are_asked(code: str) -> None:
    found = codes_of_registered_templates()
    asked = {name for name, codes in found.items() if code in codes}
    assert asked == SILENT[code]
    assert len(found) == 70
    assert ADDRESSED[code].keys() <= found.keys() - asked


@pytest.mark.parametrize(
    "sentence",
    [
        "A number is never given to another tree.",
        "Names are not used a second time.",
        "A tree that falls keeps its number.",
        "The list grows only; a name stays in it when the garden closes.",
        "Numbers are consecutive.",
        "Old names stay valid.",
        "Each name is a UUID.",
        "Names are permanent.",
        "No name is removed or reused.",
        "A withdrawn name is retired.",
        "The name remains valid after its holder leaves the society.",
    ],
)
def test_a_text_that_says_in_other_words_that_names_are_permanent_is_not_asked(sentence: str) -> None:
    assert _questions(assignment=f"The secretariat assigns names on request. {sentence}") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Names are unique.",
        "It publishes the names on its website.",
        "Members propose names, and a committee reuses their suggestions.",
        "Assignment is delegated to national centres.",
        "Identifier persistence considerations: the names are documented.",
    ],
)
def test_a_text_that_is_silent_on_permanence_is_asked(sentence: str) -> None:
    (asked,) = _questions(assignment=f"The secretariat assigns names on request. {sentence}".strip())
    assert asked.code == PERMANENCE
    assert asked.severity is Severity.ADVICE
    assert (asked.section, asked.reference) == ("assignment", "RFC 8141, Section 5.1 (3)")


def test_another_section_can_say_that_names_are_permanent() -> None:
    silent = "The secretariat assigns names on request."
    other = "A name is not reassigned."
    assert _questions(assignment=silent, additional_information=other) == []
    assert len(_questions(assignment=silent, additional_information="It is a name.")) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "If the company closes, the Example Society takes over the register.",
        "A successor is named in the contract.",
        "The register is deposited with the national library.",
        "Example has assigned these numbers since 1987.",
        "Its statutes oblige the owner to keep the register for thirty years.",
        "A foundation is the custodian of the names.",
        "Should the project end, the list is handed over to its members.",
        "Names stay usable in the long term.",
    ],
)
def test_a_company_that_says_how_the_namespace_continues_is_not_asked(sentence: str) -> None:
    assert _questions(organization="Example Software LLC", additional_information=sentence) == []


@pytest.mark.parametrize(
    "organization",
    ["Example Software LLC", "Example, Inc.", "Beispiel GmbH", "Exempel AB", "Example Open Data Project"],
)
def test_a_company_or_project_that_does_not_say_it_is_asked(organization: str) -> None:
    (asked,) = _questions(organization=organization)
    assert asked.code == CONTINUITY
    assert asked.severity is Severity.ADVICE
    assert asked.message == (
        f"Does the text say how the namespace continues if {organization} can no longer maintain it?"
    )
    assert asked.reference == "RFC 8141, Section 5.1 (1)"


@pytest.mark.parametrize(
    "organization",
    [
        "Example Society",
        "International Union of Examples",
        "University of Exampleton",
        "Incan Studies Institute",
    ],
)
def test_other_organisations_are_not_asked_for_their_continuity(organization: str) -> None:
    assert _questions(organization=organization) == []


def test_where_the_criteria_do_not_apply_nothing_is_asked() -> None:
    company = dataclasses.replace(a_template().registrant, organization="Example, Inc.")
    silent = a_template(registrant=company, assignment="The secretariat assigns names on request.")

    def codes(template: object = silent, **circumstances: object) -> set[str]:
        findings = check_template(template, **{"kind": "formal", **circumstances})  # type: ignore[arg-type]
        return {each.code for each in findings} & SILENT.keys()

    assert codes() == {PERMANENCE, CONTINUITY}
    assert codes(fast_track=True) == {PERMANENCE}  # recognised bodies (Section 6.3)
    assert codes(kind="informal") == set()
    assert codes(dataclasses.replace(silent, assignment="")) == set()
    assert codes(dataclasses.replace(silent, assignment="See ISO 2108.")) == set()
