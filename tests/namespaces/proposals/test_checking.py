"""Findings on a proposal: the field, the place and the reason; a grammar and the text that contradicts it are both shown."""

import pytest

from registry.namespaces.proposals.applying import apply_proposal, as_proposed
from registry.namespaces.proposals.checking import ProfileRefused, check_proposal, folded
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.checks.examples import SECTIONS_WITH_EXAMPLES
from registry.registration_template.checks.findings import Severity
from registry.registration_template.sections import SECTION_BY_KEY
from tests.namespaces.proposals.samples import SERVICES, a_proposal
from tests.support.factories import a_profile, a_template
from tests.support.services import a_service

NID = "example-trees"


def found(proposed: ProposedProfile, **how: object) -> list[tuple[str, str]]:
    options = {"template": a_template(), "current": None, "nid": NID} | how
    findings = check_proposal(proposed, options.pop("template"), options.pop("current"), **options)  # type: ignore[arg-type]
    assert {finding.severity for finding in findings} <= {Severity.BLOCKING}
    return [(finding.section, finding.message) for finding in findings]


def test_a_complete_proposal_and_no_proposal_have_no_findings() -> None:
    assert found(a_proposal()) == []
    assert found(ProposedProfile()) == []
    assert found(a_proposal(abnf="", examples="urn:example-trees:1:1")) == []
    assert found(a_proposal(services=SERVICES)) == []
    assert found(ProposedProfile(services="I2C https://a.example/{nss} A"), current=a_profile()) == []


def test_what_the_current_profile_says_is_not_checked_again() -> None:
    current = a_profile()
    assert (
        found(as_proposed(current), current=current, template=a_template(syntax="urn:example-trees:x")) == []
    )


@pytest.mark.parametrize("key", ["title", "summary", "examples"])
def test_a_proposal_for_a_new_namespace_is_complete(key: str) -> None:
    [(section, message)] = found(a_proposal(**{key: ""}))
    assert section == f"profile_{key}"
    assert "or empty all fields of this section" in message
    assert found(ProposedProfile(title="Oaks"), current=a_profile()) == []


@pytest.mark.parametrize(
    ("changes", "section", "message"),
    [
        ({"title": "x" * 121}, "profile_title", "121 characters; the limit is 120"),
        ({"summary": "x" * 501}, "profile_summary", "501 characters; the limit is 500"),
        ({"abnf": 'tree = "a"\nleaf = ( "b"'}, "profile_abnf", "Line 2, column 13: “)” is missing"),
        ({"abnf": "tree = leaf"}, "profile_abnf", "Line 1, column 8: The rule “leaf” is not defined."),
        ({"examples": "urn:example-trees:1:1\noak"}, "profile_examples", "Line 2: “oak” is not a URN"),
        (
            {"examples": "\nurn:isbn:1"},
            "profile_examples",
            "Line 1: “urn:isbn:1” belongs to another namespace.",
        ),
        ({"examples": "urn:example-trees:1:1"}, "profile_examples", "has 1 example; it needs at least 3."),
        ({"abnf": "tree = 1*DIGIT"}, "profile_examples", "urn:example-trees:12:4711 is an example, but:"),
        (
            {"services": SERVICES, "examples": "urn:example-trees:12:4711\nurn:isbn:0451450523"},
            "profile_examples",
            "Line 2: “urn:isbn:0451450523” belongs to another namespace.",
        ),
        (
            {"services": "I2C https://a.example/ A\n\nI2C"},
            "profile_services",
            "Line 3: The address template and the title are missing.",
        ),
        ({"services": "I2C https://a.example/{nss}"}, "profile_services", "Line 1: The title is missing."),
        (
            {"services": "I2X https://a.example/ A"},
            "profile_services",
            "Line 1: “I2X” is not a kind of service.",
        ),
        (
            {"services": f"{SERVICES}\nI2C http://a.example/ A"},
            "profile_services",
            "Line 3, column 1 of the template: The scheme is not https. Write https://",
        ),
        (
            {"services": f"{SERVICES}\n\nI2C https://a.example/{{leaf}} A"},
            "profile_services",
            "Line 4, column 19 of the template: ",
        ),
        (
            {"services": "I2C https://a.example/{leaf} A", "abnf": ""},
            "profile_services",
            "Line 1, column 19 of the template: “leaf” needs a grammar. State the grammar, or use {nss} alone.",
        ),
        (
            {"services": "I2C https://a.example/ Two\twords"},
            "profile_services",
            "Line 1, title: Character 4 is U+0009. Remove it.",
        ),
        (
            {"services": f"I2C https://a.example/ {'x' * 121}"},
            "profile_services",
            "Line 1, title: The text has 121 characters; the limit is 120.",
        ),
        (
            {"services": "I2C https://a.example/ A\n" * 31},
            "profile_services",
            "There are 31 services; the limit is 30.",
        ),
        (
            {
                "services": "I2C https://a.example/{leaf} Page",
                "abnf": 'tree = 1*DIGIT ":" 1*DIGIT [ leaf ]\nleaf = 1*ALPHA',
            },
            "profile_services",
            "urn:example-trees:12:4711 is an example of “Page”, but: The name lacks a part",
        ),
    ],
)
def test_a_wrong_member_is_found_with_its_place(changes: dict[str, str], section: str, message: str) -> None:
    first, *_ = found(a_proposal(**changes))
    assert first[0] == section
    assert message in first[1]


