"""Approved cases with the checks before assignment, which run again each time.

The number of queries does not depend on the number of cases.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from registry.audit_log.models import Event
from registry.cases.competing_cases import CompetingCase, cases_with_same_target, cases_with_similar_targets
from registry.cases.deadlines import Deadline, deadline_of
from registry.cases.drafts.history import RevisionChanges, changes_to_registered
from registry.cases.findings import blocking, findings_on, findings_on_proposal, reference_data_for
from registry.cases.models import Case, Review, Round
from registry.cases.status import what_assignment_does
from registry.namespaces.actions.registration import next_informal_nid
from registry.namespaces.models import Kind, Namespace
from registry.registration_template.checks.findings import Finding
from registry.registration_template.nids.rules import KnownNIDs

# The events that led to an approval, beside the reviews.
DECISIONS = ("direct", "request_completion")


class CheckResult(StrEnum):
    GOOD = "OK"
    REMARK = "note"
    BAD = "blocked"


@dataclass(frozen=True, slots=True)
class AssignmentCheck:
    """The result of one check."""

    result: CheckResult
    message: str
    competing_cases: tuple[Case, ...] = ()
    similar_cases: tuple[CompetingCase, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingAssignment:
    """An approved case with the effect of its assignment and the results of the checks."""

    case: Case
    round: Round
    effect: str
    checks: tuple[AssignmentCheck, ...]
    deadline: Deadline | None
    revision_changes: RevisionChanges | None
    # The reviews of the round, and the decisions of the approval body and of the requesting body.
    reviews: tuple[Review, ...]
    decisions: tuple[Event, ...]

    @property
    def is_ready(self) -> bool:
        return all(check.result != CheckResult.BAD for check in self.checks)


@dataclass(frozen=True)
class _PrefetchedNIDs(KnownNIDs):
    """The registered namespaces with the NIDs of the cases on a page."""

    registered: dict[str, Namespace]

    def namespace(self, nid: str) -> Namespace | None:
        return self.registered.get(nid)


@dataclass(frozen=True, slots=True)
class _RegistryState:
    """The facts about the registry that the checks of a page use."""

    registered: dict[str, Namespace]
    competing_cases: dict[int, list[Case]]
    similar_cases: dict[int, list[CompetingCase]]
    next_informal: str


def latest_rounds(cases: Iterable[Case]) -> dict[int, Round]:
    """The latest round of each case, by case number."""
    rounds = Round.objects.filter(case__in=list(cases)).select_related("submitted_by")
    latest = rounds.order_by("case_id", "-number").distinct("case_id")
    return {round_.case_id: round_ for round_ in latest}


def pending_assignments(cases: Sequence[Case]) -> list[PendingAssignment]:
    """The checked cases of a page. The namespace and the registrant of each case must be loaded."""
    rounds, registry_state = latest_rounds(cases), _registry_state(cases)
    reviews, decisions = _reviews_of(rounds.values()), _decisions_on(cases)
    return [
        _assignment(case, round_, registry_state, (tuple(reviews[round_.pk]), tuple(decisions[case.pk])))
        for case in cases
        if (round_ := rounds.get(case.pk))
    ]


def _reviews_of(rounds: Iterable[Round]) -> dict[int, list[Review]]:
    """The reviews of each round, by its key."""
    found = defaultdict(list)
    for review in (
        Review.objects.filter(round__in=list(rounds)).select_related("expert", "taken_back").order_by("pk")
    ):
        found[review.round_id].append(review)
    return found


def _decisions_on(cases: Sequence[Case]) -> dict[int | None, list[Event]]:
    """The directions and requests for completion of each case, by its number."""
    found = defaultdict(list)
    events = Event.objects.filter(case_number__in=[case.pk for case in cases], verb__in=DECISIONS)
    for event in events.select_related("actor").order_by("number"):
        found[event.case_number].append(event)
    return found


def _registry_state(cases: Sequence[Case]) -> _RegistryState:
    nids = [case.requested_nid for case in cases if case.requested_nid and not case.is_revision]
    namespaces = Namespace.objects.only("nid", "registered_on", "deprecated_at")
    return _RegistryState(
        registered={each.nid: each for each in namespaces.filter(nid__in=nids)},
        competing_cases=cases_with_same_target(cases),
        similar_cases=cases_with_similar_targets(cases),
        next_informal=next_informal_nid(),
    )


def _assignment(
    case: Case,
    round_: Round,
    registry_state: _RegistryState,
    grounds: tuple[tuple[Review, ...], tuple[Event, ...]],
) -> PendingAssignment:
    case.latest_round = round_
    effect = what_assignment_does(case, next_informal=registry_state.next_informal)
    checks = tuple(_checks(case, round_, registry_state))
    changes = changes_to_registered(case, round_)
    return PendingAssignment(case, round_, effect, checks, deadline_of(case), changes, *grounds)


def _checks(case: Case, round_: Round, registry_state: _RegistryState) -> Iterator[AssignmentCheck]:
    # Registered namespaces with a similar identifier are left to the experts.
    known = _PrefetchedNIDs(registry_state.registered)
    reference_data = reference_data_for(case, round_.template, round_.proposed_profile, known=known)
    found = blocking(findings_on(case, round_.template, reference_data))
    of_identifier = [each for each in found if each.section == "namespace_identifier"]
    of_version = [each for each in found if each.section == "version"]
    of_text = [each for each in found if each not in of_identifier and each not in of_version]
    if case.is_revision:
        yield from _check_revision(case, round_, of_identifier + of_version)
    elif case.kind == Kind.INFORMAL:
        yield AssignmentCheck(
            CheckResult.REMARK,
            f"The number is assigned on registration. The next one is {registry_state.next_informal}, "
            "unless another assignment takes it first.",
        )
    else:
        yield from _failed(of_identifier) if of_identifier else [_nid_is_free(case)]
    yield from (
        _failed(of_text)
        if of_text
        else [AssignmentCheck(CheckResult.GOOD, f"Round {round_.number} has no blocking finding.")]
    )
    if round_.profile:
        yield from _check_proposal(case, round_)
    yield from _check_competing_cases(
        registry_state.competing_cases.get(case.pk, []), registry_state.similar_cases.get(case.pk, [])
    )


def _nid_is_free(case: Case) -> AssignmentCheck:
    return AssignmentCheck(
        CheckResult.GOOD, f"{case.requested_nid} is valid and free (RFC 8141, Section 5.1)."
    )


def _check_revision(case: Case, round_: Round, found: list[Finding]) -> Iterator[AssignmentCheck]:
    if case.is_of_former_registrant:
        yield AssignmentCheck(
            CheckResult.BAD,
            "The namespace was transferred to another registrant after this revision was started.",
        )
    else:
        yield AssignmentCheck(
            CheckResult.GOOD, "The registrant of the case is still the registrant of the namespace."
        )
    if round_.template.version != case.next_version:
        yield AssignmentCheck(
            CheckResult.BAD,
            f"The template has version {round_.template.version}, but the next version is "
            f"{case.next_version}. Return the case so that the registrant can update it.",
        )
    elif found:
        yield from _failed(found)
    else:
        yield AssignmentCheck(
            CheckResult.GOOD, f"The template has version {case.next_version}, which is the next version."
        )


def _check_proposal(case: Case, round_: Round) -> Iterator[AssignmentCheck]:
    """The findings do not block the case: the administrator can change the profile at the assignment."""
    found = findings_on_proposal(case, round_)
    if not found:
        yield AssignmentCheck(CheckResult.GOOD, "The proposed profile has no findings.")
    for each in found:
        yield AssignmentCheck(CheckResult.REMARK, f"{each.message} ({each.reference})")


def _check_competing_cases(same: list[Case], similar: list[CompetingCase]) -> Iterator[AssignmentCheck]:
    if same:
        message = "Other open cases request the same identifier and will be blocked:"
        yield AssignmentCheck(CheckResult.REMARK, message, tuple(same))
    if similar:
        message = "Other open cases request a similar identifier:"
        yield AssignmentCheck(CheckResult.REMARK, message, similar_cases=tuple(similar))
    if not same and not similar:
        message = "No other open case requests the same identifier or a similar one."
        yield AssignmentCheck(CheckResult.GOOD, message)


def _failed(found: Iterable[Finding]) -> Iterator[AssignmentCheck]:
    return (AssignmentCheck(CheckResult.BAD, f"{each.message} ({each.reference})") for each in found)
