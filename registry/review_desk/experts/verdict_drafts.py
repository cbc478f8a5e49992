"""Drafts of verdicts, private to the expert who writes them."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.cases.models import Case, Verdict
from registry.cases.permissions import is_expert
from registry.cases.workflow.declarations.parameters import MAX_ACTION_POINTS
from registry.cases.workflow.subject import lock_case
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text, check_text
from registry.review_desk.models import VerdictDraft

Points = Sequence[Mapping[str, str]]


class TooManyPoints(RegistryError):
    """The draft has as many action points as a review can have."""

    title = "Too many action points"

    def __init__(self) -> None:
        super().__init__(
            f"A review can have at most {MAX_ACTION_POINTS} action points. Combine some of them, then add this one."
        )


class StaleVerdictText(RegistryError):
    """The same expert saved another text of the verdict after the page was opened."""

    title = "Your text has changed"

    def __init__(self, saved: VerdictDraft | None) -> None:
        super().__init__(
            "You saved another text in another window. Compare it with that of this page, then save again."
        )
        self.saved = saved


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

    Raises StaleVerdictText if `stamp` is given and is not that of the saved draft, which differs.
    """
    case = lock_case(case, by=by)
    if not is_expert(by, case):
        raise NotPermitted(f"You can't review case {case.pk}.")
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
        raise StaleVerdictText(saved)
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
    case = lock_case(case, by=by)
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
