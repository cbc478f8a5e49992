"""Findings on a proposed profile. All are blocking, because the profile could not be set."""

import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from itertools import chain, islice

from registry.core.exceptions import RegistryError
from registry.core.validators import shortened
from registry.namespaces.actions.profiles import NamesContradict
from registry.namespaces.current_profiles import contradictions_in
from registry.namespaces.proposals.applying import (
    ProposalOrigin,
    apply_proposal,
    as_proposed,
    changes_of,
    example_lines,
)
from registry.namespaces.proposals.proposed_profile import PREFIX, ProposedProfile
from registry.namespaces.proposals.services import check_line, service_lines
from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.sections import SECTION_BY_KEY
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.nid import is_well_formed
from urnsyntax.profiles import Example, InvalidProfile, InvalidRules, Profile
from urnsyntax.profiles.examples import failures_of_names, failures_of_services
from urnsyntax.profiles.grammar.matching import parse_grammar
from urnsyntax.profiles.profile import MAX_SERVICES, SUBJECTS
from urnsyntax.profiles.schema import read_object

MAX_FINDINGS = 20
MAX_SHOWN = 200  # characters of a grammar
MAX_SUBJECTS = 3
OWN_RULE = "a rule of this registry, not of RFC 8141"
REFERENCES = {
    "title": "RFC 8141, Section 6.4.1",
    "summary": "RFC 8141, Section 6.4.1",
    "services": "RFC 8141, Section 6.4.6",
    "subjects": OWN_RULE,
    "examples": OWN_RULE,
}
SYNTAX = "RFC 8141, Section 6.4.2"
_EXAMPLE_KEY = re.compile(r"names\.examples\[([0-9]+)\]")
_SERVICE_KEY = re.compile(r"services\[([0-9]+)\]")


