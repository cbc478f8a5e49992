"""Drafts of texts for experts to edit: the report to the approval body, and action points.

The report becomes part of the audit log, from which nothing is erased. It therefore refers to the round for the
contact details.
"""

from collections.abc import Iterator
from dataclasses import replace

from registry.cases.case_detail import RoundDetail
from registry.cases.models import Case, Verdict
from registry.cases.workflow.functions.verdicts import RECOMMENDATION
from registry.core.http.urls import absolute_url
from registry.core.validators import MAX_TEXT_LENGTH
from registry.registration_template.formatting import format_template
from registry.registration_template.sections import Registrant
from registry.review_desk.experts.review import ReviewWorkspace

# Leaves room for the line between the report and the template.
MAX_TEMPLATE_LENGTH = (MAX_TEXT_LENGTH - 200) // 2


def draft_report(case: Case, workspace: ReviewWorkspace) -> str:
    """Return a report on the latest round: case, rounds and reviews, open points, template."""
    blocks = [
        _heading(case, workspace),
        *(_round(each) for each in reversed(workspace.rounds)),
        _open(workspace),
        _checked(workspace),
    ]
    return _fitting("\n\n".join(block for block in blocks if block), workspace, case)


def _heading(case: Case, workspace: ReviewWorkspace) -> str:
    return (
        f"Report of the designated experts on case {case.pk}, {case.subject} (RFC 8141, Section 6.2, step 4)\n"
        f"{absolute_url(case.get_absolute_url())}\n\n"
        f"Recommendation: {RECOMMENDATION}"
    )


def _round(each: RoundDetail) -> str:
    round_ = each.round
    lines = [f"Round {round_.number}, submitted {round_.submitted_at:%Y-%m-%d} by {round_.submitted_by}."]
    lines += [f"- Answer on {reply.point.section_title}: {reply}" for reply in each.replies]
    for review in each.reviews:
        # An earlier report, which the approval body returned or which waits for a second expert, contains all of this.
        rationale = "" if review.verdict == Verdict.REPORT else review.rationale
        lines.append(f"- {review.expert}, {review.at:%Y-%m-%d}: {review.outcome}. {rationale}".rstrip())
        lines += [f"  - requested change: {point}" for point in review.action_points.all()]
    if each.comments:
        lines.append(
            f"- {len(each.comments)} comment{'s' if len(each.comments) > 1 else ''} in the discussion."
        )
    return "\n".join(lines)


def _open(workspace: ReviewWorkspace) -> str:
    """Return the open action points and the remaining findings."""
    lines = []
    for section in workspace.sections:
        title = section.round_section.section.title
        lines += [f"- {title}: {finding.message}" for finding in section.round_section.findings]
        lines += [
            f"- {title}: {each.message} Dismissed: {each.reason}" for each in section.round_section.dismissed
        ]
        for earlier in section.points:
            reply = getattr(earlier.point, "reply", None)
            if reply is None or reply.outcome != "done":
                lines.append(
                    f"- {title}: requested in round {earlier.round_number}, not done: {earlier.point.text}"
                )
    lines += [f"- Description and grammar: {finding.message}" for finding in workspace.profile_findings]
    return "\n".join(["Open points:", *(lines or ["- none"])])


def _checked(workspace: ReviewWorkspace) -> str:
    """Return the progress of the checklist and the notes."""
    notes = [f"- {reference}: {note}" for reference, note in _notes(workspace)]
    ticked = f"{workspace.ticked} of {len(workspace.checklist)} questions on RFC 8141, Sections 5.1 and 6.2 to 6.4, are ticked."
    return "\n".join([ticked, *notes])


def _notes(workspace: ReviewWorkspace) -> Iterator[tuple[str, str]]:
    for item in workspace.checklist:
        if item.mark.note:
            yield item.question.reference, item.mark.note


def _fitting(report: str, workspace: ReviewWorkspace, case: Case) -> str:
    """Append the template without contact details, or its URL if the report would be too long."""
    round_ = workspace.latest.round
    address = absolute_url(f"{case.get_absolute_url()}rounds/{round_.number}/template.txt")
    if len(round_.text) > MAX_TEMPLATE_LENGTH or len(report) > MAX_TEMPLATE_LENGTH:
        return f"{report[: MAX_TEXT_LENGTH - 1000]}\n\nThe template as submitted in round {round_.number}: {address}\n"
    template = replace(round_.template, registrant=_without_contact(round_.template.registrant))
    text = format_template(template).strip()
    return (
        f"{report}\n\nThe contact details of the registrant: {address}\n\n"
        f"The template as submitted in round {round_.number}:\n\n{text}\n"
    )


def _without_contact(registrant: Registrant) -> Registrant:
    return Registrant(organization=registrant.organization, fast_track=registrant.fast_track)


def draft_action_points(workspace: ReviewWorkspace) -> list[dict[str, str]]:
    """Return an action point for each question with a note that is not ticked."""
    return [
        {"section": item.question.section, "text": item.mark.note}
        for item in workspace.checklist
        if item.mark.note and not item.mark.is_ticked
    ]
