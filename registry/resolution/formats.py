"""The formats of responses: which one a client prefers, and the bodies of link sets and lists of addresses."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from registry.core.http.negotiation import PROBLEM, preferred, prefers_page
from registry.core.http.urls import absolute_url
from registry.resolution.request_target import path_of
from registry.resolution.resolving import ResolvedURN, ServiceChoice
from urnsyntax import URN

MAX_LINK = 1_000  # octets of the link in the header
CRLF = "\r\n"

# The relation of a service to the URN (IANA's Link Relations).
RELATIONS = {
    "I2R": "alternate", "I2Rs": "alternate", "I2L": "alternate", "I2Ls": "alternate",
    "I2C": "describedby", "I2CS": "describedby", "I2N": "related", "I2Ns": "related",
}  # fmt: skip


class Format(StrEnum):
    """The media types that describe a resolution. A page stands for the redirect, which browsers follow."""

    PAGE = "text/html"
    JSON = "application/json"
    LINK_SET = "application/linkset+json"
    LINKS = "application/linkset"
    URI_LIST = "text/uri-list"


# Formats that programs ask for.
FORMATS_OF_PROGRAMS = (PROBLEM, *(each for each in Format if each != Format.PAGE))


def preferred_format(accept: str) -> Format:
    """The format that the header Accept prefers; a page if it accepts none.

    A page is better than 406: the service to which the registry redirects may have another format.
    """
    return Format(preferred(accept, tuple(Format)) or Format.PAGE)


def prefers_error_page(accept: str) -> bool:
    """Whether the client gets errors as pages. All others get problem documents."""
    return prefers_page(accept, FORMATS_OF_PROGRAMS)


def link_header(resolved: ResolvedURN) -> str:
    """The value of the header Link: the link set, and the page that explains a deprecation.

    The link set is left out if its link is too long, and its context, which is the URN, if only that makes it too long.
    """
    urn, namespace_data = without_fragment(resolved.urn), resolved.namespace_data
    link = f'<{absolute_url(path_of(urn))}>; rel="linkset"; type="{Format.LINK_SET}"'
    links = [each for each in (f'{link}; anchor="{urn}"', link) if len(each) < MAX_LINK][:1]
    if namespace_data and namespace_data.deprecated_at:
        links.append(f'<{namespace_address(namespace_data.nid)}>; rel="deprecation"; type="text/html"')
    return ", ".join(links)


def link_set(resolved: ResolvedURN) -> dict[str, Any]:
    """The links as a link set in JSON (RFC 9264, Section 4.2)."""
    relations: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for relation, link in _links(resolved):
        relations[relation].append(link)
    return {"linkset": [{"anchor": without_fragment(resolved.urn), **relations}]}


def link_lines(resolved: ResolvedURN) -> str:
    """The same links in the syntax of the header Link (RFC 9264, Section 4.1), one a line."""
    urn = without_fragment(resolved.urn)
    return ",\n".join(_link_value(urn, relation, link) for relation, link in _links(resolved)) + "\n"


def _links(resolved: ResolvedURN) -> Iterator[tuple[str, dict[str, Any]]]:
    """The relations and targets of the services, and of the page of the namespace, which collects its URNs."""
    for each in resolved.choices:
        yield RELATIONS[each.service.kind], _link(each)
    if resolved.namespace_data:
        page = {"href": namespace_address(resolved.namespace_data.nid), "type": "text/html"}
        yield "collection", page
        if resolved.namespace_data.deprecated_at:
            yield "deprecation", page


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


def _link_value(urn: str, relation: str, link: dict[str, Any]) -> str:
    """One link with its attributes (RFC 8288, Section 3)."""
    attributes = {"anchor": urn, "rel": relation, **link}
    href = attributes.pop("href")
    values = (
        _attribute(name, text)
        for name, value in attributes.items()
        for text in (value if isinstance(value, list) else [value])
    )
    return "; ".join([f"<{href}>", *values])


def _attribute(name: str, text: str) -> str:
    """An attribute; a text that is not ASCII is percent-encoded (RFC 8187)."""
    if not text.isascii():
        return f"{name}*=UTF-8''{quote(text, safe='')}"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{escaped}"'


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
    return absolute_url(f"/namespaces/{nid}/")
