"""Atomic writes of files and directories: the new content is written aside, then renamed or linked."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

from registry.core.exceptions import RegistryError

CURRENT = "current"
LOCK = ".lock"


class DirectoryBusy(RegistryError):
    """Another process is writing to this directory."""

    status = HTTPStatus.CONFLICT
    title = "Another run is in progress"

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"{directory}: another run is writing to this directory. Try again when it has ended."
        )


class NotOurDirectory(RegistryError):
    """The directory contains files that this command did not write and might overwrite."""

    title = "The directory contains other files"

    def __init__(self, directory: Path, found: str) -> None:
        super().__init__(
            f"{directory} contains “{found}”, which this command did not write. Use an empty directory, a "
            "new one, or one that this command has written."
        )


@contextmanager
def lock_directory(directory: Path, *, marker: str) -> Iterator[None]:
    """Lock `directory`, creating it if necessary, until the block or the process ends.

    The directory must be empty or contain the file `marker`. Raises NotOurDirectory or DirectoryBusy.
    """
    directory.mkdir(parents=True, exist_ok=True)
    strange = sorted(each.name for each in directory.iterdir() if each.name != LOCK)
    if strange and not (directory / marker).exists():
        raise NotOurDirectory(directory, strange[0])
    with (directory / LOCK).open("w") as lock:
        _lock(lock, directory)
        (directory / marker).touch()
        yield


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write, which is renamed to `path` after the block, when it is flushed to disk.

    The temporary file also serves as a lock. The next run overwrites what a killed run left. Raises
    DirectoryBusy.
    """
    unfinished = path.with_name(f".{path.name}.new")
    with unfinished.open("ab") as file:
        _lock(file, path.parent)
        if not _is_named(file, unfinished):  # the other run has just renamed the file
            raise DirectoryBusy(path.parent)
        with ExitStack() as on_failure:
            on_failure.callback(unfinished.unlink)
            file.seek(0)
            file.truncate()
            yield file
            file.flush()
            os.fsync(file.fileno())
            on_failure.pop_all()
        unfinished.replace(path)
    fsync(path.parent)


def _lock(file: IO[Any], directory: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as busy:
        raise DirectoryBusy(directory) from busy


def _is_named(file: IO[bytes], path: Path) -> bool:
    return path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())


def set_current(directory: Path, name: str) -> None:
    """Point the link `current` to the folder `name`, atomically and durably."""
    link = directory / f".{CURRENT}"
    link.unlink(missing_ok=True)
    link.symlink_to(name)
    link.replace(directory / CURRENT)
    fsync(directory)


def current_folder(directory: Path) -> str:
    """Return the name of the current folder, "" if there is none."""
    link = directory / CURRENT
    return link.readlink().name if link.is_symlink() else ""


def fsync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
