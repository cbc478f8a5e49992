"""Who watches a case, and so gets its mail: whoever said so, and whoever has to do with it and did not stop.

Nothing is written when somebody submits, reviews or comments: that they did is the reason, and it is asked
for in one query each way.
"""

from typing import Any

from django.db import models, transaction

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.models import Case, CaseQuerySet, CoEditor, Comment, Recusal, Subscription
from registry.core.exceptions import NotPermitted

Columns = tuple[models.QuerySet[Any], str, str]


def _subscribed(*, of: str, **which: Any) -> models.QuerySet[Any]:
    """The keys of the people who watch a case (of="person", case=…), or of the cases that somebody watches
    (of="case", person=…).
    """

    def keys(*places: Columns) -> models.QuerySet[Any]:
        """Rows, and the columns where they name a case and a person."""
        first, *rest = (
            rows.filter(**{columns[name]: key for name, key in which.items()})
            .order_by()
            .values_list(columns[of])
            for rows, columns in ((rows, {"case": case, "person": person}) for rows, case, person in places)
        )
        return first.union(*rest) if rest else first

    has_to_do_with_it = keys(
        (Case.objects.all(), "pk", "registrant"),
        (CoEditor.objects.all(), "case", "user"),
        (Comment.objects.all(), "round__case", "author"),
        (Event.objects.filter(case_number__isnull=False), "case_number", "actor"),
    )
    left = keys(
        (Subscription.objects.filter(is_stopped=True), "case", "user"),
        (Recusal.objects.all(), "case", "user"),
    )
    said_so = keys((Subscription.objects.filter(is_stopped=False), "case", "user"))
    return said_so.union(has_to_do_with_it.difference(left))


def subscribers_of(case: Case) -> models.QuerySet[User]:
    people = User.objects.filter(is_active=True, pk__in=_subscribed(of="person", case=case.pk))
    return people.order_by("name", "email")


def subscribed_by(user: User) -> CaseQuerySet:
    """The public cases that somebody watches."""
    return Case.objects.public().filter(pk__in=_subscribed(of="case", person=user.pk))


def subscribe(case: Case, *, by: User) -> None:
    """From now on `by` gets the mail of a public case."""
    _say(case, by, is_stopped=False)


def unsubscribe(case: Case, *, by: User) -> None:
    """No more mail of the case for `by`, whatever they do in it, until they say otherwise.

    Its registrant, and whoever's turn it is, are told of moves all the same.
    """
    _say(case, by, is_stopped=True)


@transaction.atomic
def _say(case: Case, by: User, *, is_stopped: bool) -> None:
    if not Case.objects.public().filter(pk=case.pk).exists():
        raise NotPermitted(f"There is no case {case.pk} to watch.")
    Subscription.objects.update_or_create(case=case, user=by, defaults={"is_stopped": is_stopped})
