"""Judging many URNs: the verdict costs a few microseconds for each, and all else is computed on access."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ..errors import InvalidURN
from ..grammar import match_parts
from ..urn import URN, normal_nss
from .check_digits import ALGORITHMS
from .judging import Judgement, checked_parts

if TYPE_CHECKING:
    from .profile import Names, Profile

NameTest = Callable[[str], bool | None]
"""Whether an NSS follows the rules of its namespace; None if that is not known."""


class CheckedLine:
    """The result for one text.

    `nid` is the NID as written, None if the text is not a URN. `profile` is None if the namespace has no profile.
    `conformant` is False for a text that is not a URN, and None if no rule is known.
    """

    __slots__ = ("conformant", "nid", "nss", "profile", "text")

    def __init__(
        self, text: str, nid: str | None, nss: str, profile: Profile | None, conformant: bool | None
    ) -> None:
        self.text = text
        self.nid = nid
        self.nss = nss
        self.profile = profile
        self.conformant = conformant

    def __repr__(self) -> str:
        return f"<{self.text}: {self.conformant}>"

    @property
    def is_urn(self) -> bool:
        """Whether the text is a URN (RFC 8141, Section 2)."""
        return self.nid is not None

    @property
    def judgement(self) -> Judgement | None:
        """The judgement with all details, computed on each access; None without a profile."""
        return Judgement(URN.parse(self.text), self.profile) if self.profile and self.is_urn else None

    @property
    def reason(self) -> str:
        """Why the text is not a URN, not conformant or not judged, as a sentence; "" otherwise."""
        if not self.is_urn:
            return str(InvalidURN(self.text))
        if self.conformant or self.profile is None:
            return ""
        if self.conformant is None and self.profile.names.unstated:
            return self.profile.names.unstated
        return Judgement(URN.parse(self.text), self.profile).reason

    @property
    def canonical(self) -> str | None:
        """The URN that stands for all equivalent ones; None for a text that is not a URN."""
        if self.nid is None:
            return None
        nid, nss = self.nid.lower(), normal_nss(self.nss)
        if self.profile is None:
            return f"urn:{nid}:{nss}"
        key = nss
        for rule in self.profile.names.equivalence_rules:
            key = rule(key)
        # A text without the ignored characters may be no NSS: an NSS is not empty and does not begin with "/".
        return f"urn:{nid}:{key if key[:1] not in ('', '/') else nss}"


def name_test(names: Names) -> NameTest:
    """A fast test of names, the same as `judging.verdict_on` after normalization."""
    grammar = names.grammar
    if grammar is None:
        return lambda nss: None
    matches, longest = grammar.matches, grammar.longest_nss
    whole = [ALGORITHMS[each.algorithm].is_right for each in names.checks if not each.part]
    of_parts = any(each.part for each in names.checks)

    def test(nss: str) -> bool | None:
        nss = normal_nss(nss)
        if len(nss) > longest:
            return None
        if not matches(nss):
            return False
        for is_right in whole:
            if not is_right(nss):
                return False
        if not of_parts:
            return True
        parts = (each for each in checked_parts(names, nss) if each[0].part)
        return all(ALGORITHMS[check.algorithm].is_right(text) for check, _, text in parts)

    return test


def judge_many(texts: Iterable[str], profiles: dict[str, Profile]) -> Iterator[CheckedLine]:
    """Judge texts in their order. No text raises an error."""
    tests = {nid: (profile, name_test(profile.names)) for nid, profile in profiles.items()}
    for text in texts:
        match = match_parts(text)
        if match is None:
            yield CheckedLine(text, None, "", None, False)
            continue
        nid, nss = match.group(1, 2)
        known = tests.get(nid) or tests.get(nid.lower())
        if known is None:
            yield CheckedLine(text, nid, nss, None, None)
        else:
            yield CheckedLine(text, nid, nss, known[0], known[1](nss))
