"""Obvious repairs of names and of texts that were meant to be URNs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from ..grammar import PCHAR, PCT_ENCODED
from ..percent_encoding import percent_decoded, percent_encoded
from ..text_search import find
from ..urn import is_urn
from .services.reversal import urns_from_link, without_www

if TYPE_CHECKING:
    from .collection import Profiles
    from .grammar.matching import Grammar

MAX_TEXT = 1_000  # characters of a text for which suggestions are made
MAX_SUGGESTIONS = 3
_MAX_CORRECTIONS = 40
_HYPHEN_BETWEEN_DIGITS = re.compile("(?<=[0-9A-Fa-f])-(?=[0-9A-Fa-f])")
_MARKS = frozenset(".:;/")
_UNRESERVED_TRIPLET = re.compile("%(?:2D|2E|5F|7E|3[0-9]|4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A])")
_STRAY_TRIPLETS = re.compile("%(?:20|22|27|3C|3E|5B|5D|7B|7D|C2%A0|E2%80%8B)")
_AROUND = " \t\r\n\u00a0\u200b\ufeff\"'\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a`"
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_AFTER = ".,;:!?"
_SPACES = re.compile(r"\s+")
_DELIMITER = re.compile(r'[\s<>"]')  # of a URI in a text (RFC 3986, Appendix C)
# Lines are wrapped and words divided where a text is shown; no name contains that.
_UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]|[ \t]*[\r\n]+[ \t]*")
_REMARK = re.compile(r"\s+[(\[].*", re.DOTALL)
# What the namestring of RFC 8141 cannot contain, before its components and in them
_TO_ENCODE = re.compile(rf"(?!{PCT_ENCODED})[^{PCHAR}/]")
_TO_ENCODE_IN_COMPONENTS = re.compile(rf"(?!{PCT_ENCODED})[^{PCHAR}/?]")
_COMPONENTS = re.compile(r"\?[+=]")
_LINK = re.compile("(https?://([A-Za-z0-9.-]+))(?::80|:443)?(?=[/?#:])", re.IGNORECASE)
_NOT_IN_A_LINK = re.compile("[^!-~]")
# Resolvers of identifiers of many kinds: NID and name are the path, divided by a colon or a slash.
_LAST_SEGMENT = re.compile(".*/([^/?&]+)/?(?:[?&].*)?")
_META_RESOLVERS = frozenset({"identifiers.org", "n2t.net", "bioregistry.io"})
_NID_AND_NAME = re.compile(
    "https?://[^/]+/([A-Za-z0-9][A-Za-z0-9-]{1,31})[:/]([^?#]+?)/?(?:[?#].*)?", re.IGNORECASE
)
_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-")
_HYPHENS |= {0xFF10 + digit: str(digit) for digit in range(10)}  # full-width digits
_SCHEME = re.compile(r"(?:ur[il]\s*:\s*)?ur[iln]\s*[:;]\s*(?://)?", re.IGNORECASE)
# The colons of a URN are encoded by programs that take it for a part of an address.
_ENCODED_COLON = re.compile("urn(?::[A-Za-z0-9-]{1,32})?%3A", re.IGNORECASE)
_LABELLED = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]{1,31})\s*[:#=\s]\s*(\S.*)")
# Libraries write which ISBN or ISSN it is, such as “ISBN-13”, “eISSN” and “ISSN-L”.
_LABEL_OF_NUMBER = re.compile("(isbn)(?:-?1[03])?|(?:[ep]-?)?(issn)(?:-?l)?")
_DOI_SITE = re.compile(r"info:doi/|(?:https?://)?(?:(?:dx|www)\.)?doi\.org/", re.IGNORECASE)
_FILE_NAME = re.compile(r"([0-9Xx-]{8,17})(?:[_ -].*)?\.[A-Za-z][A-Za-z0-9]{2,4}")

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
    cleaned = _cleaned(_UNSEEN.sub("", text))
    yield Suggestion(cleaned, "without stray characters")
    if link := _LINK.match(cleaned):
        yield from _from_link(link[1] + cleaned[link.end() :], link[2].lower(), profiles)
    if _ENCODED_COLON.match(cleaned):
        cleaned = unquote(cleaned)
    scheme = _SCHEME.match(cleaned)
    name = cleaned[scheme.end() :] if scheme else cleaned
    if scheme and ":" in name:
        nid, _, nss = name.partition(":")
        nid, nss = nid.strip(), nss.strip()
        yield from _spellings(nid, nss, profiles, "with “urn:” and without spaces")
        if not _is_allowed(f"urn:{nid}:{_encoded(nss)}", profiles):
            yield from _in_running_text(cleaned, profiles)
        yield from _with_similar_nid(name, profiles)
        if nid.lower() in profiles and _is_allowed(f"urn:{nid}:{_encoded(nss)}", profiles) is False:
            yield from _bare(nss, profiles)  # a name of another namespace
        return
    labelled = _LABELLED.fullmatch(name)
    if labelled and (nid := _nid_of_label(labelled[1])) in profiles:
        yield from _spellings(nid, labelled[2], profiles, "with “urn:”")
    yield from _bare(_DOI_SITE.sub("", name), profiles)
    if file := _FILE_NAME.fullmatch(name):
        yield from _bare(file[1], profiles)
    yield from _in_running_text(cleaned, profiles)
    if labelled and ":" in name:
        yield from _with_similar_nid(name, profiles)


def _nid_of_label(label: str) -> str:
    lower = label.lower()
    number = _LABEL_OF_NUMBER.fullmatch(lower)
    return number[1] or number[2] if number else lower


def _cleaned(text: str) -> str:
    """The text without what stands around it in a sentence; brackets that belong to it stay."""
    before = ""
    while text != before:
        before = text
        text = text.strip(_AROUND).rstrip(_AFTER)
        if text[:1] in _BRACKETS:
            text = text[1:]
        for opening, closing in _BRACKETS.items():
            if text.endswith(closing) and text.count(closing) > text.count(opening):
                text = text[:-1]
    return text


def _spellings(nid: str, name: str, profiles: Profiles, reason: str) -> Iterator[Suggestion]:
    """URNs for a name as it was written. What only needs an encoding is encoded, because without it, the name is another.

    Only if the rules of the namespace forbid that name, characters are left out or replaced.
    """
    kept = f"urn:{nid}:{_encoded(name)}"
    is_allowed = _is_allowed(kept, profiles)
    if is_allowed is False:
        for simpler in (name, _REMARK.sub("", name)):
            yield Suggestion(f"urn:{nid}:{_SPACES.sub('', simpler.translate(_HYPHENS))}", reason)
    yield Suggestion(kept, reason if _encoded(name) == name else "with percent-encodings")
    if is_allowed and _REMARK.search(name):
        yield Suggestion(f"urn:{nid}:{_encoded(_REMARK.sub('', name))}", "without the remark")


def _is_allowed(urn: str, profiles: Profiles) -> bool | None:
    """Whether a text is a URN that the rules of its namespace allow; None if they are not known."""
    if not is_urn(urn):
        return False
    judgement = profiles.judge(urn)
    return judgement.conformant if judgement else None


def _encoded(name: str) -> str:
    """The text after the NID with percent-encodings where RFC 8141 needs them (Section 2.2)."""
    name, mark, fragment = name.partition("#")
    components = _COMPONENTS.search(name)
    end = components.start() if components else len(name)
    parts = (
        _TO_ENCODE.sub(_as_triplets, name[:end]),
        name[end : end + 1],
        _TO_ENCODE_IN_COMPONENTS.sub(_as_triplets, name[end + 1 :]),
        mark,
        _TO_ENCODE_IN_COMPONENTS.sub(_as_triplets, fragment),
    )
    return "".join(parts)


def _as_triplets(found: re.Match[str]) -> str:
    return percent_encoded(found[0]) or ""


def _bare(text: str, profiles: Profiles) -> Iterator[Suggestion]:
    closed = _SPACES.sub("", _REMARK.sub("", text.translate(_HYPHENS)))
    for nid, form in _BARE:
        # Profiles can be in a database, and most texts have none of the forms.
        if not (form.match(text) if nid == "doi" else form.fullmatch(closed)) or nid not in profiles:
            continue
        if nid == "doi":
            name = text.replace("#", "%23").replace("?", "%3F")  # a DOI has no components
            yield from _spellings(nid, name, profiles, f"as a name of “{nid}”")
        else:
            yield Suggestion(f"urn:{nid}:{closed}", f"as a name of “{nid}”")


def _in_running_text(text: str, profiles: Profiles) -> Iterator[Suggestion]:
    """The URNs in a sentence, if the rules of their namespaces are known."""
    for found in find(text):
        urn = found.without_punctuation().urn
        if _DELIMITER.search(text) and _is_allowed(urn, profiles):
            yield Suggestion(urn, "in the text")


def _from_link(link: str, host: str, profiles: Profiles) -> Iterator[Suggestion]:
    """URNs from the address of a resolver or a service, which contains the URN or was made from it."""
    link = _NOT_IN_A_LINK.sub(_as_triplets, link)
    for part in re.split("[?&]", link):
        for found in find(unquote(part)):
            scheme, nid, rest = found.urn.split(":", 2)
            yield Suggestion(f"{scheme.lower()}:{nid.lower()}:{rest}", "in the address")
    for profile in profiles.with_services_at(without_www(host)):
        for urn in urns_from_link(profile, link):
            yield Suggestion(urn, f"from the address of a service of “{profile.nid}”")
        last = unquote(_LAST_SEGMENT.sub(r"\1", link))
        yield from (each for each in _bare(last, profiles) if each.urn.startswith(f"urn:{profile.nid}:"))
    named = _NID_AND_NAME.fullmatch(link)
    if named and without_www(host) in _META_RESOLVERS and named[1].lower() in profiles:
        yield from _spellings(named[1].lower(), unquote(named[2]), profiles, "in the address")


def _with_similar_nid(name: str, profiles: Profiles) -> Iterator[Suggestion]:
    nid, colon, nss = name.partition(":")
    if colon and nid.strip().lower() not in profiles:
        for known in profiles.similar_nids(nid.strip().lower()):
            reason = f"with the registered identifier “{known}”"
            yield from _spellings(known, nss.strip(), profiles, reason)
