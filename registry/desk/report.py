"""Words drafted from a case, for an expert to edit: the report to the approval body, and points to change."""

from collections.abc import Iterator

from django.conf import settings

from registry.desk.review import Desk
from registry.registrations.casefile import Round
from registry.registrations.models import Registration
from registry.words import MAX_WORDS

LONGEST_TEMPLATE = MAX_WORDS // 2


def draft_report(case: Registration, desk: Desk) -> str:
    """The report on the latest round: what the case is, its rounds and reviews, what is open, the template."""
    blocks = [
        _heading(case, desk),
        *(_round(each) for each in reversed(desk.rounds)),
        _open(desk),
        _checked(desk),
    ]
    return _fitting("\n\n".join(block for block in blocks if block), desk, case)


def _heading(case: Registration, desk: Desk) -> str:
    return (
        f"Report of the designated experts on case {case.pk}, {case.subject} (RFC 8141, section 6.2, step 4)\n"
        f"{settings.PUBLIC_ORIGIN}{case.get_absolute_url()}\n\n"
        f"Recommendation: [say here what the experts recommend, and why]"
    )


def _round(each: Round) -> str:
    submission = each.submission
    lines = [
        f"Round {submission.round}, submitted {submission.submitted_at:%Y-%m-%d} by {submission.submitted_by}."
    ]
    lines += [f"- Answer on {answer.point.section_title}: {answer}" for answer in each.answers]
    for review in each.reviews:
        lines.append(
            f"- {review.expert}, {review.at:%Y-%m-%d}: {review.get_verdict_display()}. {review.rationale}".rstrip()
        )
        lines += [f"  - asked to change, {point}" for point in review.action_points.all()]
    if each.comments:
        lines.append(
            f"- {len(each.comments)} comment{'s' if len(each.comments) > 1 else ''} in the discussion."
        )
    return "\n".join(lines)


def _open(desk: Desk) -> str:
    """What was asked and not done, and what the registry still remarks."""
    lines = []
    for part in desk.parts:
        title = part.of_round.section.title
        lines += [f"- {title}: {finding.message}" for finding in part.of_round.findings]
        lines += [f"- {title}: {each.message} Set aside: {each.reason}" for each in part.of_round.set_aside]
        for earlier in part.points:
            answer = getattr(earlier.point, "answer", None)
            if answer is None or answer.outcome != "done":
                lines.append(
                    f"- {title}: asked in round {earlier.round_number} and not done: {earlier.point.text}"
                )
    return "\n".join(["Open points:", *(lines or ["- none"])])


def _checked(desk: Desk) -> str:
    """How far the checklist was gone through, and what was noted."""
    notes = [f"- {reference}: {note}" for reference, note in _notes(desk)]
    gone = f"Of the {len(desk.asked)} questions of RFC 8141, section 6.4, {desk.ticked} are ticked."
    return "\n".join([gone, *notes])


def _notes(desk: Desk) -> Iterator[tuple[str, str]]:
    for asked in desk.asked:
        if asked.mark.note:
            yield asked.question.reference, asked.mark.note


def _fitting(report: str, desk: Desk, case: Registration) -> str:
    """With the template where it fits, with its address where it does not."""
    submission = desk.latest.submission
    address = f"{settings.PUBLIC_ORIGIN}{case.get_absolute_url()}rounds/{submission.round}/template.txt"
    if len(submission.text) > LONGEST_TEMPLATE or len(report) > LONGEST_TEMPLATE:
        return f"{report[: MAX_WORDS - 1000]}\n\nThe template as submitted in round {submission.round}: {address}\n"
    return (
        f"{report}\n\nThe template as submitted in round {submission.round}:\n\n{submission.text.strip()}\n"
    )


def draft_points(desk: Desk) -> list[dict[str, str]]:
    """An action point for each question that is noted and not ticked."""
    return [
        {"section": asked.question.section, "text": asked.mark.note}
        for asked in desk.asked
        if asked.mark.note and not asked.mark.is_ticked
    ]
