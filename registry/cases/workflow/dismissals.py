"""Setting a finding aside: an expert says why it need not be followed. A blocking one can't be."""

from collections.abc import Iterable, Iterator
from http import HTTPStatus

from django.db import transaction

from registry.accounts.models import User
from registry.audit_log import log
from registry.cases.findings import findings_on, reference_data_for
from registry.cases.models import Case, Dismissal, Round
from registry.cases.workflow.engine import lock_case
from registry.cases.workflow.table import DISMISS_FINDING
from registry.core.exceptions import RegistryError
from registry.core.validators import check_text
from registry.registration_template.checks.findings import Severity


class NoSuchFinding(RegistryError):
    """There is no such finding on the latest round, or it was set aside before."""

    title = "There is no such finding"


class FindingBlocks(RegistryError):
    """Whatever blocks has to be mended."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "A blocking finding can't be set aside"


@transaction.atomic
def dismiss_finding(
    case: Case, *, by: User, round_number: int, section: str, code: str, reason: str
) -> Dismissal:
    """Set one finding on the latest round aside, and say why: a part of the record."""
    case = lock_case(case, by=by)
    DISMISS_FINDING.check_allowed(by, case)
    round_ = case.rounds.order_by("-number").first()
    if round_ is None or round_.number != round_number:
        raise NoSuchFinding(f"Round {round_number} is not the latest any more. Look at the case again.")
    messages = _messages(case, round_, section, code)
    kept = Dismissal.objects.create(
        round=round_,
        section=section,
        code=code,
        message=" ".join(messages),
        reason=check_text(reason, "why the finding is set aside"),
        by=by,
    )
    log.append(
        "dismiss_finding",
        by=by,
        case=case.pk,
        nid=case.requested_nid,
        reason=kept.reason,
        text_digest=round_.digest,
        round=round_.number,
        section=section,
        code=code,
    )
    return kept


def _messages(case: Case, round_: Round, section: str, code: str) -> list[str]:
    """What the findings of this code say there. Raises NoSuchFinding or FindingBlocks."""
    findings = findings_on(case, round_.template, reference_data_for(case, round_.template))
    found = [each for each in findings if (each.section, each.code) == (section, code)]
    so_far = Dismissal.objects.filter(round__case=case).select_related("round")
    if not found or (section, code) in by_finding(round_, so_far):
        raise NoSuchFinding("This finding is not there, or was set aside already. Look at the case again.")
    if any(each.severity == Severity.BLOCKING for each in found):
        raise FindingBlocks("The registrant has to mend this: nobody can set it aside.")
    return [each.message for each in found]


def by_finding(round_: Round, dismissals: Iterable[Dismissal]) -> dict[tuple[str, str], Dismissal]:
    """Those that hold for this round, by the section and the code of the finding."""
    return {(each.section, each.code): each for each in holding_for(round_, dismissals)}


def holding_for(round_: Round, dismissals: Iterable[Dismissal]) -> Iterator[Dismissal]:
    """Those made on this round, or on an earlier one whose section said the same."""
    for each in dismissals:
        earlier = each.round
        same = earlier.content.get(each.section) == round_.content.get(each.section)
        if earlier.number == round_.number or (earlier.number < round_.number and same):
            yield each
