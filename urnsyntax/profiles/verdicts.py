"""Verdicts: whether a name follows the rules of its namespace. The rules are prepared once for all of its names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .check_digits import ALGORITHMS
from .conditions import Condition, conditions_of

if TYPE_CHECKING:
    from .grammar.matching import Grammar
    from .grammar.parts import Part
    from .profile import Check, Names


class Verdict(NamedTuple):
    """Whether a name matches the grammar, and has right check digits too; both are None if that is not known."""

    matches: bool | None
    conformant: bool | None


NOT_JUDGED, NO_MATCH = Verdict(None, None), Verdict(False, False)
WRONG_DIGITS, CONFORMANT = Verdict(True, False), Verdict(True, True)


class _Checks:
    """Checks of a namespace, with the parts that they use and their conditions."""

    __slots__ = ("_conditions", "_parts", "checks")

    def __init__(self, checks: Iterable[Check]) -> None:
        self.checks = tuple(checks)
        self._conditions = [conditions_of(each.only) for each in self.checks]
        self._parts = frozenset(
            part for each in self.checks for part in (each.part, *dict(each.only)) if part
        )

    def checked_parts(self, nss: str, grammar: Grammar | None) -> list[tuple[Check, int, str]]:
        """The texts that have check digits, with their check and their index in the NSS, which matches the grammar."""
        parts = grammar.parts_of(nss, self._parts) if grammar and self._parts else []
        found = []
        for each, conditions in zip(self.checks, self._conditions, strict=True):
            if conditions and not _hold(conditions, nss, parts):
                continue
            if not each.part:
                found.append((each, 0, nss))
            else:
                found += [
                    (each, part.start, nss[part.start : part.end]) for part in parts if part.rule == each.part
                ]
        return found


def _hold(conditions: Mapping[str, Condition], nss: str, parts: Sequence[Part]) -> bool:
    """Whether the parts of the conditions are there, and all their texts have one of the values."""
    for rule, condition in conditions.items():
        texts = [nss[each.start : each.end] for each in parts if each.rule == rule]
        if not texts or not all(map(condition.holds, texts)):
            return False
    return True


class NameRules:
    """The rules of a namespace, prepared for many names. Each name is a normalized NSS."""

    __slots__ = (
        "_checks",
        "_equivalence_rules",
        "_grammar",
        "_longest_nss",
        "_matches",
        "_required",
        "has_optional_checks",
    )

    def __init__(self, names: Names) -> None:
        grammar = self._grammar = names.grammar
        self._longest_nss = grammar.longest_nss if grammar else -1
        self._matches = grammar.matches if grammar else bool
        self._checks = _Checks(names.checks)
        self._required = _Checks(each for each in names.checks if each.required)
        self.has_optional_checks = len(self._required.checks) < len(names.checks)
        self._equivalence_rules = names.equivalence_rules

    def verdict_on(self, nss: str) -> Verdict:
        """The verdict on a name."""
        if len(nss) > self._longest_nss:
            return NOT_JUDGED
        if not self._matches(nss):
            return NO_MATCH
        return self.verdict_on_match(nss) if self._required.checks else CONFORMANT

    def verdict_on_match(self, nss: str) -> Verdict:
        """The verdict on a name that matches the grammar, by its check digits."""
        for each, _, text in self._required.checked_parts(nss, self._grammar):
            if not ALGORITHMS[each.algorithm].is_right(text):
                return WRONG_DIGITS
        return CONFORMANT

    def checked_parts(self, nss: str) -> list[tuple[Check, int, str]]:
        """The texts that have check digits, with their check and their index in the NSS, which matches the grammar."""
        return self._checks.checked_parts(nss, self._grammar)

    def canonical(self, nss: str) -> str:
        """The NSS that stands for all equivalent ones."""
        if not self._equivalence_rules:
            return nss
        key = nss
        for rule in self._equivalence_rules:
            key = rule(key)
        # A text without the ignored characters may be no NSS: an NSS is not empty and does not begin with "/".
        return key if key[:1] not in ("", "/") else nss
