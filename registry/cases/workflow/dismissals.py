"""Dismissal of advice: an expert records why it does not need to be followed. Blocking findings can't be dismissed."""

from collections.abc import Iterable, Iterator

from registry.actions.engine import performs
from registry.cases.findings import findings_on, reference_data_for
from registry.cases.models import Case, Dismissal, Round
from registry.cases.workflow.action_table import DISMISS_FINDING
from registry.cases.workflow.exceptions import FindingBlocks, NoSuchFinding
from registry.cases.workflow.subject import CASE, CaseContext, check_latest_round
from registry.core.digests import digest_of
from registry.core.validators import check_text
from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.template import RegistrationTemplate


@performs(DISMISS_FINDING, CASE)
def dismiss_finding(context: CaseContext, *, round_number: int, section: str, code: str, reason: str) -> None:
    """Dismiss a finding on the latest round, with a public reason."""
    round_ = check_latest_round(context.case, round_number)
    message = " ".join(_messages(context.case, round_, section, code))
    context.reason = check_text(reason, "the reason for the dismissal")
    context.text_digest = round_.digest
    context.details = {"round": round_.number, "section": section, "code": code}
    context.details["message_digest"] = digest_of(message)
    Dismissal.objects.create(
        round=round_,
        section=section,
        code=code,
        message=message,
        reason=context.reason,
        by=context.actor,
    )


def _messages(case: Case, round_: Round, section: str, code: str) -> list[str]:
    """The messages of the findings with this code. Raises NoSuchFinding or FindingBlocks."""
    reference_data = reference_data_for(case, round_.template, round_.proposed_profile)
    findings = findings_on(case, round_.template, reference_data)
    found = [each for each in findings if (each.section, each.code) == (section, code)]
    so_far = Dismissal.objects.filter(round__case=case).select_related("round")
    if not found or (section, code) in by_finding(round_, so_far):
        raise NoSuchFinding("The section has no such finding, or it was already dismissed. Reload the case.")
    if any(each.severity == Severity.BLOCKING for each in found):
        raise FindingBlocks("Only advice can be dismissed. The registrant must correct the section.")
    return [each.message for each in found]


def not_dismissed(case: Case, template: RegistrationTemplate, findings: Iterable[Finding]) -> list[Finding]:
    """The findings on the next round, if it had this template, without those that an expert dismissed."""
    next_round = Round(number=case.latest_round_number + 1, content=template.to_json())
    so_far = Dismissal.objects.filter(round__case=case).select_related("round")
    aside = by_finding(next_round, so_far)
    return [found for found in findings if (found.section, found.code) not in aside]


def by_finding(round_: Round, dismissals: Iterable[Dismissal]) -> dict[tuple[str, str], Dismissal]:
    """The dismissals that apply to this round, by section and code of the finding."""
    return {(each.section, each.code): each for each in holding_for(round_, dismissals)}


def holding_for(round_: Round, dismissals: Iterable[Dismissal]) -> Iterator[Dismissal]:
    """The dismissals made on this round, or on an earlier round with an identical section."""
    for each in dismissals:
        earlier = each.round
        same = earlier.content.get(each.section) == round_.content.get(each.section)
        if earlier.number == round_.number or (earlier.number < round_.number and same):
            yield each
