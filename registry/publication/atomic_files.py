"""Files, and directories, that change as a whole: written beside, then a name is given to what is new."""

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
    """Somebody else is writing into this directory just now."""

    status = HTTPStatus.CONFLICT
    title = "Another run is at work"

    def __init__(self, directory: Path) -> None:
        super().__init__(f"{directory}: another run is writing here. Wait until it has ended.")


class NotOurDirectory(RegistryError):
    """The directory holds what this command did not write, and would not know how to leave alone."""

    title = "This directory is somebody else's"

    def __init__(self, directory: Path, found: str) -> None:
        super().__init__(
            f"{directory} holds “{found}”, which is not of this command's making. Name an empty directory, "
            "one that does not exist yet, or one that this command has filled."
        )


@contextmanager
def lock_directory(directory: Path, *, marker: str) -> Iterator[None]:
    """Alone in `directory`, which is made where it is missing, until the block or the process ends.

    A directory is ours when it is empty or holds the file `marker`. Raises NotOurDirectory or DirectoryBusy.
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
    """A file to write, which gets the name `path` when the block ends and the disk holds all of it.

    Until then it is a lock as well. What a killed run has left the next one writes over. Raises DirectoryBusy.
    """
    unfinished = path.with_name(f".{path.name}.new")
    with unfinished.open("ab") as file:
        _lock(file, path.parent)
        if not _is_named(file, unfinished):  # the other run ended just now, and this is what it wrote
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
    """Let `current` be the folder `name` from one moment to the next, and lastingly."""
    link = directory / f".{CURRENT}"
    link.unlink(missing_ok=True)
    link.symlink_to(name)
    link.replace(directory / CURRENT)
    fsync(directory)


def current_folder(directory: Path) -> str:
    """The name of the folder that is current; "" when there is none."""
    link = directory / CURRENT
    return link.readlink().name if link.is_symlink() else ""


def fsync(path: Path) -> None:
    """Wait until the disk holds the file, or the entries of the folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
