"""The file of a local copy: opened without a lock, and refused or damaged with an error that names it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from urnregistry import CopyError, LocalCopy

API = "https://registry.example.org/api/v1/"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An empty copy of a registry without events."""
    with LocalCopy(tmp_path / "copy.sqlite") as copy:
        copy.fill(API, 0, [])
    return tmp_path / "copy.sqlite"


def test_a_copy_is_opened_and_read_while_another_process_writes_to_it(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE copy SET position = 7")
        with LocalCopy(file) as copy:
            assert (copy.api, copy.position) == (API, 0)
        writer.execute("COMMIT")
    with LocalCopy(file) as copy:
        assert copy.position == 7


def test_a_copy_is_read_from_a_disk_that_is_read_only(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"{path.as_uri()}?mode=ro", uri=True, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    with LocalCopy(file) as copy:
        assert (copy.api, copy.position) == (API, 0)
        assert list(copy.namespaces()) == list(copy.events()) == []
        with pytest.raises(CopyError, match="can't be written"):
            copy.note_head(1, "")


READINGS: list[Callable[[LocalCopy], Any]] = [
    lambda copy: copy.api,
    lambda copy: copy.position,
    lambda copy: copy.lookup("isbn"),
    lambda copy: list(copy.namespaces()),
    lambda copy: list(copy.events()),
    lambda copy: copy.last_public_event,
    lambda copy: copy.head,
    lambda copy: copy.signed_heads,
]


@pytest.mark.parametrize("read", READINGS)
def test_a_copy_that_cannot_be_read_is_an_error_of_the_client(
    file: Path, read: Callable[[LocalCopy], Any]
) -> None:
    with LocalCopy(file) as copy:
        with closing(sqlite3.connect(file)) as other:
            for table in ("copy", "namespace", "event", "head", "signed_head"):
                other.execute(f"DROP TABLE {table}")
        with pytest.raises(CopyError, match="can't be read: no such table"):
            read(copy)


def test_a_copy_of_another_version_is_refused(file: Path) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA user_version = 1")
    with pytest.raises(CopyError, match="other tables"):
        LocalCopy(file)


@pytest.mark.parametrize("before", [None, b""])
def test_a_file_is_written_when_there_is_something_to_write(tmp_path: Path, before: bytes | None) -> None:
    file = tmp_path / "copy.sqlite"
    if before is not None:
        file.write_bytes(before)
    with LocalCopy(file) as copy, LocalCopy(file) as other:
        assert (copy.api, copy.position, list(copy.namespaces()), list(copy.events())) == (None, None, [], [])
        with pytest.raises(CopyError, match="Another process"):
            copy.append(0, [], [])
        assert (file.read_bytes() if file.exists() else None) == before
        copy.fill(API, 3, [])
        assert (copy.position, file.stat().st_size > 0) == (3, True)
        with pytest.raises(CopyError, match="Another process has filled the copy"):
            other.fill(API, 4, [])
        assert other.position == 3
    with pytest.raises(CopyError, match="can't be written"):
        LocalCopy(tmp_path / "missing" / "copy.sqlite")


def test_a_file_that_is_no_copy_is_refused_and_left_alone(tmp_path: Path) -> None:
    text, database = tmp_path / "text", tmp_path / "database"
    text.write_text("Not a database, but a text that is long enough to look at." * 10)
    with sqlite3.connect(database) as other:
        other.execute("CREATE TABLE something (else_ TEXT)")
    other.close()
    for file in (text, database):
        before = file.read_bytes()
        with pytest.raises(CopyError, match="not a copy"):
            LocalCopy(file)
        assert file.read_bytes() == before
