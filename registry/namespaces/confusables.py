"""Countries, URI schemes, other identifier systems and trademarks that a NID could be mistaken for (RFC 8141, Section 5.1).

The lists are in `fixtures/`, one entry per line. `manage.py write_fixtures` updates those of countries and URI schemes.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings

# "Korea, Republic of", "Cocos (Keeling) Islands" and "United States of America" are known by their first words.
_SHORT_NAME = re.compile(r"\S+ \S+(?= of )|[^,(]+")


@dataclass(frozen=True, slots=True)
class Country:
    """A country or territory with its ISO 3166-1 codes, in upper case."""

    alpha2: str
    alpha3: str
    name: str

    @property
    def short_name(self) -> str:
        match = _SHORT_NAME.match(self.name)
        return match[0].strip() if match else self.name


def country_by_code(code: str) -> Country | None:
    """The country with this code of two or three letters, in upper or lower case."""
    return countries().get(code.upper())


@cache
def countries() -> Mapping[str, Country]:
    """The countries by their two-letter and three-letter codes, in upper case."""
    countries = [Country(*line.split(" ", 2)) for line in _entries("iso-3166-1-names.txt")]
    return {code: each for each in countries for code in (each.alpha2, each.alpha3)}


@cache
def country_names() -> Mapping[str, str]:
    """The short names of the countries by their form in NIDs: lower-case letters without spaces and accents."""
    return {_letters(each.short_name): each.short_name for each in countries().values()}


def _letters(name: str) -> str:
    return "".join(
        each for each in unicodedata.normalize("NFKD", name.lower()) if each.isascii() and each.isalpha()
    )


@cache
def trademarks() -> frozenset[str]:
    """Well-known trademarks, in lower case and without hyphens: a selection, which can't be complete."""
    return frozenset(each.replace("-", "") for each in _entries("well-known-trademarks.txt"))


@cache
def uri_schemes() -> frozenset[str]:
    """The schemes in IANA's registry of URI schemes, in lower case."""
    return frozenset(_entries("uri-schemes.txt"))


@cache
def identifier_systems() -> Mapping[str, str]:
    """Identifier systems other than URN namespaces: the system, its maintainer and the source, by its name."""
    rows = (line.split(" | ") for line in _entries("identifier-systems.txt"))
    return {name: f"{system} ({maintainer}), {source}" for name, system, maintainer, source in rows}


def _entries(name: str) -> list[str]:
    return [line for line in _text(name).splitlines() if not line.startswith("#")]


def _text(name: str) -> str:
    return (settings.BASE_DIR / "fixtures" / name).read_text(encoding="utf-8")
