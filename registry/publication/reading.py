"""From a path to versions of IANA's registry: bounded, oldest first, each with the digest of its bytes."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from registry.publication.errors import MalformedFile, NothingToRead
from registry.publication.iana import IanaFile
from registry.publication.iana_csv import parse_csv
from registry.publication.iana_xml import is_date, parse_xml

# IANA's file has 21 kB for 105 namespaces; this holds some 80,000.
MAX_BYTES = 16 * 1024 * 1024
NAME_PATTERN = "*urn-namespaces*"


@dataclass(frozen=True, slots=True)
class Version:
    """One file, read: what it is called, the SHA-256 of its bytes, what it says."""

    name: str
    digest: str
    file: IanaFile


def read_versions(path: Path, *, on_read: Callable[[int, int], None] | None = None) -> list[Version]:
    """Read a file, or every urn-namespaces XML and CSV of a directory, oldest first.

    `on_read` is told how many of how many files are read.
    """
    paths = _paths(path)
    versions = []
    for count, each in enumerate(paths, start=1):
        versions.append(read_version(each))
        if on_read:
            on_read(count, len(paths))
    return sorted(versions, key=lambda version: (version.file.updated, version.file.is_partial, version.name))


def _paths(path: Path) -> list[Path]:
    if not path.exists():
        raise NothingToRead(path, "there is no such file or directory.")
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.glob(NAME_PATTERN) if each.suffix.lower() in {".xml", ".csv"})
    if not found:
        raise NothingToRead(path, f"no file {NAME_PATTERN}.xml or {NAME_PATTERN}.csv is in this directory.")
    return found


def read_version(path: Path) -> Version:
    """Read one file. Raises NothingToRead, or MalformedFile with the file's name, line and column."""
    try:
        content = _bounded(path)
        if path.suffix.lower() == ".csv":
            file = parse_csv(content, updated=_date_in_name(path.name))
        else:
            file = parse_xml(content)
    except MalformedFile as fault:
        fault.name = path.name
        raise
    return Version(path.name, hashlib.sha256(content).hexdigest(), file)


def _bounded(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as fault:
        raise NothingToRead(path, f"it can't be read: {fault.strerror}.") from fault
    if len(content) > MAX_BYTES:
        raise MalformedFile(
            f"the file is larger than {MAX_BYTES // 1024**2} MB, which no registry of IANA's is."
        )
    return content


def _date_in_name(name: str) -> str:
    """The date that a CSV file's name begins with; without one nothing says how new the file is."""
    found = re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])", name)
    return found[0] if found and is_date(found[0]) else ""
