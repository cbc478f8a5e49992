"""Check digits of identifiers, from a closed set. python-stdnum computes them.

Separators between the groups of an identifier, "-" and ".", do not count. An algorithm gets an identifier that matches
the grammar of its namespace; one that it cannot compute, such as of another length, is wrong without a correction.
"""

from collections.abc import Callable
from dataclasses import dataclass

from stdnum import ean, imei, isan, isin, issn, luhn, verhoeff
from stdnum.eu import eic
from stdnum.exceptions import ValidationError
from stdnum.iso7064 import mod_11_2, mod_11_10, mod_37_2, mod_37_36, mod_97_10

from ..namespace_equivalence import isbn_10_digit

_SEPARATORS = "-."
_ISBN_ELEMENTS = ("978", "979")
_ISMN_BEGINNING = "9790"
# The German National Library, “Check digit algorithm” (persistent-identifier.de): the number of each character.
_NBN_NUMBERS = {
    "0": "1", "1": "2", "2": "3", "3": "4", "4": "5", "5": "6", "6": "7", "7": "8", "8": "9", "9": "41", "a": "18",
    "b": "14", "c": "19", "d": "15", "e": "16", "f": "21", "g": "22", "h": "23", "i": "24", "j": "25", "k": "42",
    "l": "26", "m": "27", "n": "13", "o": "28", "p": "29", "q": "31", "r": "12", "s": "32", "t": "33", "u": "11",
    "v": "34", "w": "35", "x": "36", "y": "37", "z": "38", "-": "39", ":": "17", "_": "43", "/": "45", ".": "47",
    "+": "49",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A way to compute check digits.

    `label` names the kind of identifier. `correct` returns an identifier without separators with the check digits that
    it should have; it raises `ValidationError`, `ValueError` or `IndexError` if it cannot compute them. `digits` is the
    number of check digits at the end, 0 if they are in several places. `ignores_case` says that letters are computed in
    upper case.
    """

    label: str
    correct: Callable[[str], str]
    digits: int = 1
    ignores_case: bool = False
    separators: str = _SEPARATORS

    def is_right(self, identifier: str) -> bool:
        """Whether the check digits are right: `check` without the details."""
        plain = self.plain(identifier)
        try:
            return self.correct(plain) == plain
        except (ValidationError, ValueError, IndexError):
            return False

    def plain(self, identifier: str) -> str:
        """The identifier without separators, in upper case if case does not count."""
        for each in self.separators:
            identifier = identifier.replace(each, "")
        return identifier.upper() if self.ignores_case else identifier


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for one identifier.

    `start` and `end` are the place of the wrong check digits in the identifier as written; `expected` is what they
    would be, "" if that cannot be computed. `not_assigned` says why no such identifier is assigned, with any check
    digits; "" if one could be.
    """

    is_right: bool
    start: int = 0
    end: int = 0
    expected: str = ""
    not_assigned: str = ""

    @property
    def reason(self) -> str:
        """Why the identifier or its check digits are wrong, as a sentence; "" if they are right.

        >>> check("isbn", "9780451450523").reason
        'The check digit is wrong; it would be 4.'
        """
        if self.is_right:
            return ""
        if not self.expected:
            return self.not_assigned or "The check digit is wrong."
        if len(self.expected) == 1:
            return f"The check digit is wrong; it would be {self.expected}."
        return f"The check digits are wrong; they would be {self.expected}."


def check(algorithm: str, identifier: str) -> Verdict:
    """Check an identifier, with or without separators, by an algorithm of `ALGORITHMS`.

    >>> check("lei", "7LTWFZYICNSX8D621K86").is_right
    True
    >>> check("issn", "0028-0837")
    Verdict(is_right=False, start=8, end=9, expected='6', not_assigned='')
    """
    used = ALGORITHMS[algorithm]
    plain = used.plain(identifier)
    try:
        right = used.correct(plain)
    except _NotAssigned as error:
        return Verdict(False, 0, len(identifier), not_assigned=error.reason)
    except (ValidationError, ValueError, IndexError):
        return Verdict(False, 0, len(identifier))
    return Verdict(True) if right == plain else _wrong(identifier, plain, right, used)


def corrected(identifier: str, verdict: Verdict) -> str:
    """The identifier with the right check digits, and with its separators.

    >>> corrected("0028-0837", check("issn", "0028-0837"))
    '0028-0836'
    """
    wrong, right = identifier[verdict.start : verdict.end], verdict.expected
    if len(wrong) != len(right):  # there are separators between the digits
        digits = iter(right)
        right = "".join(next(digits, "") if each.isalnum() else each for each in wrong)
    return identifier[: verdict.start] + right + identifier[verdict.end :]


def _wrong(identifier: str, plain: str, right: str, used: Algorithm) -> Verdict:
    if len(plain) != len(right):
        return Verdict(False, 0, len(identifier))
    differing = [index for index, (a, b) in enumerate(zip(plain, right, strict=True)) if a != b]
    first, last = (len(right) - used.digits, len(right) - 1) if used.digits else (differing[0], differing[0])
    places = [index for index, character in enumerate(identifier) if character not in used.separators]
    return Verdict(False, places[first], places[last] + 1, right[first : last + 1])


def _last(compute: Callable[[str], str], digits: int = 1) -> Callable[[str], str]:
    """Correct the last digits, computed from the others."""
    return lambda identifier: identifier[:-digits] + compute(identifier[:-digits])


def _of_length(correct: Callable[[str], str], *lengths: int) -> Callable[[str], str]:
    def checked(identifier: str) -> str:
        if len(identifier) not in lengths:
            raise _WrongLength
        return correct(identifier)

    return checked


class _WrongLength(ValidationError):
    """The identifier has another length."""


class _NotAssigned(ValidationError):
    """No such identifier is assigned, with any check digit. `reason` is a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_correct_ean = _last(ean.calc_check_digit)
_correct_11_2 = _last(mod_11_2.calc_check_digit)
_correct_37_36 = _last(mod_37_36.calc_check_digit)


_correct_isbn10 = _last(isbn_10_digit)  # python-stdnum publishes only a slower test


def _correct_isbn13(identifier: str) -> str:
    """ISO 2108 assigns 978 and 979 to books, except for 979-0, which ISO 10957 uses for printed music."""
    right = str(_correct_ean(identifier))
    if identifier[:4] == _ISMN_BEGINNING:
        raise _NotAssigned("No ISBN begins with 979-0, which is for printed music (ISMN, ISO 10957).")
    if identifier[:3] not in _ISBN_ELEMENTS:
        raise _NotAssigned(f"The GS1 element of an ISBN is 978 or 979, not “{identifier[:3]}” (ISO 2108).")
    return right


def _correct_isbn(identifier: str) -> str:
    return _correct_isbn10(identifier) if len(identifier) == 10 else _correct_isbn13(identifier)


def _correct_ismn(identifier: str) -> str:
    if len(identifier) == 10 and identifier[0] == "M":
        return "M" + _correct_ean(_ISMN_BEGINNING + identifier[1:])[4:]
    if len(identifier) == 13 and identifier[:4] != _ISMN_BEGINNING:
        raise _NotAssigned("An ISMN of 13 digits begins with 979-0 (ISO 10957).")
    return _of_length(_correct_ean, 13)(identifier)


def _correct_isan(identifier: str) -> str:
    """An ISAN may have no check digits; then nothing is corrected."""
    root, episode, first, version, second = isan.split(identifier)
    if first:
        first = mod_37_36.calc_check_digit(root + episode)
    if second:
        second = mod_37_36.calc_check_digit(root + episode + version)
    return f"{root}{episode}{first}{version}{second}"


def _correct_imei(identifier: str) -> str:
    """Only 15 digits contain a check digit (3GPP TS 23.003)."""
    if len(identifier) == 15:
        return _last(luhn.calc_check_digit)(identifier)
    return str(imei.validate(identifier))


def _correct_iban(identifier: str) -> str:
    digits = mod_97_10.calc_check_digits(identifier[4:] + identifier[:2])
    return identifier[:2] + str(digits) + identifier[4:]


def _eic_digit(identifier: str) -> str:
    """An EIC whose check digit would be "-" is not assigned."""
    digit = str(eic.calc_check_digit(identifier))
    if digit == "-":
        raise _NotAssigned("No EIC is assigned whose check digit would be “-”.")
    return digit


def _nbn_digit(beginning: str) -> str:
    """The check digit of the German National Library for `urn:nbn:` and a name without its last digit."""
    numbers = "".join(_NBN_NUMBERS.get(each, "") for each in f"urn:nbn:{beginning}".lower())
    total = sum(place * int(digit) for place, digit in enumerate(numbers, 1))
    return str(total // int(numbers[-1]))[-1]


def _correct_nbn(nss: str) -> str:
    """A name with other characters than those of the table, or without a digit at its end, has no check digit."""
    if not nss[-1:].isdecimal() or not _NBN_NUMBERS.keys() >= set(nss.lower()):
        return nss
    return _last(_nbn_digit)(nss)


ALGORITHMS = {
    "isbn": Algorithm("ISBN", _of_length(_correct_isbn, 10, 13)),
    "isbn-10": Algorithm("ISBN of ten digits", _of_length(_correct_isbn10, 10)),
    "isbn-13": Algorithm("ISBN", _of_length(_correct_isbn13, 13)),
    "issn": Algorithm("ISSN", _of_length(_last(issn.calc_check_digit), 8)),
    "ismn": Algorithm("ISMN", _correct_ismn),
    "nbn-dnb": Algorithm("number of the German National Library", _correct_nbn, separators=""),
    "isan": Algorithm("ISAN", _correct_isan, digits=0, ignores_case=True),
    "isni": Algorithm("ISNI", _of_length(_correct_11_2, 16)),
    "orcid": Algorithm("ORCID", _of_length(_correct_11_2, 16)),
    "lei": Algorithm(
        "LEI", _of_length(_last(mod_97_10.calc_check_digits, 2), 20), digits=2, ignores_case=True
    ),
    "imei": Algorithm("IMEI", _correct_imei),
    "ean": Algorithm("EAN", _of_length(_correct_ean, 8, 12, 13, 14)),
    "gtin": Algorithm("GTIN", _of_length(_correct_ean, 8, 12, 13, 14)),
    "sscc": Algorithm("SSCC", _of_length(_correct_ean, 18)),
    "grid": Algorithm("GRid", _of_length(_correct_37_36, 18), ignores_case=True),
    "eic": Algorithm("EIC", _of_length(_last(_eic_digit), 16), separators=""),
    "iban": Algorithm("IBAN", _correct_iban, digits=0, ignores_case=True),
    "isin": Algorithm("ISIN", _of_length(_last(isin.calc_check_digit), 12), ignores_case=True),
    "luhn": Algorithm("Luhn", _last(luhn.calc_check_digit)),
    "verhoeff": Algorithm("Verhoeff", _last(verhoeff.calc_check_digit)),
    "iso7064-mod-11-2": Algorithm("ISO 7064, MOD 11-2", _correct_11_2),
    "iso7064-mod-11-10": Algorithm("ISO 7064, MOD 11,10", _last(mod_11_10.calc_check_digit)),
    "iso7064-mod-37-2": Algorithm("ISO 7064, MOD 37-2", _last(mod_37_2.calc_check_digit), ignores_case=True),
    "iso7064-mod-37-36": Algorithm("ISO 7064, MOD 37,36", _correct_37_36, ignores_case=True),
    "iso7064-mod-97-10": Algorithm(
        "ISO 7064, MOD 97-10", _last(mod_97_10.calc_check_digits, 2), digits=2, ignores_case=True
    ),
}
"""The closed set of algorithms, by name."""
