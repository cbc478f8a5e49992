"""Requests to `/resolve/` that try to redirect elsewhere, to add a header, or to cause an error.

Most are for names that resolve, because only a redirect can lead elsewhere: names of the profiles with hostile
components, in other letter case, with other digits, and with hostile pieces inside.
"""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from tests.resolution.requests import BROWSER
from tests.urnsyntax.profiles.services.hostile import PIECES, Q_PIECES
from urnsyntax.profiles import Profile

PREFIX = "/resolve/"
R_MARK, Q_MARK, F_MARK = "r-mark", "q-mark", "f-mark"
SPLITTING = "%0d%0aLocation:https:%2F%2Fevil.example%0D%0A%0d%0a"
# Characters that URNs contain. The ideographs are 中, 。 and ／, which some servers read as a full stop and a slash.
IN_URNS = (
    "%2F..",
    "%2F%2Fevil.example",
    "%E4%B8%AD",
    "%E3%80%82",
    "%EF%BC%8F",
    "%C0%AF",
    "%00",
    "%0D%0A",
    SPLITTING,
)
# Characters that no URN contains; U+DCFF stands for an octet that is not UTF-8.
NOT_IN_URNS = (
    "\r\n", "\r\nLocation: https://evil.example\r\n\r\n", "\n", "\r", "\0", "\t", " ", "\x7f", "\\", "\\\\evil.example",
    "é", "中", "。", "／", "\u202e", "\u2028", "\x85", "\udcff", "<", ">", '"', "{", "}", "|", "^", "`", "[", "]", "%", "%4", "%zz",
)  # fmt: skip
LONG = (300, 3_000, 9_000, 30_000)
DESCRIPTIONS = ("application/json", "application/linkset+json", "application/linkset", "text/uri-list")
# One in fifty requests is one of a browser, whose refusals are pages, or asks for a description.
ACCEPTED = (*["*/*"] * 196, *["", "image/png"] * 24, BROWSER, *DESCRIPTIONS)


class Hostile(NamedTuple):
    """A request as WSGI servers pass it on, and the value of Accept."""

    path: str
    query: str
    accept: str

    @property
    def urn(self) -> str:
        """The text that the registry has to resolve, if its characters are those of URNs."""
        return self.path.removeprefix(PREFIX) + (f"?{self.query}" if self.query else "")

    @property
    def q_component(self) -> str:
        """What may reach a service besides the name (RFC 8141, Section 2)."""
        return self.urn.partition("#")[0].partition("?=")[2]

    def environ(self) -> dict[str, Any]:
        return {"PATH_INFO": self.path, "QUERY_STRING": self.query, "HTTP_ACCEPT": self.accept}


def hostile_requests(profile: Profile, count: int, source: random.Random) -> Iterator[Hostile]:
    """The examples of the services as they are, and others up to this number."""
    examples = [urn for service in profile.services for urn in service.examples]
    for urn in examples:
        yield Hostile(f"{PREFIX}{urn}", "", "*/*")
    for _ in range(count - len(examples)):
        text = _hostile_name(source.choice(examples), source) + _components(source)
        yield Hostile(*source.choice(STYLES)(text), source.choice(ACCEPTED))


def _hostile_name(urn: str, source: random.Random) -> str:
    name, chance = _varied(urn, source), source.random()
    if chance < 0.7:
        return name
    start = name.index(":", 4) + 1
    if chance < 0.94:
        return _with_pieces(name, (*PIECES, *IN_URNS), start, source)
    if chance < 0.98:
        return _with_pieces(name, NOT_IN_URNS, source.choice((0, start)), source)
    return name + source.choice((*PIECES, *IN_URNS)) * (source.choice(LONG) // 5)


def _varied(urn: str, source: random.Random) -> str:
    """The URN, often with another digit, or in another letter case."""
    chance = source.random()
    if chance < 0.1:
        start = urn.index(":", 4)
        digits = [i for i, each in enumerate(urn) if i > start and each.isdigit()]
        place = source.choice(digits or [len(urn)])
        return f"{urn[:place]}{source.randint(0, 9)}{urn[place + 1 :]}"
    return source.choice((str.upper, str.lower, str.swapcase))(urn) if chance < 0.2 else urn


def _with_pieces(name: str, pieces: tuple[str, ...], start: int, source: random.Random) -> str:
    for _ in range(source.choice((1, 1, 2, 4))):
        place = source.choice((len(name), source.randint(start, len(name))))
        name = name[:place] + source.choice(pieces) + name[place + source.randint(0, 1) :]
    return name


def _components(source: random.Random) -> str:
    """The r-, q- and f-component with their marks, sometimes in another order."""
    parts = [
        f"{introducer}{mark}={_hostile_component(source)}"
        for introducer, mark in (("?+", R_MARK), ("?=", Q_MARK), ("#", F_MARK))
        if source.random() < 0.6
    ]
    if source.random() < 0.05:
        source.shuffle(parts)
    return "".join(parts)


def _hostile_component(source: random.Random) -> str:
    pieces = (*Q_PIECES, *IN_URNS) if source.random() < 0.98 else NOT_IN_URNS
    text = "".join(source.choices(pieces, k=source.randint(1, 4)))
    return text * (source.choice(LONG) // len(text)) if source.random() < 0.02 else text


def _encoded_once(text: str) -> tuple[str, str]:
    """The whole URN is in the path, percent-encoded once, so it has its octets after decoding."""
    return f"{PREFIX}{_octets(text).decode('latin-1')}", ""


def _query_as_it_is(text: str) -> tuple[str, str]:
    """What follows the first “?” is the query of the address."""
    path, _, query = _octets(text).decode("latin-1").partition("?")
    return f"{PREFIX}{path}", query


def _not_encoded(text: str) -> tuple[str, str]:
    """The URN is the path as it is, so the server decodes its percent-encodings."""
    path, _, query = _octets(text).partition(b"?")
    return f"{PREFIX}{unquote_to_bytes(path).decode('latin-1')}", query.decode("latin-1")


STYLES = (_encoded_once, _query_as_it_is, _not_encoded)


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
