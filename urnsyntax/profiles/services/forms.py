"""Forms of variables in address templates, from a closed set, such as ``{nss:no-hyphens}``.

A form maps a part of a normalized NSS to another text, or to None if the part has no such form. It returns characters
of an NSS only, and keeps percent-encodings.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...grammar import PCT_ENCODED
from ..check_digits import ALGORITHMS
from ..equivalence import EQUIVALENCES, ISBN_13, ISSN

if TYPE_CHECKING:
    from ..profile import Names

FormFunction = Callable[[str], str | None]

_TRIPLETS = re.compile(PCT_ENCODED)
_NO_DIGIT = re.compile(f"{PCT_ENCODED}|[^0-9]")
_SEPARATORS = "-."
NO_CHECK_DIGIT = "no-check-digit"


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the closed set. `description` completes "The part …"."""

    function: FormFunction
    description: str


def lower(text: str) -> str:
    """The text in lower case, with percent-encodings as they are.

    >>> lower("A%2FB")
    'a%2Fb'
    """
    return _TRIPLETS.sub(lambda found: found[0].upper(), text.lower())


def _spelling(equivalence: str, pattern: re.Pattern[str]) -> FormFunction:
    """The text that an equivalence compares, if it has the form of an identifier."""
    key = EQUIVALENCES[equivalence].key

    def spelled(text: str) -> str | None:
        compared = key(text)
        return compared if pattern.fullmatch(compared) else None

    return spelled


FORMS = {
    "lower": Form(lower, "in lower case"),
    "upper": Form(str.upper, "in upper case"),
    "no-hyphens": Form(lambda text: text.replace("-", ""), "without hyphens"),
    "digits": Form(lambda text: _NO_DIGIT.sub("", text), "without all characters but digits"),
    "tail": Form(lambda text: text.partition(":")[2], "without the first “:” and what stands before it"),
    "path": Form(
        lambda text: "/".join(each or "0" for each in text.split(":")),
        "with “/” for each “:”, and “0” for nothing between two of them",
    ),
    "isbn-13": Form(_spelling("isbn", ISBN_13), "as ISBN of 13 digits without hyphens"),
    "issn": Form(_spelling("issn", ISSN), "as ISSN with its hyphen, in upper case"),
}
"""The forms that need no more than the text."""

FORM_NAMES = (*FORMS, NO_CHECK_DIGIT)


def form_function(form: str, part: str, names: "Names") -> FormFunction | None:
    """The function of a form for a part of names, where "nss" is the whole NSS; None if the part has no such form."""
    if form != NO_CHECK_DIGIT:
        return FORMS[form].function
    checked = "" if part == "nss" else part
    digits = next((ALGORITHMS[each.algorithm].digits for each in names.checks if each.part == checked), 0)
    return (lambda text: text[:-digits].rstrip(_SEPARATORS)) if digits else None
