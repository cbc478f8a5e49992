"""Where the command line reads from: arguments, files, standard input."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .progress_bar import ProgressBar

STANDARD_INPUT = "-"
_BLOCK = 1 << 20
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class UsageError(Exception):
    """The command cannot be carried out as it was given."""


def read_texts(arguments: list[str]) -> Iterator[str]:
    """The arguments, or the lines of standard input if there are none."""
    if arguments:
        yield from arguments
        return
    with open_input(STANDARD_INPUT) as stream:
        for line in stream:
            yield line.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


def is_file_argument(argument: str) -> bool:
    """Whether an argument means a file, not a text: a URN never does, a file that exists does.

    Raises `UsageError` for what can only be meant as a file, and is not there.
    """
    if argument == STANDARD_INPUT:
        return True
    if not argument or argument[:4].lower() == "urn:" or "\0" in argument:
        return False
    if len(argument) < 4096 and Path(argument).exists():
        return True
    if ":" not in argument and ("." in argument or "/" in argument) and " " not in argument:
        raise UsageError(f"There is no file {argument}.")
    return False


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """A file or standard input, open for reading. Raises `UsageError` when it cannot be open_input or read."""
    try:
        if name != STANDARD_INPUT:
            with Path(name).open("rb") as stream:
                yield stream
            return
        if sys.stdin is None:
            raise UsageError("There is no standard input to read from.")
        if sys.stdin.isatty():
            print("Reading from the keyboard, one a line; end with Ctrl-D.", file=sys.stderr)
        yield sys.stdin.buffer
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in _WRITE_ERRORS:
            raise
        raise UsageError(f"Cannot read {name}: {error.strerror}.") from None


def read_blocks(stream: BinaryIO, progress: ProgressBar) -> Iterator[bytes]:
    """A stream in blocks, with its progress shown."""
    while block := stream.read1(_BLOCK) if hasattr(stream, "read1") else stream.read(_BLOCK):
        yield block
        progress.advance(len(block))


def file_size(stream: BinaryIO) -> int | None:
    """How many octets a file has; None for what is no file."""
    try:
        return os.fstat(stream.fileno()).st_size or None
    except OSError:
        return None
