"""A recursive-descent parser for Universal Document Identifiers. Import its names from `urnsyntax.udi`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from ..errors import InvalidIdentifier
from ..faults import Fault, describe
from ..notes import Note
from ..regex import compile_pattern

DOCUMENT = "Universal Document Identifiers"
ESCAPING = "Mapping Local Names"
_BNF = "Appendix"

# xalpha = alpha | "$" | "_" | "@" | "!" | "%" | "^" | "&" | "*" | "(" | ")" | "." | digit
XALPHA = r"A-Za-z0-9$_@!%\^&*()."
_xalphas = re.compile(rf"[{XALPHA}\-]++")
_xalpha = re.compile(rf"[{XALPHA}\-]")
# ialpha = alpha [ xalphas ]
_ialpha = re.compile(rf"[A-Za-z][{XALPHA}\-]*+")
_digits = re.compile("[0-9]++")
# path   = void | xalphas [ "/" path ]
_path = compile_pattern(rf"(?:[{XALPHA}\-]++(?:/[{XALPHA}\-]++)*+/?+)?+")
# search = xalphas [ "+" search ]
_search = compile_pattern(rf"[{XALPHA}\-]++(?:\+[{XALPHA}\-]++)*+")
# hostname = ialpha [ "." hostname ]          hostnumber = digits "." digits "." digits "." digits
_host = re.compile(rf"[A-Za-z][{XALPHA}\-]*+|[0-9]++(?:\.[0-9]++){{3}}")
lone_percent = re.compile("%(?![0-9A-Fa-f]{2})")


class InvalidUDI(InvalidIdentifier):
    """The text is not a Universal Document Identifier.

    >>> try: parse("file://info.cern.ch")
    ... except InvalidUDI as error: print(error.with_caret())
    file://info.cern.ch
                       ^ "/" is missing before the path
    """

    kind = "a UDI"

    def _find_fault(self, text: str) -> Fault | None:
        try:
            parse(text)
        except InvalidUDI as error:
            return error.fault
        return None


@dataclass(frozen=True, slots=True)
class UDI:
    """A Universal Document Identifier: the text, the BNF rule of its scheme, and its parts in order.

    ``parts`` are pairs of a rule name and the text that the rule matched.
    """

    text: str
    kind: str
    parts: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return self.text

    def part(self, rule: str) -> str | None:
        """Return the text that a rule of the BNF matched, None if it is absent.

        >>> parse("wais://quake.think.com/archives?lynch").part("database")
        'archives'
        """
        return next((value for name, value in self.parts if name == rule), None)

    @property
    def scheme(self) -> str:
        """The name of the scheme."""
        return self.parts[0][1]

    @property
    def host(self) -> str | None:
        """The domain name or address of the server, if the scheme has one."""
        return self.part("host")

    @property
    def port(self) -> str | None:
        """The port number, if it is given."""
        return self.part("port")

    @property
    def path(self) -> str | None:
        """The path, without the slash before it."""
        return self.part("path")

    @property
    def search(self) -> tuple[str, ...] | None:
        """The words of the search part.

        >>> parse("http://info.cern.ch/index?hyper+text").search
        ('hyper', 'text')
        """
        words = self.part("search")
        return None if words is None else tuple(words.split("+"))

    @property
    def anchor_id(self) -> str | None:
        """The anchor within the document; "" and None both mean the whole document."""
        return self.part("anchorid")

    @property
    def notes(self) -> tuple[Note, ...]:
        """Warnings: deviations from the BNF that the examples use, and "%" without two digits."""
        return tuple(_notes_on(self))


class _Reader:
    """Reads a text from left to right and collects its parts."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.parts: list[tuple[str, str]] = []

    def refuse(self, rule: str, reason: str) -> NoReturn:
        raise InvalidUDI(self.text, Fault(self.at, rule, _BNF, reason, DOCUMENT))

    def take(self, rule: str, pattern: re.Pattern[str], end: int | None = None) -> str:
        match = pattern.match(self.text, self.at, len(self.text) if end is None else end)
        if match is None:
            found = self.text[self.at : self.at + 1 if end is None else min(end, self.at + 1)]
            self.refuse(
                rule, f"{describe(found)} cannot begin the {rule}" if found else f"the {rule} is missing"
            )
        self.at = match.end()
        self.parts.append((rule, match[0]))
        return match[0]

    def skip(self, text: str) -> bool:
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def need(self, text: str, rule: str, before: str) -> None:
        if not self.skip(text):
            self.refuse(rule, f'"{text}" is missing before the {before}')

    def rest_of_xalphas(self) -> str:
        match = _xalphas.match(self.text, self.at)
        return match[0] if match else ""

    def host(self) -> None:
        words = self.rest_of_xalphas()
        if "@" in words:
            self.take("user", _xalphas, self.at + words.rindex("@"))
            self.need("@", "user", "host")
        self.take("host", _host)

    def hostport(self) -> None:
        self.host()
        if self.skip(":"):
            self.take("port", _digits)

    def optional_search(self) -> None:
        if self.skip("?"):
            self.take("search", _search)
            if self.skip("+"):
                self.refuse("search", 'another word must follow "+"')


