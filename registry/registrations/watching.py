"""Who watches a case, and so gets its mail: whoever said so, and whoever has to do with it and did not stop.

Nothing is written when somebody submits, reviews or comments: that they did is the reason, and it is asked
for in one query each way.
"""

from typing import Any

from django.db import models, transaction

from registry.accounts.models import User
from registry.errors import NotForYou
from registry.record.models import Event
from registry.registrations.models import (
    CoEditor,
    Comment,
    Recusal,
    Registration,
    RegistrationQuerySet,
    Watch,
)

Columns = tuple[models.QuerySet[Any], str, str]


def _watching(*, of: str, **which: Any) -> models.QuerySet[Any]:
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
        (Registration.objects.all(), "pk", "registrant"),
        (CoEditor.objects.all(), "registration", "user"),
        (Comment.objects.all(), "submission__registration", "author"),
        (Event.objects.filter(registration_number__isnull=False), "registration_number", "actor"),
    )
    left = keys(
        (Watch.objects.filter(is_stopped=True), "registration", "user"),
        (Recusal.objects.all(), "registration", "user"),
    )
    said_so = keys((Watch.objects.filter(is_stopped=False), "registration", "user"))
    return said_so.union(has_to_do_with_it.difference(left))


def watchers_of(case: Registration) -> models.QuerySet[User]:
    people = User.objects.filter(is_active=True, pk__in=_watching(of="person", case=case.pk))
    return people.order_by("name", "email")


def watched_by(user: User) -> RegistrationQuerySet:
    """The public cases that somebody watches."""
    return Registration.objects.public().filter(pk__in=_watching(of="case", person=user.pk))


def watch(registration: Registration, *, by: User) -> None:
    """From now on `by` gets the mail of a public case."""
    _say(registration, by, is_stopped=False)


def stop_watching(registration: Registration, *, by: User) -> None:
    """No more mail of the case for `by`, whatever they do in it, until they say otherwise.

    Its registrant, and whoever's turn it is, are told of moves all the same.
    """
    _say(registration, by, is_stopped=True)


@transaction.atomic
def _say(registration: Registration, by: User, *, is_stopped: bool) -> None:
    if not Registration.objects.public().filter(pk=registration.pk).exists():
        raise NotForYou(f"There is no case {registration.pk} to watch.")
    Watch.objects.update_or_create(registration=registration, user=by, defaults={"is_stopped": is_stopped})
