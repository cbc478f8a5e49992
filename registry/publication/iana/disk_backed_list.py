"""An append-only list for many values, which moves from memory to an anonymous temporary file."""

import json
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any, Generic, TypeVar, overload

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
