"""Subscriptions to cases. People who take part in a case are subscribed until they unsubscribe or recuse themselves.

Only explicit choices are stored. Participation is read from the case, its comments and its events, in one query.
"""

from typing import Any

from django.db import models, transaction

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.models import (
    PERSONAL_ACTIONS,
    Case,
    CaseQuerySet,
    CoEditor,
    Comment,
    Recusal,
    Subscription,
)
from registry.core.database.prepared_queries import prepared
from registry.core.exceptions import NotPermitted
from registry.organisations.models import Membership

Columns = tuple[models.QuerySet[Any], str, str]


def _subscription_keys(*, of: str, **which: Any) -> models.QuerySet[Any]:
    """The keys of the subscribers of a case (of="person", case=…), or of the cases to which a person is subscribed
    (of="case", person=…).
    """

    def keys(*sources: Columns) -> models.QuerySet[Any]:
        """The union of these rows; each source names its columns for the case and the person."""
        first, *rest = (
            rows.filter(**{columns[name]: key for name, key in which.items()})
            .order_by()
            .values_list(columns[of])
            for rows, columns in ((rows, {"case": case, "person": person}) for rows, case, person in sources)
        )
        return first.union(*rest) if rest else first

    participants = keys(
        (Case.objects.filter(organisation=None), "pk", "registrant"),
        (Membership.objects.current(), "organisation__cases", "user"),
        (CoEditor.objects.all(), "case", "user"),
        (Comment.objects.all(), "round__case", "author"),
        (
            Event.objects.filter(case_number__isnull=False).exclude(verb__in=PERSONAL_ACTIONS),
            "case_number",
            "actor",
        ),
    )
    unsubscribed = keys(
        (Subscription.objects.filter(is_stopped=True), "case", "user"),
        (Recusal.objects.all(), "case", "user"),
    )
    explicit = keys((Subscription.objects.filter(is_stopped=False), "case", "user"))
    return explicit.union(participants.difference(unsubscribed))


def subscribers_of(case: Case) -> models.QuerySet[User]:
    people = User.objects.filter(is_active=True, pk__in=_subscription_keys(of="person", case=case.pk))
    return people.order_by("name", "email")


@prepared
def _subscribers(case: int) -> models.QuerySet[User]:
    return User.objects.filter(is_active=True, pk__in=_subscription_keys(of="person", case=case)).only("pk")


def subscribers_except(case: Case, by: User) -> list[User]:
    """The subscribers, with their keys alone."""
    return [person for person in User.objects.raw(*_subscribers(case.pk)) if person.pk != by.pk]


def subscribed_by(user: User) -> CaseQuerySet:
    """The public cases to which a person is subscribed."""
    return Case.objects.public().filter(pk__in=_subscription_keys(of="case", person=user.pk))


def subscribe(case: Case, *, by: User) -> None:
    """Subscribe `by` to the mail of a public case."""
    _set_subscription(case, by, is_stopped=False)


def unsubscribe(case: Case, *, by: User) -> None:
    """Unsubscribe `by` from the mail of the case, even if they take part in it later.

    The registrant and the people who can act are still notified of transitions.
    """
    _set_subscription(case, by, is_stopped=True)


@transaction.atomic
def _set_subscription(case: Case, by: User, *, is_stopped: bool) -> None:
    if not Case.objects.public().filter(pk=case.pk).exists():
        raise NotPermitted(f"There is no public case {case.pk} to subscribe to.")
    Subscription.objects.update_or_create(case=case, user=by, defaults={"is_stopped": is_stopped})
