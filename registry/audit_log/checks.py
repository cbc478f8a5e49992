"""The check of the head of the audit log. `manage.py verify_audit_log` verifies every event."""

from django.core import checks
from django.db.models import Subquery

from registry.audit_log.heads import stored_frontier
from registry.audit_log.models import BrokenAuditLog, ChainHead, Event, SignedHead
from registry.core.deployment.health_checks import Findings, Scope, health_check


@health_check("audit_log", Scope.NEEDED)
def check_head() -> Findings:
    """The head is the last event, and the newest published head is genuine and not beyond it."""
    try:
        _compare_heads()
    except BrokenAuditLog as fault:
        return [
            checks.Error(
                f"The head of the audit log is contradicted. {fault}",
                hint="Stop the web and worker processes, keep a copy of the database, and run "
                "`manage.py verify_audit_log` (docs/operations.md, “Incidents”).",
                id="audit_log.E002",
            )
        ]
    return []


def _compare_heads() -> None:
    """Raise BrokenAuditLog if heads and events differ. Concurrent writers do not interfere: heads only grow."""
    published = SignedHead.objects.order_by("-size").first()
    head = ChainHead.objects.filter(pk=1).first()
    if head is None:
        raise BrokenAuditLog("Its row is missing.")
    if not head.position.is_in_log:
        raise BrokenAuditLog(f"Event {head.number} is missing, or has another digest.")
    if Event.objects.filter(number__gt=Subquery(ChainHead.objects.values("number")[:1])).exists():
        raise BrokenAuditLog("An event comes after it: the registry did not write it.")
    if published is None:
        return
    stored_frontier(published, published.checkpoint)
    if published.size > head.number:
        raise BrokenAuditLog(
            f"A head of {published.size} events was published, but the log ends at event {head.number}."
        )
