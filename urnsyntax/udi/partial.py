"""Partial UDIs: resolution relative to a document, and abbreviation (section "Partial form" of the proposal)."""

import re
from collections.abc import Iterator

from .parsing import UDI, XALPHA, InvalidUDI, parse

_scheme = re.compile(rf"[A-Za-z][{XALPHA}\-]*+(?=:)")


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
