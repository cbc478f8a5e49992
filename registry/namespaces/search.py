"""Which namespaces a list shows: found by words, chosen by kind and status, sorted, in pages.

Every question is answered by an index, however many namespaces there are. A page begins behind a namespace
(`after`), never at a number. Without words each of the four combinations of kind and status has an index in
each order; a list is what their beginnings merge to. With words there is one index over NID, registrant,
purpose and the text of the current registration, which the database keeps by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from django.db.models import BooleanField, Q, QuerySet, TextChoices
from django.db.models.expressions import RawSQL

from registry.characters import UNKEEPABLE
from registry.namespaces.models import Kind, Namespace
from urnsyntax.nid import is_well_formed

LONGEST_QUESTION = 500  # characters; the database looks at no more of them


class Status(TextChoices):
    ACTIVE = "active", "in use"
    DEPRECATED = "deprecated", "deprecated"


class Order(TextChoices):
    NID = "nid", "NID"
    NEWEST = "newest", "newest first"
    UPDATED = "updated", "latest update first"


# What a date sorts by. Both columns run down, so that one index and one comparison of rows serve a page.
DATES: dict[str, str] = {Order.NEWEST: "registered_on", Order.UPDATED: "updated_on"}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for. An empty text asks for all; `after` is the NID behind which the page begins."""

    words: str = ""
    kind: str = ""
    status: str = ""
    order: str = Order.NID
    after: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the answer. `exact`, not among the others, is on the first: its NID is what was typed."""

    namespaces: Sequence[Namespace]
    has_more: bool
    exact: Namespace | None = None

    @property
    def next(self) -> str:
        """What `after` has to be for the page that follows; "" on the last one."""
        return self.namespaces[-1].nid if self.has_more else ""


def search(words: str) -> QuerySet[Namespace]:
    """The namespaces with every one of `words`: in NIDs any part, elsewhere words and how they begin.

    Any text can be asked; one without a letter or digit finds nothing, and a blank one everything.
    """
    words = _askable(words)
    return Namespace.objects.filter(_has(words)) if words else Namespace.objects.all()


def page_of(question: Question, size: int) -> Page:
    """The answer's first `size` namespaces behind `question.after`.

    Found by words and sorted by NID, those that have the words in their NID come before the others.
    """
    words = _askable(question.words)
    if not words:
        found, exact = _listed(question, size + 1), None
    elif question.order == Order.NID:
        found, exact = _with_words_in_nid_first(words, question, size + 1)
    else:
        chosen = search(words).filter(_chosen(question))
        found, exact = list(_sorted(chosen, question)[: size + 1]), None
    return Page(found[:size], len(found) > size, exact)


def _askable(words: str) -> str:
    return UNKEEPABLE.sub(" ", words[:LONGEST_QUESTION]).strip()


def _has(words: str, *, in_nid: bool = False) -> RawSQL:
    condition = "namespaces_namespace.words @@ namespaces_query(%s, %s)"
    return RawSQL(condition, (words, in_nid), output_field=BooleanField())  # noqa: S611 - no word is in it


def _chosen(question: Question) -> Q:
    kind = Q(kind=question.kind) if question.kind else Q()
    status = Q(deprecated_at__isnull=question.status == Status.ACTIVE) if question.status else Q()
    return kind & status


def _listed(question: Question, how_many: int) -> list[Namespace]:
    """Without words: the beginnings of the lists of every kind and status asked for, merged."""
    if question.order == Order.NID and not (question.kind or question.status):
        return list(_sorted(Namespace.objects.all(), question)[:how_many])
    kinds = [question.kind] if question.kind else Kind.values
    statuses = [question.status] if question.status else Status.values
    lists = [
        _sorted(Namespace.objects.filter(_chosen(replace(question, kind=kind, status=status))), question)
        for kind, status in product(kinds, statuses)
    ]
    first, *others = [each[:how_many] for each in lists]
    merged = first.union(*others, all=True) if others else first
    return list(merged.order_by(*_columns(question))[:how_many] if others else merged)


def _with_words_in_nid_first(
    words: str, question: Question, how_many: int
) -> tuple[list[Namespace], Namespace | None]:
    chosen = Namespace.objects.filter(_chosen(question)).exclude(nid=words.lower())
    in_nid = chosen.filter(_has(words, in_nid=True))
    elsewhere = chosen.filter(_has(words)).exclude(_has(words, in_nid=True))
    is_first = not question.after
    found: list[Namespace] = []
    if is_first or in_nid.filter(nid=question.after).exists():
        found = list(_sorted(in_nid, question)[:how_many])
        question = replace(question, after="")
    if len(found) < how_many:
        found += _sorted(elsewhere, question)[: how_many - len(found)]
    return found, _exact(words, question) if is_first else None


def _exact(words: str, question: Question) -> Namespace | None:
    if not is_well_formed(words):
        return None
    return Namespace.objects.filter(_chosen(question), nid=words.lower()).first()


def _sorted(found: QuerySet[Namespace], question: Question) -> QuerySet[Namespace]:
    """In the order asked for, from behind `after` on."""
    date = DATES.get(question.order)
    if date is None:
        found = found.filter(nid__gt=question.after) if question.after else found
    elif question.after:
        last = Namespace.objects.filter(nid=question.after).values_list(date, "nid").first()
        # One comparison of rows, which an index on both columns answers in one go.
        before = f"(namespaces_namespace.{date}, namespaces_namespace.nid) < (%s, %s)"
        found = found.filter(RawSQL(before, last, output_field=BooleanField())) if last else found.none()  # noqa: S611
    return found.order_by(*_columns(question))


def _columns(question: Question) -> tuple[str, ...]:
    date = DATES.get(question.order)
    return (f"-{date}", "-nid") if date else ("nid",)
