"""The rules of a namespace for machines: which names are built right, and which two of them are one.

RFC 8141 has a registration say both in words (section 6.4.2). A pattern in the syntax of RE2 says the first: RE2
takes linear time, and what it unfolds to is bounded here. It is matched against the whole NSS as section
3.1 leaves it, so with percent-encodings in upper case. The second are rules of `urnsyntax.equivalence`.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.namespaces.rules.patterns import (
    LONGEST_NSS,
    compiled,
    describe_character,
    parse_pattern,
    shortened,
)
from urnsyntax.equivalence import EquivalenceRule, equivalence_key, ignoring, ignoring_case
from urnsyntax.urn import URN

# All that stands for itself in an NSS (section 2: pchar and "/") but letters, digits and "%".
IGNORABLE = "!$&'()*+,-./:;=@_~"
NAMES = {
    "-": "hyphens", ".": "full stops", ":": "colons", "/": "slashes", "_": "underscores", ",": "commas",
    ";": "semicolons", "+": "plus signs", "=": "equals signs", "~": "tildes", "*": "asterisks", "@": "at signs",
    "'": "apostrophes", "!": "exclamation marks", "$": "dollar signs", "&": "ampersands",
    "(": "opening parentheses", ")": "closing parentheses",
}  # fmt: skip
_NOT_IGNORABLE = re.compile(f"[^{re.escape(IGNORABLE)}]")


class InvalidIgnoredCharacters(RegistryError):
    """A character that can't be one that does not count when two names are compared."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Such characters can't be ignored"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What rules say of a URN: whether it keeps them (None where it is too long to say), else how it breaks them,
    and the text that it shares with all URNs that are the same name.
    """

    is_conformant: bool | None
    fault: str | None
    compared_as: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What the names of a namespace must match (anything, if empty), and what counts when two are compared."""

    nss_pattern: str = ""
    ignores_case: bool = False
    ignored_characters: str = ""

    @property
    def is_empty(self) -> bool:
        return self == Rules()

    @property
    def equivalence(self) -> tuple[EquivalenceRule, ...]:
        """The rules of `urnsyntax.equivalence`, which add to section 3.1 and never take away."""
        case = (ignoring_case,) if self.ignores_case else ()
        return (*case, ignoring(self.ignored_characters)) if self.ignored_characters else case

    @property
    def equivalence_in_words(self) -> str:
        """What does not count, as a sentence; "" when section 3.1 alone says it."""
        parts = ["the case of letters"] if self.ignores_case else []
        parts += [NAMES[each] for each in self.ignored_characters]
        if not parts:
            return ""
        listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
        does = "does" if parts == ["the case of letters"] else "do"
        return f"{listed[0].upper()}{listed[1:]} {does} not count when two names are compared."

    def key_of(self, urn: URN) -> str:
        """What is the same for two URNs of the namespace exactly if they are equivalent."""
        return equivalence_key(urn, self.equivalence)

    def judge(self, urn: URN) -> Judgement:
        """All that the rules say of a URN of the namespace."""
        fault, is_judged = self.fault_in(urn), self._is_judged(urn)
        return Judgement(fault is None if is_judged else None, fault, self.key_of(urn))

    def _is_judged(self, urn: URN) -> bool:
        return not self.nss_pattern or len(urn.nss) <= LONGEST_NSS

    def fault_in(self, urn: URN) -> str | None:
        """How a URN of the namespace breaks its rules, or None; one that is too long is not judged."""
        if not self.nss_pattern or not self._is_judged(urn):
            return None
        nss = str(urn.normalized()).split(":", 2)[2]
        if compiled(self.nss_pattern).fullmatch(nss.encode("ascii")):
            return None
        return f"“{shortened(nss)}” does not match the pattern {self.nss_pattern}"


def parse_rules(*, nss_pattern: str = "", ignores_case: bool = False, ignored_characters: str = "") -> Rules:
    """Sound rules. Raises InvalidPattern or InvalidIgnoredCharacters."""
    return Rules(parse_pattern(nss_pattern), ignores_case, parse_ignored(ignored_characters))


def parse_ignored(text: str) -> str:
    """The characters, each once and in order. Raises InvalidIgnoredCharacters."""
    if wrong := _NOT_IGNORABLE.search(text):
        raise InvalidIgnoredCharacters(
            f"Character {wrong.start() + 1} is {describe_character(wrong[0])}. Only these can be ignored: {IGNORABLE}"
        )
    return "".join(sorted(set(text)))
