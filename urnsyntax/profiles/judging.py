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
from .subnamespaces.findings import RULE, Findings, FoundSubNamespace, UnknownSubNamespace
from .verdicts import Verdict

if TYPE_CHECKING:
    from .grammar.matching import Grammar
    from .grammar.misfits import Misfit
    from .profile import Check, Names, Profile
    from .subnamespaces.lists import SubNamespaces


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


class JudgedName:
    """A text that is judged by rules for names: a whole NSS, or what follows a sub-namespace.

    `start` is the index of the text in the URN.
    """

    def __init__(self, names: Names, text: str, start: int, verdict: Verdict) -> None:
        self.names = names
        self.text = text
        self.start = start
        self.verdict = verdict

    @property
    def problem(self) -> Problem | None:
        """Why the text does not follow the rules; None if it does, or if it was not judged."""
        if self.verdict.matches is False:
            return self._misfit_problem(self.grammar.misfit_of(self.text, self.names.labels))
        return next(self.check_problems(required=True), None) if self.verdict.matches else None

    @property
    def parts(self) -> tuple[NamePart, ...]:
        """The labelled parts in their order. A part that occurs several times is contained several times."""
        labels = self.names.labels
        if not (labels and self.verdict.matches):
            return ()
        found = self.grammar.parts_of(self.text, labels)
        start = self.start
        return tuple(
            NamePart(
                each.rule,
                labels[each.rule],
                self.text[each.start : each.end],
                start + each.start,
                start + each.end,
            )
            for each in found
        )

    @property
    def check_digits(self) -> tuple[CheckDigits, ...]:
        """The results for all identifiers with check digits; empty for a text that does not match the grammar."""
        return tuple(starmap(self._checked, self._checked_parts())) if self.verdict.matches else ()

    @property
    def grammar(self) -> Grammar:
        """The grammar that the text was judged by."""
        grammar = self.names.grammar
        assert grammar is not None  # nosec B101  # the text was judged
        return grammar

    def check_problems(self, *, required: bool = False) -> Iterator[Problem]:
        """The wrong check digits, the required ones or the others."""
        for each, start, text in self._checked_parts():
            verdict = check(each.algorithm, text)
            if each.required == required and not verdict.is_right:
                place = self.start + start + verdict.start
                reason = verdict.reason if required else f"{verdict.reason} {NOT_REQUIRED}"
                yield Problem(reason, place, each.algorithm, verdict.expected)

    def repairs(self) -> Iterator[str]:
        """Texts that were probably meant. They may not follow the rules either."""
        return self._corrected() if self.verdict.matches else repairs_of(self.text, self.grammar)

    def _misfit_problem(self, misfit: Misfit | None) -> Problem:
        names = self.names
        if (misfit is None or misfit.expected == THE_END) and (not_assigned := self._not_assigned()):
            return not_assigned
        if misfit is None:
            if names.pattern:
                return Problem(pattern_fault(self.text, names.pattern), None, "pattern")
            return Problem(f"“{shortened(self.text)}” does not match the grammar.", None, "grammar")
        rule = misfit.rules[-1] if misfit.rules else "grammar"
        clause = misfit_clause(misfit, self.text, names.labels)
        return Problem(f"{clause}.", self.start + misfit.position, rule, misfit.expected)

    def _checked_parts(self) -> list[tuple[Check, int, str]]:
        return self.names.rules.checked_parts(self.text)

    def _checked(self, each: Check, start: int, text: str) -> CheckDigits:
        verdict, first = check(each.algorithm, text), self.start + start
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
        for each in self.names.checks:
            if each.required and not each.part and (verdict := check(each.algorithm, self.text)).not_assigned:
                return Problem(verdict.reason, self.start + verdict.start, each.algorithm)
        return None

    def _corrected(self) -> Iterator[str]:
        for each, start, text in self._checked_parts():
            right = text
            for _ in range(MAX_CORRECTIONS):
                verdict = check(each.algorithm, right)
                right = corrected(right, verdict) if verdict.expected else right
            if right != text:
                yield self.text[:start] + right + self.text[start + len(text) :]


