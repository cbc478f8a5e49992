"""The published namespaces as a stream of entries in IANA's form and order.

Entries imported from IANA are published unchanged. Namespaces that were registered or revised here have the
same form, with a link to the template in this registry. Entries that IANA removed remain registered and
published.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from registry.audit_log.models import Event
from registry.core.http.urls import public_url
from registry.namespaces.models import Kind, Namespace, Origin
from registry.namespaces.references import RFC_LABEL
from registry.publication.iana.records import Element, IanaFile, Record, Xref, mixed_from_json
from registry.publication.models import IanaRecord, IanaRegistry

CHUNK = 2000
REGISTERED_HERE = Q(origin=Origin.REGISTRY) | Q(latest__origin=Origin.REGISTRY)


@dataclass(frozen=True, slots=True)
class PublishedNamespace:
    """One namespace as published. `version` is 0 if the registry has no text of it."""

    record: Record
    holder: str = ""
    version: int = 0
    deprecated_on: str = ""
    successor: str = ""

    @property
    def page(self) -> str:
        return public_url("namespaces:detail", nid=self.record.nid)

    @property
    def remark(self) -> str:
        """A warning about using the namespace, or ""."""
        instead = f"; use {self.successor}" if self.successor else ""
        return f"deprecated {self.deprecated_on}{instead}" if self.deprecated_on else ""


# The head


def _element(tag: str, *content: str | Element) -> Element:
    return Element(tag, (), content)


RFC8141 = Element("xref", (("data", "rfc8141"), ("type", "rfc")))
# The head of a registry that has not imported IANA's.
OWN_HEAD = (
    _element("title", "Uniform Resource Names (URN) Namespaces"),
    _element("category", "Uniform Resource Names (URN)"),
)
OWN_FORMAL_HEAD, OWN_INFORMAL_HEAD = (
    (_element("title", title), RFC8141, _element("registration_rule", f"{rule} of ", RFC8141))
    for title, rule in (
        ("Formal URN Namespaces", "Expert Review, per Section 6"),
        ("Informal URN Namespaces", "Expert Review, per Section 5.2"),
    )
)


def published_head() -> IanaFile:
    """Return the file without its entries. Its date is IANA's or that of the last change here."""
    dates = Namespace.objects.filter(REGISTERED_HERE).aggregate(
        last=Max(Greatest("registered_on", "updated_on"))
    )
    own, registry = dates["last"] or "", IanaRegistry.current()
    if registry is None:
        # The same for each copy that is made before the next event.
        last = Event.objects.order_by("number").last()
        updated = own or (last.at if last else timezone.now()).date().isoformat()
        return IanaFile(updated, (), _dated(OWN_HEAD, updated), OWN_FORMAL_HEAD, OWN_INFORMAL_HEAD)
    updated = max(own, registry.updated)
    return IanaFile(
        updated=updated,
        records=(),
        head=_dated(registry.part("head"), updated),
        formal_head=registry.part("formal_head"),
        informal_head=registry.part("informal_head"),
        people=registry.part("people"),
    )


def _dated(head: tuple[Element, ...], updated: str) -> tuple[Element, ...]:
    """Return the head with its date of change replaced or appended."""
    date = _element("updated", updated)
    if any(element.tag == "updated" for element in head):
        return tuple(date if element.tag == "updated" else element for element in head)
    return (*head, date)


# The entries


def published_namespaces(kind: Kind) -> Iterator[PublishedNamespace]:
    """Stream the entries of one list: those of IANA in its order, with the others merged in."""
    kept = IanaRecord.objects.filter(kind=kind)
    listed = kept.filter(removed_on="").order_by("position", "nid")
    removed = kept.exclude(removed_on="").filter(namespace__isnull=False)
    removed = removed.order_by("nid" if kind == Kind.FORMAL else "namespace__number")
    return _merged(_merged(_from_iana(kind, listed), _from_iana(kind, removed)), _registered_here(kind))


