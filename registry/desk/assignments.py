"""Approved cases, and all that an administrator has to know before assigning: the checks are run again.

What is asked of the registry is asked once for all cases of a page, however many they are.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from registry.appendix_a.findings import Finding, Surroundings
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.registering import next_informal_nid
from registry.registrations.clocks import Clock, clock_of
from registry.registrations.findings import blocking, findings_on
from registry.registrations.models import Registration, Submission
from registry.registrations.rivals import same_wishes
from registry.registrations.standing import what_assignment_does


class Result(StrEnum):
    GOOD = "good"
    REMARK = "to know"
    BAD = "in the way"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at again, and what came of it."""

    result: Result
    words: str
    rivals: tuple[Registration, ...] = ()


@dataclass(frozen=True, slots=True)
class Assignment:
    """An approved case on the desk: what assigning it does, and what was found when it was looked at again."""

    case: Registration
    submission: Submission
    effect: str
    checks: tuple[Check, ...]
    clock: Clock | None

    @property
    def is_ready(self) -> bool:
        return all(check.result != Result.BAD for check in self.checks)


@dataclass(frozen=True, slots=True)
class _Around:
    """What the registry knows around the cases of one page."""

    registered: dict[str, str]
    rivals: dict[int, list[Registration]]
    next_informal: str


def latest_submissions(cases: Iterable[Registration]) -> dict[int, Submission]:
    """The latest round of each case, by the number of the case."""
    rounds = Submission.objects.filter(registration__in=list(cases)).select_related("submitted_by")
    latest = rounds.order_by("registration_id", "-round").distinct("registration_id")
    return {submission.registration_id: submission for submission in latest}


def assignments_of(cases: Sequence[Registration]) -> list[Assignment]:
    """The approved cases of a page; each comes with its namespace and its registrant."""
    submissions, around = latest_submissions(cases), _around(cases)
    return [_assignment(case, submissions[case.pk], around) for case in cases if case.pk in submissions]


def _around(cases: Sequence[Registration]) -> _Around:
    nids = [case.requested_nid for case in cases if case.requested_nid and not case.is_revision]
    return _Around(
        registered=dict(Namespace.objects.filter(nid__in=nids).values_list("nid", "registered_on")),
        rivals=same_wishes(cases),
        next_informal=next_informal_nid(),
    )


def _assignment(case: Registration, submission: Submission, around: _Around) -> Assignment:
    case.latest_submission = submission
    effect = what_assignment_does(case, next_informal=around.next_informal)
    checks = tuple(_checks(case, submission, around))
    return Assignment(case, submission, effect, checks, clock_of(case))


def _checks(case: Registration, submission: Submission, around: _Around) -> Iterator[Check]:
    found = blocking(findings_on(case, submission.submission, _surroundings(case, around)))
    of_identifier = [each for each in found if each.section == "namespace_identifier"]
    of_version = [each for each in found if each.section == "version"]
    of_text = [each for each in found if each not in of_identifier and each not in of_version]
    if case.is_revision:
        yield from _of_revision(case, submission, of_identifier + of_version)
    elif case.kind == Kind.INFORMAL:
        yield Check(
            Result.REMARK,
            f"The number is given at the moment of assignment: {around.next_informal} is the next, "
            "unless another assignment takes it first.",
        )
    else:
        yield from _failed(of_identifier) if of_identifier else [_free(case)]
    yield from (
        _failed(of_text)
        if of_text
        else [Check(Result.GOOD, f"Round {submission.round} has no blocking finding.")]
    )
    yield _of_rivals(around.rivals.get(case.pk, []))


def _surroundings(case: Registration, around: _Around) -> Surroundings:
    """What can be in the way. What merely looks alike was advice to the experts, and is on the case's page."""
    if case.is_revision and case.namespace is not None:
        return Surroundings(revised_nid=case.namespace.nid, revised_version=case.namespace.version)
    return Surroundings(registered_nids=frozenset(around.registered))


def _free(case: Registration) -> Check:
    return Check(Result.GOOD, f"{case.requested_nid} may be registered, and is free (RFC 8141, section 5.1).")


def _of_revision(case: Registration, submission: Submission, found: list[Finding]) -> Iterator[Check]:
    if case.is_of_former_registrant:
        yield Check(
            Result.BAD, "The namespace was transferred to somebody else since this revision was begun."
        )
    else:
        yield Check(Result.GOOD, "The registrant of the case is still the registrant of the namespace.")
    if submission.submission.version != case.next_version:
        yield Check(
            Result.BAD,
            f"It was written as version {submission.submission.version}, but the next one is "
            f"{case.next_version}. Return it, so that the registrant can look at what changed.",
        )
    elif found:
        yield from _failed(found)
    else:
        yield Check(Result.GOOD, f"It was written as version {case.next_version}, which is the next one.")


def _of_rivals(rivals: list[Registration]) -> Check:
    if not rivals:
        return Check(Result.GOOD, "No other open case wants the same.")
    return Check(Result.REMARK, "Another open case wants the same, and can't have it then:", tuple(rivals))


def _failed(found: Iterable[Finding]) -> Iterator[Check]:
    return (Check(Result.BAD, f"{each.message} ({each.reference})") for each in found)
