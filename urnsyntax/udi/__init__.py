"""Universal Document Identifiers, as proposed in 1992: the predecessors of URLs and URNs.

Rule names are those of the BNF in the proposal. Where the BNF contradicts the examples in the proposal, the
examples are accepted, with a note:

* the BNF has no hyphen in ``xalpha``; four of the examples have one (``internet-drafts``);
* the BNF puts a slash between ``gtype`` and ``selector``; the Gopher example has none (``/00/About``).

A scheme that the BNF describes is read by its own rule only, never as ``generic``: the rest of a UDI has "a
format depending on the scheme".
"""

import re
from collections.abc import Iterator

from ..faults import Fault
from ..percent_encoding import percent_decoded, position_of_octet
from .parsing import DOCUMENT, ESCAPING, UDI, XALPHA, InvalidUDI, lone_percent, parse

__all__ = ["UDI", "InvalidUDI", "abbreviate", "escape", "parse", "resolve", "unescape"]

_scheme = re.compile(rf"[A-Za-z][{XALPHA}\-]*+(?=:)")
_to_be_escaped = re.compile(rf"%++|[^{XALPHA}/]++")


def resolve(partial: str, context: UDI | str) -> UDI:
    """Resolve a partial UDI relative to the document that `context` identifies (section "Partial form").

    A text with a scheme is a full UDI; "//" begins another host; "/" begins an absolute path; anything else
    replaces the last part of the context's path. Then every "/xxx/.." and "/." is removed. A partial form
    without a path ("#anchor", "?search") refers to the context's document. Raises `InvalidUDI`.

    >>> resolve("../b/c.html#z", "http://info.cern.ch/a/x/y.html").text
    'http://info.cern.ch/a/b/c.html#z'
    >>> resolve("alt.hypertext", "news:comp.infosystems").text
    'news:alt.hypertext'
    """
    if _scheme.match(partial):
        return parse(partial)
    context = context if isinstance(context, UDI) else parse(context)
    scheme, host, path, search = _pieces(context.text)
    if partial.startswith("//"):
        return parse(scheme + partial)
    cut = _start_of_search_or_anchor(partial)
    new_path, rest = partial[:cut], partial[cut:]
    if not new_path:
        return parse(scheme + host + path + ("" if rest.startswith("?") else search) + rest)
    if not new_path.startswith("/"):
        new_path = (path[: path.rfind("/") + 1] or ("/" if host else "")) + new_path
    return parse(scheme + host + _without_dots(new_path) + rest)


def abbreviate(udi: UDI | str, context: UDI | str) -> str:
    """Return the shortest form of a UDI relative to a document: partial, or full if that is shorter.

    `resolve` is the inverse. Raises `InvalidUDI`.

    >>> abbreviate("http://info.cern.ch/a/b.html", "http://info.cern.ch/a/x/y.html")
    '../b.html'
    """
    udi = udi if isinstance(udi, UDI) else parse(udi)
    context = context if isinstance(context, UDI) else parse(context)
    candidates = [text for text in _partial_forms(udi, context) if _means(text, context, udi)]
    return min([*candidates, udi.text], key=len)


def escape(local_name: str) -> str:
    """Escape a local name as a path (section "Mapping Local Names"), with UTF-8 for non-ASCII characters.

    Slashes separate levels of a hierarchy. A slash that would make an empty level is escaped, and so are the
    dots of the names "." and "..", which have a meaning in paths. Raises `InvalidUDI` for lone surrogates.

    >>> escape("About Gopher/50% off"), escape("/a//b/.."), unescape("%2Fa/%2Fb/%2E%2E")
    ('About%20Gopher/50%25%20off', '%2Fa/%2Fb/%2E%2E', '/a//b/..')
    """
    try:
        local_name.encode()
    except UnicodeEncodeError as error:
        reason = "UTF-8 cannot encode a lone surrogate"
        fault = Fault(error.start, "xalpha", ESCAPING, reason, DOCUMENT)
        raise InvalidUDI(local_name, fault) from None
    escaped = _to_be_escaped.sub(_octets_of, local_name)
    escaped = re.sub("^/|(?<=/)/", "%2F", escaped)
    return re.sub(r"(?<![^/])\.\.?(?![^/])", lambda match: "%2E" * len(match[0]), escaped)


def unescape(path: str) -> str:
    """Decode a path that `escape` wrote. Raises `InvalidUDI` for an incomplete "%" escape or invalid UTF-8.

    >>> unescape("About%20Gopher")
    'About Gopher'
    """
    if match := lone_percent.search(path):
        reason = '"%" must be followed by two hexadecimal digits'
        raise InvalidUDI(path, Fault(match.start(), "xalpha", ESCAPING, reason, DOCUMENT))
    try:
        return percent_decoded(path).decode()
    except UnicodeEncodeError as error:
        fault = Fault(error.start, "xalpha", ESCAPING, "UTF-8 cannot encode a lone surrogate", DOCUMENT)
        raise InvalidUDI(path, fault) from None
    except UnicodeDecodeError as error:
        position = position_of_octet(path, error.start)
        fault = Fault(position, "xalpha", ESCAPING, "these octets are not UTF-8", DOCUMENT)
        raise InvalidUDI(path, fault) from None


def _octets_of(match: re.Match[str]) -> str:
    return "%" + match[0].encode().hex("%").upper()


def _start_of_search_or_anchor(text: str) -> int:
    return min(at for at in (text.find("?"), text.find("#"), len(text)) if at >= 0)


def _pieces(text: str) -> tuple[str, str, str, str]:
    """Split a full UDI into scheme with colon, "//" with host, path, and search part."""
    document = text.partition("#")[0]
    scheme, colon, rest = document.partition(":")
    cut = _start_of_search_or_anchor(rest)
    rest, search = rest[:cut], rest[cut:]
    end_of_host = 0
    if rest.startswith("//"):
        end_of_host = rest.find("/", 2) if "/" in rest[2:] else len(rest)
    return scheme + colon, rest[:end_of_host], rest[end_of_host:], search


def _without_dots(path: str) -> str:
    kept: list[str] = []
    first, *elements = path.split("/")
    for element in elements:
        if element == "..":
            if kept and kept[-1] != "..":
                kept.pop()
            else:
                kept.append(element)
        elif element != ".":
            kept.append(element)
    return "/".join([first, *kept])


def _partial_forms(udi: UDI, context: UDI) -> Iterator[str]:
    scheme, host, path, _ = _pieces(udi.text)
    context_scheme, context_host, context_path, _ = _pieces(context.text)
    if scheme != context_scheme:
        return
    if host == context_host:
        rest = udi.text[len(scheme + host + path) :]
        yield "".join(udi.text.partition("#")[1:])
        yield rest
        yield _relative(path, context_path) + rest
        yield path + rest
    yield udi.text[len(scheme) :]


def _relative(path: str, context_path: str) -> str:
    here, there = context_path.split("/")[:-1], path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def _means(partial: str, context: UDI, udi: UDI) -> bool:
    try:
        return resolve(partial, context).text == udi.text
    except InvalidUDI:
        return False
