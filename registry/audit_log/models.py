"""The audit log: an append-only, hash-chained table of events.

Each event contains its digest, which `leaves` defines for each format, and the digest of its predecessor. The database
rejects UPDATE, DELETE and TRUNCATE (`migrations/triggers.sql`). Corrections are new events.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.urls import reverse
from django.utils import timezone

from registry.audit_log.leaves import FORMAT_1, FORMAT_2, leaf_of
from registry.audit_log.merkle import leaf_hash
from registry.audit_log.signed_notes import Checkpoint, MalformedNote
from registry.core.digests import canonical_json
from registry.core.exceptions import RegistryError

GENESIS = "0" * 64
POSITION_PATTERN = re.compile("([0-9]{1,18}):([0-9a-f]{64})")


class BrokenAuditLog(RegistryError):
    """An event does not fit the chain or a published head: the log was tampered with, or a copy is incomplete."""

    title = "Broken audit log"


class MalformedPosition(RegistryError):
    """A text is not the number and digest of an event."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Malformed position"


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A position in the audit log: the number and digest of an event, or the beginning."""

    number: int = 0
    digest: str = GENESIS

    @classmethod
    def parse(cls, text: str) -> "LogPosition":
        """Parse NUMBER:DIGEST. Raises MalformedPosition."""
        if not (found := POSITION_PATTERN.fullmatch(text)):
            raise MalformedPosition(
                f"“{text[:80]}” is not the position of an event. The form is NUMBER:DIGEST, such as 812:5f2c…, with a "
                "digest of 64 hexadecimal digits."
            )
        return cls(int(found[1]), found[2])

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> "LogPosition":
        """Return what `to_json` wrote. Raises MalformedPosition, also for a number that no table holds, or KeyError."""
        if set(members) != {"number", "digest"} or type(members["number"]) is not int:
            raise MalformedPosition("A position of the log has the members `number` and `digest`.")
        return cls.parse(f"{members['number']}:{members['digest']}")

    @classmethod
    def current(cls) -> "LogPosition":
        """Return the position of the last event."""
        return ChainHead.objects.get(pk=1).position

    @property
    def is_in_log(self) -> bool:
        """Whether the audit log of this database contains the event."""
        return self == LogPosition() or Event.objects.filter(number=self.number, digest=self.digest).exists()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class EventQuerySet(models.QuerySet["Event"]):
    def of_case(self, number: int) -> "EventQuerySet":
        return self.filter(case_number=number)

    def of_namespace(self, nid: str) -> "EventQuerySet":
        return self.filter(nid=nid)

    def with_proofs(self) -> "EventQuerySet":
        """Annotate each event with `is_proven`: whether a published head has it."""
        heads = SignedHead.objects.filter(size__gte=models.OuterRef("number"))
        return self.annotate(is_proven=models.Exists(heads))


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
    # The digests of the `PersonalData` of the actor and of the person whom the event concerns.
    identities = models.JSONField(default=dict)
    # The salts of what is not public, by name, and the names of private details (`leaves`); null for an event of format 1.
    salts = models.JSONField(null=True)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    objects: ClassVar[models.Manager["Event"]] = EventQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        indexes = [
            models.Index("case_number", "number", name="events_of_case"),
            models.Index("nid", "number", name="events_of_namespace"),
            models.Index("verb", "number", name="events_of_type"),
            models.Index("text_digest", "number", condition=~models.Q(text_digest=""), name="events_of_text"),
        ]
        constraints = [
            models.UniqueConstraint("previous", name="one_successor_per_event"),
            models.CheckConstraint(condition=models.Q(number__gt=0), name="event_number_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.verb} {self.nid or self.case_number or ''}".rstrip()

    @property
    def position(self) -> LogPosition:
        return LogPosition(self.number, self.digest)

    @property
    def format(self) -> int:
        """The format of the leaf and the digest."""
        return FORMAT_1 if self.salts is None else FORMAT_2

    @property
    def leaf(self) -> bytes:
        """The entry of the event in the Merkle tree of the log."""
        return bytes.fromhex(self.digest) if self.salts is None else leaf_of(self)

    def canonical(self) -> bytes:
        """Return an event of format 1 as canonical JSON in UTF-8: sorted keys, no spaces, times in UTC."""
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
            "identities": self.identities,
            "previous": self.previous,
        }
        return canonical_json(content).encode()

    def computed_digest(self) -> str:
        """Return the digest that the content of the event has."""
        if self.salts is None:
            return hashlib.sha256(self.canonical()).hexdigest()
        return leaf_hash(leaf_of(self)).hex()


def hash_in_tree(digest: str, *, is_former: bool) -> bytes:
    """Return the hash of the leaf of an event in the Merkle tree, from its digest. `is_former`: it has format 1."""
    return leaf_hash(bytes.fromhex(digest)) if is_former else bytes.fromhex(digest)


class PersonalData(models.Model):
    """The name and the address of an account at the time of an event, which contains their salted digest; or the name as
    it was shown.

    A row is deleted with an event that says so, and never changed otherwise (`migrations/triggers.sql`).
    """

    # `salted_digest(salt, value)`
    digest = models.CharField(max_length=64, primary_key=True, db_collation="C")
    salt = models.CharField(max_length=32)
    value = models.JSONField()
    account = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "personal data"

    def __str__(self) -> str:
        return f"personal data of account {self.account_id}"


class ChainHead(models.Model):
    """The number and digest of the last event: one row, which writers lock."""

    number = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, default=GENESIS)
    # Not the number of the last event if code before format 2, which writes format 1, was in use since.
    last_in_format_2 = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_chain_head")]

    def __str__(self) -> str:
        return f"head of the audit log: event {self.number}"

    @property
    def position(self) -> LogPosition:
        return LogPosition(self.number, self.digest)


class SignedHead(models.Model):
    """A published head of the log, as a signed note about its first `size` events. Written by `heads.publish_head`.

    `frontier` has the hashes of `merkle.Frontier` in hexadecimal, so that the next head costs only the new events.
    """

    size = models.BigIntegerField(primary_key=True)
    note = models.TextField()
    frontier = ArrayField(models.CharField(max_length=64))
    # The newest format of leaves that is known to the code that signed the head; its events can have an older one. NULL means
    # code before format 2, or a head before the column was added. A trigger refuses a new head with NULL once an event has format 2.
    leaf_format = models.BigIntegerField(null=True)
    published_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["size"]
        constraints = [models.CheckConstraint(condition=models.Q(size__gt=0), name="signed_head_has_events")]

    def __str__(self) -> str:
        return f"signed head of the audit log: {self.size} events"

    @property
    def checkpoint(self) -> Checkpoint:
        """Return what the note says, without checking its signature. Raises BrokenAuditLog."""
        try:
            return Checkpoint.of_note(self.note)
        except MalformedNote as fault:
            raise BrokenAuditLog(
                f"The published head of {self.size} events is not genuine. {fault}"
            ) from fault

    @property
    def cosigned_note(self) -> str:
        """Return the note with the cosignatures that there are, in the order in which they arrived."""
        lines = self.cosignatures.order_by("pk").values_list("line", flat=True)
        return self.note + "".join(f"{line}\n" for line in lines)


class Cosignature(models.Model):
    """The statement of a witness that it saw a published head, and that the head continues those before it.

    Written by `witnesses`. `key` is the verifier key of the witness, `line` its signature line, and `at` the time in it.
    """

    head = models.ForeignKey(SignedHead, on_delete=models.PROTECT, related_name="cosignatures")
    key = models.CharField(max_length=300, db_collation="C")
    line = models.TextField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["head", "pk"]
        constraints = [
            models.UniqueConstraint("key", "head", name="one_cosignature_per_witness"),
            models.CheckConstraint(
                condition=models.Q(line__regex=r"^— [^ \n]+ [A-Za-z0-9+/]+=*$"),
                name="cosignature_is_a_line",
            ),
        ]

    def __str__(self) -> str:
        return f"cosignature of a head of {self.head_id} events by {self.name}"

    @property
    def name(self) -> str:
        """The name of the witness."""
        return self.key.partition("+")[0]


class Timestamp(models.Model):
    """The statement of an authority that the note of a published head existed at a time (RFC 3161).

    Written by `timestamps`. `authority` is the host of the authority, and `at` the time in the token. `reply` is the TimeStampResp
    of Section 2.4.2 in DER and base64.
    """

    head = models.ForeignKey(SignedHead, on_delete=models.PROTECT, related_name="timestamps")
    authority = models.CharField(max_length=253, db_collation="C")
    reply = models.TextField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["head", "pk"]
        constraints = [
            models.UniqueConstraint("authority", "head", name="one_timestamp_per_authority"),
            models.CheckConstraint(
                condition=models.Q(reply__regex=r"^M[A-Za-z0-9+/]+=*$"), name="timestamp_is_in_base64"
            ),
        ]

    def __str__(self) -> str:
        return f"time stamp of a head of {self.head_id} events by {self.authority}"

    def get_absolute_url(self) -> str:
        return reverse("audit_log:timestamp", args=(self.head_id, self.authority))


class TileHash(models.Model):
    """The hash of a full tile of the Merkle tree, at its index in the level above that tile. Written by `tiles`."""

    level = models.BigIntegerField()
    index = models.BigIntegerField()
    hash = models.CharField(max_length=64)

    class Meta:
        verbose_name_plural = "tile hashes"
        constraints = [
            models.UniqueConstraint("level", "index", name="one_hash_per_tile"),
            models.CheckConstraint(
                condition=models.Q(level__gt=0, index__gte=0), name="tile_hash_has_a_place"
            ),
        ]

    def __str__(self) -> str:
        return f"hash {self.index} of level {self.level}"
