"""Answers to action points: the registrant marks each as done in the next round, or explains why it is not.

Before submission, an answer is part of the draft and may be incomplete. On submission it becomes an immutable row.
A round can't be submitted while an action point of the previous round is unanswered.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from registry.cases.models import ActionPoint, Case, Outcome, Reply, Round
from registry.core.exceptions import RegistryError
from registry.core.validators import check_optional_text, first_of

SHOWN_OF_A_POINT = 60


class PointsUnanswered(RegistryError):
    """Action points of the last round have no answer; `points` contains them."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Unanswered action points"

    def __init__(self, points: Iterable[ActionPoint]) -> None:
        self.points = tuple(points)
        self.members = {
            "points": [
                {"number": each.pk, "section": each.section, "text": each.text} for each in self.points
            ]
        }
        super().__init__(
            "Answer each action point before you submit: mark it as done, or explain why it is not. "
            f"Not answered yet: {'; '.join(map(_in_short, self.points))}."
        )


class UnknownActionPoint(RegistryError):
    """The last round has no open action point with this number."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Unknown action point"


class UnknownOutcome(RegistryError):
    """The outcome of a reply is neither “done” nor “not_done”."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Unknown outcome"


@dataclass(frozen=True, slots=True)
class DraftReply:
    """An answer in a draft, which may be incomplete."""

    outcome: str = ""
    text: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether it marks the action point as done, or explains why it is not."""
        return self.outcome == Outcome.DONE or (self.outcome == Outcome.NOT_DONE and bool(self.text))

    @property
    def outcome_label(self) -> str:
        return Outcome(self.outcome).label if self.outcome else "no answer"


def checked_reply(outcome: str, text: str) -> DraftReply:
    """Return the reply in normal form. Raises UnknownOutcome, or the errors of `registry.core.validators`."""
    if outcome and outcome not in Outcome.values:
        raise UnknownOutcome(f"“{outcome}” is not a valid outcome. Use “{'” or “'.join(Outcome)}”.")
    return DraftReply(outcome, check_optional_text(text, "the answer to an action point"))


def open_points_of(case: Case) -> list[ActionPoint]:
    """The action points of the latest round that no round has answered."""
    latest = case.latest_round
    points = ActionPoint.objects.filter(review__round=latest, reply=None) if latest else ()
    return list(points)


def replies_in(case: Case) -> dict[int, DraftReply]:
    """The answers in the draft, by action point."""
    return {int(point): DraftReply(**reply) for point, reply in case.draft_replies.items()}


def store_replies(case: Case, replies: Mapping[int, DraftReply]) -> None:
    """Add `replies` to the draft; answers to other action points are kept. Raises UnknownActionPoint."""
    if not (replies or case.draft_replies):
        return
    known = {point.pk for point in open_points_of(case)}
    if unknown := sorted(replies.keys() - known):
        raise UnknownActionPoint(
            f"Case {case.pk} has no open action point {first_of(list(map(str, unknown)))}. Reload the case."
        )
    written = replies_in(case) | {
        point: checked_reply(reply.outcome, reply.text) for point, reply in replies.items()
    }
    case.draft_replies = {
        str(point): {"outcome": reply.outcome, "text": reply.text}
        for point, reply in sorted(written.items())
        if point in known and reply != DraftReply()
    }


def answered_points_of(case: Case) -> list[ActionPoint]:
    """The open action points. Raises PointsUnanswered unless the draft answers each."""
    replies, points = replies_in(case), open_points_of(case)
    if waiting := [point for point in points if not replies.get(point.pk, DraftReply()).is_complete]:
        raise PointsUnanswered(waiting)
    return points


def publish_replies(case: Case, answering: Round, points: Collection[ActionPoint]) -> list[Reply]:
    """Move the answers to `points` from the draft to the round `answering`; return them."""
    if not points:
        return []
    replies = replies_in(case)
    made = Reply.objects.bulk_create(
        Reply(point=point, round=answering, outcome=replies[point.pk].outcome, text=replies[point.pk].text)
        for point in points
    )
    case.draft_replies = {}
    return made


def _in_short(point: ActionPoint) -> str:
    text = " ".join(point.text.split())
    shown = text if len(text) <= SHOWN_OF_A_POINT else f"{text[: SHOWN_OF_A_POINT - 1].rstrip()}…"
    return f"{point.section_title} (“{shown}”)"
