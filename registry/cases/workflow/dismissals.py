"""Dismissal of findings: an expert records why a finding need not be followed. Blocking findings stay."""

from collections.abc import Iterable, Iterator

from registry.accounts.models import User
from registry.cases.findings import findings_on, reference_data_for
from registry.cases.models import Case, Dismissal, Round
from registry.cases.workflow.action_table import DISMISS_FINDING
from registry.cases.workflow.definition import action_of
from registry.cases.workflow.engine import act
from registry.cases.workflow.exceptions import FindingBlocks, NoSuchFinding
from registry.core.validators import check_text
from registry.registration_template.checks.findings import Severity


@action_of(DISMISS_FINDING)
def dismiss_finding(case: Case, *, by: User, round_number: int, section: str, code: str, reason: str) -> Case:
    """Set a finding on the latest round aside, with a reason, as part of the public record."""
    with act(DISMISS_FINDING, case, by=by) as context:
        round_ = context.case.rounds.order_by("-number").first()
        if round_ is None or round_.number != round_number:
            raise NoSuchFinding(f"Round {round_number} is not the latest any more. Look at the case again.")
        messages = _messages(context.case, round_, section, code)
        context.reason = check_text(reason, "why the finding is set aside")
        context.text_digest = round_.digest
        context.details = {"round": round_.number, "section": section, "code": code}
        Dismissal.objects.create(
            round=round_,
            section=section,
            code=code,
            message=" ".join(messages),
            reason=context.reason,
            by=by,
        )
    return context.case


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
