"""Answers to action points: each is done in the next round, or the registrant says why it is not.

While the draft is written an answer is part of it, whole or half; with the round it becomes a row that never
changes. No round is submitted while a point of the round before has no answer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from registry.cases.models import ActionPoint, Case, Outcome, Reply, Round
from registry.core.exceptions import RegistryError
from registry.core.validators import check_optional_text

SHOWN_OF_A_POINT = 60


class PointsUnanswered(RegistryError):
    """Action points of the last round have no answer. `points` holds them."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Action points wait for your answer"

    def __init__(self, points: Iterable[ActionPoint]) -> None:
        self.points = tuple(points)
        self.members = {
            "points": [
                {"number": each.pk, "section": each.section, "text": each.text} for each in self.points
            ]
        }
        super().__init__(
            f"Answer each action point before you submit: that it is done, or why it is not. "
            f"{'This one has' if len(self.points) == 1 else 'These have'} no answer yet: "
            f"{'; '.join(map(_in_short, self.points))}."
        )


class UnknownActionPoint(RegistryError):
    """An answer to a point that the last round does not have."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "There is no such action point"


class UnknownOutcome(RegistryError):
    """An answer that is neither “done” nor “not_done”."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "There is no such answer"


@dataclass(frozen=True, slots=True)
class DraftReply:
    """An answer as far as it is written: an outcome or none yet, and words."""

    outcome: str = ""
    text: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether it says that the point is done, or why it is not."""
        return self.outcome == Outcome.DONE or (self.outcome == Outcome.NOT_DONE and bool(self.text))

    @property
    def outcome_label(self) -> str:
        return Outcome(self.outcome).label if self.outcome else "no answer"


def checked_reply(outcome: str, text: str) -> DraftReply:
    """The reply as it is kept. Raises UnknownOutcome, or the refusals of `registry.core.validators`."""
    if outcome and outcome not in Outcome.values:
        raise UnknownOutcome(f"“{outcome}” is no answer to an action point; {' and '.join(Outcome)} are.")
    return DraftReply(outcome, check_optional_text(text, "the answer to an action point"))


def open_points_of(case: Case) -> list[ActionPoint]:
    """What the latest round's reviews ask to change, as long as no round answers it."""
    latest = case.rounds.order_by("-number").first()
    points = ActionPoint.objects.filter(review__round=latest, reply=None) if latest else ()
    return list(points)


def replies_in(case: Case) -> dict[int, DraftReply]:
    """What the draft says so far, by point."""
    return {int(point): DraftReply(**said) for point, said in case.draft_replies.items()}


def keep_replies(case: Case, replies: Mapping[int, DraftReply]) -> None:
    """Put `replies` into the draft, beside those to other points. Raises UnknownActionPoint."""
    known = {point.pk for point in open_points_of(case)}
    if unknown := sorted(replies.keys() - known):
        raise UnknownActionPoint(
            f"Case {case.pk} has no open action point {', '.join(map(str, unknown))}. Look at the case again."
        )
    written = replies_in(case) | {
        point: checked_reply(reply.outcome, reply.text) for point, reply in replies.items()
    }
    case.draft_replies = {
        str(point): {"outcome": reply.outcome, "text": reply.text}
        for point, reply in sorted(written.items())
        if point in known and reply != DraftReply()
    }


def check_answered(case: Case) -> None:
    """Raise PointsUnanswered unless the draft answers every open point."""
    said = replies_in(case)
    if waiting := [
        point for point in open_points_of(case) if not said.get(point.pk, DraftReply()).is_complete
    ]:
        raise PointsUnanswered(waiting)


def settle(case: Case, answering: Round, points: Iterable[ActionPoint]) -> int:
    """Make the draft's answers to `points` part of the round `answering`; how many they are."""
    said = replies_in(case)
    made = Reply.objects.bulk_create(
        Reply(point=point, round=answering, outcome=said[point.pk].outcome, text=said[point.pk].text)
        for point in points
    )
    case.draft_replies = {}
    return len(made)


def _in_short(point: ActionPoint) -> str:
    text = " ".join(point.text.split())
    shown = text if len(text) <= SHOWN_OF_A_POINT else f"{text[: SHOWN_OF_A_POINT - 1].rstrip()}…"
    return f"{point.section_title} (“{shown}”)"
