"""Equivalence of names in one namespace, beyond RFC 8141, Section 3.1. Comparing needs the standard library only.

Each function of `EQUIVALENCES` maps an NSS, normalized as in Section 3.1, to the text that is compared instead. So
it defines an equivalence relation, and one that only adds to Section 3. The functions take every NSS, leave those
alone that they do not know, and do not change their own results.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .equivalence import EquivalenceRule, ignoring, ignoring_case

_ISBN_10 = re.compile("[0-9]{9}[0-9X]")
# 979-0 is for printed music (ISO 2108, ISO 10957).
ISBN_13 = re.compile("97(?:8[0-9]|9[1-9])[0-9]{9}")
ISSN = re.compile("([0-9]{4})-?([0-9]{3})([0-9Xx])")
_IMEI = re.compile("(imei:[0-9-]+(?:;svn=[0-9]+)?(?:;vers=[1-9])?)(?:;vers=0)?", re.IGNORECASE)
_NEWS_ITEM = re.compile("([^:]+:[0-9]{8}:[^:]+:[0-9]+)[AU]?", re.IGNORECASE)
_LANGUAGE_AND_KIND = re.compile("([^:]+:[^:]+:)([A-Z])")


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A function of the closed set.

    `key` maps a normalized NSS to the text to compare. `others` returns further spellings of a key, such as with
    hyphens. `description` completes "Names are compared …".
    """

    key: EquivalenceRule
    description: str
    others: Callable[[str], Sequence[str]] = lambda key: ()


def _isbn(nss: str) -> str:
    digits = nss.replace("-", "")
    if ISBN_13.fullmatch(digits):
        return digits
    if not _ISBN_10.fullmatch(digits):
        return nss
    if isbn_10_digit(digits[:9]) != digits[9]:
        return digits
    return f"978{digits[:9]}{isbn_13_digit(f'978{digits[:9]}')}"


def isbn_10_digit(digits: str) -> str:
    """The last digit of an ISBN of ten for the nine before it (ISO 2108:1992)."""
    return "0123456789X"[sum(weight * int(digit) for weight, digit in enumerate(digits, 1)) % 11]


def isbn_13_digit(digits: str) -> str:
    """The last digit of an ISBN of thirteen for the twelve before it (ISO 2108)."""
    return str(-sum((1, 3)[place % 2] * int(digit) for place, digit in enumerate(digits)) % 10)


def _issn(nss: str) -> str:
    found = ISSN.fullmatch(nss)
    return f"{found[1]}-{found[2]}{found[3].upper()}" if found else nss


def _gsma(nss: str) -> str:
    found = _IMEI.fullmatch(nss)
    return found[1].lower() if found else nss


def _newsml(nss: str) -> str:
    found = _NEWS_ITEM.fullmatch(nss)
    return found[1] if found else nss


def _urn_6(nss: str) -> str:
    found = _LANGUAGE_AND_KIND.match(nss)
    return found[1] + found[2].lower() + nss[found.end() :] if found else nss


def _lowering(beginning: str) -> EquivalenceRule:
    """A function that ignores letter case in the beginning that matches a pattern."""
    pattern = re.compile(beginning, re.IGNORECASE)

    def key(nss: str) -> str:
        found = pattern.match(nss)
        return found[0].lower() + nss[found.end() :] if found else nss

    return key


EQUIVALENCES = {
    "isbn": Equivalence(_isbn, "without hyphens, and as ISBN of 13 digits"),
    "issn": Equivalence(
        _issn, "with or without the hyphen, “x” as “X”", lambda key: (key, key.replace("-", ""))
    ),
    "gsma": Equivalence(_gsma, "without regard to letter case and “;vers=0” in an IMEI"),
    "newsml": Equivalence(_newsml, "without “A” or “U” after the revision"),
    "first-part": Equivalence(_lowering("[^:%]+:"), "without regard to letter case before the first colon"),
    "prefix": Equivalence(_lowering("[^%-]+-"), "without regard to letter case before the first hyphen"),
    "mrn": Equivalence(_lowering("[^:%]+:[^:%]+:"), "without regard to letter case before the second colon"),
    "nbn": Equivalence(
        _lowering("[a-z]{2}(?::[a-z0-9]+)*-"), "without regard to letter case before the first hyphen"
    ),
    "pwid": Equivalence(
        _lowering("[a-z0-9.-]+:[0-9tz:.-]+:(?:page|part):"),
        "without regard to letter case before the archived address",
    ),
    "gs1": Equivalence(
        _lowering("(?:gdd:(?:bie|bdt|cl)|std):"), "without regard to letter case in the names of branches"
    ),
    "urn-6": Equivalence(_urn_6, "without regard to the case of the first letter of the name"),
    "smpte": Equivalence(_lowering(r"ul:[0-9a-f.]+\Z"), "without regard to letter case after “ul:”"),
}
"""The closed, reviewed set of functions, by name."""


def equivalence_rules(
    *, ignores_case: bool = False, ignored_characters: str = "", equivalence: str = ""
) -> tuple[EquivalenceRule, ...]:
    """The rules for `urnsyntax.equivalence`, in the order in which they apply.

    >>> from urnsyntax import equivalent
    >>> equivalent("urn:isbn:0-451-45052-3", "urn:isbn:9780451450524", equivalence_rules(equivalence="isbn"))
    True
    """
    function = (EQUIVALENCES[equivalence].key,) if equivalence else ()
    case = (ignoring_case,) if ignores_case else ()
    ignored = (ignoring(ignored_characters),) if ignored_characters else ()
    return (*function, *case, *ignored)


def rules_of_names(names: Mapping[str, Any]) -> tuple[EquivalenceRule, ...]:
    """The rules of the part `names` of a profile, as it is written. Raises `KeyError` for an unknown equivalence.

    >>> len(rules_of_names({"abnf": "tree = 8DIGIT", "ignores_case": True}))
    1
    """
    keys = ("ignores_case", "ignored_characters", "equivalence")
    return equivalence_rules(**{key: names[key] for key in keys if key in names})
