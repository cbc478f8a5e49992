"""Judgements: whether a URN follows the rules of its namespace, and if not, where and why.

Only the verdict is computed at once. All else is computed on first access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

from ..errors import printable
from ..urn import URN, normal_nss
from .check_digits import ALGORITHMS, check, corrected
from .equivalence import EQUIVALENCES
from .grammar.expectations import ANY, ANY_BUT
from .grammar.patterns import shortened
from .repairs import repairs_of
from .verdicts import Verdict

if TYPE_CHECKING:
    from .grammar.matching import Grammar
    from .grammar.misfits import Misfit
    from .profile import Check, Profile


class NamePart(NamedTuple):
    """A labelled part of a URN, with its first and last index in the URN."""

    rule: str
    label: str
    text: str
    start: int
    end: int


class Problem(NamedTuple):
    """Why a URN does not follow the rules of its namespace.

    `reason` is a sentence. `position` is the 0-based index in the URN of the wrong character or word, the length of its
    assigned name if something is missing at the end, and None if no place is known. `rule` is the name of the broken
    rule, of the pattern or of the algorithm; `expected` describes what can stand at the position.
    """

    reason: str
    position: int | None
    rule: str
    expected: str = ""


class CheckDigits(NamedTuple):
    """The result for an identifier with check digits, with its first and last index in the URN.

    `label` names its kind, such as "ISBN". `expected` is what wrong check digits would be, "" if that cannot be computed.
    `required` is false if the namespace allows names with wrong ones.
    """

    algorithm: str
    label: str
    text: str
    start: int
    end: int
    is_right: bool
    expected: str = ""
    required: bool = True


class Judgement:
    """The result of judging a URN by the profile of its namespace.

    `conformant` is None if the grammar is unstated or the NSS is too long to be matched.
    """

    def __init__(self, urn: URN, profile: Profile, verdict: Verdict | None = None) -> None:
        """`verdict` is that of `NameRules.verdict_on`, if it is known already."""
        self.urn = urn
        self.profile = profile
        self.nss = normal_nss(urn.nss)
        self.verdict = verdict or profile.names.rules.verdict_on(self.nss)
        self.conformant = self.verdict.conformant

    def __repr__(self) -> str:
        return f"<{self.urn}: {self.conformant}>"

    @cached_property
    def problem(self) -> Problem | None:
        """Why the URN is not conformant; None if it is, or if it was not judged."""
        if self.conformant is not False:
            return None
        if self.verdict.matches:
            return self._check_problem()
        return self._misfit_problem(self._grammar.misfit_of(self.nss, self.profile.names.labels))

    @property
    def reason(self) -> str:
        """Why the URN is not conformant or was not judged, as a sentence; "" if it is conformant."""
        if problem := self.problem:
            return problem.reason
        if self.conformant is None:
            return self.profile.names.unstated or (
                f"The NSS has {len(self.nss):,} characters; rules are checked for up to {self._grammar.longest_nss:,}."
            )
        return ""

    @property
    def position(self) -> int | None:
        """The index of the problem in the URN; see `Problem`."""
        return self.problem.position if self.problem else None

    @property
    def rule(self) -> str:
        """The broken rule; "" if none is."""
        return self.problem.rule if self.problem else ""

    @property
    def expected(self) -> str:
        """What can stand at the position, in words; "" if that is not known."""
        return self.problem.expected if self.problem else ""

    @cached_property
    def notes(self) -> tuple[Problem, ...]:
        """What is doubtful in a conformant URN: wrong check digits that the namespace does not require."""
        return tuple(self._check_problems()) if self.conformant else ()

    @cached_property
    def parts(self) -> tuple[NamePart, ...]:
        """The labelled parts in their order. A part that occurs several times is contained several times."""
        labels = self.profile.names.labels
        if not (labels and self.verdict.matches):
            return ()
        found = self._grammar.parts_of(self.nss, labels)
        start = self._start
        return tuple(
            NamePart(
                each.rule,
                labels[each.rule],
                self.nss[each.start : each.end],
                start + each.start,
                start + each.end,
            )
            for each in found
        )

    @cached_property
    def check_digits(self) -> tuple[CheckDigits, ...]:
        """The results for all identifiers with check digits; empty for a name that does not match the grammar."""
        if not self.verdict.matches:
            return ()
        return tuple(starmap(self._checked, self._checked_parts()))

    @cached_property
    def canonical(self) -> str:
        """The URN that stands for all equivalent ones."""
        return self._with_nss(self.profile.names.rules.canonical(self.nss))

    @cached_property
    def equivalents(self) -> tuple[str, ...]:
        """Other spellings that are equivalent to a conformant URN and conformant themselves; not all of them."""
        names = self.profile.names
        if not (self.conformant and names.equivalence):
            return ()
        key = self.canonical.split(":", 2)[2]
        own = {self.nss}
        spellings = [each for each in EQUIVALENCES[names.equivalence].others(key) if each not in own]
        return tuple(self._with_nss(each) for each in spellings if names.rules.verdict_on(each).conformant)

    @cached_property
    def repair(self) -> str | None:
        """A URN without problems and notes that was probably meant; None if there is no obvious one."""
        if (self.conformant is not False and not self.notes) or len(self.nss) > MAX_REPAIRED:
            return None
        names = self.profile.names
        candidates = self._corrected() if self.verdict.matches else repairs_of(self.nss, self._grammar)
        return next(
            (self._with_nss(each) for each in candidates if names.rules.verdict_on(each).conformant), None
        )

    @property
    def _grammar(self) -> Grammar:
        grammar = self.profile.names.grammar
        assert grammar is not None  # nosec B101  # the URN was judged
        return grammar

    @property
    def _start(self) -> int:
        """The index of the NSS in the URN."""
        return len("urn:") + len(self.urn.nid) + 1

    def _with_nss(self, nss: str) -> str:
        return f"urn:{self.profile.nid}:{nss}"

    def _misfit_problem(self, misfit: Misfit | None) -> Problem:
        names = self.profile.names
        if (misfit is None or misfit.expected == THE_END) and (not_assigned := self._not_assigned()):
            return not_assigned
        if misfit is None:
            if names.pattern:
                return Problem(pattern_fault(self.nss, names.pattern), None, "pattern")
            return Problem(f"“{shortened(self.nss)}” does not match the grammar.", None, "grammar")
        rule = misfit.rules[-1] if misfit.rules else "grammar"
        clause = misfit_clause(misfit, self.nss, names.labels)
        return Problem(f"{clause}.", self._start + misfit.position, rule, misfit.expected)

    def _checked_parts(self) -> list[tuple[Check, int, str]]:
        return self.profile.names.rules.checked_parts(self.nss)

    def _checked(self, each: Check, start: int, text: str) -> CheckDigits:
        verdict, first = check(each.algorithm, text), self._start + start
        label = ALGORITHMS[each.algorithm].label
        return CheckDigits(
            each.algorithm,
            label,
            text,
            first,
            first + len(text),
            verdict.is_right,
            verdict.expected,
            each.required,
        )

    def _not_assigned(self) -> Problem | None:
        """Why a name that does not match the grammar cannot be an identifier of the namespace, by its check digits."""
        for each in self.profile.names.checks:
            if each.required and not each.part and (verdict := check(each.algorithm, self.nss)).not_assigned:
                return Problem(verdict.reason, self._start + verdict.start, each.algorithm)
        return None

    def _check_problem(self) -> Problem:
        return next(self._check_problems(required=True))

    def _check_problems(self, *, required: bool = False) -> Iterator[Problem]:
        """The wrong check digits, the required ones or the others."""
        for each, start, text in self._checked_parts():
            verdict = check(each.algorithm, text)
            if each.required == required and not verdict.is_right:
                place = self._start + start + verdict.start
                reason = verdict.reason if required else f"{verdict.reason} {NOT_REQUIRED}"
                yield Problem(reason, place, each.algorithm, verdict.expected)

    def _corrected(self) -> Iterator[str]:
        for each, start, text in self._checked_parts():
            right = text
            for _ in range(MAX_CORRECTIONS):
                verdict = check(each.algorithm, right)
                right = corrected(right, verdict) if verdict.expected else right
            if right != text:
                yield self.nss[:start] + right + self.nss[start + len(text) :]


THE_END = "the end"
NOT_REQUIRED = "The rules of the namespace do not require it."
_DIVIDERS = ":/;@"
MAX_CORRECTIONS = 2  # of check digits in one part, such as an ISAN
MAX_REPAIRED = 300  # characters of an NSS for which a repair is sought


def misfit_clause(misfit: Misfit, nss: str, labels: Mapping[str, str]) -> str:
    """The error at the place where an NSS stops following the grammar, as a clause; `labels` name its parts."""
    around = f" ({labels[misfit.rules[-1]]})" if misfit.rules else ""
    found = printable(nss[misfit.position : misfit.end])
    if not found:
        return _end_clause(misfit, around, labels)
    is_repeated = not found.isalnum() and found == nss[misfit.position - 1 : misfit.position]
    if misfit.missing and (is_repeated or found in _DIVIDERS):
        return f"The {labels[misfit.missing]} is missing before “{found}”"
    if is_repeated:
        return f"“{found}” stands twice{around}"
    if misfit.expected == THE_END:
        return f"“{found}” stands where the name must end"
    if not misfit.expected or misfit.expected.startswith(ANY_BUT) or found.startswith("%"):
        return f"“{found}” is not allowed here{around}"
    return f"“{found}” stands where {misfit.expected} is expected{around}"


def _end_clause(misfit: Misfit, around: str, labels: Mapping[str, str]) -> str:
    if misfit.missing and misfit.missing in misfit.rules:
        return f"The {labels[misfit.missing]} is missing at the end"
    if misfit.missing:
        return f"{misfit.expected} and the {labels[misfit.missing]} are missing at the end"
    if not misfit.expected or misfit.expected.startswith((ANY, ANY_BUT)):
        return f"Something is missing at the end{around}"
    return f"The name ends where {misfit.expected} is expected{around}"


def pattern_fault(nss: str, pattern: str) -> str:
    """How an NSS that does not match a pattern breaks the rules."""
    return f"“{shortened(nss)}” does not match the pattern “{pattern}”."
