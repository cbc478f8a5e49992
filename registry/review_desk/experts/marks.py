"""The ticks and notes of an expert on the checklist: the current ones, and saving them without losing others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.cases.models import Case, Round
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import MAX_COMMENT_LENGTH, check_optional_text
from registry.review_desk.experts.checklist import QUESTION_BY_KEY
from registry.review_desk.experts.saving import SavedElsewhere, lock_for_expert
from registry.review_desk.models import ChecklistMark


class UnknownQuestion(RegistryError):
    """The checklist has no such question."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Unknown question"


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of an expert on one question."""

    is_ticked: bool = False
    note: str = ""

    def __str__(self) -> str:
        return f"{'ticked' if self.is_ticked else 'not ticked'} {self.note}"


@dataclass(frozen=True, slots=True)
class OwnMarks:
    """The current marks of one expert, by question, and the stamp that a save must repeat.

    `newer_round` is the number of a round that was submitted after the one of the marks; 0 if there is none.
    """

    marks: dict[str, Mark]
    stamp: str
    newer_round: int = 0


def since_last_change(rounds: Sequence[Round], section: str) -> Iterator[Round]:
    """The latest round, and the rounds directly before it with the same text in the section. The latest comes first."""
    latest = rounds[0].content.get(section)
    for each in rounds:
        if each.content.get(section) != latest:
            return
        yield each


def current_marks(
    rounds: Sequence[Round], marks: Iterable[ChecklistMark], question: str
) -> list[ChecklistMark]:
    """The marks on a question that still apply, those of the latest round first: the section is unchanged since."""
    same = [each.pk for each in since_last_change(rounds, QUESTION_BY_KEY[question].section)]
    found = [each for each in marks if each.question == question and each.round_id in same]
    return sorted(found, key=lambda each: same.index(each.round_id))


def own_marks(rounds: Sequence[Round], marks: Iterable[ChecklistMark], user: User) -> OwnMarks:
    """The marks of `user` that apply to the latest round. `rounds` come latest first."""
    own = [each for each in marks if each.expert_id == user.pk]
    newest = {key: next(iter(current_marks(rounds, own, key)), None) for key in QUESTION_BY_KEY}
    found = {key: Mark(each.is_ticked, each.note) for key, each in newest.items() if each}
    return OwnMarks(found, max((each.at.isoformat() for each in own), default=""))


@transaction.atomic
def save_marks(
    case: Case, *, by: User, round_number: int, marks: Mapping[str, Mark], stamp: str | None = None
) -> OwnMarks:
    """Save the ticks and notes of `by` on one round, by question; only those that differ are written.

    Raises SavedElsewhere if `stamp` is given and is not that of the newest save.
    """
    case = lock_for_expert(case, by=by)
    submitted = list(case.rounds.order_by("-number"))
    rounds = [each for each in submitted if each.number <= round_number]
    if not rounds or rounds[0].number != round_number:
        raise NotPermitted(f"Case {case.pk} has no round {round_number}.")
    checked = {key: _checked(key, mark) for key, mark in marks.items()}
    saved = own_marks(rounds, _marks_of(case, by), by)
    changed = {key: mark for key, mark in checked.items() if mark != saved.marks.get(key, Mark())}
    if changed and stamp not in {None, saved.stamp}:
        raise SavedElsewhere(saved.marks, saved.stamp)
    at = timezone.now()
    for key, mark in changed.items():
        ChecklistMark.objects.update_or_create(
            round=rounds[0],
            expert=by,
            question=key,
            defaults={"is_ticked": mark.is_ticked, "note": mark.note, "at": at},
        )
    newest = submitted[0].number
    return replace(
        own_marks(rounds, _marks_of(case, by), by), newer_round=newest if newest > round_number else 0
    )


def _marks_of(case: Case, by: User) -> list[ChecklistMark]:
    return list(ChecklistMark.objects.filter(round__case=case, expert=by))


def _checked(key: str, mark: Mark) -> Mark:
    if key not in QUESTION_BY_KEY:
        raise UnknownQuestion(f"The checklist has no question “{key}”.")
    return Mark(mark.is_ticked, check_optional_text(mark.note, "the note", longest=MAX_COMMENT_LENGTH))
