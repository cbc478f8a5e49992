"""The experts' queue: cases in groups, each with who holds it and how it stands in time.

A case can stand in more than one group: what is overdue also waits for something.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.cases.deadlines import Deadline, deadline_of, overdue
from registry.cases.models import Case, CaseQuerySet, Comment, Review, Round, State
from registry.core.pagination import decode_timestamp_key, encode_timestamp_key
from registry.review_desk.models import Absence, Claim

DECIDED = (State.APPROVED, State.AWAITING_DIRECTION, State.REGISTERED, State.DECLINED)

_ROUNDS = Round.objects.filter(case=OuterRef("pk")).order_by("-number")
_REVIEWS = Review.objects.filter(round__case=OuterRef("pk"))
_ON_LATEST = {"round": OuterRef("latest")}


# Where a page begins: after a case that the reader reviewed or holds, or another; since when it waits; its number.
PageKey = tuple[bool, datetime, int]


@dataclass(frozen=True, slots=True)
class QueueGroup:
    """One part of the queue. `cases` are those in it for one person; `newest_first` is how they stand."""

    slug: str
    label: str
    description: str
    empty_text: str
    cases: Callable[[User], CaseQuerySet]
    newest_first: bool = False


def _waiting(user: User) -> CaseQuerySet:
    """In review, where `user` could act as an expert."""
    waiting = Case.objects.waiting_for(RoleName.EXPERT, user)
    return waiting.annotate(latest=Subquery(_ROUNDS.values("pk")[:1]))


def _first(user: User) -> CaseQuerySet:
    return _waiting(user).filter(~Exists(_REVIEWS))


def _resubmitted(user: User) -> CaseQuerySet:
    unanswered = ~Exists(Review.objects.filter(**_ON_LATEST))
    mine = Exists(_REVIEWS.filter(expert=user)) | Exists(_claimed_by(user))
    return _waiting(user).filter(Exists(_REVIEWS), unanswered).annotate(is_mine=mine)


def _overdue(user: User) -> CaseQuerySet:
    return _waiting(user).filter(overdue())


def _discussed(user: User) -> CaseQuerySet:
    comments, reviews = Comment.objects.filter(**_ON_LATEST), Review.objects.filter(**_ON_LATEST)
    return _waiting(user).filter(Exists(comments) | Exists(reviews))


def _mine(user: User) -> CaseQuerySet:
    return Case.objects.open().filter(Exists(_claimed_by(user)))


def _decided(user: User) -> CaseQuerySet:
    return Case.objects.public().filter(state__in=DECIDED)


def _claimed_by(user: User) -> QuerySet[Claim]:
    return Claim.objects.current().filter(case=OuterRef("pk"), person=user)


QUEUE_GROUPS = (
    QueueGroup(
        "overdue",
        "Overdue",
        "Past the day by which they should be answered.",
        "Nothing is overdue.",
        _overdue,
    ),
    QueueGroup("mine", "Mine", "What you have taken and is still open.", "You have taken no case.", _mine),
    QueueGroup(
        "resubmitted",
        "Resubmitted",
        "A new round answers an earlier review. Those that you reviewed come first.",
        "No new round waits for an answer.",
        _resubmitted,
    ),
    QueueGroup(
        "first",
        "Waiting for a first answer",
        "No expert has answered yet.",
        "Every case has had an answer.",
        _first,
    ),
    QueueGroup(
        "discussed",
        "Being discussed",
        "Something was said on the latest round, by an expert or anyone else.",
        "Nobody discusses anything.",
        _discussed,
    ),
    QueueGroup(
        "decided",
        "Decided",
        "What was decided lately, the latest first.",
        "Nothing was decided yet.",
        _decided,
        newest_first=True,
    ),
)
QUEUE_GROUP_BY_SLUG = {group.slug: group for group in QUEUE_GROUPS}


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A case in the queue: who holds it, until when they are away (None: they are here), and its deadline."""

    case: Case
    deadline: Deadline | None
    claim: Claim | None
    absence: Absence | None
    is_mine: bool


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of a group, and the key after which the next one begins ("" on the last one)."""

    group: QueueGroup
    rows: list[QueueRow]
    after: str
    is_later: bool = False


def queue_pages(user: User, *, limit: int) -> list[QueuePage]:
    """Every group, as far as it fits: in a number of queries that does not grow with the cases."""
    found = [(group, _cases(group, user, limit)) for group in QUEUE_GROUPS]
    rows = _rows([case for _, cases in found for case in cases[:limit]], user)
    return [
        QueuePage(group, [rows[case.pk] for case in cases[:limit]], _key(cases, limit))
        for group, cases in found
    ]


def queue_page(group: QueueGroup, user: User, *, limit: int, after: str = "") -> QueuePage:
    """One group from a key on. A key that says nothing is the beginning."""
    key = _parsed(after)
    cases = _cases(group, user, limit, key)
    rows = _rows(cases[:limit], user)
    return QueuePage(group, [rows[case.pk] for case in cases[:limit]], _key(cases, limit), key is not None)


def _cases(group: QueueGroup, user: User, limit: int, key: PageKey | None = None) -> list[Case]:
    cases = group.cases(user)
    if "is_mine" not in cases.query.annotations:
        cases = cases.annotate(is_mine=Value(False, BooleanField()))
    if key:
        cases = cases.filter(_after(group, *key))
    order: tuple[Any, ...] = ("-is_mine", "state_since", "pk")
    if group.newest_first:
        order = ("-state_since", "-pk")
    return list(cases.order_by(*order).select_related("namespace", "body")[: limit + 1])


def _after(group: QueueGroup, is_mine: bool, since: datetime, pk: int) -> Q:
    if group.newest_first:
        return Q(state_since__lt=since) | Q(state_since=since, pk__lt=pk)
    later = Q(state_since__gt=since) | Q(state_since=since, pk__gt=pk)
    return (Q(is_mine=is_mine) & later) | (Q(is_mine=False) if is_mine else Q(pk__in=[]))


def _key(cases: list[Case], limit: int) -> str:
    """What names the place after the last case that is shown."""
    if len(cases) <= limit:
        return ""
    last = cases[limit - 1]
    return f"{int(getattr(last, 'is_mine', False))}-{encode_timestamp_key(last.state_since, last.pk)}"


def _parsed(text: str) -> PageKey | None:
    is_mine, _, place = text.partition("-")
    found = decode_timestamp_key(place) if is_mine in {"0", "1"} else None
    return found and (is_mine == "1", *found)


def _rows(cases: list[Case], user: User) -> dict[int, QueueRow]:
    claim_by_case = {each.case_id: each for each in claims_on(cases)}
    absence_by_person = current_absences(each.person_id for each in claim_by_case.values())
    return {case.pk: _row(case, claim_by_case.get(case.pk), absence_by_person, user) for case in cases}


def _row(case: Case, claim: Claim | None, absence_by_person: dict[int, Absence], user: User) -> QueueRow:
    absence = absence_by_person.get(claim.person_id) if claim else None
    is_mine = claim is not None and claim.person_id == user.pk
    return QueueRow(case, deadline_of(case), claim, absence, is_mine)


def claims_on(cases: Iterable[Case]) -> QuerySet[Claim]:
    """Who has them now."""
    keys = {case.pk for case in cases}
    return Claim.objects.current().filter(case__in=keys).select_related("person")


def current_absences(people: Iterable[int]) -> dict[int, Absence]:
    """Who of these people is away today, by key; the one that lasts longest."""
    absences = Absence.objects.on(timezone.now().date()).filter(person__in=set(people))
    return {absence.person_id: absence for absence in absences.order_by("last_day")}
