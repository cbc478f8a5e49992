"""The entries of a file, in any number and with unique NIDs."""

from array import array
from itertools import pairwise
from typing import Any

from registry.publication.iana.disk_backed_list import DiskBackedList
from registry.publication.iana.errors import MalformedFile
from registry.publication.iana.records import Record, Xref, mixed_from_json, mixed_to_json


class ImportedRecords:
    """Collects records; `validated` returns them or raises an error for a repeated NID."""

    def __init__(self) -> None:
        self._records = DiskBackedList(dump=_dump, load=_load)
        self._hashes = array("q")

    def add(self, record: Record) -> None:
        self._records.append(record)
        self._hashes.append(hash(record.nid))

    def validated(self) -> DiskBackedList[Record]:
        """Return the records. Hashes of 8 bytes detect possible duplicates; only then are NIDs compared."""
        hashes = sorted(self._hashes)
        repeated = {one for one, other in pairwise(hashes) if one == other}
        seen: dict[str, int] = {}
        for record in self._records if repeated else ():
            if hash(record.nid) not in repeated:
                continue
            if record.nid in seen:
                raise MalformedFile(
                    f"“{record.name}” is already listed in line {seen[record.nid]}; each NID is listed once.",
                    line=record.line,
                )
            seen[record.nid] = record.line
        return self._records


def _dump(record: Record) -> list[Any]:
    return [
        record.name,
        record.is_formal,
        record.date,
        record.updated,
        [xref.to_json() for xref in record.references],
        mixed_to_json(record.template),
        mixed_to_json(record.contact),
        record.line,
    ]


def _load(stored: list[Any]) -> Record:
    name, is_formal, date, updated, references, template, contact, line = stored
    return Record(
        name=name,
        is_formal=is_formal,
        date=date,
        updated=updated,
        references=tuple(Xref.from_json(each) for each in references),
        template=mixed_from_json(template),
        contact=mixed_from_json(contact),
        line=line,
    )
