"""The audit log: an append-only, hash-chained table of events.

Each event contains the SHA-256 of its canonical JSON and the digest of its predecessor. The database rejects
UPDATE, DELETE and TRUNCATE. Corrections are new events.
"""

import hashlib
import json
from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from registry.audit_log.triggers import immutable, kept_for_ever
from registry.core.exceptions import RegistryError

GENESIS = "0" * 64
_in_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


class BrokenAuditLog(RegistryError):
    """An event does not fit the chain: the log was tampered with, or a copy of it is incomplete."""


class EventQuerySet(models.QuerySet["Event"]):
    def of_case(self, number: int) -> "EventQuerySet":
        return self.filter(case_number=number)

    def of_namespace(self, nid: str) -> "EventQuerySet":
        return self.filter(nid=nid)


class Event(models.Model):
    """One event of the audit log. `number` counts from 1 without gaps."""

    number = models.BigIntegerField(primary_key=True)
    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="events"
    )
    verb = models.CharField(max_length=40)
    case_number = models.BigIntegerField(null=True)
    nid = models.CharField(max_length=32, blank=True, db_collation="C")
    from_state = models.CharField(max_length=24, blank=True)
    to_state = models.CharField(max_length=24, blank=True)
    reason = models.TextField(blank=True)
    text_digest = models.CharField(max_length=64, blank=True)
    details = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    objects: ClassVar[models.Manager["Event"]] = EventQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        triggers = [immutable()]
        indexes = [
            models.Index("case_number", "number", name="events_of_case"),
            models.Index("nid", "number", name="events_of_namespace"),
            models.Index("number", name="events_of_imports", condition=models.Q(verb="import_iana")),
        ]
        constraints = [
            models.UniqueConstraint("previous", name="audit_log_never_forks"),
            models.CheckConstraint(condition=models.Q(number__gt=0), name="events_count_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.verb} {self.nid or self.case_number or ''}".rstrip()

    def canonical(self) -> bytes:
        """Return the event as canonical JSON in UTF-8: sorted keys, no spaces, times in UTC."""
        content: dict[str, Any] = {
            "number": self.number,
            "at": self.at.isoformat(timespec="microseconds"),
            "actor": self.actor_id,
            "verb": self.verb,
            "case": self.case_number,
            "nid": self.nid,
            "from": self.from_state,
            "to": self.to_state,
            "reason": self.reason,
            "text": self.text_digest,
            "details": self.details,
            "previous": self.previous,
        }
        return _in_json(content).encode()

    def computed_digest(self) -> str:
        return hashlib.sha256(self.canonical()).hexdigest()


class ChainHead(models.Model):
    """The number and digest of the last event: one row, which writers lock."""

    number = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, default=GENESIS)

    class Meta:
        triggers = [kept_for_ever()]
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="audit_log_has_one_head")]

    def __str__(self) -> str:
        return f"head of the record: {self.number}"
