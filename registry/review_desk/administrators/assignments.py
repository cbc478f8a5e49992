"""Approved cases, and all that an administrator has to know before assigning: the checks are run again.

What is asked of the registry is asked once for all cases of a page, however many they are.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from registry.cases.competing_cases import same_wishes
from registry.cases.deadlines import Deadline, deadline_of
from registry.cases.findings import blocking, findings_on
from registry.cases.models import Case, Round
from registry.cases.status import what_assignment_does
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.services.registration import next_informal_nid
from registry.registration_template.checks.findings import Finding, ReferenceData
from registry.registration_template.nids.findings import KnownNIDs
from registry.registration_template.nids.report import report_on


class CheckResult(StrEnum):
    GOOD = "good"
    REMARK = "to know"
    BAD = "in the way"


@dataclass(frozen=True, slots=True)
class AssignmentCheck:
    """One thing that was looked at again, and what came of it."""

    result: CheckResult
    message: str
    competing_cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingAssignment:
    """An approved case on the desk: what assigning it does, and what was found when it was looked at again."""

    case: Case
    round: Round
    effect: str
    checks: tuple[AssignmentCheck, ...]
    deadline: Deadline | None

    @property
    def is_ready(self) -> bool:
        return all(check.result != CheckResult.BAD for check in self.checks)


@dataclass(frozen=True)
class _PrefetchedNIDs(KnownNIDs):
    """The namespaces that have the NIDs of a page's cases."""

    registered: dict[str, Namespace]

    def namespace(self, nid: str) -> Namespace | None:
        return self.registered.get(nid)


@dataclass(frozen=True, slots=True)
class _RegistryState:
    """What the registry knows about the cases of one page."""

    registered: dict[str, Namespace]
    competing_cases: dict[int, list[Case]]
    next_informal: str


def latest_rounds(cases: Iterable[Case]) -> dict[int, Round]:
    """The latest round of each case, by the number of the case."""
    rounds = Round.objects.filter(case__in=list(cases)).select_related("submitted_by")
    latest = rounds.order_by("case_id", "-number").distinct("case_id")
    return {round_.case_id: round_ for round_ in latest}


def pending_assignments(cases: Sequence[Case]) -> list[PendingAssignment]:
    """The approved cases of a page; each comes with its namespace and its registrant."""
    rounds, registry_state = latest_rounds(cases), _registry_state(cases)
    return [_assignment(case, rounds[case.pk], registry_state) for case in cases if case.pk in rounds]


def _registry_state(cases: Sequence[Case]) -> _RegistryState:
    nids = [case.requested_nid for case in cases if case.requested_nid and not case.is_revision]
    namespaces = Namespace.objects.only("nid", "registered_on", "deprecated_at")
    return _RegistryState(
        registered={each.nid: each for each in namespaces.filter(nid__in=nids)},
        competing_cases=same_wishes(cases),
        next_informal=next_informal_nid(),
    )


def _assignment(case: Case, round_: Round, registry_state: _RegistryState) -> PendingAssignment:
    case.latest_round = round_
    effect = what_assignment_does(case, next_informal=registry_state.next_informal)
    checks = tuple(_checks(case, round_, registry_state))
    return PendingAssignment(case, round_, effect, checks, deadline_of(case))


def _checks(case: Case, round_: Round, registry_state: _RegistryState) -> Iterator[AssignmentCheck]:
    found = blocking(findings_on(case, round_.template, _reference_data(case, round_, registry_state)))
    of_identifier = [each for each in found if each.section == "namespace_identifier"]
    of_version = [each for each in found if each.section == "version"]
    of_text = [each for each in found if each not in of_identifier and each not in of_version]
    if case.is_revision:
        yield from _check_revision(case, round_, of_identifier + of_version)
    elif case.kind == Kind.INFORMAL:
        yield AssignmentCheck(
            CheckResult.REMARK,
            f"The number is given at the moment of assignment: {registry_state.next_informal} is the next, "
            "unless another assignment takes it first.",
        )
    else:
        yield from _failed(of_identifier) if of_identifier else [_nid_is_free(case)]
    yield from (
        _failed(of_text)
        if of_text
        else [AssignmentCheck(CheckResult.GOOD, f"Round {round_.number} has no blocking finding.")]
    )
    yield _check_competing_cases(registry_state.competing_cases.get(case.pk, []))


def _reference_data(case: Case, round_: Round, registry_state: _RegistryState) -> ReferenceData:
    """What can prevent the assignment. What the NID resembles was advice to the experts."""
    if case.is_revision and case.namespace is not None:
        return ReferenceData(revised_nid=case.namespace.nid, revised_version=case.namespace.version)
    nid = round_.template.namespace_identifier
    return ReferenceData(nid_report=report_on(nid, _PrefetchedNIDs(registry_state.registered)))


def _nid_is_free(case: Case) -> AssignmentCheck:
    return AssignmentCheck(
        CheckResult.GOOD, f"{case.requested_nid} may be registered, and is free (RFC 8141, section 5.1)."
    )


def _check_revision(case: Case, round_: Round, found: list[Finding]) -> Iterator[AssignmentCheck]:
    if case.is_of_former_registrant:
        yield AssignmentCheck(
            CheckResult.BAD, "The namespace was transferred to somebody else since this revision was begun."
        )
    else:
        yield AssignmentCheck(
            CheckResult.GOOD, "The registrant of the case is still the registrant of the namespace."
        )
    if round_.template.version != case.next_version:
        yield AssignmentCheck(
            CheckResult.BAD,
            f"It was written as version {round_.template.version}, but the next one is "
            f"{case.next_version}. Return it, so that the registrant can look at what changed.",
        )
    elif found:
        yield from _failed(found)
    else:
        yield AssignmentCheck(
            CheckResult.GOOD, f"It was written as version {case.next_version}, which is the next one."
        )


def _check_competing_cases(competing_cases: list[Case]) -> AssignmentCheck:
    if not competing_cases:
        return AssignmentCheck(CheckResult.GOOD, "No other open case wants the same.")
    return AssignmentCheck(
        CheckResult.REMARK,
        "Another open case wants the same, and can't have it then:",
        tuple(competing_cases),
    )


def _failed(found: Iterable[Finding]) -> Iterator[AssignmentCheck]:
    return (AssignmentCheck(CheckResult.BAD, f"{each.message} ({each.reference})") for each in found)
