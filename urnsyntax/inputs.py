"""Where the command line reads from: arguments, files, standard input."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .progress import Progress

STANDARD_INPUT = "-"
_BLOCK = 1 << 20
_WRITING_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Misuse(Exception):
    """The command cannot be carried out as it was given."""


def texts_of(arguments: list[str]) -> Iterator[str]:
    """The arguments, or the lines of standard input if there are none."""
    if arguments:
        yield from arguments
        return
    with opened(STANDARD_INPUT) as stream:
        for line in stream:
            yield line.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


def names_a_file(argument: str) -> bool:
    """Whether an argument means a file, not a text: a URN never does, a file that exists does.

    Raises `Misuse` for what can only be meant as a file, and is not there.
    """
    if argument == STANDARD_INPUT:
        return True
    if not argument or argument[:4].lower() == "urn:" or "\0" in argument:
        return False
    if len(argument) < 4096 and Path(argument).exists():
        return True
    if ":" not in argument and ("." in argument or "/" in argument) and " " not in argument:
        raise Misuse(f"There is no file {argument}.")
    return False


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file or standard input, open for reading. Raises `Misuse` when it cannot be opened or read."""
    try:
        if name != STANDARD_INPUT:
            with Path(name).open("rb") as stream:
                yield stream
            return
        if sys.stdin is None:
            raise Misuse("There is no standard input to read from.")
        if sys.stdin.isatty():
            print("Reading from the keyboard, one a line; end with Ctrl-D.", file=sys.stderr)
        yield sys.stdin.buffer
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in _WRITING_FAILED:
            raise
        raise Misuse(f"Cannot read {name}: {error.strerror}.") from None


def blocks_of(stream: BinaryIO, progress: Progress) -> Iterator[bytes]:
    """A stream in blocks, with its progress shown."""
    while block := stream.read1(_BLOCK) if hasattr(stream, "read1") else stream.read(_BLOCK):
        yield block
        progress.advance(len(block))


def size_of(stream: BinaryIO) -> int | None:
    """How many octets a file has; None for what is no file."""
    try:
        return os.fstat(stream.fileno()).st_size or None
    except OSError:
        return None
