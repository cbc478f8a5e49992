"""All that an expert needs in order to answer a round, section by section, in a fixed number of queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from registry.accounts.models import User
from registry.appendix_a.difference import Change, SectionDifference, compare
from registry.desk.actions import Mark
from registry.desk.checklist import Question, questions_on
from registry.desk.models import ChecklistMark
from registry.registrations.casefile import Round, SectionOfRound, rounds_of
from registry.registrations.models import ActionPoint, Registration


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what the expert says of it so far, and what others do."""

    question: Question
    mark: Mark
    is_from_earlier: bool
    others: tuple[ChecklistMark, ...]


@dataclass(frozen=True, slots=True)
class EarlierPoint:
    """An action point of an earlier round; its answer is `point.answer`, where there is one."""

    round_number: int
    point: ActionPoint


@dataclass(frozen=True, slots=True)
class Part:
    """One section of the latest round, and everything that is known of it."""

    of_round: SectionOfRound
    difference: SectionDifference | None
    points: tuple[EarlierPoint, ...]
    asked: tuple[Asked, ...]

    @property
    def key(self) -> str:
        return self.of_round.section.key

    @property
    def ticked(self) -> int:
        return sum(each.mark.is_ticked for each in self.asked)


@dataclass(frozen=True, slots=True)
class Desk:
    """The latest round, its parts, and the rounds of the case, the latest first."""

    latest: Round
    rounds: tuple[Round, ...]
    parts: tuple[Part, ...]

    @property
    def asked(self) -> list[Asked]:
        return [asked for part in self.parts for asked in part.asked]

    @property
    def ticked(self) -> int:
        return sum(part.ticked for part in self.parts)

    @property
    def open_findings(self) -> list[SectionOfRound]:
        return [part.of_round for part in self.parts if part.of_round.findings]

    @property
    def previous(self) -> Round | None:
        return self.rounds[1] if len(self.rounds) > 1 else None


def desk_of(case: Registration, user: User) -> Desk:
    """What `user` sees of a case that was submitted."""
    rounds = tuple(rounds_of(case))
    latest, *earlier = rounds
    marks = list(ChecklistMark.objects.filter(submission__registration=case).select_related("expert"))
    changes = {}
    if earlier:
        before, after = earlier[0].submission.submission, latest.submission.submission
        changes = {each.key: each for each in compare(before, after).sections}
    return Desk(
        latest,
        rounds,
        tuple(_part(each, rounds, changes.get(each.section.key), marks, user) for each in latest.sections),
    )


def _part(
    of_round: SectionOfRound,
    rounds: Sequence[Round],
    difference: SectionDifference | None,
    marks: Iterable[ChecklistMark],
    user: User,
) -> Part:
    key = of_round.section.key
    points = tuple(
        EarlierPoint(each.submission.round, point)
        for each in rounds[1:]
        for section in each.sections
        if section.section.key == key
        for point in section.points
    )
    is_changed = difference is not None and difference.change is not Change.SAME
    asked = tuple(_asked(question, rounds, marks, user) for question in questions_on(key))
    return Part(of_round, difference if is_changed else None, points, asked)


def _asked(question: Question, rounds: Sequence[Round], marks: Iterable[ChecklistMark], user: User) -> Asked:
    """What was said of an earlier round goes on as long as the section says the same."""
    same = [each.submission.pk for each in _since_last_change(rounds, question.section)]
    said = [each for each in marks if each.question == question.key and each.submission_id in same]
    said.sort(key=lambda each: same.index(each.submission_id))
    own = next((each for each in said if each.expert_id == user.pk), None)
    mark = Mark(own.is_ticked, own.note) if own else Mark()
    others = {each.expert_id: each for each in reversed(said) if each.expert_id != user.pk}
    is_earlier = own is not None and own.submission_id != same[0]
    return Asked(question, mark, is_earlier, tuple(others.values()))


def _since_last_change(rounds: Sequence[Round], section: str) -> Iterable[Round]:
    """The latest round, and those before it in which the section says the same."""
    latest = rounds[0].submission.content.get(section)
    for each in rounds:
        if each.submission.content.get(section) != latest:
            return
        yield each
