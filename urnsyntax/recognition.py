"""What a text is that is not a URN: a relative reference, or a Universal Document Identifier of 1992."""

from collections.abc import Iterator
from dataclasses import dataclass

from . import udi
from .resolution.references import InvalidReference, resolve_reference
from .urn import is_urn

_BASE = "urn:example:a/b"
_BEGINNINGS = ("#", "?", "/", "./", "../")
# http is left out: with it, the text is a URL of today.
_UDI_SCHEMES = ("file:", "gopher:", "news:", "telnet:", "wais:")
_LABELS = {
    "anchorid": "Anchor",
    "article": "Article",
    "database": "Database",
    "digits": "Length of the document",
    "group": "Newsgroup",
    "groupart": "Newsgroups",
    "gtype": "Gopher type",
    "host": "Host",
    "path": "Path",
    "port": "Port",
    "scheme": "Scheme",
    "search": "Words to search for",
    "selector": "Gopher selector",
    "user": "User",
    "wtype": "WAIS type",
}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a text is, such as "a relative reference", what that means and what to do, and its labelled parts."""

    kind: str
    explanation: str
    parts: tuple[tuple[str, str], ...] = ()


def recognise(text: str) -> Recognised | None:
    """Recognise a text that is not a URN; None if it is nothing that this module knows.

    >>> recognise("gopher://info.cern.ch:70/0").kind, recognise("#today").kind, recognise("a book")
    ('a Universal Document Identifier', 'a relative reference', None)
    """
    return _reference(text) if text.startswith(_BEGINNINGS) or text in (".", "..") else _udi(text)


def _reference(text: str) -> Recognised | None:
    """RFC 8141, Section 4.3: the algorithm of RFC 3986 applies, and authors should avoid to need it."""
    try:
        target = resolve_reference(_BASE, text)
    except InvalidReference:
        return None
    result = "a URN" if is_urn(target) else "not a URN"
    advice = "A document can use it for a part of itself. Elsewhere, write the complete URN."
    if not text.startswith("#"):
        advice = "RFC 8141, Section 4.3, advises against such references with URNs. Write the complete URN."
    explanation = (
        "It has a meaning only in a document with a base URI (RFC 3986, Section 4.2). "
        f"With the base {_BASE}, it refers to {target}, which is {result}. {advice}"
    )
    return Recognised("a relative reference", explanation)


def _udi(text: str) -> Recognised | None:
    is_labelled = text[:4].upper() == "UDI="
    identifier = text[4:].strip() if is_labelled else text
    if not is_labelled and not identifier.startswith(_UDI_SCHEMES):
        return None
    try:
        parts = udi.parse(identifier).parts
    except udi.InvalidUDI:
        return None
    explanation = (
        "UDIs were proposed in 1992, and were developed into the URLs of today (RFC 1738). A UDI says where a document is; "
        "a URN names it, wherever it is. To cite the document by a URN, look for a namespace that names it."
    )
    return Recognised("a Universal Document Identifier", explanation, tuple(_labelled(parts)))


def _labelled(parts: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    return ((_LABELS[rule], value) for rule, value in parts if value)
