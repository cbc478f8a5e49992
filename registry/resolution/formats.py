"""The formats of answers: which one a client accepts, and the bodies of link sets and lists of addresses."""

from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from django.conf import settings

from registry.core.http.negotiation import weight_of, weights_in
from registry.resolution.request_target import path_of
from registry.resolution.resolving import ResolvedURN, ServiceChoice
from urnsyntax import URN

MAX_LINK_HEADER = 1_000  # octets
CRLF = "\r\n"

# The relation of a service to the URN (IANA's Link Relations).
RELATIONS = {
    "I2R": "alternate", "I2Rs": "alternate", "I2L": "alternate", "I2Ls": "alternate",
    "I2C": "describedby", "I2CS": "describedby", "I2N": "related", "I2Ns": "related",
}  # fmt: skip


class Format(StrEnum):
    """The media types that describe a resolution. A page stands for the redirect, which browsers follow.

    The first is the default: clients that accept anything, or only what other servers have, are redirected.
    """

    PAGE = "text/html"
    JSON = "application/json"
    LINK_SET = "application/linkset+json"
    URI_LIST = "text/uri-list"


def preferred_format(accept: str) -> Format:
    """The format that the header Accept prefers. Any format is better than 406: the service may have another."""
    weights = weights_in(accept or "*/*")
    ranked = [(weight_of(each, weights), -place, each) for place, each in enumerate(Format)]
    (weight, _), _, best = max(ranked)
    return best if weight else Format.PAGE


def link_header(resolved: ResolvedURN) -> str:
    """The value of the header Link: the link set, and the page that explains a deprecation; "" if it is too long."""
    facts = resolved.facts
    links = [
        f'<{absolute(path_of(without_fragment(resolved.urn)))}>; rel="linkset"; type="{Format.LINK_SET}"'
    ]
    if facts and facts.deprecated_at:
        links.append(f'<{namespace_address(facts.nid)}>; rel="deprecation"; type="text/html"')
    value = ", ".join(links)
    return value if len(value) < MAX_LINK_HEADER else ""


def link_set(resolved: ResolvedURN) -> dict[str, Any]:
    """The services as a link set (RFC 9264), with the page of the namespace."""
    relations: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in resolved.choices:
        relations[RELATIONS[each.service.kind]].append(_link(each))
    if resolved.facts:
        page = {"href": namespace_address(resolved.facts.nid), "type": "text/html"}
        relations["about"].append(page)
        if resolved.facts.deprecated_at:
            relations["deprecation"].append(page)
    return {"linkset": [{"anchor": without_fragment(resolved.urn), **relations}]}


def _link(choice: ServiceChoice) -> dict[str, Any]:
    """The target of a link. Attributes that RFC 9264 does not define have lists of texts (Section 4.2.4.3)."""
    service = choice.service
    link: dict[str, Any] = {"href": choice.address, "title": service.title}
    if service.media_type:
        link["type"] = service.media_type
    if service.language:
        link["hreflang"] = [service.language]
    return link | {
        "kind": [service.kind],
        "host-confirmed": ["true" if choice.host_confirmed else "false"],
        "health": [choice.health.state.value],
    }


def uri_list(urn: str, choices: Iterable[ServiceChoice]) -> str:
    """The usable addresses on confirmed hosts (RFC 2483, Section 5), after a comment with the URN.

    A comment counts the addresses that are left out.
    """
    every = list(choices)
    listed = [each.address for each in every if each.host_confirmed and not each.health.is_down]
    left_out = len(every) - len(listed)
    comments = [f"# {urn}"]
    if left_out:
        comments.append(f"# left out: {left_out} on hosts that are down or not confirmed")
    return lines([*comments, *dict.fromkeys(listed)])


def lines(texts: Iterable[str]) -> str:
    return "".join(f"{each}{CRLF}" for each in texts)


def without_fragment(urn: URN) -> str:
    """The text of a URN without its f-component, which is for the client alone."""
    return str(urn).partition("#")[0]


def namespace_address(nid: str) -> str:
    return absolute(f"/namespaces/{nid}/")


def absolute(path: str) -> str:
    """The public address of a path."""
    return f"{settings.PUBLIC_ORIGIN}{path}"
