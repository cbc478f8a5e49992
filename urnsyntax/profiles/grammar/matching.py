"""Grammars that names are matched against: from ABNF, or from a pattern of RE2.

A name is an NSS, normalized as in RFC 8141, Section 3.1. Matching takes linear time. What finds parts and
the place of an error is made on first use.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property

import re2

from ..errors import InvalidGrammar, InvalidPattern
from . import patterns
from .linking import link_abnf
from .misfits import Misfit, Stop
from .parts import Part, PartFinder
from .patterns import MAX_EFFORT, MAX_GRAMMAR_STEPS, MAX_NSS_LENGTH, shortened
from .tracing import Tracer
from .tree import rule_names
from .writing import write_pattern

_GROUP_NAME = re.compile(r"\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>")
_ADVICE = "Use fewer or smaller repetitions."


class Grammar(ABC):
    """The pattern that all names of a namespace match, and the names of its parts."""

    def __init__(self, pattern: str, part_names: Iterable[str]) -> None:
        self.pattern = pattern
        self.part_names = frozenset(part_names)
        self._compiled = patterns.compiled(pattern)
        self.steps: int = self._compiled.programsize
        self.longest_nss = min(MAX_NSS_LENGTH, MAX_EFFORT // self.steps)
        """The number of characters up to which an NSS is matched, so that no match takes long."""

    def matches(self, nss: str) -> bool:
        """Whether the whole NSS matches. The caller limits its length to `longest_nss`."""
        octets = nss.encode("ascii")
        return bool(self._quick_test(octets)) or self._compiled.fullmatch(octets) is not None

    def check_parts(self, names: Iterable[str]) -> None:
        """Raise `InvalidGrammar` if parts with these names cannot be found."""
        for name in names:
            if name not in self.part_names:
                listed = shortened(", ".join(sorted(self.part_names)) or "none", 300)
                raise InvalidGrammar(f"The grammar has no rule or group “{name}”.", f"It has: {listed}.")

    @cached_property
    def _quick_test(self) -> patterns.QuickTest:
        return patterns.quick_test(self.pattern)

    @abstractmethod
    def parts_of(self, nss: str, names: Iterable[str]) -> list[Part]:
        """The parts with these names, in the order in which they begin. Empty if the NSS does not match."""

    @abstractmethod
    def misfit_of(self, nss: str, names: Iterable[str]) -> Misfit | None:
        """Where the NSS goes wrong, with the rules of these names; None if it matches or no place is known."""

    @abstractmethod
    def stop_of(self, nss: str) -> Stop | None:
        """The first character that the NSS cannot have, and those that it can; None as in `misfit_of`."""


class PatternGrammar(Grammar):
    """A grammar given as a pattern of RE2. Its named groups are the parts."""

    def __init__(self, pattern: str) -> None:
        """Raise `InvalidPattern` for a pattern that RE2 does not take, or that is too large."""
        patterns.parse_pattern(pattern)
        _check_group_names(pattern)
        self._groups: dict[str, int] = {
            name.decode("ascii"): number
            for name, number in patterns.compiled_with_groups(pattern).groupindex.items()
        }
        super().__init__(pattern, self._groups)

    def parts_of(self, nss: str, names: Iterable[str]) -> list[Part]:
        match = patterns.compiled_with_groups(self.pattern).fullmatch(nss.encode("ascii"))
        if match is None:
            return []
        spans = [(name, *match.span(self._groups[name])) for name in names]
        found = [Part(name, start, end) for name, start, end in spans if start >= 0]
        return sorted(found, key=lambda part: (part.start, -part.end))

    def misfit_of(self, nss: str, names: Iterable[str]) -> Misfit | None:
        return None

    def stop_of(self, nss: str) -> Stop | None:
        return None


class AbnfGrammar(Grammar):
    """A grammar given in ABNF (RFC 5234, RFC 7405). Its rules are the parts; the first one matches the whole NSS.

    >>> oid = AbnfGrammar('oid = number *("." number)\\nnumber = "0" / %x31-39 *DIGIT')
    >>> oid.matches("1.3.6.1"), [part.end for part in oid.parts_of("1.30", ["number"])]
    (True, [1, 4])
    >>> oid.misfit_of("1..3", ["number"])[:3]
    (2, ('number',), 'a digit')
    """

    def __init__(self, text: str) -> None:
        """Raise `InvalidGrammar`, with the position and the reason."""
        self._tree = link_abnf(text)
        pattern = write_pattern(self._tree)
        try:
            super().__init__(pattern, rule_names(self._tree))
        except re2.error as refusal:
            reason = f"RE2 rejects the grammar: {refusal.args[0].decode('latin-1')[:80]}."
            raise InvalidGrammar(reason, _ADVICE, text=text, position=0) from refusal
        if self.steps > MAX_GRAMMAR_STEPS:
            reason = f"The grammar compiles to {self.steps:,} steps; the limit is {MAX_GRAMMAR_STEPS:,}."
            raise InvalidGrammar(reason, _ADVICE, text=text, position=0)
        self._finders: dict[frozenset[str], PartFinder] = {}

    def parts_of(self, nss: str, names: Iterable[str]) -> list[Part]:
        wanted = frozenset(names)
        return self._finder(wanted).find(nss) if wanted else []

    def check_parts(self, names: Iterable[str]) -> None:
        super().check_parts(names)
        self._finder(frozenset(names))

    def _finder(self, names: frozenset[str]) -> PartFinder:
        if names not in self._finders:
            self._finders[names] = PartFinder(self._tree, names)
        return self._finders[names]

    def misfit_of(self, nss: str, names: Iterable[str]) -> Misfit | None:
        wanted, whole = frozenset(names), self._tree.name
        return self._tracer.misfit_of(nss, wanted - {whole} if whole in wanted else wanted)

    def stop_of(self, nss: str) -> Stop | None:
        return self._tracer.stop_of(nss)

    @cached_property
    def _tracer(self) -> Tracer:
        return Tracer(self._tree)


def _check_group_names(pattern: str) -> None:
    """Raise `InvalidPattern` if two groups have one name, of which RE2 would know only the first."""
    names = _GROUP_NAME.findall(pattern)
    if repeated := [name for index, name in enumerate(names) if name in names[:index]]:
        raise InvalidPattern(f"Two groups have the name “{repeated[0]}”.", "Rename one.")


def parse_grammar(*, abnf: str = "", pattern: str = "") -> Grammar:
    """The grammar in one of the two forms. Raises `InvalidGrammar` or `InvalidPattern`."""
    return AbnfGrammar(abnf) if abnf else PatternGrammar(pattern)
