"""Country codes and URI schemes that a NID could be mistaken for (RFC 8141, Section 5.1).

The lists are in `fixtures/`, one entry per line. `manage.py write_fixtures` updates them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Country:
    """A country or territory with its ISO 3166-1 codes, in upper case."""

    alpha2: str
    alpha3: str
    name: str


def country_by_code(code: str) -> Country | None:
    """The country with this code of two or three letters, in upper or lower case."""
    return countries().get(code.upper())


@cache
def countries() -> Mapping[str, Country]:
    """The countries by their two-letter and three-letter codes, in upper case."""
    lines = _text("iso-3166-1-names.txt").splitlines()
    countries = [Country(*line.split(" ", 2)) for line in lines]
    return {code: each for each in countries for code in (each.alpha2, each.alpha3)}


@cache
def uri_schemes() -> frozenset[str]:
    """The schemes in IANA's registry of URI schemes, in lower case."""
    return frozenset(_text("uri-schemes.txt").split())


def _text(name: str) -> str:
    return (settings.BASE_DIR / "fixtures" / name).read_text(encoding="utf-8")
