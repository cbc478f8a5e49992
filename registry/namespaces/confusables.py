"""Words that a NID should not be mistaken for: country codes (RFC 8141, section 5.1) and URI schemes.

They are facts in `fixtures/`, one a line; `manage.py write_fixtures` renews them.
"""

from functools import cache

from django.conf import settings


@cache
def country_codes() -> frozenset[str]:
    """The alpha-3 codes of ISO 3166-1, in lower case."""
    return _words("iso-3166-1-alpha-3.txt")


@cache
def uri_schemes() -> frozenset[str]:
    """The schemes of IANA's registry of URI schemes, in lower case."""
    return _words("uri-schemes.txt")


def _words(name: str) -> frozenset[str]:
    text = (settings.BASE_DIR / "fixtures" / name).read_text(encoding="utf-8")
    return frozenset(text.split())
