"""Lists and counts of services by their health."""

from django.db.models import Count, Max

from registry.core.pagination import Keyset
from registry.resolution.models import HealthState, ListedService, ServiceHealth

BY_NID = Keyset("nid", "position")


def counts_by_state() -> dict[HealthState, int]:
    """The number of services in each state."""
    rows = ListedService.objects.order_by().values("state").annotate(number=Count("pk"))
    found = {row["state"]: row["number"] for row in rows}
    return {state: found.get(state, 0) for state in HealthState}


def last_check_time() -> float:
    """The time of the last check in seconds since 1970, 0 if there was none."""
    last = ServiceHealth.objects.aggregate(last=Max("checked_at"))["last"]
    return last.timestamp() if last else 0.0
