"""Services reversed: the URN of a namespace from the address to which one of its services leads.

An example of the service gives the form of the names: its parts are replaced with the texts in the address. A URN is
only returned if the service leads from it to the address, and if nothing in it is left from the example by chance.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import re2

from ...grammar import PCHAR
from ...urn import URN, is_urn, normal_nss
from .choice import NSS
from .forms import NO_CHECK_DIGIT
from .service import Service
from .templates import Variable

if TYPE_CHECKING:
    from ..profile import Profile

_VARIABLE = re.compile(r"\{[^{}]*\}")
_TRIPLET = re.compile("%[0-9A-Fa-f]{2}")
_IN_AN_NSS = re.compile(f"[{PCHAR}/]")
_Span = tuple[int, int]


def urns_from_link(profile: "Profile", link: str) -> Iterator[str]:
    """The URNs that services of the namespace resolve to an http or https address, each once.

    >>> from urnsyntax.profiles import load_profile
    >>> list(urns_from_link(load_profile("fixtures/profiles/issn.toml"), "http://portal.issn.org/resource/ISSN/0028-0836"))
    ['urn:issn:0028-0836']
    """
    yield from dict.fromkeys(_found_in(profile, link))


def _found_in(profile: "Profile", link: str) -> Iterator[str]:
    for service in profile.services:
        found = _pattern(service).fullmatch(link) if service.address_template.variables else None
        if found is None:
            continue
        written = [_TRIPLET.sub(lambda triplet: triplet[0].upper(), value) for value in found.groups()]
        values = [_as_in_an_nss(value) for value in written]
        for texts in dict.fromkeys(
            map(tuple, (values, written))
        ):  # the encoding may be one of the name itself
            for example in service.examples:
                yield from _like(example, texts, values, profile, service)


def without_www(host: str) -> str:
    """The host as links often name it."""
    return host.removeprefix("www.")


@lru_cache(maxsize=500)
def _compiled(template: str, keeps_reserved: tuple[bool, ...], *, takes_q: bool) -> Any:
    """Linear in the length of the link, whatever the template."""
    text = template.removeprefix("https://").removeprefix("www.")
    text = text.removesuffix("{q}")[:-1] if takes_q else text
    literals = _VARIABLE.split(text)
    pattern = f"https?://(?:www\\.)?{re2.escape(literals[0])}"
    for keeps, literal in zip(keeps_reserved, literals[1:], strict=True):
        pattern += f"({'[^?#&]+?' if keeps else '[^/?#&]+?'}){re2.escape(literal)}"
    return re2.compile(f"(?i){pattern}/?(?:[{'&' if '?' in text else '?'}#].*)?")


def _pattern(service: Service) -> Any:
    template = service.address_template
    keeps = tuple(each.keeps_reserved for each in template.variables)
    return _compiled(template.text, keeps, takes_q=template.takes_q)


def _as_in_an_nss(value: str) -> str:
    """A text of an address with percent-encodings only where an NSS needs them."""

    def decoded(triplet: re.Match[str]) -> str:
        character = chr(int(triplet[0][1:], 16))
        return character if _IN_AN_NSS.fullmatch(character) else triplet[0].upper()

    return _TRIPLET.sub(decoded, value)


def _like(
    example: str, texts: Sequence[str], values: Sequence[str], profile: "Profile", service: Service
) -> Iterator[str]:
    """The name of an example with other texts, if the service leads from it to the address with these values."""
    nss = normal_nss(URN.parse(example).nss)
    spans = _spans(nss, profile, service)
    if spans is None:
        return
    originals = [nss[start:end] for start, end in spans]
    for parts in _parts(originals, texts, service.address_template.variables):
        whole, covered = _replaced(nss, spans, parts)
        shortest = whole[: len(whole) - covered[::-1].index(True)] if True in covered else whole
        for name in dict.fromkeys((shortest, whole)):
            urn = _repaired(f"urn:{profile.nid}:{name}", profile, service)
            address = _address(urn, profile, service) if urn else ""
            if _is_same(address, values, service) and not _is_by_chance(
                name, covered, address, profile, service
            ):
                yield urn
                break


def _repaired(urn: str, profile: "Profile", service: Service) -> str:
    """The URN with the check digits that the address left out; "" if it is none."""
    if not is_urn(urn):
        return ""
    repair = profile.judge(urn).repair if NO_CHECK_DIGIT in service.template else None
    return repair or urn


def _is_same(address: str, values: Sequence[str], service: Service) -> bool:
    """Whether an address has the values of the link; letter case and needless encodings do not count."""
    found = _pattern(service).fullmatch(address) if address else None
    return found is not None and [_as_in_an_nss(each).lower() for each in found.groups()] == [
        each.lower() for each in values
    ]


def _spans(nss: str, profile: "Profile", service: Service) -> list[_Span] | None:
    """The place of each variable in the name of an example; None if one is missing."""
    wanted = {each.name for each in service.address_template.variables}
    grammar = profile.names.grammar
    parts = grammar.parts_of(nss, wanted - {NSS}) if grammar and wanted - {NSS} else []
    places = {each.rule: (each.start, each.end) for each in parts} | {NSS: (0, len(nss))}
    return [places[each] for each in _names(service)] if wanted <= places.keys() else None


def _names(service: Service) -> list[str]:
    return [each.name for each in service.address_template.variables]


def _parts(
    originals: Sequence[str], values: Sequence[str], variables: Sequence[Variable]
) -> Iterator[list[str]]:
    """The texts of the parts, with the forms of the variables undone; the other reading of “0” in a path last."""
    for keeps_zero in (False, True):
        yield [
            _undone(original, value, each.forms, keeps_zero=keeps_zero)
            for original, value, each in zip(originals, values, variables, strict=True)
        ]
        if not any("path" in each.forms for each in variables):
            return


def _undone(original: str, value: str, forms: Sequence[str], *, keeps_zero: bool) -> str:
    for form in reversed(forms):
        if form == "path":
            value = ":".join("" if each == "0" and not keeps_zero else each for each in value.split("/"))
        elif form == "tail":
            value = f"{original.partition(':')[0]}:{value}"
        elif form == "digits":
            digits = iter(value)
            value = "".join(next(digits, "") if each.isdigit() else each for each in original)
        elif form == NO_CHECK_DIGIT:
            value += "0"
    return value


def _replaced(nss: str, spans: Sequence[_Span], texts: Sequence[str]) -> tuple[str, list[bool]]:
    """The name with other texts at the spans, and which of its characters are of these texts."""
    name, covered, end = "", [], 0
    for (start, stop), text in sorted(zip(spans, texts, strict=True)):
        name += nss[end:start] + text
        covered += [False] * max(start - end, 0) + [True] * len(text)
        end = stop
    return name + nss[end:], covered + [False] * (len(nss) - end)


def _address(urn: str, profile: "Profile", service: Service) -> str:
    """The address of the service for a URN; "" if it does not apply."""
    services = profile.resolve(urn).services
    return next((each.address for each in services if each.service is service), "")


def _is_by_chance(
    name: str, covered: Sequence[bool], address: str, profile: "Profile", service: Service
) -> bool:
    """Whether a character of the example could be another one, or be absent, and the address be the same."""
    for place, is_covered in enumerate(covered[: len(name)]):
        if is_covered or not name[place].isalnum():
            continue
        others = ("1" if name[place] == "0" else "0", "b" if name[place] in "aA" else "a", "")
        for other in others:
            urn = f"urn:{profile.nid}:{name[:place]}{other}{name[place + 1 :]}"
            if is_urn(urn) and _address(urn, profile, service) == address:
                return True
    return False
