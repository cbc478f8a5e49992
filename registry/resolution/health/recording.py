"""Recording the results of checks, and mails about services that began or ceased to work: one mail a run for each
recipient.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from registry.accounts.models import RoleName, User, addresses
from registry.core.validators import shortened
from registry.mail import outbox
from registry.namespaces.actions.registrants import people_of
from registry.namespaces.models import Namespace
from registry.resolution.health.checking import CheckedService, CheckResult, Outcome
from registry.resolution.models import HealthState, ListedService, ServiceHealth

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


FAILURES_BEFORE_DEGRADED = 3
TIME_BEFORE_DOWN = timedelta(days=14)
MAX_DETAIL = 200
UNHEALTHY = frozenset([HealthState.DEGRADED, HealthState.DOWN])
RECORDED = ("state", "failures", "checked_at", "worked_at", "failing_since", "detail")

_Key = tuple[int, str]
"""The key of a namespace, and an address template."""


@dataclass(frozen=True, slots=True)
class HealthChange:
    """A service that began or ceased to be degraded or down."""

    namespace: Namespace
    service: CheckedService
    before: HealthState
    after: ServiceHealth


@transaction.atomic
def record_checks(results: Iterable[CheckResult], *, now: datetime | None = None) -> list[HealthChange]:
    """Record results, and mail the changes of health.

    Results for services that the current profiles lack are discarded, and so is all earlier health of such services.
    """
    now = now or timezone.now()
    current = _current(list(results))
    namespaces = {
        each.nid: each for each in Namespace.objects.filter(nid__in={each.service.nid for each in current})
    }
    recorded = _recorded(namespaces.values())
    changes, written = [], []
    for result in current:
        namespace, template = namespaces[result.service.nid], result.service.template
        before = recorded.get((namespace.pk, template)) or ServiceHealth(
            namespace=namespace, template=template
        )
        after = health_after(before, result, now)
        written.append(after)
        if after.state != before.state and {before.state, after.state} & UNHEALTHY:
            changes.append(HealthChange(namespace, result.service, HealthState(before.state), after))
    _write(written)
    notify_of_changes(changes)
    return changes


def health_after(before: ServiceHealth, result: CheckResult, now: datetime) -> ServiceHealth:
    """The health of a service after one more check."""
    state, failures = HealthState(before.state), before.failures
    worked_at, failing_since = before.worked_at, before.failing_since
    match result.finding.outcome:
        case Outcome.WORKS:
            state, failures, worked_at, failing_since = HealthState.WORKS, 0, now, None
        case Outcome.FAILS:
            failures, failing_since = failures + 1, failing_since or now
            state = _state_after_failure(state, failures, now - failing_since)
    return ServiceHealth(
        namespace_id=before.namespace_id,
        template=before.template,
        state=state,
        failures=failures,
        checked_at=now,
        worked_at=worked_at,
        failing_since=failing_since,
        detail=shortened(result.finding.detail, MAX_DETAIL - 1),
    )


def _state_after_failure(state: HealthState, failures: int, fails_for: timedelta) -> HealthState:
    if failures < FAILURES_BEFORE_DEGRADED:
        return state
    return HealthState.DOWN if fails_for >= TIME_BEFORE_DOWN else HealthState.DEGRADED


def _recorded(namespaces: Iterable[Namespace]) -> dict[_Key, ServiceHealth]:
    rows = ServiceHealth.objects.select_for_update().filter(namespace__in=namespaces).order_by("pk")
    return {(row.namespace_id, row.template): row for row in rows}


def _current(results: Sequence[CheckResult]) -> list[CheckResult]:
    """The results for services that the current profiles have."""
    nids = {each.service.nid for each in results}
    listed = set(ListedService.objects.filter(nid__in=nids).values_list("nid", "template").order_by())
    return [each for each in results if (each.service.nid, each.service.template) in listed]


def _write(rows: Sequence[ServiceHealth]) -> None:
    listed = ListedService.objects.filter(nid=OuterRef("namespace__nid"), template=OuterRef("template"))
    ServiceHealth.objects.exclude(Exists(listed)).delete()
    ServiceHealth.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["namespace", "template"], update_fields=RECORDED
    )
