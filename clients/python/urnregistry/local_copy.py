"""A local copy of the registry in a SQLite file: its namespaces, and the events from its beginning on.

Every change is one transaction, so a copy whose process is killed is one of the states between two changes.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from urnregistry.errors import CopyError
from urnregistry.exchange import Source
from urnregistry.namespaces import NamespaceDetail
from urnregistry.records import Event

VERSION = 2
TABLES = """
CREATE TABLE copy (one INTEGER PRIMARY KEY CHECK (one = 1), api TEXT NOT NULL, position INTEGER NOT NULL);
CREATE TABLE namespace (nid TEXT PRIMARY KEY, members TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE event (number INTEGER PRIMARY KEY, is_public INTEGER NOT NULL, members TEXT NOT NULL);
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, digest TEXT NOT NULL);
CREATE TABLE signed_head (size INTEGER PRIMARY KEY, root_hash TEXT NOT NULL, note TEXT NOT NULL);
"""


class LocalCopy:
    """A copy of the registry. `position` is the number of the last event that it has; None before the first sync.

    A file that does not exist, or is empty, stays so until `fill()`. Use it as a context manager, or call `close()`.
    """

    def __init__(self, file: Path | str) -> None:
        self._file = Path(file)
        is_there = self._file.exists()
        self._is_new = not (is_there and self._file.stat().st_size and self._open(file))
        if not self._is_new:
            return
        if not os.access(self._file if is_there else self._file.parent, os.W_OK):
            raise CopyError(f"“{file}” can't be written.")
        self._open(":memory:")  # until there is something to write
        self._make_tables()

    def _open(self, file: Path | str) -> bool:
        """Open a file without a lock for writing: another process may have it. Return whether it is a copy already."""
        try:
            self._database = sqlite3.connect(file, isolation_level=None)
        except sqlite3.Error as fault:
            raise CopyError(f"“{file}” can't be opened: {fault}.") from fault
        try:
            return self._has_tables()
        except CopyError as fault:
            self._database.close()
            raise CopyError(f"“{file}” is not a copy of a registry, or can't be used. {fault}") from fault

    def _make_tables(self) -> None:
        for statement in TABLES.strip().splitlines():
            self._database.execute(statement)
        self._database.execute(f"PRAGMA user_version = {VERSION}")

    def _has_tables(self) -> bool:
        [version] = self._row("PRAGMA user_version")
        if version not in (0, VERSION) or (version == 0 and self._row("SELECT 1 FROM sqlite_master")):
            raise CopyError("It has other tables.")
        return bool(version)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    # Reading. Raises CopyError, also while a stream is read.

    @property
    def api(self) -> str | None:
        """The address of the API that the copy belongs to."""
        row = self._row("SELECT api FROM copy")
        return row and str(row[0])

    @property
    def position(self) -> int | None:
        row = self._row("SELECT position FROM copy")
        return row and int(row[0])

    def lookup(self, nid: str) -> NamespaceDetail | None:
        """Return a namespace, by its NID in any case of letters."""
        row = self._row("SELECT members FROM namespace WHERE nid = ?", nid.lower())
        return row and _namespace(row)

    def namespaces(self) -> Iterator[NamespaceDetail]:
        """All namespaces in the order of their NIDs."""
        return map(_namespace, self._rows("SELECT members FROM namespace ORDER BY nid"))

    def events(self, since: int = 0) -> Iterator[Event]:
        """The events of the copy after the number `since`. Those before the copy was made are missing."""
        rows = self._rows("SELECT members FROM event WHERE number > ? ORDER BY number", since)
        return (Event.from_json(json.loads(members)) for (members,) in rows)

    @property
    def last_public_event(self) -> Event | None:
        """The last event with a digest, which commits to all events before it."""
        row = self._row("SELECT members FROM event WHERE is_public ORDER BY number DESC LIMIT 1")
        return row and Event.from_json(json.loads(row[0]))

    @property
    def head(self) -> tuple[int, str] | None:
        """The number and digest of the event that was the newest one at the last sync, even if it is private."""
        row: tuple[int, str] | None = self._row("SELECT number, digest FROM head")
        return row

    @property
    def signed_heads(self) -> dict[int, tuple[str, str]]:
        """The root hash and the signed note of each signed head that was seen, by the number of events."""
        rows = self._rows("SELECT size, root_hash, note FROM signed_head ORDER BY size")
        return {size: (root_hash, note) for size, root_hash, note in rows}

    def _row(self, query: str, *values: object) -> Any:
        return next(self._rows(query, *values), None)

    def _rows(self, query: str, *values: object) -> Iterator[Any]:
        try:
            yield from self._database.execute(query, values)
        except sqlite3.Error as fault:  # such as a lock of another process, or a damaged file
            raise CopyError(f"The copy can't be read: {fault}.") from fault

    # Writing

    def fill(self, api: str, position: int, namespaces: Iterable[NamespaceDetail]) -> None:
        """Begin the copy with all namespaces, after the event with the number `position`."""
        unused = self._database  # in memory, if the copy is new
        if self._is_new:
            self._open(self._file)
        try:
            with self._transaction():
                if not self._has_tables():  # which another process can have made in the meantime
                    self._make_tables()
                if self.position is not None:
                    raise CopyError("Another process has filled the copy. Sync it again.")
                self._put(namespaces)
                self._database.execute("INSERT INTO copy VALUES (1, ?, ?)", [api, position])
        finally:
            if self._is_new:
                self._is_new = not self._has_tables()
                if self._is_new:  # nothing was written
                    self._database, unused = unused, self._database
                unused.close()

    def append(self, since: int, events: Iterable[Event], namespaces: Iterable[NamespaceDetail]) -> None:
        """Add the events after the number `since`, and the namespaces that they changed."""
        rows = [(each.number, each.is_public, json.dumps(dict(each.members))) for each in events]
        with self._transaction():
            if self.position != since:
                raise CopyError("Another process has continued the copy. Sync it again.")
            self._database.executemany("INSERT INTO event VALUES (?, ?, ?)", rows)
            self._put(namespaces)
            self._database.execute("UPDATE copy SET position = ?", [rows[-1][0]])

    def note_head(self, number: int, digest: str) -> None:
        with self._transaction():
            self._database.execute("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", [number, digest])

    def note_signed_head(self, size: int, root_hash: str, note: str) -> None:
        with self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO signed_head VALUES (?, ?, ?)", [size, root_hash, note]
            )

    def _put(self, namespaces: Iterable[NamespaceDetail]) -> None:
        rows = ((each.nid, each.to_json()) for each in namespaces)
        self._database.executemany("INSERT OR REPLACE INTO namespace VALUES (?, ?)", rows)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield
            self._database.execute("COMMIT")
        except sqlite3.Error as fault:  # such as a lock of another process, or a full disk
            raise CopyError(f"The copy can't be written: {fault}.") from fault
        finally:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")


def _namespace(row: tuple[str]) -> NamespaceDetail:
    return NamespaceDetail.from_json(json.loads(row[0])).with_source(Source.CACHE)
