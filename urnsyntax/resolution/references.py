"""Relative references against a URN (RFC 8141, Section 4.3, and RFC 3986, Section 5.2).

The algorithm of RFC 3986 is applied "independent of a particular scheme". The target is a URI, which is often not a
URN: a reference to another path or query loses the namespace or the form of the components. The RFC advises authors to
avoid such references; "#" with a fragment is the useful one.
"""

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address

from ..errors import InvalidIdentifier, refuse_type
from ..faults import Fault, advice, describe
from ..grammar import PCHAR, PCT_ENCODED
from ..regex import compile_pattern
from ..urn import URN

RFC3986 = "RFC 3986"

# unreserved / sub-delims: a pchar but for ":", "@" and percent-encodings
_NAME = PCHAR.replace(":@", "")

# RFC 3986, Appendix B, for texts of URI characters: scheme, authority, path, query, fragment.
_parts_of = re.compile(
    r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL
).fullmatch
_scheme = re.compile(r"[A-Za-z][A-Za-z0-9+\-.]*+").fullmatch
_leading_dot_segments = compile_pattern(r"\A(?:\.\.?/)++")
_run_of_uri_characters = compile_pattern(rf"(?:[{PCHAR}/?\#]++|{PCT_ENCODED})*+").match
# authority = [ userinfo "@" ] host [ ":" port ]     host = IP-literal / IPv4address / reg-name
_authority = compile_pattern(
    rf"(?:(?:[{_NAME}:]|{PCT_ENCODED})*+@)?(?:\[([^\[\]]*+)\]|(?:[{_NAME}]|{PCT_ENCODED})*+)(?::[0-9]*+)?"
).match
_ip_future = re.compile(rf"[Vv][0-9A-Fa-f]++\.[{_NAME}:]++").fullmatch


class InvalidReference(InvalidIdentifier):
    """The text is not a URI reference (RFC 3986, Section 4.1).

    >>> InvalidReference("a b").position
    1
    """

    kind = "a URI reference"

    def _find_fault(self, text: str) -> Fault | None:
        return _fault_of_reference(text)


class InvalidBase(InvalidReference):
    """The text is a URI reference, but has no scheme, as a base URI must (RFC 3986, Section 5.1)."""

    kind = "a base URI"


def resolve_reference(base: URN | str, reference: str) -> str:
    """Return the target of a reference, such as "#today", in a document whose base URI is a URN.

    `base` is a URN, or another URI with a scheme. Raises `InvalidURN` for a text with the scheme "urn" that is not a
    URN, and `InvalidReference` for another base and for a reference that are not well-formed.

    >>> resolve_reference("urn:example:a/b?=q#f", "#g"), resolve_reference("urn:example:a/b?=q#f", "")
    ('urn:example:a/b?=q#g', 'urn:example:a/b?=q')
    >>> resolve_reference("urn:example:a/b?=q", "?=r"), resolve_reference("urn:example:a/b?=q", "../c")
    ('urn:example:a/b?=r', 'urn:/c')
    """
    if not isinstance(base, URN | str):
        refuse_type("resolve_reference", base)
    if not isinstance(reference, str):
        refuse_type("resolve_reference", reference)
    scheme, authority, path, query = _parts_of_base(str(base))
    of_reference = _parts(reference)
    # RFC 3986, Section 5.2.2, in its strict form.
    if of_reference[0] is not None:
        return _recompose(
            of_reference[0], of_reference[1], remove_dot_segments(of_reference[2]), *of_reference[3:]
        )
    _, other_authority, other_path, other_query, fragment = of_reference
    if other_authority is not None:
        authority, path, query = other_authority, remove_dot_segments(other_path), other_query
    elif other_path:
        path = remove_dot_segments(_merged(authority, path, other_path))
        query = other_query
    elif other_query is not None:
        query = other_query
    return _recompose(scheme, authority, path, query, fragment)


@lru_cache(maxsize=16)  # a document has one base, and many references
def _parts_of_base(base: str) -> tuple[str, str | None, str, str | None]:
    if base[:4].lower() == "urn:":
        URN.parse(base)
    scheme, authority, path, query, _ = _parts(base)
    if scheme is None:
        fault = Fault(0, "URI", "5.1", 'the base needs a scheme, such as "urn:"', RFC3986)
        raise InvalidBase(base, fault)
    return scheme, authority, path, query


