"""Judging many URNs: the verdict costs a few microseconds for each, and all else is computed on access."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..errors import InvalidURN
from ..grammar import match_parts
from ..urn import URN, normal_nss
from .judging import NO_MATCH, NOT_JUDGED, Judgement, Verdict, verdict_on

if TYPE_CHECKING:
    from .profile import Profile


class CheckedLine:
    """The result for one text.

    `nid` is the NID as written, None if the text is not a URN; `nss` is the normalized NSS. `profile` is None if the
    namespace has no profile.
    """

    __slots__ = ("nid", "nss", "profile", "text", "verdict")

    def __init__(
        self, text: str, nid: str | None, nss: str, profile: Profile | None, verdict: Verdict
    ) -> None:
        self.text = text
        self.nid = nid
        self.nss = nss
        self.profile = profile
        self.verdict = verdict

    def __repr__(self) -> str:
        return f"<{self.text}: {self.conformant}>"

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
        return Judgement(URN.parse(self.text), self.profile, self.verdict) if self.profile else None

    @property
    def reason(self) -> str:
        """Why the text is not a URN, not conformant or not judged, as a sentence; "" otherwise."""
        if not self.is_urn:
            return str(InvalidURN(self.text))
        conformant = self.verdict.conformant
        if conformant or self.profile is None:
            return ""
        if conformant is None and self.profile.names.unstated:
            return self.profile.names.unstated
        return Judgement(URN.parse(self.text), self.profile, self.verdict).reason

    @property
    def canonical(self) -> str | None:
        """The URN that stands for all equivalent ones; None for a text that is not a URN."""
        if self.nid is None:
            return None
        nid, nss = self.nid.lower(), self.nss
        if self.profile is None:
            return f"urn:{nid}:{nss}"
        key = nss
        for rule in self.profile.names.equivalence_rules:
            key = rule(key)
        # A text without the ignored characters may be no NSS: an NSS is not empty and does not begin with "/".
        return f"urn:{nid}:{key if key[:1] not in ('', '/') else nss}"


def judge_many(texts: Iterable[str], profiles: dict[str, Profile]) -> Iterator[CheckedLine]:
    """Judge texts in their order. No text raises an error."""
    for text in texts:
        match = match_parts(text)
        if match is None:
            yield CheckedLine(text, None, "", None, NO_MATCH)
            continue
        nid, nss = match.group(1, 2)
        nss = normal_nss(nss)
        profile = profiles.get(nid) or profiles.get(nid.lower())
        yield CheckedLine(text, nid, nss, profile, verdict_on(profile.names, nss) if profile else NOT_JUDGED)