def _read_http(reader: _Reader) -> None:  # httpaddress = "http://" hostport [ "/" path ] [ "?" search ]
    reader.need("//", "httpaddress", "host")
    reader.hostport()
    if reader.skip("/"):
        reader.take("path", _path)
    reader.optional_search()


def _read_file(reader: _Reader) -> None:  # fileaddress = "file://" host "/" path
    reader.need("//", "fileaddress", "host")
    reader.host()
    reader.need("/", "fileaddress", "path")
    reader.take("path", _path)


def _read_news(reader: _Reader) -> None:  # newsaddress = "news:" ( "*" | group | article )
    words = reader.rest_of_xalphas()
    if words == "*":
        reader.take("groupart", _xalphas)
    elif "@" in words:  # article = xalphas "@" host
        reader.take("article", _xalphas, reader.at + words.rindex("@"))
        reader.need("@", "article", "host")
        reader.take("host", _host)
    else:
        reader.take("group", _ialpha)


def _read_wais(reader: _Reader) -> None:
    # waisindex = "wais://" hostport "/" database [ "?" search ]
    # waisdoc   = "wais://" hostport "/" database "/" wtype "/" digits "/" path
    reader.need("//", "waisaddress", "host")
    reader.hostport()
    reader.need("/", "waisaddress", "database")
    reader.take("database", _xalphas)
    if not reader.skip("/"):
        reader.optional_search()
        return
    reader.take("wtype", _xalphas)
    reader.need("/", "waisdoc", "length of the document")
    reader.take("digits", _digits)
    reader.need("/", "waisdoc", "path")
    reader.take("path", _path)


def _read_telnet(reader: _Reader) -> None:  # telnetaddress = "telnet://" [ user "@" ] hostport
    reader.need("//", "telnetaddress", "host")
    reader.hostport()


def _read_gopher(reader: _Reader) -> None:
    # gopheraddress = "gopher://" hostport [ "/" gtype [ "/" selector ] ] [ "?" search ]
    reader.need("//", "gopheraddress", "host")
    reader.hostport()
    if reader.skip("/"):
        reader.take("gtype", _xalpha)
        if reader.skip("/") or reader.rest_of_xalphas():
            reader.take("selector", _path)
    reader.optional_search()


def _read_generic(reader: _Reader) -> None:  # generic = scheme ":" path
    reader.take("path", _path)


_READERS: dict[str, tuple[str, Callable[[_Reader], None]]] = {
    "http": ("httpaddress", _read_http),
    "file": ("fileaddress", _read_file),
    "news": ("newsaddress", _read_news),
    "wais": ("waisaddress", _read_wais),
    "telnet": ("telnetaddress", _read_telnet),
    "gopher": ("gopheraddress", _read_gopher),
}


def parse(text: str) -> UDI:
    """Parse a full UDI by the BNF of the appendix. Raises `InvalidUDI`.

    >>> for rule, value in parse("news:alt.hypertext").parts: print(rule, value)
    scheme news
    group alt.hypertext
    >>> parse("telnet://guest@info.cern.ch:23").part("user")
    'guest'
    >>> parse("http://info.cern.ch/a.html#z1").anchor_id
    'z1'
    """
    reader = _Reader(text)
    scheme = reader.take("scheme", _ialpha)
    reader.need(":", "generic", "rest of the address")
    kind, read = _READERS.get(scheme, ("generic", _read_generic))
    read(reader)
    if reader.skip("#"):
        if reader.at == len(text):
            reader.parts.append(("anchorid", ""))
        else:
            reader.take("anchorid", _xalphas)
    if reader.at < len(text):
        reader.refuse(kind, f"{describe(text[reader.at])} is not allowed here")
    return UDI(text, kind, tuple(reader.parts))


def _notes_on(udi: UDI) -> Iterator[Note]:
    hyphen = next(((rule, value.index("-")) for rule, value in udi.parts if "-" in value), None)
    if hyphen:
        message = "The BNF does not allow a hyphen, but the examples in the document use it."
        yield Note(hyphen[0], hyphen[1], _BNF, message)
    if udi.part("user") and udi.kind != "telnetaddress":
        message = "The BNF has a user name in telnet addresses only, but the prose has one for all Internet schemes."
        yield Note("user", 0, "Internet protocol parts", message)
    gtype, selector = udi.part("gtype"), udi.part("selector")
    if gtype and selector and f"/{gtype}/{selector}" not in udi.text:
        message = "The BNF requires a slash before the selector, but the example in the document omits it."
        yield Note("selector", 0, _BNF, message)
    for rule, value in udi.parts:
        if match := lone_percent.search(value):
            yield Note(rule, match.start(), ESCAPING, 'This "%" is not followed by two hexadecimal digits.')
