"""The list of a namespace as a file, in each of the formats that an import reads back without a change.

Rows are streamed in the order of their prefixes, so memory use does not depend on the length of the list. In CSV, an apostrophe stands
before a text that a spreadsheet takes for a formula, such as “=1+1”; an import removes it (`urnsyntax.csv_cells`).
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Collate

from registry.core.digests import canonical_json
from registry.namespaces.models import Namespace
from registry.subnamespaces.models import ReplacedSubNamespace, SubNamespace
from urnsyntax import csv_cells
from urnsyntax.profiles.subnamespaces.importing import MEMBERS, OBJECTS

CHUNK = 2_000  # rows that are read from the database at once


@dataclass(frozen=True, slots=True)
class ListFile:
    """A file with a list: the name of its format in words, its media type, and the lines of its rows."""

    label: str
    media_type: str
    lines: Callable[[QuerySet[SubNamespace]], Iterator[str]]


def in_order_of_files(rows: QuerySet[SubNamespace]) -> QuerySet[SubNamespace]:
    """Rows of a list in the order of every file: that of the code points of their prefixes."""
    return rows.order_by(Collate("prefix", "C"))


def _contents(rows: QuerySet[SubNamespace]) -> Iterator[Mapping[str, Any]]:
    return in_order_of_files(rows).values_list("content", flat=True).iterator(chunk_size=CHUNK)


def _json_lines(rows: QuerySet[SubNamespace]) -> Iterator[str]:
    """Canonical JSON, as in the digests of versions."""
    for content in _contents(rows):
        yield f"{canonical_json(content)}\n"


def _csv_lines(rows: QuerySet[SubNamespace]) -> Iterator[str]:
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(MEMBERS)
    for content in _contents(rows):
        yield written.getvalue()
        written.seek(0)
        written.truncate()
        objects = {name: canonical_json(content[name]) for name in OBJECTS if name in content}
        writer.writerow([csv_cells.written({**content, **objects}.get(name, "")) for name in MEMBERS])
    yield written.getvalue()


def _lines_of_versions(rows: QuerySet[SubNamespace]) -> Iterator[str]:
    """All contents that were ever set, each with its version, in the order of the digests of versions (`ListVersion`)."""
    columns, place = ("version", "place", "content"), Collate(KT("content__prefix"), "C")
    former = ReplacedSubNamespace.objects.filter(subnamespace__in=rows.order_by())
    written = former.order_by().annotate(place=place).values_list(*columns)
    written = written.union(rows.order_by().annotate(place=place).values_list(*columns), all=True)
    for version, _, content in written.order_by("version", "place").iterator(chunk_size=CHUNK):
        yield f"{canonical_json({'version': version, 'content': content})}\n"


LIST_FILES = {
    "jsonl": ListFile("JSON Lines", "application/jsonl", _json_lines),
    "csv": ListFile("CSV", "text/csv; charset=utf-8; header=present", _csv_lines),
}
VERSIONS = ListFile("all versions as JSON Lines", "application/jsonl", _lines_of_versions)
"""What the versions of the list set, from which their digests can be computed. It is no list for an import."""


def list_files(namespace: Namespace) -> dict[str, ListFile]:
    """The files with the list of a namespace by name, such as `nbn.jsonl`; none without a list."""
    if not namespace.has_subnamespaces:
        return {}
    return {f"{namespace.nid}.{suffix}": each for suffix, each in LIST_FILES.items()}


def published_files(namespace: Namespace) -> dict[str, ListFile]:
    """Those files, and that of all versions, such as `nbn-versions.jsonl`."""
    files = list_files(namespace)
    return files and {**files, f"{namespace.nid}-versions.jsonl": VERSIONS}
