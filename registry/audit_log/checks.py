"""Checks of the head of the audit log, of what others state about it, and of the replica that has it.

`manage.py verify_audit_log` verifies every event.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from django.db.models import Subquery
from django.utils import timezone

from registry.audit_log.consistency import MAX_LAG, state_of_replica
from registry.audit_log.heads import stored_frontier
from registry.audit_log.models import BrokenAuditLog, ChainHead, Event, SignedHead
from registry.audit_log.signing_keys import signing_key
from registry.core.database.connections import has_replica
from registry.core.database.errors import first_line
from registry.core.deployment_checks import Findings, Scope, health_check

if TYPE_CHECKING:
    from registry.audit_log.attestations import Party

PATIENCE = timedelta(hours=2)


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


WITNESSES, AUTHORITIES = "LOG_WITNESSES", "LOG_TIMESTAMP_AUTHORITIES"


@checks.register(checks.Tags.security, deploy=True)
def check_settings_of_parties(**kwargs: Any) -> list[checks.CheckMessage]:
    """LOG_WITNESSES has keys and addresses, LOG_TIMESTAMP_AUTHORITIES has addresses and files."""
    found: list[checks.CheckMessage] = []
    for setting in (WITNESSES, AUTHORITIES):
        try:
            _parties(setting)
        except ImproperlyConfigured as fault:
            found.append(checks.Error(str(fault), id="audit_log.E003"))
    return found


def _parties(setting: str) -> "tuple[Party, ...]":
    """Return those of a setting. What sends requests is loaded only where it is set. Raises ImproperlyConfigured."""
    if not getattr(settings, setting):
        return ()
    if setting == WITNESSES:
        from registry.audit_log.witnesses import witnesses

        return witnesses()
    from registry.audit_log.timestamps import authorities

    return authorities()


@health_check("witnesses", Scope.DOCTOR)
def check_witnesses() -> Findings:
    """Each witness of LOG_WITNESSES has cosigned the newest head that is older than PATIENCE."""
    return [
        checks.Warning(
            f"The witness {name} has not cosigned the head of {head.size} events, nor a later one.",
            hint="The log of the worker says why. If the witness knows another view of the log, keep both heads "
            "(docs/audit-log.md, “A split view”). Otherwise ask its operator whether it runs, and knows the key of the log.",
            id="audit_log.W005",
        )
        for name, head in _late(WITNESSES)
    ]


@health_check("time stamps", Scope.DOCTOR)
def check_timestamps() -> Findings:
    """Each authority of LOG_TIMESTAMP_AUTHORITIES has stamped the newest head that is older than PATIENCE."""
    return [
        checks.Warning(
            f"The time-stamping authority {name} has not stamped the head of {head.size} events, nor a later one.",
            hint="The log of the worker says why. If the authority has a new root certificate, add it to the file that "
            "LOG_TIMESTAMP_AUTHORITIES names (docs/audit-log.md, “Time stamps”).",
            id="audit_log.W006",
        )
        for name, head in _late(AUTHORITIES)
    ]


def _late(setting: str) -> Iterator[tuple[str, SignedHead]]:
    """Yield who lacks a statement about the newest head that is older than PATIENCE, by name, with that head."""
    try:
        parties = _parties(setting)
    except ImproperlyConfigured:  # `check_settings_of_parties` says so
        return
    if not parties or signing_key() is None:
        return
    head = SignedHead.objects.filter(published_at__lt=timezone.now() - PATIENCE).order_by("-size").first()
    yield from ((each.name, head) for each in parties if head and each.last_size < head.size)


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
