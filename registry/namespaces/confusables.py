"""Words that a NID should not be mistaken for: country codes (RFC 8141, section 5.1) and URI schemes.

They are facts in `fixtures/`, one a line; `manage.py write_fixtures` renews them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings


@cache
def country_codes() -> frozenset[str]:
    """The alpha-3 codes of ISO 3166-1, in lower case."""
    return _words("iso-3166-1-alpha-3.txt")


@dataclass(frozen=True, slots=True)
class Country:
    """A country or territory with its codes of ISO 3166-1, in upper case."""

    alpha2: str
    alpha3: str
    name: str


def country_by_code(code: str) -> Country | None:
    """The country whose code of two or three letters this is, in any case of letters."""
    return _countries().get(code.upper())


@cache
def _countries() -> Mapping[str, Country]:
    lines = _text("iso-3166-1-names.txt").splitlines()
    countries = [Country(*line.split(" ", 2)) for line in lines]
    return {code: each for each in countries for code in (each.alpha2, each.alpha3)}


@cache
def uri_schemes() -> frozenset[str]:
    """The schemes of IANA's registry of URI schemes, in lower case."""
    return _words("uri-schemes.txt")


def _words(name: str) -> frozenset[str]:
    return frozenset(_text(name).split())


def _text(name: str) -> str:
    return (settings.BASE_DIR / "fixtures" / name).read_text(encoding="utf-8")
