"""What waits for a person: the rows of their inbox.

Each app declares the kinds of its own things, beside the rules that say who may act (`declare`). A kind finds its rows with one
queryset, so one statement counts the rows of all kinds, and one lists a page of them, however many there are.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.core.cache import caches
from django.db import models
from django.db.models import F, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Collate, NullIf
from django.utils import timezone

from registry.accounts.models import User

# The columns of a row of the inbox, with names that no model has, and their types.
COLUMNS: "dict[str, models.Field[Any, Any]]" = {
    "inbox_kind": models.TextField(),
    "inbox_number": models.BigIntegerField(),
    "inbox_since": models.DateTimeField(),
    "inbox_due": models.DateTimeField(),
    "inbox_nid": models.TextField(),
    "inbox_person": models.TextField(),
    "inbox_assignee": models.BigIntegerField(),
}
# The order of rows of the same time.
LAST = ("inbox_kind", "inbox_number")
OLDEST = F("inbox_since").asc()
SORTS: dict[str, tuple[Any, ...]] = {
    "due": (F("inbox_due").asc(nulls_last=True), OLDEST, *LAST),
    "oldest": (OLDEST, *LAST),
    "newest": (F("inbox_since").desc(), *LAST),
    "nid": (F("inbox_nid").asc(nulls_last=True), OLDEST, *LAST),
}


class Line(NamedTuple):
    """A thing that waits, in words: what it is, what the person can do as the rest of “Your turn: …”, and the page for it."""

    title: str
    task: str
    path: str


@dataclass(frozen=True, slots=True)
class WaitingKind:
    """One kind of things that wait, as its app declares it.

    `rows` finds those that wait for a person. The other columns are expressions on its model: since when a row waits, until when
    (None: without a limit), its NID, the name of the person or organisation that it is from, and who alone has it (none: all who
    can act). `show` describes a row, and `related` is what it reads. `claim` is the path to which a POST assigns a row that no
    one has to the person.
    """

    name: str
    label: str
    rows: Callable[[User], QuerySet[Any]]
    show: Callable[[Any], Line]
    since: Callable[[], Combinable] | str
    due: Callable[[], Combinable] | str | None = None
    nid: Combinable | str | None = None
    person: Combinable | str | None = None
    # The key of a person, as the person sees it; True if all rows are for the person alone.
    assignee: Callable[[User], Combinable] | bool = False
    related: tuple[str, ...] = ()
    claim: Callable[[Any], str] | None = None
    # Whether the summary of the day lists its new rows, because no other mail tells of them.
    is_in_summary: bool = False

    def columns(self, user: User) -> dict[str, Any]:
        """The columns of the inbox, as expressions."""
        found = {
            "inbox_kind": _by_code_point(Value(self.name)),
            "inbox_number": F("pk"),
            "inbox_since": _expression(self.since),
            "inbox_due": _expression(self.due) if self.due else None,
            "inbox_nid": NullIf(_by_code_point(_text(self.nid)), Value("")),
            "inbox_person": _text(self.person),
            "inbox_assignee": self._assignee(user),
        }
        return {
            name: Cast(Value(None) if value is None else value, COLUMNS[name])
            for name, value in found.items()
        }

    def _assignee(self, user: User) -> Combinable | None:
        if isinstance(self.assignee, bool):
            return Value(user.pk) if self.assignee else None
        return self.assignee(user)


# A kind of offers (`AddressedOffer`).
waiting_offers = partial(WaitingKind, since="offered_at", person=F("offered_by__name"), assignee=True)


def _expression(given: Callable[[], Combinable] | Combinable | str) -> Combinable:
    if isinstance(given, str):
        return F(given)
    return given if isinstance(given, Combinable) else given()


def _text(given: Combinable | str | None) -> Combinable:
    return Coalesce(Cast(_expression(given), models.TextField()), Value("")) if given else Value("")


def _by_code_point(text: Combinable) -> Combinable:
    """A text that is compared by code points: the texts of all kinds need one collation, and their columns have several."""
    return Collate(Cast(text, models.TextField()), "C")


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """A row of the inbox."""

    kind: WaitingKind
    number: int
    since: datetime
    due: datetime | None
    nid: str
    person: str
    # Who has it, if it is another person.
    with_another: str
    # Whether the person claimed it.
    is_claimed: bool
    line: Line
    claim: str

    @property
    def key(self) -> str:
        """What names the row on the page."""
        return f"{self.kind.name}-{self.number}"

    @property
    def is_overdue(self) -> bool:
        return self.due is not None and self.due < timezone.now()


KINDS: dict[str, WaitingKind] = {}


def declare(kind: WaitingKind) -> None:
    KINDS[kind.name] = kind


def waiting_rows(
    user: User, only: Q | None = None, kinds: Iterable[str] = (), words: Iterable[str] = ()
) -> QuerySet[Any, Any]:
    """The rows that wait for `user`, as tuples of COLUMNS, in no order.

    `only` is a condition on the columns. Each of `words`, in lower case, is in the kind, the number, the NID or the name.
    """
    found = [
        _rows_of(kind, user, only or Q(), list(words)) for kind in KINDS.values() if _is_asked(kind, kinds)
    ]
    rows: QuerySet[Any, Any] = found[0].union(*found[1:], all=True)
    return rows


def _is_asked(kind: WaitingKind, kinds: Iterable[str]) -> bool:
    return not kinds or kind.name in kinds


def _rows_of(kind: WaitingKind, user: User, only: Q, words: Iterable[str]) -> QuerySet[Any, Any]:
    rows: QuerySet[Any, Any] = kind.rows(user).order_by().annotate(**kind.columns(user)).filter(only)
    for word in words:
        if word not in kind.label.lower():
            number = Q(inbox_number=int(word)) if word.isdecimal() and len(word) < 18 else Q()
            rows = rows.filter(number | Q(inbox_nid__icontains=word) | Q(inbox_person__icontains=word))
    return rows.values_list(*COLUMNS)


def count_waiting(user: User) -> int:
    """How many rows wait for `user`, counted in one statement, which reads nothing that only the list shows."""
    found = [kind.rows(user).order_by().values_list(Value(1)) for kind in KINDS.values()]
    return keep_count(user, found[0].union(*found[1:], all=True).count())


def recent_count(user: User) -> int:
    """As `count_waiting`, or what was counted in the last seconds (the setting CACHES, "waiting_counts")."""
    kept: int | None = caches["waiting_counts"].get(user.pk)
    return count_waiting(user) if kept is None else kept


def keep_count(user: User, number: int) -> int:
    """Keep the number for the header of the next pages, in the memory of this process."""
    caches["waiting_counts"].set(user.pk, number)
    return number


def items_of(rows: Iterable[tuple[Any, ...]], user: User) -> list[WaitingItem]:
    """The rows with their words: one query for each kind among them."""
    rows = list(rows)
    objects = {
        name: kind.rows(user).model._default_manager.select_related(*kind.related).in_bulk(numbers)
        for name, kind in KINDS.items()
        if (numbers := [number for of, number, *_ in rows if of == name])
    }
    others = {assignee for *_, assignee in rows} - {None, user.pk}
    names = {each.pk: str(each) for each in User.objects.filter(pk__in=others)} if others else {}
    return [
        _item(KINDS[name], objects[name][number], facts, user, names)
        for name, number, *facts in rows
        # It may have been deleted since.
        if number in objects[name]
    ]


def _item(kind: WaitingKind, row: Any, facts: list[Any], user: User, names: dict[int, str]) -> WaitingItem:
    since, due, nid, person, assignee = facts
    claim = kind.claim(row) if kind.claim and assignee is None else ""
    return WaitingItem(
        kind,
        row.pk,
        since,
        due,
        nid or "",
        person,
        names.get(assignee, ""),
        kind.claim is not None and assignee == user.pk,
        kind.show(row),
        claim,
    )