class Judgement:
    """The result of judging a URN by the profile of its namespace, and by the list of its sub-namespaces if there is one.

    `conformant` is None if the grammar is unstated or the NSS is too long to be matched.
    """

    def __init__(
        self,
        urn: URN,
        profile: Profile,
        verdict: Verdict | None = None,
        entries: SubNamespaces | None = None,
        *,
        names_near: bool = True,
    ) -> None:
        """`verdict` is that of `NameRules.verdict_on` or of a `CheckedLine`, if it is known already.

        With `names_near`, near labels of the list are looked up for an unknown one.
        """
        self.urn = urn
        self.profile = profile
        self.nss = normal_nss(urn.nss)
        self.verdict = verdict or profile.names.rules.verdict_on(self.nss)
        self._entries = entries
        self._names_near = names_near
        self._name = JudgedName(profile.names, self.nss, len("urn:") + len(urn.nid) + 1, self.verdict)
        self._walk = profile.walker.walk(self.nss, entries) if entries and profile.walker else None
        is_refused = self._walk is not None and not self._walk.conforms
        self.conformant = False if is_refused else self.verdict.conformant

    def __repr__(self) -> str:
        return f"<{self.urn}: {self.conformant}>"

    @cached_property
    def problem(self) -> Problem | None:
        """Why the URN is not conformant; None if it is, or if it was not judged."""
        if self.conformant is not False:
            return None
        if self.verdict.matches is not False:
            unknown = self.unknown_subnamespace
            if self._findings and unknown and unknown.coverage == "complete":
                return Problem(self._findings.reason, unknown.start, RULE)
        return next(filter(None, (each.problem for each in self._names)), None)

    @property
    def reason(self) -> str:
        """Why the URN is not conformant or was not judged, as a sentence; "" if it is conformant."""
        if problem := self.problem:
            return problem.reason
        if self.conformant is None:
            return self.profile.names.unstated or (
                f"The NSS has {len(self.nss):,} characters; rules are checked for up to {self._name.grammar.longest_nss:,}."
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
        """What is doubtful in a URN that is not refused.

        That is, wrong check digits that the namespace does not require; a label that is not in a list that is known in part;
        and sub-namespaces that are deprecated or retired.
        """
        if self.conformant is False:
            return ()
        below = self._findings.notes() if self._findings else ()
        return (
            *(Problem(reason, place, RULE) for reason, place in below),
            *(note for each in self._names if each.verdict.matches for note in each.check_problems()),
        )

    @property
    def subnamespaces(self) -> tuple[FoundSubNamespace, ...]:
        """The sub-namespaces that the URN belongs to, the outermost first; empty without a list."""
        return self._findings.subnamespaces if self._findings else ()

    @property
    def unknown_subnamespace(self) -> UnknownSubNamespace | None:
        """The first sub-namespace that a complete or partial list does not contain; None if there is none."""
        return self._findings.unknown if self._findings else None

    @property
    def rest(self) -> tuple[str, str]:
        """What follows the last sub-namespace, and what that is in words; each is "" if there is none."""
        return self._findings.rest if self._findings else ("", "")

    @cached_property
    def parts(self) -> tuple[NamePart, ...]:
        """The labelled parts in their order. A part that occurs several times is contained several times."""
        return tuple(part for each in self._names for part in each.parts)

    @cached_property
    def check_digits(self) -> tuple[CheckDigits, ...]:
        """The results for all identifiers with check digits; empty for a name that does not match the grammar."""
        return tuple(result for each in self._names for result in each.check_digits)

    @cached_property
    def canonical(self) -> str:
        """The URN that stands for all equivalent ones."""
        return self._with_nss(
            self._walk.canonical if self._walk else self.profile.names.rules.canonical(self.nss)
        )

    @cached_property
    def equivalents(self) -> tuple[str, ...]:
        """Other spellings that are equivalent to a conformant URN and conformant themselves; not all of them."""
        names = self.profile.names
        if not (self.conformant and names.equivalence):
            return ()
        key = self.canonical.split(":", 2)[2]
        own = {self.nss}
        spellings = [each for each in EQUIVALENCES[names.equivalence].others(key) if each not in own]
        return tuple(self._with_nss(each) for each in spellings if self._conforms(each))

    @cached_property
    def repair(self) -> str | None:
        """A URN without problems and notes that was probably meant; None if there is no obvious one."""
        if (self.conformant is not False and not self.notes) or len(self.nss) > MAX_REPAIRED:
            return None
        return next((self._with_nss(each) for each in self._candidates() if self._conforms(each)), None)

    @cached_property
    def _findings(self) -> Findings | None:
        if self._walk is None or self._entries is None:
            return None
        near = self._entries if self._names_near else {}
        return Findings(self._walk, self.profile.nid, self._name.start, near)

    @cached_property
    def _names(self) -> tuple[JudgedName, ...]:
        """The whole NSS, and what follows each sub-namespace with rules of its own."""
        walk, end = self._walk, self._name.start + len(self.nss)
        if walk is None or self.verdict.matches is False:
            return (self._name,)
        below = (
            JudgedName(entry.names, rest, end - len(rest), entry.names.rules.verdict_on(rest))
            for entry, rest in walk.rests
            if entry.names is not None
        )
        return (self._name, *below)

    def _candidates(self) -> Iterator[str]:
        """NSSs that were probably meant."""
        if self.verdict.matches is not False and self._findings and self.conformant is False:
            yield from self._findings.repairs()
        for each in self._names:
            if each.verdict.matches is not None:
                yield from (self.nss.removesuffix(each.text) + text for text in each.repairs())

    def _conforms(self, nss: str) -> bool:
        if not self.profile.names.rules.verdict_on(nss).conformant:
            return False
        walker, entries = self.profile.walker, self._entries
        if not entries or walker is None:
            return True
        # Looked up at once: a list in a database needs one query.
        known = entries.keys() & set(walker.prefixes(self.profile.names.rules.canonical(nss)))
        return walker.walk(nss, {each: entries[each] for each in known}).conforms

    def _with_nss(self, nss: str) -> str:
        return f"urn:{self.profile.nid}:{nss}"


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