def remove_dot_segments(path: str) -> str:
    """Return a path without its "." and ".." segments (RFC 3986, Section 5.2.4).

    >>> remove_dot_segments("/a/b/c/./../../g"), remove_dot_segments("mid/content=5/../6")
    ('/a/g', 'mid/6')
    """
    path = _leading_dot_segments.sub("", path)
    if path in (".", ".."):
        return ""
    kept: list[str] = []
    segments = re.findall("/?[^/]*", path)[:-1]
    for segment in segments:
        if segment == "/..":
            del kept[-1:]
        elif segment != "/.":
            kept.append(segment)
    ends_as_folder = segments and segments[-1] in ("/.", "/..")
    return "".join(kept) + ("/" if ends_as_folder else "")


def _merged(authority: str | None, base_path: str, path: str) -> str:
    """Return the path of a reference, with the folder of the base path before a relative one (Section 5.2.3)."""
    if path.startswith("/"):
        return path
    if authority is not None and not base_path:
        return f"/{path}"
    return base_path[: base_path.rfind("/") + 1] + path


def _recompose(scheme: str, authority: str | None, path: str, query: str | None, fragment: str | None) -> str:
    """Join the parts of a URI (Section 5.3).

    Without an authority, a path cannot begin with "//" (Section 3.3): what follows would be read as an authority. The
    removal of dot segments can leave such a path, which is therefore written with "/." before it.
    """
    if authority is None and path.startswith("//"):
        path = f"/.{path}"
    parts = (f"{scheme}:", "" if authority is None else f"//{authority}", path)
    ends = ("" if query is None else f"?{query}", "" if fragment is None else f"#{fragment}")
    return "".join((*parts, *ends))


def _parts(text: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    if _fault_of_reference(text):
        raise InvalidReference(text)
    match = _parts_of(text)
    assert match is not None  # nosec B101  # every text matches
    scheme, authority, path, query, fragment = match.groups()
    return scheme, authority, path, query, fragment


def _fault_of_reference(text: str) -> Fault | None:
    span = _span_of_authority(text)
    return (
        _fault_of_characters(text, *span)
        or _fault_of_fragment(text)
        or _fault_of_scheme(text)
        or _fault_of_authority(text, *span)
    )


def _fault_of_characters(text: str, start: int, stop: int) -> Fault | None:
    """Return the fault of the first character that cannot be in its part.

    Brackets can be in an authority only, which is `text[start:stop]`.
    """
    dotted = text[start:stop].replace("[", ".").replace("]", ".")
    match = _run_of_uri_characters(text[:start] + dotted + text[stop:])
    end = match.end() if match else 0
    if end == len(text):
        return None
    reason = f"{describe(text[end])} is not allowed here in a URI; {advice(text[end])}"
    if text[end] == "%":
        reason = '"%" must be followed by two hexadecimal digits'
    return Fault(end, "URI-reference", "4.1", reason, RFC3986)


def _fault_of_fragment(text: str) -> Fault | None:
    first = text.find("#")
    second = text.find("#", first + 1)
    if first == -1 or second == -1:
        return None
    return Fault(second, "fragment", "3.5", '"#" is not allowed in a fragment; write it as "%23"', RFC3986)


def _fault_of_scheme(text: str) -> Fault | None:
    first, colon, _ = text.partition(":")
    if not colon or re.search("[/?#]", first) or _scheme(first):
        return None
    reason = 'the text before the first colon is not a scheme; write "./" before a relative path'
    return Fault(0, "scheme", "4.2", reason, RFC3986)


def _fault_of_authority(text: str, start: int, stop: int) -> Fault | None:
    match = _authority(text, start, stop)
    end = match.end() if match else start
    if end < stop:
        reason = f"{describe(text[end])} is not allowed here in an authority"
        return Fault(end, "authority", "3.2", reason, RFC3986)
    if match and match[1] is not None and not _is_ip_literal(match[1]):
        reason = "the text in brackets is not an IPv6 address"
        return Fault(match.start(1), "IP-literal", "3.2.2", reason, RFC3986)
    return None


def _span_of_authority(text: str) -> tuple[int, int]:
    """Return where the authority begins and ends; (0, 0) without one."""
    match = _parts_of(text)
    return match.span(2) if match and match[2] is not None else (0, 0)


def _is_ip_literal(text: str) -> bool:
    """Whether a text can stand in brackets (Section 3.2.2). A zone of an address has no place in that syntax."""
    try:
        return _ip_future(text) is not None or ("%" not in text and bool(IPv6Address(text)))
    except AddressValueError:
        return False
