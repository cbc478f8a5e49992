"""Percent-encoding, both ways (RFC 3986, section 2.1)."""

import re

from .grammar import PCT_ENCODED
from .regex import compile_pattern

_RUNS_OF_TRIPLETS = compile_pattern(f"(?:{PCT_ENCODED})++".encode())
_TRIPLET_OR_CHARACTER = re.compile(f"{PCT_ENCODED}|.", re.DOTALL)


def percent_encoded(characters: str) -> str | None:
    """The UTF-8 octets of characters as triplets, or None where UTF-8 has none (a lone surrogate).

    >>> percent_encoded("é"), percent_encoded("\\ud800")
    ('%C3%A9', None)
    """
    try:
        return "%" + characters.encode().hex("%").upper()
    except UnicodeEncodeError:
        return None


def percent_decoded(text: str) -> bytes:
    """The octets of a text, each triplet being the octet that it stands for.

    >>> percent_decoded("a%c3%A9%")
    b'a\\xc3\\xa9%'
    """
    return _RUNS_OF_TRIPLETS.sub(lambda run: bytes.fromhex(run[0].replace(b"%", b"").decode()), text.encode())


def position_of_octet(text: str, index: int) -> int:
    """Where in a text the octet with this index stands, a triplet being one octet.

    >>> position_of_octet("a%C3%A9", 2)
    4
    """
    for octet, match in enumerate(_TRIPLET_OR_CHARACTER.finditer(text)):
        if octet == index:
            return match.start()
    return len(text)