def test_wrong_members_are_found_together() -> None:
    sections = [section for section, _ in found(a_proposal(title="x" * 200, abnf="=", examples="1\n2"))]
    assert sections == ["profile_title", "profile_abnf", "profile_examples", "profile_examples"]


def test_a_grammar_that_forbids_a_name_in_the_text_is_shown_with_it() -> None:
    text = a_template(syntax="For example urn:example-trees:12:4711 and urn:example-trees:oak.")
    [(section, message)] = found(a_proposal(), template=text)
    assert section == "profile_abnf"
    assert '“tree = garden ":" number garden = 1*3DIGIT' in message
    assert "“urn:example-trees:oak”, which the section Syntax contains" in message


@pytest.mark.parametrize("key", SECTIONS_WITH_EXAMPLES)
def test_names_in_each_section_with_examples_are_compared_with_the_grammar(key: str) -> None:
    text = a_template(**{key: "For example urn:example-trees:oak."})
    [(section, message)] = found(a_proposal(), template=text)
    assert section == "profile_abnf"
    assert f"which the section {SECTION_BY_KEY[key].title} contains" in message


def test_a_revision_may_change_the_grammar_but_not_against_its_text() -> None:
    current = apply_proposal(a_proposal(), None, nid=NID, subjects=("science",))
    wider = a_proposal(abnf='tree = 1*DIGIT ":" 1*8DIGIT / 1*ALPHA')
    text = a_template(syntax="For example urn:example-trees:oak.")
    assert found(wider, current=current, template=text) == []
    assert found(a_proposal(title="Oaks"), current=current, template=text) == []  # found in the template
    narrower = a_proposal(abnf='tree = 1*2DIGIT ":" 1*4DIGIT')
    assert [section for section, _ in found(narrower, current=current, template=text)] == ["profile_abnf"]


def test_a_wider_grammar_drops_what_no_longer_fits() -> None:
    current = a_profile(
        pattern="(?P<garden>[0-9]+):[0-9]+",
        parts={"garden": "garden"},
        counterexamples=("twelve", "12", "12:x"),
    )
    wider = a_proposal(abnf='tree = 1*DIGIT ":" 1*8DIGIT / 1*ALPHA', examples="")
    assert found(wider, current=current) == []
    names = apply_proposal(wider, current, nid=current.nid).names
    assert not names.labels
    assert [each.urn for each in names.counterexamples] == ["urn:example-trees:12", "urn:example-trees:12:x"]


def test_a_grammar_without_a_part_of_a_current_service_is_found() -> None:
    current = apply_proposal(a_proposal(services=SERVICES), None, nid=NID, subjects=("science",))
    other = ProposedProfile(abnf='tree = 1*DIGIT ":" 1*DIGIT')
    [(section, message)] = found(other, current=current)
    assert section == "profile_abnf"
    assert "no rule or group “number”. A current service needs it." in message
    services = "I2C https://gardens.example/names/{nss}?{q}  Page of the tree"
    assert found(ProposedProfile(abnf=other.abnf, services=services), current=current) == []


def test_a_service_that_takes_no_example_any_more_is_found() -> None:
    current = a_profile(services=[a_service(NID, examples=["urn:example-trees:500:1"])])
    narrower = ProposedProfile(abnf='tree = 1*2DIGIT ":" 1*8DIGIT')
    [(section, message)] = found(narrower, current=current)
    assert section == "profile_services"
    assert message.startswith("urn:example-trees:500:1 is an example of “Catalogue of trees”, but:")


@pytest.mark.parametrize("subjects", [(), ("trees",), ("science", "law", "health", "media")])
def test_the_subjects_are_checked_at_the_confirmation(subjects: tuple[str, ...]) -> None:
    with pytest.raises(ProfileRefused) as refused:
        folded(a_proposal(), None, nid=NID, subjects=subjects)
    [finding] = refused.value.findings
    assert (finding.section, finding.message) == ("profile_subjects", "Choose one to three subjects.")
    assert finding.reference == "a rule of this registry, not of RFC 8141"


def test_without_a_nid_only_the_members_are_checked() -> None:
    assert found(a_proposal(), nid="") == []
    assert [section for section, _ in found(a_proposal(abnf="="), nid="")] == ["profile_abnf"]


def test_many_findings_are_limited() -> None:
    assert len(found(a_proposal(examples="x\n" * 500))) == 20
    assert len(found(a_proposal(services="x\n" * 500))) == 20
