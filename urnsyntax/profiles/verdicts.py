"""Verdicts: whether a name follows the rules of its namespace. The rules are prepared once for all of its names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .check_digits import ALGORITHMS

if TYPE_CHECKING:
    from .profile import Check, Names


class Verdict(NamedTuple):
    """Whether a name matches the grammar, and has right check digits too; both are None if that is not known."""

    matches: bool | None
    conformant: bool | None


NOT_JUDGED, NO_MATCH = Verdict(None, None), Verdict(False, False)
WRONG_DIGITS, CONFORMANT = Verdict(True, False), Verdict(True, True)


class NameRules:
    """The rules of a namespace, prepared for many names. Each name is a normalized NSS."""

    __slots__ = ("_checks", "_equivalence_rules", "_grammar", "_longest_nss", "_matches", "_parts")

    def __init__(self, names: Names) -> None:
        grammar = self._grammar = names.grammar
        self._longest_nss = grammar.longest_nss if grammar else -1
        self._matches = grammar.matches if grammar else bool
        self._checks = names.checks
        self._parts = frozenset(each.part for each in names.checks if each.part)
        self._equivalence_rules = names.equivalence_rules

    def verdict_on(self, nss: str) -> Verdict:
        """The verdict on a name."""
        if len(nss) > self._longest_nss:
            return NOT_JUDGED
        if not self._matches(nss):
            return NO_MATCH
        return self.verdict_on_match(nss) if self._checks else CONFORMANT

    def verdict_on_match(self, nss: str) -> Verdict:
        """The verdict on a name that matches the grammar, by its check digits."""
        for each, _, text in self.checked_parts(nss):
            if not ALGORITHMS[each.algorithm].is_right(text):
                return WRONG_DIGITS
        return CONFORMANT

    def checked_parts(self, nss: str) -> list[tuple[Check, int, str]]:
        """The texts that have check digits, with their check and their index in the NSS, which matches the grammar."""
        parts = self._grammar.parts_of(nss, self._parts) if self._grammar and self._parts else ()
        found = []
        for each in self._checks:
            if not each.part:
                found.append((each, 0, nss))
            elif parts:
                found += [
                    (each, part.start, nss[part.start : part.end]) for part in parts if part.rule == each.part
                ]
        return found

    def canonical(self, nss: str) -> str:
        """The NSS that stands for all equivalent ones."""
        if not self._equivalence_rules:
            return nss
        key = nss
        for rule in self._equivalence_rules:
            key = rule(key)
        # A text without the ignored characters may be no NSS: an NSS is not empty and does not begin with "/".
        return key if key[:1] not in ("", "/") else nss
