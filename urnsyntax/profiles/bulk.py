"""Judging many URNs: the verdict costs a few microseconds for each, and all else is computed on access."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import InvalidURN
from ..grammar import match_parts
from ..notes import Note
from ..urn import URN, normal_nss
from .judging import Judgement, Problem
from .subnamespaces.findings import Findings
from .verdicts import NO_MATCH, NOT_JUDGED, Verdict

if TYPE_CHECKING:
    from .profile import Profile
    from .subnamespaces.levels import Walk, Walker
    from .subnamespaces.lists import SubNamespaces

AT_ONCE = 250  # texts
# An r-component, the octet 0, and octets that are not ASCII
_may_be_noted = re.compile(r"\?\+|%(?:00|[89A-Fa-f])").search


class CheckedLine:
    """The result for one text.

    `nid` is the NID as written, None if the text is not a URN; `nss` is the normalized NSS. `profile` is None if the
    namespace has no profile.
    """

    __slots__ = ("_entries", "_walk", "nid", "nss", "profile", "text", "verdict")

    def __init__(
        self, text: str, nid: str | None, nss: str, profile: Profile | None, verdict: Verdict
    ) -> None:
        self.text = text
        self.nid = nid
        self.nss = nss
        self.profile = profile
        self.verdict = verdict
        self._entries: SubNamespaces | None = None
        self._walk: Walk | None = None

    def __repr__(self) -> str:
        return f"<{self.text}: {self.conformant}>"

    def look_up(self, walker: Walker, entries: SubNamespaces) -> None:
        """Narrow the verdict by the sub-namespaces of the namespace."""
        self._entries = entries
        self._walk = walk = walker.walk(self.nss, entries)
        if self.verdict.conformant is not False and not walk.conforms:
            self.verdict = Verdict(self.verdict.matches, False)

    @property
    def is_urn(self) -> bool:
        """Whether the text is a URN (RFC 8141, Section 2)."""
        return self.nid is not None

    @property
    def conformant(self) -> bool | None:
        """False for a text that is not a URN; None if no rule is known."""
        return self.verdict.conformant

    @property
    def judgement(self) -> Judgement | None:
        """The judgement with all details, computed on each access; None without a profile."""
        if self.profile is None:
            return None
        return Judgement(URN.parse(self.text), self.profile, self.verdict, self._entries)

    @property
    def reason(self) -> str:
        """Why the text is not a URN, not conformant or not judged, as a sentence; "" otherwise.

        Other than that of the judgement, it names no near sub-namespaces: looking those up takes most of the time.
        """
        if not self.is_urn:
            return str(InvalidURN(self.text))
        conformant = self.verdict.conformant
        if conformant or self.profile is None:
            return ""
        if conformant is None and self.profile.names.unstated:
            return self.profile.names.unstated
        if self._walk and self.verdict.matches is not False and self._walk.coverage == "complete":
            return Findings(self._walk, self.profile.nid, 0, {}).reason
        return Judgement(URN.parse(self.text), self.profile, self.verdict, self._entries).reason

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes on the URN, as `URN.notes` gives them. Most URNs have nothing that causes one."""
        return URN.parse(self.text).notes if self.is_urn and _may_be_noted(self.text) else ()

    @property
    def doubts(self) -> tuple[Problem, ...]:
        """What is doubtful in a conformant URN, as `Judgement.notes` gives it, without near sub-namespaces."""
        if not self.verdict.conformant or self.profile is None:
            return ()
        is_unremarkable = self._walk is None or self._walk.is_unremarkable
        if is_unremarkable and not self.profile.names.rules.has_optional_checks:
            return ()
        judgement = Judgement(
            URN.parse(self.text), self.profile, self.verdict, self._entries, names_near=False
        )
        return judgement.notes

    @property
    def subnamespaces(self) -> tuple[str, ...]:
        """The prefixes of the sub-namespaces that the URN belongs to, the outermost first; empty without a list."""
        return self._walk.found_prefixes if self._walk else ()

    @property
    def canonical(self) -> str | None:
        """The URN that stands for all equivalent ones; None for a text that is not a URN."""
        if self.nid is None:
            return None
        if self._walk is not None:
            nss = self._walk.canonical
        else:
            nss = self.profile.names.rules.canonical(self.nss) if self.profile else self.nss
        return f"urn:{self.nid.lower()}:{nss}"


def judge_many(
    texts: Iterable[str],
    profiles: Mapping[str, Profile],
    *,
    lists: Mapping[str, SubNamespaces] = MappingProxyType({}),
    at_once: int = AT_ONCE,
) -> Iterator[CheckedLine]:
    """Judge texts in their order. No text raises an error. `lists` are the sub-namespaces by NID in lower case.

    Up to `at_once` texts are read before the first of them is answered: one by one, they take twice the time.
    """
    remaining = iter(texts)
    while block := list(islice(remaining, at_once)):
        yield from _judge_block(block, profiles, lists)


def _judge_block(
    texts: list[str], profiles: Mapping[str, Profile], lists: Mapping[str, SubNamespaces]
) -> list[CheckedLine]:
    """Take each step for all texts before the next one: a short loop is faster than a long one."""
    matches = [match_parts(text) for text in texts]
    parts = [match.group(1, 2) if match else (None, "") for match in matches]
    found = [(profiles.get(nid) or profiles.get(nid.lower())) if nid else None for nid, _ in parts]
    names = [normal_nss(nss) if "%" in nss else nss for _, nss in parts]
    verdicts = [
        profile.names.rules.verdict_on(nss) if profile else NOT_JUDGED
        for profile, nss in zip(found, names, strict=True)
    ]
    checked = [
        CheckedLine(text, nid, nss, profile, verdict if nid else NO_MATCH)
        for text, (nid, _), nss, profile, verdict in zip(texts, parts, names, found, verdicts, strict=True)
    ]
    if lists:
        for each in checked:
            if (profile := each.profile) and (entries := lists.get(profile.nid)) and profile.walker:
                each.look_up(profile.walker, entries)
    return checked
