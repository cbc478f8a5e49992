"""Everything that the page of a case shows, read in a number of queries that does not grow with the case."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Prefetch

from registry.appendix_a.findings import Finding
from registry.appendix_a.sections import SECTIONS, Section
from registry.registrations import setting_aside
from registry.registrations.findings import findings_of_round
from registry.registrations.models import (
    ActionPoint,
    Answer,
    Comment,
    Registration,
    Review,
    SetAside,
    Submission,
)

Remark = TypeVar("Remark", Finding, ActionPoint, SetAside)

# How far answers are set in; deeper ones stand below each other, each naming what it answers.
DEEPEST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Said:
    """One comment in its thread: how deep it stands there, and where that is too deep to be shown."""

    comment: Comment
    depth: int

    @property
    def indent(self) -> int:
        return min(self.depth, DEEPEST_SHOWN)


@dataclass(frozen=True, slots=True)
class SectionOfRound:
    """One section of one round, with what was said of it."""

    section: Section
    value: object
    # Those that nobody set aside, and those that somebody did.
    findings: tuple[Finding, ...]
    set_aside: tuple[SetAside, ...]
    comments: tuple[Said, ...]
    points: tuple[ActionPoint, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its text by sections, and what was said of it: in threads that began with it, and in those
    that stand with an earlier round.
    """

    submission: Submission
    is_latest: bool
    sections: tuple[SectionOfRound, ...]
    findings: tuple[Finding, ...]
    reviews: tuple[Review, ...]
    comments: tuple[Said, ...]
    said_earlier: tuple[Comment, ...]
    # What this round says to the action points of the one before.
    answers: tuple[Answer, ...]

    @property
    def comments_on_whole(self) -> list[Said]:
        return [said for said in self.comments if not said.comment.section]

    @property
    def previous_number(self) -> int:
        return self.submission.round - 1


def rounds_of(case: Registration) -> list[Round]:
    """The rounds of a case, the latest first."""
    reviews = Review.objects.select_related("expert").prefetch_related("action_points__answer")
    answers = Answer.objects.select_related("point")
    submissions = list(
        case.submissions.order_by("-round")
        .select_related("submitted_by")
        .prefetch_related(Prefetch("reviews", reviews), Prefetch("answers", answers))
    )
    threads = threads_on(submissions)
    aside = SetAside.objects.filter(submission__in=submissions).select_related("by", "submission")
    set_asides = tuple(aside)
    return [
        _round(case, submission, threads, setting_aside.by_finding(submission, set_asides), is_latest=at == 0)
        for at, submission in enumerate(submissions)
    ]


def round_with(rounds: Iterable[Round], comment: str) -> Round | None:
    """The round where the comment of this key stands, if it is one of the case."""
    return next(
        (each for each in rounds if any(str(said.comment.pk) == comment for said in each.comments)), None
    )


def threads_on(submissions: Iterable[Submission]) -> dict[int, tuple[Said, ...]]:
    """The comments on some rounds of a case, by the round's key: each thread where it began, oldest first."""
    rounds = {submission.pk: submission for submission in submissions}
    # By the rounds that were read, not by the case: a round may come while this is asked.
    comments = Comment.objects.filter(submission__in=rounds).select_related("author")
    by_key = {comment.pk: comment for comment in comments.order_by("pk")}
    answers: dict[int | None, list[Comment]] = defaultdict(list)
    for comment in by_key.values():
        comment.submission = rounds[comment.submission_id]
        comment.answered = by_key.get(comment.answered_id or 0)
        answers[comment.answered_id].append(comment)
    found: dict[int, list[Said]] = defaultdict(list)
    for first in answers[None]:
        found[first.submission_id] += _thread(first, answers)
    return {key: tuple(said) for key, said in found.items()}


def _thread(first: Comment, answers: Mapping[int | None, list[Comment]]) -> Iterator[Said]:
    """A comment, and every answer under what it answers. A thread may be deeper than Python would call."""
    ahead = [Said(first, 0)]
    while ahead:
        said = ahead.pop()
        yield said
        ahead += [Said(answer, said.depth + 1) for answer in reversed(answers.get(said.comment.pk, []))]


def _round(
    case: Registration,
    submission: Submission,
    threads: Mapping[int, tuple[Said, ...]],
    aside: Mapping[tuple[str, str], SetAside],
    *,
    is_latest: bool,
) -> Round:
    content = submission.submission
    findings = findings_of_round(case, submission, is_latest=is_latest)
    set_aside = [
        aside[found.section, found.code] for found in findings if (found.section, found.code) in aside
    ]
    findings = tuple(found for found in findings if (found.section, found.code) not in aside)
    comments = threads.get(submission.pk, ())
    earlier = (said.comment for key, thread in threads.items() if key < submission.pk for said in thread)
    said_earlier = tuple(comment for comment in earlier if comment.submission_id == submission.pk)
    reviews = tuple(submission.reviews.all())
    points = [point for review in reviews for point in review.action_points.all()]
    sections = tuple(
        SectionOfRound(
            section=section,
            value=getattr(content, section.key),
            findings=_about(section, findings),
            set_aside=_about(section, dict.fromkeys(set_aside)),
            comments=tuple(said for said in comments if said.comment.section == section.key),
            points=_about(section, points),
        )
        for section in SECTIONS
    )
    answers = tuple(submission.answers.all())
    return Round(submission, is_latest, sections, findings, reviews, comments, said_earlier, answers)


def _about(section: Section, remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(remark for remark in remarks if remark.section == section.key)


def latest_round(case: Registration) -> int:
    return case.latest_submission.round if case.latest_submission else 0
