"""The rounds of a case with their reviews, findings and comments, read in a constant number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Prefetch

from registry.cases.findings import findings_of_round
from registry.cases.models import ActionPoint, Case, Comment, Dismissal, Reply, Review, Round
from registry.cases.workflow.functions import people
from registry.core import markdown
from registry.core.pagination import Keyset, Page, number_of
from registry.registration_template.checks.findings import Finding
from registry.registration_template.sections import SECTIONS, Section

Remark = TypeVar("Remark", Finding, ActionPoint, Dismissal)

# The maximum indentation of replies. Deeper replies are not indented further, and name the comment they reply to.
MAX_INDENT = 3
MAX_COMMENTS = 200
NEWEST_FIRST = Keyset("-pk")


@dataclass(frozen=True, slots=True)
class ThreadComment:
    """A comment with its depth in its thread."""

    comment: Comment
    depth: int

    @property
    def indent(self) -> int:
        return min(self.depth, MAX_INDENT)


@dataclass(frozen=True, slots=True)
class SectionOfRound:
    """A section of a round, with its findings, action points and comments."""

    section: Section
    value: object
    # The open findings, and the dismissed ones.
    findings: tuple[Finding, ...]
    dismissed: tuple[Dismissal, ...]
    comments: tuple[ThreadComment, ...]
    points: tuple[ActionPoint, ...]

    @property
    def is_shown(self) -> bool:
        """Whether the page of the case shows the section: it has a text, or something is said about it."""
        return any((self.value, self.findings, self.dismissed, self.comments, self.points))


@dataclass(frozen=True, slots=True)
class RoundDetail:
    """A round: its sections, the threads that began in it, and its comments in threads of earlier rounds."""

    round: Round
    is_latest: bool
    sections: tuple[SectionOfRound, ...]
    findings: tuple[Finding, ...]
    reviews: tuple[Review, ...]
    comments: tuple[ThreadComment, ...]
    comments_in_earlier_threads: tuple[Comment, ...]
    # The answers of this round to the action points of the previous round.
    replies: tuple[Reply, ...]

    @property
    def comments_on_whole(self) -> list[ThreadComment]:
        return [each for each in self.comments if not each.comment.section]

    @property
    def previous_number(self) -> int:
        return self.round.number - 1


def _size(comment: Comment) -> int:
    """How much of a page a comment takes: as many characters as it has, and for each mark what it takes to render."""
    return len(comment.text) + 250 * markdown.marks_in(comment.text)


def comments_of(case: Case, *, after: str = "", including: str = "") -> Page[Comment]:
    """A page of the discussion, newest comments first, with the comment `including`, if there is such a key."""
    comments = Comment.objects.filter(round__case=case).select_related("author")
    page = NEWEST_FIRST.page(comments, after, MAX_COMMENTS, _size)
    wanted = number_of(including)
    if wanted is None or any(comment.pk == wanted for comment in page.rows):
        return page
    return NEWEST_FIRST.page(comments, str(wanted + 1), MAX_COMMENTS, _size)


def rounds_of(case: Case, comments: Iterable[Comment] | None = None) -> list[RoundDetail]:
    """The rounds of a case, latest first, with these comments, or else with the newest."""
    if comments is None:
        comments = comments_of(case).rows
    reviews = Review.objects.select_related("expert", "taken_back").prefetch_related("action_points__reply")
    replies = Reply.objects.select_related("point")
    case_rounds = list(
        case.rounds.order_by("-number")
        .select_related("submitted_by")
        .prefetch_related(Prefetch("reviews", reviews), Prefetch("replies", replies))
    )
    threads = threads_on(case_rounds, comments)
    dismissals = Dismissal.objects.filter(round__in=case_rounds).select_related("by", "round")
    case_dismissals = tuple(dismissals)
    return [
        _round(case, round_, threads, people.by_finding(round_, case_dismissals), is_latest=at == 0)
        for at, round_ in enumerate(case_rounds)
    ]


def round_with(rounds: Iterable[RoundDetail], comment: str) -> RoundDetail | None:
    """The round whose threads contain the comment with this key; None if there is none."""
    return next(
        (each for each in rounds if any(str(found.comment.pk) == comment for found in each.comments)), None
    )


def threads_on(
    case_rounds: Iterable[Round], comments: Iterable[Comment]
) -> dict[int, tuple[ThreadComment, ...]]:
    """The comments on these rounds of a case, by the key of the round in which their thread began, oldest first.

    A reply whose comment is on another page of the discussion begins a thread here.
    """
    rounds = {round_.pk: round_ for round_ in case_rounds}
    # A round may be submitted between the queries.
    known = sorted((each for each in comments if each.round_id in rounds), key=lambda comment: comment.pk)
    by_key = {comment.pk: comment for comment in known}
    replies: dict[int | None, list[Comment]] = defaultdict(list)
    for comment in known:
        comment.round = rounds[comment.round_id]
        comment.reply_to = by_key.get(comment.reply_to_id or 0)
        replies[comment.reply_to.pk if comment.reply_to else None].append(comment)
    found: dict[int, list[ThreadComment]] = defaultdict(list)
    for first in replies[None]:
        found[first.round_id] += _thread(first, replies)
    return {key: tuple(thread) for key, thread in found.items()}


def _thread(first: Comment, replies: Mapping[int | None, list[Comment]]) -> Iterator[ThreadComment]:
    """Yield a comment and its replies in depth-first order. Not recursive, because threads can be very deep."""
    ahead = [ThreadComment(first, 0)]
    while ahead:
        current = ahead.pop()
        yield current
        ahead += [
            ThreadComment(reply, current.depth + 1) for reply in reversed(replies.get(current.comment.pk, []))
        ]


def _round(
    case: Case,
    round_: Round,
    threads: Mapping[int, tuple[ThreadComment, ...]],
    dismissals: Mapping[tuple[str, str], Dismissal],
    *,
    is_latest: bool,
) -> RoundDetail:
    template = round_.template
    findings = findings_of_round(case, round_, is_latest=is_latest)
    dismissed = [
        dismissals[found.section, found.code]
        for found in findings
        if (found.section, found.code) in dismissals
    ]
    findings = tuple(found for found in findings if (found.section, found.code) not in dismissals)
    comments = threads.get(round_.pk, ())
    earlier = (each.comment for key, thread in threads.items() if key < round_.pk for each in thread)
    comments_in_earlier_threads = tuple(comment for comment in earlier if comment.round_id == round_.pk)
    reviews = tuple(round_.reviews.all())
    points = [point for review in reviews for point in review.action_points.all()]
    sections = tuple(
        SectionOfRound(
            section=section,
            value=getattr(template, section.key),
            findings=_about(section, findings),
            dismissed=_about(section, dict.fromkeys(dismissed)),
            comments=tuple(each for each in comments if each.comment.section == section.key),
            points=_about(section, points),
        )
        for section in SECTIONS
    )
    replies = tuple(round_.replies.all())
    return RoundDetail(
        round_, is_latest, sections, findings, reviews, comments, comments_in_earlier_threads, replies
    )


def _about(section: Section, remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    return tuple(remark for remark in remarks if remark.section == section.key)
