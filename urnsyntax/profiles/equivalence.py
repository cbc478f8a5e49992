"""Equivalence of names in one namespace, beyond RFC 8141, Section 3.1.

Each function of `EQUIVALENCES` maps an NSS, normalized as in Section 3.1, to the text that is compared instead. So
it defines an equivalence relation, and one that only adds to Section 3. The functions take every NSS, leave those
alone that they do not know, and do not change their own results.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stdnum import ean, isbn

from ..equivalence import EquivalenceRule, ignoring, ignoring_case
from .check_digits import ALGORITHMS
from .errors import InvalidIgnoredCharacters
from .grammar.patterns import describe_character

# The characters of an NSS (Section 2: pchar and "/") except letters, digits and "%".
IGNORABLE = "!$&'()*+,-./:;=@_~"
_NOT_IGNORABLE = re.compile(f"[^{re.escape(IGNORABLE)}]")

_ISBN_10 = re.compile("[0-9]{9}[0-9X]")
ISBN_13 = re.compile("97[89][0-9]{10}")
ISSN = re.compile("([0-9]{4})-?([0-9]{3})([0-9Xx])")
_IMEI = re.compile("(imei:[0-9-]+(?:;svn=[0-9]+)?(?:;vers=[1-9])?)(?:;vers=0)?", re.IGNORECASE)
_NEWS_ITEM = re.compile("([^:]+:[0-9]{8}:[^:]+:[0-9]+)[AU]?", re.IGNORECASE)


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
    if not ALGORITHMS["isbn-10"].is_right(digits):
        return digits
    return f"978{digits[:9]}{ean.calc_check_digit(f'978{digits[:9]}')}"


def _isbn_spellings(key: str) -> Sequence[str]:
    if not (ISBN_13.fullmatch(key) and ALGORITHMS["isbn-13"].is_right(key)):
        return ()
    spellings = [key, isbn.format(key)]
    if key.startswith("978"):
        ten = isbn.to_isbn10(key)
        spellings += [isbn.format(ten), ten]
    return spellings


def _issn(nss: str) -> str:
    found = ISSN.fullmatch(nss)
    return f"{found[1]}-{found[2]}{found[3].upper()}" if found else nss


def _gsma(nss: str) -> str:
    found = _IMEI.fullmatch(nss)
    return found[1].lower() if found else nss


def _newsml(nss: str) -> str:
    found = _NEWS_ITEM.fullmatch(nss)
    return found[1] if found else nss


def _lowering(beginning: str) -> EquivalenceRule:
    """A function that ignores letter case in the beginning that matches a pattern."""
    pattern = re.compile(beginning, re.IGNORECASE)

    def key(nss: str) -> str:
        found = pattern.match(nss)
        return found[0].lower() + nss[found.end() :] if found else nss

    return key


EQUIVALENCES = {
    "isbn": Equivalence(_isbn, "without hyphens, and as ISBN of 13 digits", _isbn_spellings),
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
    "smpte": Equivalence(_lowering(r"ul:[0-9a-f.]+\Z"), "without regard to letter case after “ul:”"),
}
"""The closed, reviewed set of functions, by name."""


def parse_ignored(text: str) -> str:
    """The characters to ignore, sorted and without duplicates. Raises `InvalidIgnoredCharacters`.

    >>> parse_ignored("--.")
    '-.'
    """
    if wrong := _NOT_IGNORABLE.search(text):
        raise InvalidIgnoredCharacters(
            f"Character {wrong.start() + 1} is {describe_character(wrong[0])}.",
            f"Only these can be ignored: {IGNORABLE}",
            text=text,
            position=wrong.start(),
        )
    return "".join(sorted(set(text)))


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


__all__ = [
    "EQUIVALENCES",
    "IGNORABLE",
    "ISBN_13",
    "ISSN",
    "Equivalence",
    "equivalence_rules",
    "parse_ignored",
]
