"""The entries of a file, in any number and with unique NIDs: a list that moves from memory to an anonymous temporary
file.
"""

import json
import tempfile
import weakref
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise, zip_longest
from typing import Any, Generic, TypeVar, overload

from registry.publication.iana.records import MalformedFile, Record, Xref, mixed_from_json, mixed_to_json

T = TypeVar("T")
IN_MEMORY = 1024 * 1024
BLOCK = 256 * 1024
_in_json = json.JSONEncoder(separators=(",", ":")).encode


class DiskBackedList(Sequence[T], Generic[T]):
    """A list that is appended to and iterated, any number of times. Values are stored as JSON."""

    def __init__(self, *, dump: Callable[[T], Any], load: Callable[[Any], T]) -> None:
        self._dump, self._load = dump, load
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed with its owner)
        self._count = self._end = 0
        weakref.finalize(self, self._file.close)

    def append(self, value: T) -> None:
        line = _in_json(self._dump(value)).encode() + b"\n"
        self._file.seek(self._end)
        self._file.write(line)
        self._end += len(line)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        """Iterate from the beginning. Concurrent iterators keep their own positions."""
        at = 0
        while at < self._end:
            self._file.seek(at)
            lines = self._file.readlines(BLOCK)
            at += sum(map(len, lines))
            for line in lines:
                yield self._load(json.loads(line))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return list(islice(self, *index.indices(self._count)))
        place = range(self._count)[index]
        return next(islice(self, place, None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != self._count:
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(ours == theirs for ours, theirs in zip_longest(self, other))

    __hash__ = None  # type: ignore[assignment]


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
