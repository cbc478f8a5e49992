"""The naming rules of a namespace: a pattern for names, and options for their comparison.

A registration describes both in prose (RFC 8141, Section 6.4.2). The pattern is an RE2 regular expression, which
runs in linear time. It is matched against the whole NSS, normalized as in Section 3.1, with percent-encodings in
upper case. The comparison options are rules of `urnsyntax.equivalence`.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.namespaces.rules.patterns import (
    MAX_NSS_LENGTH,
    compiled,
    describe_character,
    parse_pattern,
    shortened,
)
from urnsyntax.equivalence import EquivalenceRule, equivalence_key, ignoring, ignoring_case
from urnsyntax.urn import URN

# The characters of an NSS (Section 2: pchar and "/") except letters, digits and "%".
IGNORABLE = "!$&'()*+,-./:;=@_~"
NAMES = {
    "-": "hyphens", ".": "full stops", ":": "colons", "/": "slashes", "_": "underscores", ",": "commas",
    ";": "semicolons", "+": "plus signs", "=": "equals signs", "~": "tildes", "*": "asterisks", "@": "at signs",
    "'": "apostrophes", "!": "exclamation marks", "$": "dollar signs", "&": "ampersands",
    "(": "opening parentheses", ")": "closing parentheses",
}  # fmt: skip
_NOT_IGNORABLE = re.compile(f"[^{re.escape(IGNORABLE)}]")


class InvalidIgnoredCharacters(RegistryError):
    """A character that can't be ignored when names are compared."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid ignored characters"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of checking a URN against the rules of its namespace.

    `is_conformant` is None if the NSS is too long to check; `fault` describes how it breaks the rules. `compared_as` is
    the same text for all equivalent URNs.
    """

    is_conformant: bool | None
    fault: str | None
    compared_as: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The pattern that the names of a namespace must match, and the differences to ignore in comparison.

    An empty pattern matches every name.
    """

    nss_pattern: str = ""
    ignores_case: bool = False
    ignored_characters: str = ""

    @property
    def is_empty(self) -> bool:
        return self == Rules()

    @property
    def equivalence(self) -> tuple[EquivalenceRule, ...]:
        """The rules of `urnsyntax.equivalence`. They add equivalences to those of Section 3.1."""
        case = (ignoring_case,) if self.ignores_case else ()
        return (*case, ignoring(self.ignored_characters)) if self.ignored_characters else case

    @property
    def equivalence_in_words(self) -> str:
        """The ignored differences, as a sentence; "" if Section 3.1 alone applies."""
        parts = ["letter case"] if self.ignores_case else []
        parts += [NAMES[each] for each in self.ignored_characters]
        if not parts:
            return ""
        listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
        return f"Ignored when names are compared: {listed}."

    def key_of(self, urn: URN) -> str:
        """A key that two URNs of the namespace share exactly if they are equivalent."""
        return equivalence_key(urn, self.equivalence)

    def judge(self, urn: URN) -> Judgement:
        """Check a URN of the namespace."""
        fault, is_judged = self.fault_in(urn), self._is_judged(urn)
        return Judgement(fault is None if is_judged else None, fault, self.key_of(urn))

    def _is_judged(self, urn: URN) -> bool:
        return not self.nss_pattern or len(urn.nss) <= MAX_NSS_LENGTH

    def fault_in(self, urn: URN) -> str | None:
        """How a URN of the namespace breaks the rules, or None. An NSS that is too long is not checked."""
        if not self.nss_pattern or not self._is_judged(urn):
            return None
        nss = str(urn.normalized()).split(":", 2)[2]
        if compiled(self.nss_pattern).fullmatch(nss.encode("ascii")):
            return None
        return f"“{shortened(nss)}” does not match the pattern {self.nss_pattern}"


def parse_rules(*, nss_pattern: str = "", ignores_case: bool = False, ignored_characters: str = "") -> Rules:
    """Valid rules. Raises InvalidPattern or InvalidIgnoredCharacters."""
    return Rules(parse_pattern(nss_pattern), ignores_case, parse_ignored(ignored_characters))


def parse_ignored(text: str) -> str:
    """The characters, sorted and without duplicates. Raises InvalidIgnoredCharacters."""
    if wrong := _NOT_IGNORABLE.search(text):
        raise InvalidIgnoredCharacters(
            f"Character {wrong.start() + 1} is {describe_character(wrong[0])}. Only these can be ignored: {IGNORABLE}"
        )
    return "".join(sorted(set(text)))
