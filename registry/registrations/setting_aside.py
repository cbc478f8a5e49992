"""Setting a finding aside: an expert says why it need not be followed. A blocking one can't be."""

from collections.abc import Iterable, Iterator
from http import HTTPStatus

from django.db import transaction

from registry.accounts.models import User
from registry.appendix_a.findings import Severity
from registry.errors import RegistryError
from registry.record import journal
from registry.registrations.findings import findings_on, surroundings_of
from registry.registrations.models import Registration, SetAside, Submission
from registry.registrations.moving import locked
from registry.registrations.workflow import SET_ASIDE
from registry.words import check_words


class NoSuchFinding(RegistryError):
    """There is no such finding on the latest round, or it was set aside before."""

    title = "There is no such finding"


class FindingBlocks(RegistryError):
    """Whatever blocks has to be mended."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "A blocking finding can't be set aside"


@transaction.atomic
def set_aside(
    registration: Registration, *, by: User, round_number: int, section: str, code: str, reason: str
) -> SetAside:
    """Set one finding on the latest round aside, and say why: a part of the record."""
    case = locked(registration, by=by)
    SET_ASIDE.check_open(by, case)
    submission = case.submissions.order_by("-round").first()
    if submission is None or submission.round != round_number:
        raise NoSuchFinding(f"Round {round_number} is not the latest any more. Look at the case again.")
    messages = _messages(case, submission, section, code)
    kept = SetAside.objects.create(
        submission=submission,
        section=section,
        code=code,
        message=" ".join(messages),
        reason=check_words(reason, "why the finding is set aside"),
        by=by,
    )
    journal.append(
        "set_aside",
        by=by,
        registration=case.pk,
        nid=case.requested_nid,
        reason=kept.reason,
        text_digest=submission.digest,
        round=submission.round,
        section=section,
        code=code,
    )
    return kept


def _messages(case: Registration, submission: Submission, section: str, code: str) -> list[str]:
    """What the findings of this code say there. Raises NoSuchFinding or FindingBlocks."""
    findings = findings_on(case, submission.submission, surroundings_of(case, submission.submission))
    found = [each for each in findings if (each.section, each.code) == (section, code)]
    so_far = SetAside.objects.filter(submission__registration=case).select_related("submission")
    if not found or (section, code) in by_finding(submission, so_far):
        raise NoSuchFinding("This finding is not there, or was set aside already. Look at the case again.")
    if any(each.severity == Severity.BLOCKING for each in found):
        raise FindingBlocks("The registrant has to mend this: nobody can set it aside.")
    return [each.message for each in found]


def by_finding(submission: Submission, set_asides: Iterable[SetAside]) -> dict[tuple[str, str], SetAside]:
    """Those that hold for this round, by the section and the code of the finding."""
    return {(each.section, each.code): each for each in holding_for(submission, set_asides)}


def holding_for(submission: Submission, set_asides: Iterable[SetAside]) -> Iterator[SetAside]:
    """Those made on this round, or on an earlier one whose section said the same."""
    for each in set_asides:
        earlier = each.submission
        same = earlier.content.get(each.section) == submission.content.get(each.section)
        if earlier.round == submission.round or (earlier.round < submission.round and same):
            yield each
