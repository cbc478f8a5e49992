"""Drafts of verdicts, private to the expert who writes them, and of texts to edit: the report to the approval body,
and action points.

The report becomes part of the audit log, from which nothing is erased. It therefore refers to the round for the
contact details.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.cases.case_detail import RoundDetail
from registry.cases.models import Case, Verdict
from registry.cases.workflow.declarations.parameters import MAX_ACTION_POINTS
from registry.cases.workflow.functions.verdicts import RECOMMENDATION
from registry.core.exceptions import RegistryError
from registry.core.http.urls import absolute_url
from registry.core.validators import MAX_TEXT_LENGTH, check_optional_text, check_text
from registry.registration_template.formatting import format_template
from registry.registration_template.sections import Registrant
from registry.review_desk.experts.review import ReviewWorkspace
from registry.review_desk.experts.saving import SavedElsewhere, lock_for_expert
from registry.review_desk.models import VerdictDraft

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


Points = Sequence[Mapping[str, str]]


class TooManyPoints(RegistryError):
    """The draft has as many action points as a review can have."""

    title = "Too many action points"

    def __init__(self) -> None:
        super().__init__(
            f"A review can have at most {MAX_ACTION_POINTS} action points. Combine some of them, then add this one."
        )


def stamp_of(draft: VerdictDraft | None) -> str:
    """What a save must repeat; "" if nothing is saved."""
    return draft.at.isoformat() if draft else ""


def draft_of(case: Case, verdict: str, user: User) -> VerdictDraft | None:
    return VerdictDraft.objects.filter(case=case, expert=user, verdict=verdict).first()


@transaction.atomic
def keep_draft(
    case: Case,
    verdict: str,
    *,
    by: User,
    texts: Mapping[str, str],
    points: Points = (),
    stamp: str | None = None,
) -> VerdictDraft | None:
    """Keep what `by` has written of a verdict; nothing is kept of an empty form.

    Raises SavedElsewhere if `stamp` is given and is not that of the saved draft, which differs.
    """
    case = lock_for_expert(case, by=by)
    kept = {name: check_optional_text(text, "the text") for name, text in texts.items()}
    rows = [
        {
            "section": row["section"][:40],
            "text": check_optional_text(row["text"], "the action point", argument="action_points"),
        }
        for row in points
    ]
    rows = [row for row in rows if any(row.values())]
    saved = draft_of(case, verdict, by)
    is_empty = not rows and not any(kept.values())
    if (saved is None and is_empty) or (saved and (saved.texts, saved.points) == (kept, rows)):
        return saved
    if stamp not in {None, stamp_of(saved)}:
        raise SavedElsewhere(saved, stamp_of(saved))
    if is_empty:
        drop_drafts(case, by=by, verdict=verdict)
        return None
    defaults = {"texts": kept, "points": rows, "at": timezone.now()}
    return VerdictDraft.objects.update_or_create(case=case, expert=by, verdict=verdict, defaults=defaults)[0]


@transaction.atomic
def add_point(case: Case, *, by: User, section: str, text: str, first: Points = ()) -> int:
    """Add an action point to the draft of a request for changes, once; returns how many it has.

    A new draft begins with the points `first`.
    """
    text = check_text(text, "the action point")
    case = lock_for_expert(case, by=by)
    draft = draft_of(case, Verdict.REQUEST_CHANGES, by)
    points = list(draft.points if draft else first)
    point = {"section": section, "text": text}
    if point not in points:
        points.append(point)
    if len(points) > MAX_ACTION_POINTS:
        raise TooManyPoints
    texts = draft.texts if draft else {}
    keep_draft(case, Verdict.REQUEST_CHANGES, by=by, texts=texts, points=points)
    return len(points)


def drop_drafts(case: Case, *, by: User, verdict: str | None = None) -> None:
    """Delete the draft of `by` of one verdict, or after a verdict those of all."""
    drafts = VerdictDraft.objects.filter(case=case, expert=by)
    (drafts if verdict is None else drafts.filter(verdict=verdict)).delete()
