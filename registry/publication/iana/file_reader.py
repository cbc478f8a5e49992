"""Reads versions of IANA's registry from a file, a directory or a URL, each with its digest.

Files are parsed as a stream; memory holds only the data outside the entries.
"""

import hashlib
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from registry.core.management.base import ProgressCallback
from registry.publication.iana.csv_format import parse_csv
from registry.publication.iana.download import downloaded, is_url
from registry.publication.iana.records import IanaFile, MalformedFile, NothingToRead
from registry.publication.iana.xml_format import is_date, parse_xml

# IANA's file has 21 kB for 105 namespaces; this limit allows more than a million namespaces.
MEGABYTE = 1024 * 1024
MAX_BYTES = 512 * MEGABYTE
NAME_PATTERN = "*urn-namespaces*"


@dataclass(frozen=True, slots=True)
class IanaVersion:
    """One parsed file: its name, the SHA-256 of its bytes, and its content."""

    name: str
    digest: str
    file: IanaFile


def read_versions(
    source: Path | str,
    *,
    max_bytes: int = MAX_BYTES,
    on_read: ProgressCallback | None = None,
    on_bytes: ProgressCallback | None = None,
) -> list[IanaVersion]:
    """Read a file, every urn-namespaces XML and CSV file of a directory, or an https URL.

    The oldest comes first. `on_read` gets the progress in files, `on_bytes` the progress in one file.
    """
    if isinstance(source, str) and is_url(source):
        with downloaded(source, max_bytes=max_bytes, on_bytes=on_bytes) as path:
            return [read_version(path, max_bytes=max_bytes, on_bytes=on_bytes)]
    paths = _paths(Path(source))
    versions = []
    for count, path in enumerate(paths, start=1):
        versions.append(read_version(path, max_bytes=max_bytes, on_bytes=on_bytes))
        if on_read:
            on_read(count, len(paths))
    return sorted(versions, key=lambda version: (version.file.updated, version.file.is_partial, version.name))


def _paths(path: Path) -> list[Path]:
    if not path.exists():
        raise NothingToRead(path, "no such file or directory.")
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.glob(NAME_PATTERN) if each.suffix.lower() in {".xml", ".csv"})
    if not found:
        raise NothingToRead(path, f"the directory contains no file {NAME_PATTERN}.xml or {NAME_PATTERN}.csv.")
    return found


def read_version(
    path: Path, *, max_bytes: int = MAX_BYTES, on_bytes: ProgressCallback | None = None
) -> IanaVersion:
    """Read one file. Raises NothingToRead, or MalformedFile with the file's name, line and column."""
    try:
        with path.open("rb") as opened:
            stream = _LimitedFile(opened, max_bytes, on_bytes)
            if path.suffix.lower() == ".csv":
                file = parse_csv(io.BufferedReader(stream), updated=_date_in_name(path.name))
            else:
                file = parse_xml(stream)
    except OSError as fault:
        raise NothingToRead(path, f"the file can't be read: {fault.strerror}.") from fault
    except MalformedFile as fault:
        fault.name = path.name
        raise
    return IanaVersion(path.name, stream.digest.hexdigest(), file)


class _LimitedFile(io.RawIOBase):
    """Wraps a file: limits its size, computes its digest and reports progress."""

    def __init__(self, opened: IO[bytes], limit: int, on_bytes: ProgressCallback | None) -> None:
        super().__init__()
        self.digest = hashlib.sha256()
        self._opened, self._limit, self._on_bytes = opened, limit, on_bytes
        self._read, self._size = 0, os.fstat(opened.fileno()).st_size
        self._check(self._size)  # rejects a file that is too large before reading it

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise MalformedFile(
                f"the file is larger than {self._limit // MEGABYTE} MB. Set a larger limit with --max-size."
            )

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        chunk = self._opened.read(len(buffer))
        self._read += len(chunk)
        self._check(self._read)  # a pipe has no size
        self.digest.update(chunk)
        buffer[: len(chunk)] = chunk
        if self._on_bytes:
            self._on_bytes(self._read, max(self._size, self._read))
        return len(chunk)


def _date_in_name(name: str) -> str:
    """Return the date at the start of a CSV file's name; "" if there is none."""
    found = re.match(r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})(?![0-9])", name)
    date = f"{found[1]}-{found[3]}-{found[4]}" if found else ""
    return date if is_date(date) else ""
