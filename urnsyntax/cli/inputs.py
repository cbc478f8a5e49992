"""Input of the command line: arguments, files and standard input."""

import errno
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from .progress_bar import ProgressBar

STANDARD_INPUT = "-"
_BLOCK = 1 << 20
_LINES_BLOCK = 1 << 16
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class UsageError(Exception):
    """The command cannot be run with these arguments."""


def read_texts(arguments: list[str]) -> Iterator[str]:
    """Yield the arguments, or the lines of standard input if there are none, without those that are blank."""
    if arguments:
        yield from arguments
        return
    with open_input(STANDARD_INPUT) as stream:
        for line in stream:
            if line.strip():
                yield line.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


def is_file_argument(argument: str) -> bool:
    """Return whether an argument names a file instead of a text. A URN never names a file.

    Raises `UsageError` if the argument looks like a file name and the file does not exist.
    """
    if argument == STANDARD_INPUT:
        return True
    if not argument or argument[:4].lower() == "urn:" or "\0" in argument:
        return False
    if len(argument) < 4096 and Path(argument).exists():
        return True
    if ":" not in argument and ("." in argument or "/" in argument) and " " not in argument:
        raise UsageError(f"File not found: {argument}. A text like a path is read from standard input.")
    return False


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """Open a file or standard input for reading, after a byte order mark (RFC 3629, Section 6).

    Raises `UsageError` if it cannot be opened or read.
    """
    try:
        if name != STANDARD_INPUT:
            with Path(name).open("rb") as stream:
                yield _after_byte_order_mark(stream)
            return
        if sys.stdin is None:
            raise UsageError("Standard input is closed. Give the input as arguments.")
        if sys.stdin.isatty():
            print("Reading from the terminal, one item per line. End with Ctrl-D.", file=sys.stderr)
        yield _after_byte_order_mark(sys.stdin.buffer)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in _WRITE_ERRORS:
            raise
        raise UsageError(f"Cannot read {name}: {error.strerror}.") from None


def _after_byte_order_mark(stream: BinaryIO) -> BinaryIO:
    length = len(BOM_UTF8)
    if isinstance(stream, BufferedReader) and stream.peek(length)[:length] == BOM_UTF8:
        stream.read(length)
    return stream


def read_blocks(stream: BinaryIO, progress: ProgressBar) -> Iterator[bytes]:
    """Yield the blocks of a stream and advance the progress bar."""
    while block := stream.read1(_BLOCK) if hasattr(stream, "read1") else stream.read(_BLOCK):
        yield block
        progress.advance(len(block))


def read_lines(stream: BinaryIO) -> Iterator[list[bytes]]:
    """Yield the lines that can be read without waiting for more, without their LF, until the stream ends."""
    parts: list[bytes] = []
    while block := stream.read1(_LINES_BLOCK) if hasattr(stream, "read1") else stream.read(_LINES_BLOCK):
        head, line_feed, tail = block.rpartition(b"\n")
        if line_feed:
            yield b"".join([*parts, head]).split(b"\n")
            parts.clear()
        parts.append(tail)
    if rest := b"".join(parts):
        yield [rest]


def file_size(stream: BinaryIO) -> int | None:
    """Return the size of a file in octets, or None for a pipe, a terminal or an empty file."""
    try:
        return os.fstat(stream.fileno()).st_size or None
    except OSError:
        return None
