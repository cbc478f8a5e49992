"""Everything that the page of a case shows, read in a number of queries that does not grow with the case."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Prefetch

from registry.cases.findings import findings_of_round
from registry.cases.models import ActionPoint, Case, Comment, Dismissal, Reply, Review, Round
from registry.cases.workflow import dismissals
from registry.registration_template.checks.findings import Finding
from registry.registration_template.sections import SECTIONS, Section

Remark = TypeVar("Remark", Finding, ActionPoint, Dismissal)

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
    dismissed: tuple[Dismissal, ...]
    comments: tuple[Said, ...]
    points: tuple[ActionPoint, ...]


@dataclass(frozen=True, slots=True)
class RoundDetail:
    """One round: its text by sections, and what was said of it: in threads that began with it, and in those
    that stand with an earlier round.
    """

    round: Round
    is_latest: bool
    sections: tuple[SectionOfRound, ...]
    findings: tuple[Finding, ...]
    reviews: tuple[Review, ...]
    comments: tuple[Said, ...]
    said_earlier: tuple[Comment, ...]
    # What this round says to the action points of the one before.
    replies: tuple[Reply, ...]

    @property
    def comments_on_whole(self) -> list[Said]:
        return [said for said in self.comments if not said.comment.section]

    @property
    def previous_number(self) -> int:
        return self.round.number - 1


def rounds_of(case: Case) -> list[RoundDetail]:
    """The rounds of a case, the latest first."""
    reviews = Review.objects.select_related("expert").prefetch_related("action_points__reply")
    replies = Reply.objects.select_related("point")
    case_rounds = list(
        case.rounds.order_by("-number")
        .select_related("submitted_by")
        .prefetch_related(Prefetch("reviews", reviews), Prefetch("replies", replies))
    )
    threads = threads_on(case_rounds)
    aside = Dismissal.objects.filter(round__in=case_rounds).select_related("by", "round")
    case_dismissals = tuple(aside)
    return [
        _round(case, round_, threads, dismissals.by_finding(round_, case_dismissals), is_latest=at == 0)
        for at, round_ in enumerate(case_rounds)
    ]


def round_with(rounds: Iterable[RoundDetail], comment: str) -> RoundDetail | None:
    """The round where the comment of this key stands, if it is one of the case."""
    return next(
        (each for each in rounds if any(str(said.comment.pk) == comment for said in each.comments)), None
    )


def threads_on(case_rounds: Iterable[Round]) -> dict[int, tuple[Said, ...]]:
    """The comments on some rounds of a case, by the round's key: each thread where it began, oldest first."""
    rounds = {round_.pk: round_ for round_ in case_rounds}
    # By the rounds that were read, not by the case: a round may come while this is asked.
    comments = Comment.objects.filter(round__in=rounds).select_related("author")
    by_key = {comment.pk: comment for comment in comments.order_by("pk")}
    answers: dict[int | None, list[Comment]] = defaultdict(list)
    for comment in by_key.values():
        comment.round = rounds[comment.round_id]
        comment.answered = by_key.get(comment.answered_id or 0)
        answers[comment.answered_id].append(comment)
    found: dict[int, list[Said]] = defaultdict(list)
    for first in answers[None]:
        found[first.round_id] += _thread(first, answers)
    return {key: tuple(said) for key, said in found.items()}


def _thread(first: Comment, answers: Mapping[int | None, list[Comment]]) -> Iterator[Said]:
    """A comment, and every answer under what it answers. A thread may be deeper than Python would call."""
    ahead = [Said(first, 0)]
    while ahead:
        said = ahead.pop()
        yield said
        ahead += [Said(answer, said.depth + 1) for answer in reversed(answers.get(said.comment.pk, []))]


def _round(
    case: Case,
    round_: Round,
    threads: Mapping[int, tuple[Said, ...]],
    aside: Mapping[tuple[str, str], Dismissal],
    *,
    is_latest: bool,
) -> RoundDetail:
    template = round_.template
    findings = findings_of_round(case, round_, is_latest=is_latest)
    dismissed = [
        aside[found.section, found.code] for found in findings if (found.section, found.code) in aside
    ]
    findings = tuple(found for found in findings if (found.section, found.code) not in aside)
    comments = threads.get(round_.pk, ())
    earlier = (said.comment for key, thread in threads.items() if key < round_.pk for said in thread)
    said_earlier = tuple(comment for comment in earlier if comment.round_id == round_.pk)
    reviews = tuple(round_.reviews.all())
    points = [point for review in reviews for point in review.action_points.all()]
    sections = tuple(
        SectionOfRound(
            section=section,
            value=getattr(template, section.key),
            findings=_about(section, findings),
            dismissed=_about(section, dict.fromkeys(dismissed)),
            comments=tuple(said for said in comments if said.comment.section == section.key),
            points=_about(section, points),
        )
        for section in SECTIONS
    )
    replies = tuple(round_.replies.all())
    return RoundDetail(round_, is_latest, sections, findings, reviews, comments, said_earlier, replies)


def _about(section: Section, remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(remark for remark in remarks if remark.section == section.key)


def latest_round(case: Case) -> int:
    return case.latest_round.number if case.latest_round else 0
