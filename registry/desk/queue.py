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
from registry.desk.models import Absence, Holding
from registry.paging import moment_key, moment_of
from registry.registrations.clocks import Clock, clock_of, overdue
from registry.registrations.models import (
    Comment,
    Registration,
    RegistrationQuerySet,
    Review,
    State,
    Submission,
)

DECIDED = (State.APPROVED, State.AWAITING_DIRECTION, State.REGISTERED, State.DECLINED)

_ROUNDS = Submission.objects.filter(registration=OuterRef("pk")).order_by("-round")
_REVIEWS = Review.objects.filter(submission__registration=OuterRef("pk"))
_ON_LATEST = {"submission": OuterRef("latest")}


# Where a page begins: after a case that the reader reviewed or holds, or another; since when it waits; its number.
Key = tuple[bool, datetime, int]


@dataclass(frozen=True, slots=True)
class Group:
    """One part of the queue. `cases` are those in it for one person; `newest_first` is how they stand."""

    slug: str
    label: str
    words: str
    nothing: str
    cases: Callable[[User], RegistrationQuerySet]
    newest_first: bool = False


def _waiting(user: User) -> RegistrationQuerySet:
    """In review, where `user` could act as an expert."""
    waiting = Registration.objects.waiting_for(RoleName.EXPERT, user)
    return waiting.annotate(latest=Subquery(_ROUNDS.values("pk")[:1]))


def _first(user: User) -> RegistrationQuerySet:
    return _waiting(user).filter(~Exists(_REVIEWS))


def _resubmitted(user: User) -> RegistrationQuerySet:
    unanswered = ~Exists(Review.objects.filter(**_ON_LATEST))
    mine = Exists(_REVIEWS.filter(expert=user)) | Exists(_held_by(user))
    return _waiting(user).filter(Exists(_REVIEWS), unanswered).annotate(is_mine=mine)


def _overdue(user: User) -> RegistrationQuerySet:
    return _waiting(user).filter(overdue())


def _discussed(user: User) -> RegistrationQuerySet:
    comments, reviews = Comment.objects.filter(**_ON_LATEST), Review.objects.filter(**_ON_LATEST)
    return _waiting(user).filter(Exists(comments) | Exists(reviews))


def _mine(user: User) -> RegistrationQuerySet:
    return Registration.objects.open().filter(Exists(_held_by(user)))


def _decided(user: User) -> RegistrationQuerySet:
    return Registration.objects.public().filter(state__in=DECIDED)


def _held_by(user: User) -> QuerySet[Holding]:
    return Holding.objects.current().filter(registration=OuterRef("pk"), person=user)


GROUPS = (
    Group(
        "overdue",
        "Overdue",
        "Past the day by which they should be answered.",
        "Nothing is overdue.",
        _overdue,
    ),
    Group("mine", "Mine", "What you have taken and is still open.", "You have taken no case.", _mine),
    Group(
        "resubmitted",
        "Resubmitted",
        "A new round answers an earlier review. Those that you reviewed come first.",
        "No new round waits for an answer.",
        _resubmitted,
    ),
    Group(
        "first",
        "Waiting for a first answer",
        "No expert has answered yet.",
        "Every case has had an answer.",
        _first,
    ),
    Group(
        "discussed",
        "Being discussed",
        "Something was said on the latest round, by an expert or anyone else.",
        "Nobody discusses anything.",
        _discussed,
    ),
    Group(
        "decided",
        "Decided",
        "What was decided lately, the latest first.",
        "Nothing was decided yet.",
        _decided,
        newest_first=True,
    ),
)
GROUP_BY_SLUG = {group.slug: group for group in GROUPS}


@dataclass(frozen=True, slots=True)
class Row:
    """A case in the queue: who holds it, until when they are away (None: they are here), and its clock."""

    case: Registration
    clock: Clock | None
    holding: Holding | None
    away: Absence | None
    is_mine: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A page of a group, and the key after which the next one begins ("" on the last one)."""

    group: Group
    rows: list[Row]
    after: str
    is_later: bool = False


def parts_of(user: User, *, at_most: int) -> list[Part]:
    """Every group, as far as it fits: in a number of queries that does not grow with the cases."""
    found = [(group, _cases(group, user, at_most)) for group in GROUPS]
    rows = _rows([case for _, cases in found for case in cases[:at_most]], user)
    return [
        Part(group, [rows[case.pk] for case in cases[:at_most]], _key(cases, at_most))
        for group, cases in found
    ]


def part_of(group: Group, user: User, *, at_most: int, after: str = "") -> Part:
    """One group from a key on. A key that says nothing is the beginning."""
    key = _parsed(after)
    cases = _cases(group, user, at_most, key)
    rows = _rows(cases[:at_most], user)
    return Part(group, [rows[case.pk] for case in cases[:at_most]], _key(cases, at_most), key is not None)


def _cases(group: Group, user: User, at_most: int, key: Key | None = None) -> list[Registration]:
    cases = group.cases(user)
    if "is_mine" not in cases.query.annotations:
        cases = cases.annotate(is_mine=Value(False, BooleanField()))
    if key:
        cases = cases.filter(_after(group, *key))
    order: tuple[Any, ...] = ("-is_mine", "state_since", "pk")
    if group.newest_first:
        order = ("-state_since", "-pk")
    return list(cases.order_by(*order).select_related("namespace", "body")[: at_most + 1])


def _after(group: Group, is_mine: bool, since: datetime, pk: int) -> Q:
    if group.newest_first:
        return Q(state_since__lt=since) | Q(state_since=since, pk__lt=pk)
    later = Q(state_since__gt=since) | Q(state_since=since, pk__gt=pk)
    return (Q(is_mine=is_mine) & later) | (Q(is_mine=False) if is_mine else Q(pk__in=[]))


def _key(cases: list[Registration], at_most: int) -> str:
    """What names the place after the last case that is shown."""
    if len(cases) <= at_most:
        return ""
    last = cases[at_most - 1]
    return f"{int(getattr(last, 'is_mine', False))}-{moment_key(last.state_since, last.pk)}"


def _parsed(text: str) -> Key | None:
    is_mine, _, place = text.partition("-")
    found = moment_of(place) if is_mine in {"0", "1"} else None
    return found and (is_mine == "1", *found)


def _rows(cases: list[Registration], user: User) -> dict[int, Row]:
    held = {each.registration_id: each for each in holdings_of(cases)}
    away = absences_of(each.person_id for each in held.values())
    return {case.pk: _row(case, held.get(case.pk), away, user) for case in cases}


def _row(case: Registration, holding: Holding | None, away: dict[int, Absence], user: User) -> Row:
    absence = away.get(holding.person_id) if holding else None
    is_mine = holding is not None and holding.person_id == user.pk
    return Row(case, clock_of(case), holding, absence, is_mine)


def holdings_of(cases: Iterable[Registration]) -> QuerySet[Holding]:
    """Who has them now."""
    keys = {case.pk for case in cases}
    return Holding.objects.current().filter(registration__in=keys).select_related("person")


def absences_of(people: Iterable[int]) -> dict[int, Absence]:
    """Who of these people is away today, by key; the one that lasts longest."""
    away = Absence.objects.on(timezone.now().date()).filter(person__in=set(people))
    return {absence.person_id: absence for absence in away.order_by("last_day")}
