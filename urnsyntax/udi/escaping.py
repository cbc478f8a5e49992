"""Escaping of local names as paths (section "Mapping Local Names" of the proposal)."""

import re

from ..faults import Fault
from ..percent_encoding import percent_decoded, position_of_octet
from .parsing import DOCUMENT, ESCAPING, XALPHA, InvalidUDI, lone_percent

_to_be_escaped = re.compile(rf"%++|[^{XALPHA}/]++")


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
