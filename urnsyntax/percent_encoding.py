"""Percent-encoding and decoding (RFC 3986, Section 2.1)."""

import re

from .grammar import PCT_ENCODED
from .regex import compile_pattern

_RUNS_OF_TRIPLETS = compile_pattern(f"(?:{PCT_ENCODED})++".encode())
_TRIPLET_OR_CHARACTER = re.compile(f"{PCT_ENCODED}|.", re.DOTALL)


def percent_encoded(characters: str) -> str | None:
    """Return the UTF-8 octets of characters as triplets, or None for a lone surrogate.

    >>> percent_encoded("é"), percent_encoded("\\ud800")
    ('%C3%A9', None)
    """
    try:
        return "%" + characters.encode().hex("%").upper()
    except UnicodeEncodeError:
        return None


def percent_decoded(text: str) -> bytes:
    """Return the octets of a text, with each triplet decoded to one octet.

    >>> percent_decoded("a%c3%A9%")
    b'a\\xc3\\xa9%'
    """
    return _RUNS_OF_TRIPLETS.sub(lambda run: bytes.fromhex(run[0].replace(b"%", b"").decode()), text.encode())


def position_of_octet(text: str, index: int) -> int:
    """Return the position in a text of the octet with this index; a triplet counts as one octet.

    Other characters count as their octets in UTF-8.

    >>> position_of_octet("a%C3%A9", 2), position_of_octet("é%A9", 2)
    (4, 1)
    """
    octets = 0
    for match in _TRIPLET_OR_CHARACTER.finditer(text):
        octets += 1 if len(match[0]) == 3 else len(match[0].encode())
        if octets > index:
            return match.start()
    return len(text)
