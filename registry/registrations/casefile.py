"""Everything that the page of a case shows, read in a number of queries that does not grow with the case."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Prefetch

from registry.appendix_a.findings import Finding, Surroundings
from registry.appendix_a.sections import SECTIONS, Section
from registry.record.models import Event
from registry.registrations.findings import findings_on, surroundings_of
from registry.registrations.models import (
    ActionPoint,
    Answer,
    Comment,
    Registration,
    Review,
    State,
    Submission,
    Verdict,
)
from registry.registrations.workflow import MOVE_BY_NAME

Remark = TypeVar("Remark", Finding, Comment, ActionPoint)

# What the record says of a case besides moves.
OTHER_VERBS = {
    "recuse": "Stepped back from the case",
    "add_co_editor": "Added a co-editor",
    "remove_co_editor": "Removed a co-editor",
}


@dataclass(frozen=True, slots=True)
class SectionOfRound:
    """One section of one round, with what was said of it."""

    section: Section
    value: object
    findings: tuple[Finding, ...]
    comments: tuple[Comment, ...]
    points: tuple[ActionPoint, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its text by sections, and what was said of it as a whole."""

    submission: Submission
    is_latest: bool
    sections: tuple[SectionOfRound, ...]
    findings: tuple[Finding, ...]
    reviews: tuple[Review, ...]
    comments: tuple[Comment, ...]
    # What this round says to the action points of the one before.
    answers: tuple[Answer, ...]

    @property
    def comments_on_whole(self) -> list[Comment]:
        return [comment for comment in self.comments if not comment.section]

    @property
    def previous_number(self) -> int:
        return self.submission.round - 1


def rounds_of(case: Registration) -> list[Round]:
    """The rounds of a case, the latest first."""
    reviews = Review.objects.select_related("expert").prefetch_related("action_points__answer")
    comments = Comment.objects.select_related("author")
    answers = Answer.objects.select_related("point")
    submissions = list(
        case.submissions.order_by("-round")
        .select_related("submitted_by")
        .prefetch_related(
            Prefetch("reviews", reviews), Prefetch("comments", comments), Prefetch("answers", answers)
        )
    )
    return [_round(case, submission, is_latest=at == 0) for at, submission in enumerate(submissions)]


def _round(case: Registration, submission: Submission, *, is_latest: bool) -> Round:
    # Names that are taken now say nothing of a text that was decided on, or replaced, before.
    surroundings = surroundings_of(case) if is_latest and case.is_open else Surroundings()
    content = submission.submission
    findings = findings_on(case, content, surroundings)
    reviews, comments = tuple(submission.reviews.all()), tuple(submission.comments.all())
    points = [point for review in reviews for point in review.action_points.all()]
    sections = tuple(
        SectionOfRound(
            section=section,
            value=getattr(content, section.key),
            findings=_about(section, findings),
            comments=_about(section, comments),
            points=_about(section, points),
        )
        for section in SECTIONS
    )
    answers = tuple(submission.answers.all())
    return Round(submission, is_latest, sections, findings, reviews, comments, answers)


def _about(section: Section, remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(remark for remark in remarks if remark.section == section.key)


def latest_round(case: Registration) -> int:
    return case.latest_submission.round if case.latest_submission else 0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the history: an event, in words."""

    event: Event
    label: str

    @property
    def state(self) -> str:
        """The state that the case came to; "" when it stayed where it was."""
        return State(self.event.to_state).label if self.event.from_state != self.event.to_state else ""

    @property
    def reason(self) -> str:
        """Why, unless a review says so already."""
        return "" if self.event.verb in Verdict.values else self.event.reason


def history_of(case: Registration) -> list[Line]:
    """The record of the case, the latest event first."""
    events = Event.objects.of_registration(case.pk).select_related("actor").order_by("-number")
    return [Line(event, _in_words(event)) for event in events]


def _in_words(event: Event) -> str:
    verb = event.verb
    if verb == "anticipate_standards_action":
        return f"{'A' if event.particulars['anticipated'] else 'No'} standards action is anticipated"
    move = MOVE_BY_NAME.get(verb)
    return move.label if move else OTHER_VERBS.get(verb, verb.replace("_", " ").capitalize())
