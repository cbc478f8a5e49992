"""Checks of the head of the audit log, and of the replica that has it. `manage.py verify_audit_log` verifies every event."""

from django.core import checks
from django.db import Error
from django.db.models import Subquery

from registry.audit_log.consistency import MAX_LAG, state_of_replica
from registry.audit_log.heads import stored_frontier
from registry.audit_log.models import BrokenAuditLog, ChainHead, Event, SignedHead
from registry.core.database.connections import has_replica
from registry.core.database.errors import first_line
from registry.core.deployment_checks import Findings, Scope, health_check


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


@health_check("replica", Scope.DOCTOR)
def check_replica() -> Findings:
    """The replica of DATABASE_REPLICA_URL, if there is one, responds and follows the primary."""
    if not has_replica():
        return []
    try:
        is_current = state_of_replica().is_current
    except Error as error:
        fault = f"The replica of DATABASE_REPLICA_URL can't be read: {first_line(error)}"
        return [_replica_warning(fault, "audit_log.W002")]
    if is_current:
        return []
    behind = f"The replica of DATABASE_REPLICA_URL is more than {MAX_LAG} seconds behind, or not connected to its primary."
    return [_replica_warning(behind, "audit_log.W003")]


def _replica_warning(message: str, check_id: str) -> checks.CheckMessage:
    return checks.Warning(
        message,
        hint="The primary answers all requests until then. Look at the log of the standby, and at pg_stat_replication of the "
        "primary (docs/deployment.md, “Several database servers”).",
        id=check_id,
    )
