"""Address templates: https addresses with variables, a strict subset of URI templates (RFC 6570).

    https://host[:port]/path[?query]

The scheme, the host and the port are literal. A variable stands after the first slash of the path:

* ``{name}`` encodes all characters but the unreserved ones (RFC 6570, Section 3.2.2).
* ``{+name}`` keeps "/", ":" and the other characters of a path as well, and is allowed in the path only (Section 3.2.3).
* ``{q}`` is the q-component as it is. It stands at the end, after "?" or "&", which is dropped without a q-component.
* ``{name:form}`` is a form of `forms.FORM_NAMES`. RFC 6570 has no forms, and its prefixes such as ``{name:3}`` are
  not supported here.

Unlike in RFC 6570, a percent-encoding in a value stays as it is: it is neither decoded nor encoded again. An address
that a server or a client could understand as another path is refused for that value.

>>> template = parse_template("https://example.org/{type}/{+nss}?lang=en&{q}")
>>> template.expand(["a/b%2Fc", "d/e"], "x=1&y=?")
'https://example.org/a%2Fb%2Fc/d/e?lang=en&x=1&y=%3F'
>>> template.expand(["a", ".."])
Traceback (most recent call last):
...
urnsyntax.profiles.errors.UnsafeAddress: The address would have the segment “.” or “..”, which leads to another path.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...grammar import PCHAR, PCT_ENCODED
from ...percent_encoding import percent_encoded
from ..errors import InvalidTemplate, UnsafeAddress
from .forms import FORM_NAMES
from .hosts import fault_of_host, fault_of_port

MAX_TEMPLATE = 2_000
MAX_ADDRESS = 8_192
MAX_VARIABLES = 20

_Encode = Callable[[Callable[[re.Match[str]], str], str], str]

_SCHEME = "https://"
_AUTHORITY = re.compile(r"https://([^/?#]*)")
_PIECE = re.compile(r"\{([^{}]*)\}|([^{}]+)")
_EXPRESSION = re.compile(r"(\+?)([A-Za-z_][A-Za-z0-9_-]*)((?::[A-Za-z0-9-]+)*)")
_NOT_VISIBLE = re.compile("[^!-~]")
_NOT_LITERAL = re.compile(f"(?!{PCT_ENCODED})[^{PCHAR}/?]")
_RESERVED = re.compile(rf"(?!{PCT_ENCODED})[^A-Za-z0-9\-._~]")
_NOT_IN_A_PATH = re.compile(f"(?!{PCT_ENCODED})[^{PCHAR}/]")
_CONTROL = re.compile("%(?:[01][0-9A-Fa-f]|7[Ff])")
# Some servers decode "/" and "\" before they look for dot segments, and some ignore what follows ";".
_DOT_SEGMENT = re.compile(r"(?:/|%2[Ff]|%5[Cc])(?:\.|%2[Ee]){1,2}(?:/|%2[Ff]|%5[Cc]|;|%3[Bb]|\Z)")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a template: its name, its forms, whether it has "+", and its position in the text."""

    name: str
    forms: tuple[str, ...] = ()
    keeps_reserved: bool = False
    position: int = 0


class AddressTemplate:
    """A parsed template; see `parse_template`. `variables` does not contain the q-component."""

    def __init__(self, text: str, host: str, path_start: int, pieces: Sequence[str | Variable]) -> None:
        self.text = text
        self.host = host
        self.has_port = ":" in text[len(_SCHEME) : path_start]
        self.takes_q = pieces[-1] == _Q
        self._path_start = path_start
        before = pieces[:-1] if self.takes_q else pieces
        self.variables = tuple(each for each in before if isinstance(each, Variable))
        self._start, self._steps = _steps_in(before)

    def expand(self, values: Sequence[str], q_component: str | None = None) -> str:
        """The address for the value of each variable, which are texts of ASCII. Raises `UnsafeAddress`."""
        address = self._start
        for value, (encode, literal) in zip(values, self._steps, strict=True):
            address += encode(_as_triplets, value) + literal
        if self.takes_q:
            address = address + encoded(q_component, keeps_reserved=True) if q_component else address[:-1]
        self._check(address)
        return address

    def _check(self, address: str) -> None:
        path = address[self._path_start :].partition("?")[0]
        if len(address) > MAX_ADDRESS:
            raise UnsafeAddress(
                f"The address would have {len(address):,} characters; the limit is {MAX_ADDRESS:,}."
            )
        if ("/." in path or "%" in path) and _DOT_SEGMENT.search(path):
            raise UnsafeAddress(
                "The address would have the segment “.” or “..”, which leads to another path."
            )
        if path.startswith("//"):
            raise UnsafeAddress("The path of the address would begin with “//”, as if a host followed.")
        if "%" in address and (control := _CONTROL.search(address)):
            raise UnsafeAddress(f"The address would contain the control character {control[0].upper()}.")


_Q = Variable("q")


def _steps_in(pieces: Sequence[str | Variable]) -> tuple[str, list[tuple[_Encode, str]]]:
    """The literal before the first variable; for each variable, the function that encodes it and the literal after it."""
    literals, encoders = [""], []
    for each in pieces:
        if isinstance(each, Variable):
            encoders.append(_outside(keeps_reserved=each.keeps_reserved).sub)
            literals.append("")
        else:
            literals[-1] += each
    return literals[0], list(zip(encoders, literals[1:], strict=True))


def encoded(value: str, *, keeps_reserved: bool) -> str:
    """A value as it is written in an address. Percent-encodings stay as they are.

    >>> encoded("a/b:c%2F%", keeps_reserved=False), encoded("a/b:c?#", keeps_reserved=True)
    ('a%2Fb%3Ac%2F%25', 'a/b:c%3F%23')
    """
    return _outside(keeps_reserved=keeps_reserved).sub(_as_triplets, value)


