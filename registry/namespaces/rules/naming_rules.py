"""The rules of a namespace for machines: which names are built right, and which two of them are one.

RFC 8141 has a registration say both in words (section 6.4.2). A pattern in the syntax of RE2 says the first: RE2
takes linear time, and what it unfolds to is bounded here. It is matched against the whole NSS as section
3.1 leaves it, so with percent-encodings in upper case. The second are rules of `urnsyntax.equivalence`.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice

import re2

from registry.core.exceptions import RegistryError
from urnsyntax.equivalence import EquivalenceRule, equivalence_key, ignoring, ignoring_case
from urnsyntax.urn import URN

MAX_PATTERN = 2_000
LONGEST_NSS = 8_192  # characters that are held against a pattern
MAX_MEMORY = 1024 * 1024  # octets for each pattern; `re2` itself keeps the last 128 compiled
# What RE2 unfolds a pattern to. Time goes with this times the length of the NSS: a third of a second at worst.
MOST_STEPS = 2_000
# All that stands for itself in an NSS (section 2: pchar and "/") but letters, digits and "%".
IGNORABLE = "!$&'()*+,-./:;=@_~"
NAMES = {
    "-": "hyphens", ".": "full stops", ":": "colons", "/": "slashes", "_": "underscores", ",": "commas",
    ";": "semicolons", "+": "plus signs", "=": "equals signs", "~": "tildes", "*": "asterisks", "@": "at signs",
    "'": "apostrophes", "!": "exclamation marks", "$": "dollar signs", "&": "ampersands",
    "(": "opening parentheses", ")": "closing parentheses",
}  # fmt: skip
_NO_CHARACTER_OF_A_PATTERN = re.compile(r"[^!-~]")
_NOT_IGNORABLE = re.compile(f"[^{re.escape(IGNORABLE)}]")
_HINTS = {
    "invalid perl operator": "Lookahead, lookbehind and the like are not in RE2.",
    "invalid repetition size": "Repetitions go up to 1,000, one inside of the other multiplied.",
    "invalid escape sequence": "Back-references are not in RE2; a letter needs no backslash.",
    "pattern too large - compile failed": "Repeat less, or fewer things.",
}
_SOMEWHERE = ("missing )", "unexpected )")
_MOST_PLACES = 50


class PatternUnfit(RegistryError):
    """RE2 does not take the pattern, or it is too large, or holds what no NSS does."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is no pattern for names"


class IgnoredCharactersUnfit(RegistryError):
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
        if _compiled(self.nss_pattern).fullmatch(nss.encode("ascii")):
            return None
        return f"“{_shortened(nss)}” does not match the pattern {self.nss_pattern}"


def parse_rules(*, nss_pattern: str = "", ignores_case: bool = False, ignored_characters: str = "") -> Rules:
    """Sound rules. Raises PatternUnfit or IgnoredCharactersUnfit."""
    return Rules(parse_pattern(nss_pattern), ignores_case, parse_ignored(ignored_characters))


def parse_pattern(text: str) -> str:
    """The pattern, as it is. Raises PatternUnfit, which says where RE2 refuses it, and why."""
    if len(text) > MAX_PATTERN:
        raise PatternUnfit(f"The pattern has {len(text):,} characters; {MAX_PATTERN:,} are the most.")
    if wrong := _NO_CHARACTER_OF_A_PATTERN.search(text):
        raise PatternUnfit(
            f"Character {wrong.start() + 1} of the pattern is {_character(wrong[0])}, which no NSS holds: all "
            "but visible ASCII characters is percent-encoded there. Remove it, or write it so (%20)."
        )
    try:
        steps = _compiled(text).programsize
    except re2.error as refusal:
        raise PatternUnfit(_refused(text, refusal)) from refusal
    if steps > MOST_STEPS:
        raise PatternUnfit(
            f"The pattern unfolds to {steps:,} steps; {MOST_STEPS:,} are the most. Repeat less, or fewer things."
        )
    return text


def parse_ignored(text: str) -> str:
    """The characters, each once and in order. Raises IgnoredCharactersUnfit."""
    if wrong := _NOT_IGNORABLE.search(text):
        raise IgnoredCharactersUnfit(
            f"Character {wrong.start() + 1} is {_character(wrong[0])}. Only these can be ignored: {IGNORABLE}"
        )
    return "".join(sorted(set(text)))


def _compiled(pattern: str) -> "re2._Regexp":
    return re2.compile(pattern.encode("ascii"), _OPTIONS)


def _bounded() -> re2.Options:
    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    options.never_capture = True
    # An NSS is ASCII: one octet a character keeps what RE2 makes of a pattern small.
    options.encoding = re2.Options.Encoding.LATIN1
    return options


_OPTIONS = _bounded()


def _refused(pattern: str, refusal: re2.error) -> str:
    """What RE2 says, at which character, and what helps."""
    said = refusal.args[0].decode("latin-1")
    reason, _, fragment = said.partition(": ")
    # Of a parenthesis RE2 knows no more than that.
    place = None if reason in _SOMEWHERE else _place_of(pattern, fragment, said)
    where = "" if place is None else f" at character {place + 1}"
    shown = f" “{_shortened(fragment)}”" if fragment else ""
    return f"RE2 refuses the pattern{where}: {reason}{shown}. {_HINTS.get(reason, '')}".rstrip()


def _place_of(pattern: str, fragment: str, said: str) -> int | None:
    """Where the fragment stands that RE2 names: where the pattern, cut off behind it, is refused alike."""
    found = re.finditer(f"(?={re.escape(fragment)})", pattern) if fragment else iter(())
    places = [match.start() for match in islice(found, _MOST_PLACES)]
    for place in places:
        try:
            _compiled(pattern[: place + len(fragment)])
        except re2.error as refusal:
            if refusal.args[0].decode("latin-1") == said:
                return place
    return places[0] if len(places) == 1 else None


def _character(character: str) -> str:
    return f"“{character}”" if "!" <= character <= "~" else f"U+{ord(character):04X}"


def _shortened(text: str, longest: int = 100) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
