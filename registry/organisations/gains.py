"""What people gain by a decision that they took for the registry.

A person who decided in favour of a namespace or a case can't become its registrant, nor the holder of an entry of its registers, nor
a member of the organisation that has it or such an entry, for `BARRED_FOR`. Conflicts that exist when a person decides are
predicates in the `permissions.py` of the apps.
`SEPARATE_DUTIES=0` lifts the rule for a registry of one person.
"""

from collections.abc import Collection, Iterable
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from registry.accounts.models import User
from registry.audit_log.models import Event, EventQuerySet
from registry.core.exceptions import ConflictOfInterest
from registry.organisations.models import Organisation, members_of

# No RFC sets a time. A year is long enough that no one decides for the sake of what follows, and so long a contact is confirmed.
BARRED_FOR = timedelta(days=365)
_DECISIONS: list[Q] = []


def declare(decisions: Q) -> None:
    """Declare events that are decisions in favour of those who get a namespace."""
    _DECISIONS.append(decisions)


def decisions_of(people: Iterable[int]) -> EventQuerySet:
    """The decisions in someone's favour after which these people are barred."""
    if not settings.SEPARATE_DUTIES:
        return Event.objects.none()
    since = timezone.now() - BARRED_FOR
    return Event.objects.filter(reduce(or_, _DECISIONS), actor__in=list(people), at__gt=since)


def obstacle_to_joining(person: User, organisation: Organisation) -> str:
    """Why a person can't become a member yet, as a sentence; "" if they can."""
    held = organisation.register_entries.order_by("register__namespace__nid").distinct()
    nids = [
        *organisation.namespaces.values_list("nid", flat=True),
        *held.values_list("register__namespace__nid", flat=True),
    ]
    cases = list(organisation.cases.values_list("pk", flat=True))
    return _obstacle([person.pk], nids=nids, cases=cases)


def obstacle_to_getting(to: User | Organisation, namespace: Any) -> str:
    """Why a person or an organisation can't get a namespace or an entry of its registers yet, as a sentence; "" if they can."""
    people = [to.pk] if isinstance(to, User) else list(members_of(to.pk).values_list("pk", flat=True))
    return _obstacle(people, nids=[namespace.nid])


def check_may_join(person: User, organisation: Organisation) -> None:
    """Raise ConflictOfInterest if the person can't become a member yet."""
    if why := obstacle_to_joining(person, organisation):
        raise ConflictOfInterest(why)


def check_may_get(to: User | Organisation, namespace: Any) -> None:
    """Raise ConflictOfInterest if the person or organisation can't get the namespace, or an entry of it, yet."""
    if why := obstacle_to_getting(to, namespace):
        raise ConflictOfInterest(why)


def _obstacle(people: Collection[int], *, nids: Collection[str], cases: Collection[int] = ()) -> str:
    found = decisions_of(people).filter(Q(nid__in=nids) | Q(case_number__in=cases)).order_by("number").last()
    if found is None:
        return ""
    about = f"“{found.nid}”" if found.nid else f"case {found.case_number}"
    until = found.at + BARRED_FOR
    return (
        f"{found.actor} decided on {about} for the registry on {found.at:%Y-%m-%d}, and can't gain by it before "
        f"{until:%Y-%m-%d}. Nor can an organisation of which they are a member."
    )
