"""Country codes and URI schemes, which a NID could be mistaken for (RFC 8141, section 5.1).

They are in `fixtures/`, one on each line; `manage.py write_fixtures` updates them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Country:
    """A country or territory with its codes of ISO 3166-1, in upper case."""

    alpha2: str
    alpha3: str
    name: str


def country_by_code(code: str) -> Country | None:
    """The country whose code of two or three letters this is, in any case of letters."""
    return countries().get(code.upper())


@cache
def countries() -> Mapping[str, Country]:
    """The countries by each of their codes, in upper case."""
    lines = _text("iso-3166-1-names.txt").splitlines()
    countries = [Country(*line.split(" ", 2)) for line in lines]
    return {code: each for each in countries for code in (each.alpha2, each.alpha3)}


@cache
def uri_schemes() -> frozenset[str]:
    """The schemes of IANA's registry of URI schemes, in lower case."""
    return frozenset(_text("uri-schemes.txt").split())


def _text(name: str) -> str:
    return (settings.BASE_DIR / "fixtures" / name).read_text(encoding="utf-8")
