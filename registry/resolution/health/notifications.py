"""Mails about services that began or ceased to work: one mail a run for each recipient."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from registry.accounts.models import RoleName, User, addresses
from registry.mail import outbox
from registry.namespaces.services.registrants import people_of
from registry.resolution.models import HealthState

if TYPE_CHECKING:
    from registry.resolution.health.recording import HealthChange

MAX_LISTED = 50


def notify_of_changes(changes: "Sequence[HealthChange]") -> None:
    """Mail all changes to the administrators, and to each registrant, or member of their organisation, those of their namespaces."""
    if not changes:
        return
    administrators = addresses(User.objects.holding(RoleName.ADMINISTRATOR))
    _post(administrators, changes)
    for registrant, theirs in _by_registrant(changes).items():
        _post([each for each in addresses([registrant]) if each not in administrators], theirs)


def _by_registrant(changes: "Sequence[HealthChange]") -> "Mapping[User, list[HealthChange]]":
    found = defaultdict(list)
    for change in changes:
        for person in people_of(change.namespace):
            found[person].append(change)
    return found


def _post(to: list[str], changes: "Sequence[HealthChange]") -> None:
    working = sum(each.after.state == HealthState.WORKS for each in changes)
    context = {
        "changes": list(islice(changes, MAX_LISTED)),
        "left_out": max(0, len(changes) - MAX_LISTED),
        "working": working,
        "failing": len(changes) - working,
    }
    outbox.post("service_health", to=to, context=context)