def _merged(
    listed: Iterator[PublishedNamespace], others: Iterator[PublishedNamespace]
) -> Iterator[PublishedNamespace]:
    """Merge each other entry before the first entry that follows it by name (informal: by number)."""
    waiting = next(others, None)
    for entry in listed:
        while waiting is not None and _key(waiting) < _key(entry):
            yield waiting
            waiting = next(others, None)
        yield entry
    if waiting is not None:
        yield waiting
        yield from others


def _key(entry: PublishedNamespace) -> tuple[int, str]:
    nid = entry.record.nid
    return (0, nid) if entry.record.is_formal else (len(nid), nid)


OF_NAMESPACE = (
    "holder",
    "latest__version",
    "latest__origin",
    "updated_on",
    "deprecated_at",
    "successor__nid",
)


def _from_iana(kind: Kind, records: QuerySet[IanaRecord]) -> Iterator[PublishedNamespace]:
    fields = ("name", "date", "updated", "references", "template", "contact")
    for row in _streamed(records, *fields, *(f"namespace__{each}" for each in OF_NAMESPACE)):
        name, date, updated, references, template, contact, *of_namespace = row
        record = Record(
            name=name,
            is_formal=kind == Kind.FORMAL,
            date=date,
            updated=updated,
            references=tuple(Xref.from_json(stored) for stored in references),
            template=mixed_from_json(template),
            contact=mixed_from_json(contact),
        )
        holder, version, origin, changed, deprecated_at, successor = of_namespace
        if origin == Origin.REGISTRY:
            record = _revised(record, version, changed)
        yield _published_namespace(record, holder, version, deprecated_at, successor)


def _registered_here(kind: Kind) -> Iterator[PublishedNamespace]:
    own = Namespace.objects.filter(kind=kind, origin=Origin.REGISTRY, iana_record=None)
    ordered = own.order_by("nid" if kind == Kind.FORMAL else "number")
    for row in _streamed(ordered, "nid", "registered_on", "references", *OF_NAMESPACE):
        nid, registered_on, references, holder, version, _, updated_on, deprecated_at, successor = row
        cited = tuple(_as_xref(stored) for stored in references) or (Xref("text", "", holder or nid),)
        record = Record(nid, kind == Kind.FORMAL, registered_on, updated_on)
        yield _published_namespace(
            _referring(record, version, cited), holder, version, deprecated_at, successor
        )


def _streamed(rows: QuerySet[Any], *fields: str) -> Iterable[tuple[Any, ...]]:
    return rows.values_list(*fields).iterator(chunk_size=CHUNK)


def _published_namespace(
    record: Record,
    holder: str | None,
    version: int | None,
    deprecated_at: datetime | None,
    successor: str | None,
) -> PublishedNamespace:
    deprecated_on = f"{deprecated_at:%Y-%m-%d}" if deprecated_at else ""
    return PublishedNamespace(record, holder or "", version or 0, deprecated_on, successor or "")


def _revised(record: Record, version: int, updated_on: str) -> Record:
    """Return IANA's entry with the text and date of a revision made here, and the same references."""
    return _referring(replace(record, updated=updated_on), version, record.reference_column)


def _referring(record: Record, version: int | None, cited: tuple[Xref, ...]) -> Record:
    """Return the record with a link to our text in its template column, whose element differs by list."""
    texts: tuple[Xref, ...] = ()
    if version:
        label = f"{record.name}-template" if record.is_formal else record.name
        texts = (Xref("uri", public_url("namespaces:text", nid=record.nid, version=version), label),)
    if record.is_formal:
        return replace(record, template=texts or None, references=cited)
    return replace(record, references=texts, contact=cited)


def _as_xref(stored: dict[str, str]) -> Xref:
    """Convert an item of `Namespace.references` to IANA's form."""
    if RFC_LABEL.fullmatch(stored["label"]):
        return Xref("rfc", stored["label"].lower())
    if stored["target"]:
        return Xref("uri", stored["target"], stored["label"])
    return Xref("text", "", stored["label"])