def _outside(*, keeps_reserved: bool) -> re.Pattern[str]:
    """The characters of a value that are percent-encoded."""
    return _NOT_IN_A_PATH if keeps_reserved else _RESERVED


def _as_triplets(found: re.Match[str]) -> str:
    return percent_encoded(found[0]) or ""


def parse_template(text: str) -> AddressTemplate:
    """The template of a text. Raises `InvalidTemplate` with the position and the reason.

    >>> parse_template("https://{nss}/")
    Traceback (most recent call last):
    ...
    urnsyntax.profiles.errors.InvalidTemplate: Column 9: A variable is not allowed in the host. Write the host itself.
    """
    _check_text(text)
    host, path_start = _read_authority(text)
    pieces = list(_read_pieces(text, path_start))
    template = AddressTemplate(text, host, path_start, [text[:path_start], *pieces])
    if len(template.variables) > MAX_VARIABLES:
        reason = f"The template has {len(template.variables)} variables; the limit is {MAX_VARIABLES}."
        raise InvalidTemplate(reason, "Use fewer.", text=text)
    try:
        template.expand(["x"] * len(template.variables))
    except UnsafeAddress:
        reason = "The path begins with “//”, or contains the segment “.” or “..”, or a control character."
        raise InvalidTemplate(reason, "Remove it.", text=text, position=path_start) from None
    return template


def _check_text(text: str) -> None:
    if len(text) > MAX_TEMPLATE:
        reason = f"The template has {len(text):,} characters; the limit is {MAX_TEMPLATE:,}."
        raise InvalidTemplate(reason, "Shorten it.", text=text)
    if wrong := _NOT_VISIBLE.search(text):
        reason = f"U+{ord(wrong[0]):04X} is not allowed in an address."
        raise InvalidTemplate(reason, "Percent-encode it.", text=text, position=wrong.start())
    if not text.startswith(_SCHEME):
        raise InvalidTemplate("The scheme is not https.", f"Write {_SCHEME}", text=text, position=0)


def _read_authority(text: str) -> tuple[str, int]:
    """The host and the index of the path. Raises `InvalidTemplate`."""
    found = _AUTHORITY.match(text)
    assert found  # nosec B101  # the scheme has been checked
    authority, start, end = found[1], found.start(1), found.end()
    if "{" in authority:
        at = text.index("{")
        raise InvalidTemplate(
            "A variable is not allowed in the host.", "Write the host itself.", text=text, position=at
        )
    if "@" in authority:
        raise InvalidTemplate("The host has user information.", "Remove it.", text=text, position=start)
    host, colon, port = authority.partition(":")
    fault = fault_of_host(host) or (fault_of_port(port) if colon else "")
    if fault:
        raise InvalidTemplate(fault, "Write the public name of a web server.", text=text, position=start)
    if text[end : end + 1] != "/":
        raise InvalidTemplate("The path is missing.", "Write “/” after the host.", text=text, position=end)
    return host, end


def _read_pieces(text: str, start: int) -> Iterator[str | Variable]:
    """The literals and variables from an index. Raises `InvalidTemplate`."""
    position, in_query = start, False
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            reason = (
                "“{” is not closed, or contains another one."
                if text[position] == "{"
                else "“}” closes nothing."
            )
            raise InvalidTemplate(reason, "Write variables as {name}.", text=text, position=position)
        if piece[1] is None:
            in_query = _check_literal(text, piece, in_query=in_query)
            yield piece[2]
        else:
            yield _read_variable(text, piece, in_query=in_query)
        position = piece.end()


def _check_literal(text: str, piece: re.Match[str], *, in_query: bool) -> bool:
    """Whether what follows the literal is in the query. Raises `InvalidTemplate`."""
    literal, start = piece[2], piece.start()
    if wrong := _NOT_LITERAL.search(literal):
        at = start + wrong.start()
        if wrong[0] == "#":
            advice = "Remove it; clients apply the f-component themselves."
            raise InvalidTemplate("The template has a fragment.", advice, text=text, position=at)
        reason = f"“{wrong[0]}” is not allowed in an address."
        raise InvalidTemplate(reason, "Percent-encode it.", text=text, position=at)
    marks = literal.count("?") + in_query
    if marks > 1:
        at = start + literal.rindex("?")
        raise InvalidTemplate("The template has a second “?”.", "Write “&” or %3F.", text=text, position=at)
    return marks == 1


def _read_variable(text: str, piece: re.Match[str], *, in_query: bool) -> Variable:
    def fail(reason: str, advice: str) -> InvalidTemplate:
        return InvalidTemplate(reason, advice, text=text, position=piece.start())

    found = _EXPRESSION.fullmatch(piece[1])
    if not found:
        raise fail(f"“{piece[0][:40]}” is not a variable.", "Write {name}, {+name} or {name:form}.")
    name, forms = found[2], tuple(filter(None, found[3].split(":")))
    if unknown := next((form for form in forms if form not in FORM_NAMES), None):
        raise fail(f"“{unknown[:40]}” is not a form.", f"Use one of: {', '.join(FORM_NAMES)}.")
    if name == "q":
        if piece[1] != "q" or piece.end() < len(text) or text[piece.start() - 1] not in "?&" or not in_query:
            raise fail("The q-component is in the wrong place.", "Write {q} at the end, after “?” or “&”.")
        return _Q
    if found[1] and in_query:
        raise fail("“+” is not allowed in the query.", "Write the variable without “+”.")
    return Variable(name, forms, keeps_reserved=bool(found[1]), position=piece.start())
