"""Obvious repairs of names and of texts that were meant to be URNs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..percent_encoding import percent_decoded
from ..urn import is_urn

if TYPE_CHECKING:
    from .collection import Profiles
    from .grammar.matching import Grammar

MAX_TEXT = 1_000  # characters of a text for which suggestions are made
MAX_SUGGESTIONS = 3
_MAX_CORRECTIONS = 40
_HYPHEN_BETWEEN_DIGITS = re.compile("(?<=[0-9A-Fa-f])-(?=[0-9A-Fa-f])")
_MARKS = frozenset(".:;/")
_UNRESERVED_TRIPLET = re.compile("%(?:2D|2E|5F|7E|3[0-9]|4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A])")
_STRAY_TRIPLETS = re.compile("%(?:20|22|27|3C|3E|C2%A0|E2%80%8B)")
_AROUND = " \t\r\n\u00a0\u200b\ufeff\"'\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a<>()[]{}`"
_AFTER = ".,;:!?"
_SPACES = re.compile(r"[\s\u200b\ufeff]+")
_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-")
_SCHEME = re.compile(r"(?:ur[il]\s*:\s*)?ur[iln]\s*[:;]\s*", re.IGNORECASE)
_LABELLED = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]{1,31})(?:-1[03])?\s*[:#=\s]\s*(\S.*)")
_DOI_SITE = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/", re.IGNORECASE)

# Identifiers that are recognised without a label: the namespace, and the form of the identifier.
_BARE = (
    ("isbn", re.compile("97[89][0-9-]{10,14}|[0-9-]{9,12}[0-9Xx]")),
    ("issn", re.compile("[0-9]{4}-?[0-9]{3}[0-9Xx]")),
    ("uuid", re.compile("[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}")),
    ("isni", re.compile("0000[0-9-]{11,14}[0-9Xx]")),
    ("lei", re.compile("[0-9]{4}[0-9A-Za-z]{14}[0-9]{2}|[0-9A-Za-z]{18}[0-9]{2}")),
    ("doi", re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+")),
    ("oid", re.compile(r"[0-2](?:\.(?:0|[1-9][0-9]*))+")),
    ("isan", re.compile("(?:[0-9A-Fa-f]{4}-){4}[0-9A-Za-z](?:-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Za-z])?")),
)


class Suggestion(NamedTuple):
    """A URN that was probably meant, and the reason as a clause."""

    urn: str
    reason: str


def repairs_of(nss: str, grammar: Grammar) -> Iterator[str]:
    """Candidates for an NSS that does not match the grammar, the most obvious first. They may not match either."""
    if "%" in nss:
        yield _STRAY_TRIPLETS.sub("", nss)
        yield _UNRESERVED_TRIPLET.sub(lambda triplet: percent_decoded(triplet[0]).decode("ascii"), nss)
        yield nss.replace("%2F", "/")
    yield nss.rstrip(".,;")
    yield _corrected_on_the_way(nss, grammar)


def _corrected_on_the_way(nss: str, grammar: Grammar) -> str:
    """The NSS with letters in the other case, other marks and without stray hyphens, until nothing else helps."""
    for _ in range(_MAX_CORRECTIONS):
        stop = grammar.stop_of(nss)
        if stop is None:
            break
        place, wrong = stop.position, nss[stop.position : stop.position + 1]
        if wrong.isalpha() and wrong.swapcase() in stop.characters:
            nss = nss[:place] + wrong.swapcase() + nss[place + 1 :]
        elif wrong and not wrong.isalnum() and nss[place - 1 : place] == wrong:
            nss = nss[:place] + nss[place + 1 :]
        elif wrong and stop.characters == {"-"}:
            nss = f"{nss[:place]}-{nss[place if wrong.isalnum() else place + 1 :]}"
        elif wrong in {*_MARKS, "_"} and (mark := _only_mark(stop.characters)):
            nss = nss[:place] + mark + nss[place + 1 :]
        elif wrong == "-" and _HYPHEN_BETWEEN_DIGITS.match(nss, place):
            nss = nss[:place] + nss[place + 1 :]
        else:
            break
    return nss


def _only_mark(characters: frozenset[str]) -> str:
    """The only character that can stand at a place, if it divides parts, otherwise ""."""
    return next(iter(characters)) if len(characters) == 1 and characters <= _MARKS else ""


def suggest(text: str, profiles: Profiles) -> tuple[Suggestion, ...]:
    """URNs that a text was probably meant to be, the likeliest first, at most three.

    The text may be no URN, or one that breaks the rules of its namespace. Each suggestion follows them.
    """
    if len(text) > MAX_TEXT:
        return ()
    found: dict[str, Suggestion] = {}
    for candidate in _candidates(text, profiles):
        accepted = _accepted(candidate, text, profiles)
        if accepted and accepted.urn not in found:
            found[accepted.urn] = accepted
            if len(found) == MAX_SUGGESTIONS:
                break
    return tuple(found.values())


def _accepted(candidate: Suggestion, text: str, profiles: Profiles) -> Suggestion | None:
    """The candidate, or its repair, if it follows the rules."""
    if not is_urn(candidate.urn):
        return None
    judgement = profiles.judge(candidate.urn)
    if judgement is not None and judgement.conformant is False:
        if judgement.repair is None or judgement.repair == text:
            return None
        return Suggestion(judgement.repair, judgement.reason.rstrip(".") or candidate.reason)
    return candidate if candidate.urn != text else None


def _candidates(text: str, profiles: Profiles) -> Iterator[Suggestion]:
    yield Suggestion(text, "as it is")
    cleaned = _cleaned(text)
    yield Suggestion(cleaned, "without stray characters")
    scheme = _SCHEME.match(cleaned)
    name = cleaned[scheme.end() :] if scheme else cleaned
    closed = _SPACES.sub("", name)
    if scheme:
        yield Suggestion(f"urn:{closed}", "with “urn:” and without spaces")
        yield from _with_similar_nid(closed, profiles)
        return
    labelled = _LABELLED.fullmatch(name)
    if labelled and labelled[1].lower().removesuffix("-10").removesuffix("-13") in profiles:
        nid = labelled[1].lower().removesuffix("-10").removesuffix("-13")
        yield Suggestion(f"urn:{nid}:{_SPACES.sub('', labelled[2])}", "with “urn:”")
    yield from _bare(_DOI_SITE.sub("", closed), profiles)
    if labelled and ":" in name:
        yield from _with_similar_nid(closed, profiles)


def _cleaned(text: str) -> str:
    return text.translate(_HYPHENS).strip(_AROUND).rstrip(_AFTER).strip(_AROUND)


def _bare(text: str, profiles: Profiles) -> Iterator[Suggestion]:
    for nid, form in _BARE:
        if form.fullmatch(text) and nid in profiles:
            yield Suggestion(f"urn:{nid}:{text}", f"as a name of “{nid}”")


def _with_similar_nid(name: str, profiles: Profiles) -> Iterator[Suggestion]:
    nid, colon, nss = name.partition(":")
    if colon and nid.lower() not in profiles:
        for known in profiles.similar_nids(nid.lower()):
            yield Suggestion(f"urn:{known}:{nss}", f"with the registered identifier “{known}”")
