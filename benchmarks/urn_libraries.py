"""Other URN parsers in Python: the baseline, and libraries from PyPI.

Some support URNs, others any URI or URL; the table shows how many results of each are correct. Each entry returns
a function that takes a text and raises an error if it rejects the text.
"""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

Reader = Callable[[str], object]

# RFC 3986 and RFC 8141, rule by rule, without optimizations.
_UNRESERVED = r"(?:[A-Za-z]|[0-9]|-|\.|_|~)"
_PCT_ENCODED = "(?:%[0-9A-Fa-f][0-9A-Fa-f])"
_SUB_DELIMS = r"(?:!|\$|&|'|\(|\)|\*|\+|,|;|=)"
_PCHAR = f"(?:{_UNRESERVED}|{_PCT_ENCODED}|{_SUB_DELIMS}|:|@)"
_ALPHANUM = "(?:[A-Za-z]|[0-9])"
_LDH = f"(?:{_ALPHANUM}|-)"
BASELINE = re.compile(
    f"(?P<scheme>[Uu][Rr][Nn]):(?P<nid>{_ALPHANUM}{_LDH}{{0,30}}{_ALPHANUM}):(?P<nss>{_PCHAR}(?:{_PCHAR}|/)*)"
    rf"(?:\?\+(?P<r>{_PCHAR}(?:{_PCHAR}|/|\?)*?))?(?:\?=(?P<q>{_PCHAR}(?:{_PCHAR}|/|\?)*))?"
    rf"(?:\#(?P<f>(?:{_PCHAR}|/|\?)*))?"
)
"""The ABNF written literally. The r-component is lazy, as it ends at the first "?=" (Section 2.3.1)."""


def _urnparse() -> Reader:
    from urnparse import URN8141

    return URN8141.from_string


def _rfc3986() -> Reader:
    from rfc3986 import uri_reference
    from rfc3986.validators import Validator

    parts = ("scheme", "path", "query", "fragment")
    validator = (
        Validator()
        .allow_schemes("urn", "URN")
        .require_presence_of("scheme", "path")
        .check_validity_of(*parts)
    )
    return lambda text: validator.validate(uri_reference(text))


def _uritools() -> Reader:
    from uritools import urisplit

    return urisplit


def _ada_url() -> Reader:
    from ada_url import URL

    return URL


def _can_ada() -> Reader:
    from can_ada import parse

    return parse


def _pydantic_core() -> Reader:
    from pydantic_core import Url

    return Url


def _yarl() -> Reader:
    from yarl import URL

    return lambda text: URL(text, encoded=True)


def _urllib() -> Reader:
    return urlsplit


LIBRARIES: dict[str, tuple[str, Callable[[], Reader]]] = {
    "urnparse": ("URNs, Python", _urnparse),
    "rfc3986": ("URIs with its validator, Python", _rfc3986),
    "uritools": ("URIs, Python", _uritools),
    "urllib.parse": ("URLs, Python, with a cache", _urllib),
    "yarl": ("URLs, compiled, with a cache", _yarl),
    "pydantic-core": ("URLs, compiled (Rust)", _pydantic_core),
    "can-ada": ("URLs, compiled (C++)", _can_ada),
    "ada-url": ("URLs, compiled (C++)", _ada_url),
}
