"""The data of IANA's registry, stored so that its file can be reproduced element by element; digests of our files."""

from base64 import b64encode
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.namespaces.models import DATE_PATTERN, Kind, Namespace, Revision
from registry.publication.iana.records import Element, IanaFile, Record, Xref, mixed_from_json, mixed_to_json


class IanaRecord(models.Model):
    """The newest entry for one NID in IANA's files.

    `as_of` is the <updated> of the newest file that lists it, "" if no file with a date did; `removed_on` is
    that of a later file that no longer lists it. `namespace` is empty for a name that IANA once listed and
    that is not registrable (RFC 8141, Section 5.1).
    """

    nid = models.CharField(max_length=32, db_collation="C", editable=False)
    namespace = models.OneToOneField(
        Namespace, on_delete=models.PROTECT, null=True, related_name="iana_record", editable=False
    )
    kind = models.CharField(max_length=8, choices=Kind.choices, editable=False)
    position = models.PositiveIntegerField()
    as_of = models.CharField(max_length=10, blank=True, db_collation="C")
    removed_on = models.CharField(max_length=10, blank=True, db_collation="C")
    name = models.CharField(max_length=32)
    date = models.CharField(max_length=10, blank=True, db_collation="C")
    updated = models.CharField(max_length=10, blank=True, db_collation="C")
    references = models.JSONField(default=list)
    template = models.JSONField(null=True)
    contact = models.JSONField(null=True)

    class Meta:
        verbose_name = "IANA record"
        ordering = ["kind", "position", "nid"]
        # Lets the export start without sorting all rows.
        indexes = [
            models.Index("kind", "position", "nid", name="iana_records_in_order"),
            models.Index("kind", "nid", condition=~Q(removed_on=""), name="iana_records_removed"),
        ]
        constraints = [
            models.UniqueConstraint("nid", name="one_iana_record_per_nid"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="iana_record_kind_is_known"),
            models.CheckConstraint(
                condition=(Q(as_of="") | Q(as_of__regex=DATE_PATTERN))
                & (Q(removed_on="") | Q(removed_on__regex=DATE_PATTERN)),
                name="iana_record_dates_are_valid",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.nid} at IANA"

    def update_from(self, record: Record) -> None:
        """Set the fields from `record`."""
        self.name, self.date, self.updated = record.name, record.date, record.updated
        self.references = [xref.to_json() for xref in record.references]
        self.template, self.contact = mixed_to_json(record.template), mixed_to_json(record.contact)

    @property
    def record(self) -> Record:
        """Return the entry as a value."""
        return Record(
            name=self.name,
            is_formal=self.kind == Kind.FORMAL,
            date=self.date,
            updated=self.updated,
            references=tuple(Xref.from_json(stored) for stored in self.references),
            template=mixed_from_json(self.template),
            contact=mixed_from_json(self.contact),
        )


class IanaRegistry(models.Model):
    """The head and the people of the newest file that was imported: one row, written by the importer."""

    updated = models.CharField(max_length=10, db_collation="C")
    digest = models.CharField(max_length=64)
    imported_at = models.DateTimeField(default=timezone.now)
    head = models.JSONField(default=list)
    formal_head = models.JSONField(default=list)
    informal_head = models.JSONField(default=list)
    people = models.JSONField(default=list)

    PARTS: ClassVar[tuple[str, ...]] = ("head", "formal_head", "informal_head", "people")

    class Meta:
        verbose_name = "IANA registry"
        verbose_name_plural = "IANA registries"
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_iana_registry")]

    def __str__(self) -> str:
        return f"IANA's registry as of {self.updated}"

    @classmethod
    def current(cls) -> "IanaRegistry | None":
        """Return the registry that was imported last, if any."""
        return cls.objects.filter(pk=1).first()

    def part(self, name: str) -> tuple[Element, ...]:
        stored: list[Any] = getattr(self, name)
        return tuple(Element.from_json(each) for each in stored)

    def update_from(self, file: IanaFile, digest: str) -> None:
        self.updated, self.digest, self.imported_at = file.updated, digest, timezone.now()
        for name in self.PARTS:
            setattr(self, name, [element.to_json() for element in getattr(file, name)])


class OriginalText(models.Model):
    """The unmodified text of the file that an imported revision was read from."""

    revision = models.OneToOneField(Revision, on_delete=models.PROTECT, related_name="original")
    file = models.CharField(max_length=100)
    # The format: "8141", or "3406" for one of the older formats (see RFC 8254, Section 4).
    form = models.CharField(max_length=4)
    digest = models.CharField(max_length=64)
    text = models.TextField()

    def __str__(self) -> str:
        return f"{self.file}, the source of {self.revision}"


class FileDigest(models.Model):
    """The size and the SHA-256 digest of a file of the registry at one position of the audit log; see `file_digests`."""

    name = models.CharField(max_length=100, primary_key=True, db_collation="C")
    position = models.BigIntegerField()
    position_digest = models.CharField(max_length=64)
    # The release of the software that wrote it (registry.namespaces.lookup.release_tag).
    release = models.CharField(max_length=32)
    size = models.BigIntegerField()
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.name} at event {self.position}"

    @property
    def repr_digest(self) -> str:
        """The value of the header Repr-Digest (RFC 9530)."""
        return f"sha-256=:{b64encode(bytes.fromhex(self.digest)).decode()}:"


class HubPosition(models.Model):
    """The number of the last event that was considered for the WebSub hub: one row, written by the worker."""

    event = models.BigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="one_hub_position")]

    def __str__(self) -> str:
        return f"event {self.event}"