class ProfileRefused(RegistryError):
    """The confirmed profile has findings, so it can't be set. `findings` holds them, each with its section."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The profile can't be set"

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(" ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


def check_proposal(
    proposed: ProposedProfile,
    template: RegistrationTemplate,
    current: Profile | None,
    *,
    nid: str,
) -> tuple[Finding, ...]:
    """The findings on a proposal for the namespace `nid`, whose registered or submitted text is `template`.

    A proposal that states nothing, or only what the current profile says, has none. Before the assignment, the
    subjects are not known, so any will do.
    """
    if not proposed or proposed == as_proposed(current):
        return ()
    if not is_well_formed(nid):  # the check of the template says so
        return tuple(_findings_on_members(proposed, current))
    try:
        profile = folded(proposed, current, nid=nid, subjects=() if current else SUBJECTS[:1])
    except ProfileRefused as refusal:
        return refusal.findings
    failures = chain(_failures(profile), _contradictions(proposed, template, current, profile))
    return tuple(islice(failures, MAX_FINDINGS))


def folded(
    proposed: ProposedProfile,
    current: Profile | None,
    *,
    nid: str,
    subjects: Sequence[str],
    origin: ProposalOrigin | None = None,
) -> Profile:
    """The profile after the proposal; see `fold`. Its examples and the text are not compared with its grammar.

    Raises ProfileRefused.
    """
    if found := _findings_on_members(proposed, current):
        raise ProfileRefused(found)
    try:
        return apply_proposal(proposed, current, nid=nid, subjects=subjects, origin=origin)
    except InvalidProfile as error:
        raise ProfileRefused([_finding_of(error, changes_of(proposed, current))]) from error


def findings_of_refusal(refusal: NamesContradict) -> tuple[Finding, ...]:
    """The findings on a grammar that the names in the registered text contradict."""
    return tuple(
        _finding("abnf", "profile-contradicts-text", each) for each in refusal.failures[:MAX_FINDINGS]
    )


def findings_on_subjects_alone() -> tuple[Finding, ...]:
    """The finding on subjects of a namespace without a profile."""
    message = (
        "There is no profile that these subjects could belong to. Enter a profile, or choose no subject."
    )
    return (_finding("subjects", "profile-incomplete", message),)


def _findings_on_members(proposed: ProposedProfile, current: Profile | None) -> list[Finding]:
    faults = chain(_missing_members(proposed, current), _faulty_members(proposed))
    return list(islice(faults, MAX_FINDINGS))


def _finding(key: str, code: str, message: str) -> Finding:
    return Finding(f"{PREFIX}{key}", Severity.BLOCKING, code, message, REFERENCES.get(key, SYNTAX))


def _missing_members(proposed: ProposedProfile, current: Profile | None) -> Iterator[Finding]:
    """The members that a new profile needs. A namespace that has a profile keeps what is left empty."""
    needed = {"title": "a title", "summary": "a summary", "examples": "an example"}
    for key, what in () if current else needed.items():
        if not getattr(proposed, key):
            message = f"The profile has no {what.partition(' ')[2]}. Enter {what}, or empty all fields of this section."
            yield _finding(key, "profile-incomplete", message)


def _faulty_members(proposed: ProposedProfile) -> Iterator[Finding]:
    """What is wrong in each member alone, with its place."""
    for key in ("title", "summary"):
        if text := " ".join(getattr(proposed, key).split()):
            try:
                Profile.__dataclass_fields__[key].metadata["read"](text, key)
            except InvalidProfile as error:
                yield _finding(key, "profile-invalid", f"{error.reason} {error.advice}")
    if proposed.abnf:
        try:
            parse_grammar(abnf=proposed.abnf, pattern="")
        except InvalidRules as error:
            yield _finding("abnf", "profile-grammar-invalid", str(error))
    for number, example in example_lines(proposed.examples):
        try:
            read_object(Example, example)
        except InvalidProfile as error:
            message = f"Line {number}: {error.reason} {error.advice}"
            yield _finding("examples", "profile-example-invalid", message)
    for line in islice(service_lines(proposed.services), MAX_SERVICES):
        try:
            check_line(line)
        except InvalidProfile as error:
            yield _finding_of_service(error, line.number)


def _finding_of(error: InvalidProfile, changed: dict[str, str]) -> Finding:
    """The finding for a profile that the changes would make invalid."""
    if "services" in changed and error.key.startswith("services"):
        found = _SERVICE_KEY.match(error.key)
        number = list(service_lines(changed["services"]))[int(found[1])].number if found else None
        return _finding_of_service(error, number)
    if found := _EXAMPLE_KEY.match(error.key):
        number, _ = list(example_lines(changed["examples"]))[int(found[1])]
        message = f"Line {number}: {shortened(error.reason, MAX_SHOWN)} {error.advice}"
        return _finding("examples", "profile-example-invalid", message)
    if error.key.startswith("subjects"):
        message = "Choose one to three subjects."
        return _finding("subjects", "profile-incomplete", message)
    if error.key.startswith("services"):
        message = f"{error.reason} A current service needs it. Keep it in the grammar, or enter the services that stay."
        return _finding("abnf", "profile-invalid", message)
    key = "examples" if error.key == "names.examples" else "abnf"
    return _finding(key, "profile-invalid", f"{error.reason} {error.advice}")


def _finding_of_service(error: InvalidProfile, number: int | None) -> Finding:
    """The finding on the service of a line, or without one on all of them."""
    part = error.key.rpartition(".")[2]
    place = f", {error.place} of the template" if error.place else f", {part}" if part == "title" else ""
    where = f"Line {number}{place}: " if number else ""
    return _finding("services", "profile-service-invalid", f"{where}{error.reason} {error.advice}".rstrip())


def _failures(profile: Profile) -> Iterator[Finding]:
    of_names = list(failures_of_names(profile, least_counterexamples=0))
    for failure in of_names:
        message = f"{failure} Correct the examples or the grammar, or empty all fields of this section."
        yield _finding("examples", "profile-examples-fail", message)
    for failure in () if of_names else failures_of_services(profile):
        message = f"{failure} Correct the grammar, the template or the examples."
        yield _finding("services", "profile-services-fail", message)


def _contradictions(
    proposed: ProposedProfile, template: RegistrationTemplate, current: Profile | None, profile: Profile
) -> Iterator[Finding]:
    """The names in the text that a new grammar forbids. Those that the current one forbids are found in the template."""
    if current and profile.names.abnf == current.names.abnf:
        return
    for each in contradictions_in(template, profile):
        grammar = " ".join(shortened(proposed.abnf, MAX_SHOWN).split())
        title = SECTION_BY_KEY[each.section].title
        message = (
            f"The grammar “{grammar}” forbids “{shortened(each.text)}”, which the section {title} contains. "
            f"{each.reason} Correct the grammar or the section."
        )
        yield _finding("abnf", "profile-contradicts-text", message)
