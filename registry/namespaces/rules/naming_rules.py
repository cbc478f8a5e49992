"""The naming rules of a namespace: a pattern for names, and options for their comparison.

A registration describes both in prose (RFC 8141, Section 6.4.2). `urnsyntax.profiles` judges names by them.
"""

from dataclasses import dataclass
from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.namespaces.rules.patterns import parse_pattern
from urnsyntax.equivalence import EquivalenceRule, equivalence_key
from urnsyntax.profiles import Names, equivalence, errors
from urnsyntax.profiles.judging import conforms, normal_nss, pattern_fault
from urnsyntax.urn import URN

NAMES = {
    "-": "hyphens", ".": "full stops", ":": "colons", "/": "slashes", "_": "underscores", ",": "commas",
    ";": "semicolons", "+": "plus signs", "=": "equals signs", "~": "tildes", "*": "asterisks", "@": "at signs",
    "'": "apostrophes", "!": "exclamation marks", "$": "dollar signs", "&": "ampersands",
    "(": "opening parentheses", ")": "closing parentheses",
}  # fmt: skip


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
        return equivalence.equivalence_rules(
            ignores_case=self.ignores_case, ignored_characters=self.ignored_characters
        )

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
        nss = normal_nss(urn)
        conformant = conforms(Names(pattern=self.nss_pattern), nss) if self.nss_pattern else True
        fault = pattern_fault(nss, self.nss_pattern) if conformant is False else None
        return Judgement(conformant, fault, self.key_of(urn))

    def fault_in(self, urn: URN) -> str | None:
        """How a URN of the namespace breaks the rules, or None. An NSS that is too long is not checked."""
        return self.judge(urn).fault


def parse_rules(*, nss_pattern: str = "", ignores_case: bool = False, ignored_characters: str = "") -> Rules:
    """Valid rules. Raises InvalidPattern or InvalidIgnoredCharacters."""
    return Rules(parse_pattern(nss_pattern), ignores_case, parse_ignored(ignored_characters))


def parse_ignored(text: str) -> str:
    """The characters, sorted and without duplicates. Raises InvalidIgnoredCharacters."""
    try:
        return equivalence.parse_ignored(text)
    except errors.InvalidIgnoredCharacters as error:
        raise InvalidIgnoredCharacters(str(error)) from error
