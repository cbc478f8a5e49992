"""Namespaces and sub-namespaces as JSON-LD 1.1, in the vocabularies of schema.org, DCAT 3 and Dublin Core.

A namespace is a `DefinedTermSet`, a set of names, and a `dcat:Resource`, because the registry lists it and others may keep
it. It is no `dcat:Dataset`: the registry has no list of its names. A sub-namespace is a `DefinedTermSet` that is part of that
of its namespace. The context is part of the document, so that nothing else has to be fetched.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from rest_framework.renderers import JSONRenderer

from registry.api.framework.urls import api_url
from registry.core.http.urls import absolute_url
from registry.namespaces.models import Namespace
from registry.namespaces.references import reference

CONTEXT = {
    "@vocab": "https://schema.org/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "url": {"@type": "@id"},
    "dcat:landingPage": {"@type": "@id"},
    "dcterms:isReplacedBy": {"@type": "@id"},
}
SCHEMA = {
    "type": "object",
    "properties": {
        "@context": {"type": "object", "description": "The context of JSON-LD."},
        "@id": {
            "type": "string",
            "format": "uri",
            "description": "The address of the namespace or the sub-namespace in this API.",
        },
        "@type": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The types of schema.org and DCAT.",
        },
        "identifier": {
            "type": "string",
            "description": "The NID of the namespace, or the prefix of the sub-namespace.",
        },
        "name": {"type": "string", "description": "The name by which it is known."},
        "description": {"type": "string", "description": "What it is, in words."},
        "hasPart": {
            "type": "array",
            "items": {"type": "object"},
            "description": "The sub-namespaces of a page of the list.",
        },
    },
    "required": ["@context", "@id", "@type", "identifier", "name"],
}


class JSONLDRenderer(JSONRenderer):
    """JSON-LD. A view converts the members of its response with `as_linked_data`."""

    media_type = "application/ld+json"
    format = "jsonld"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None
    ) -> bytes:
        described = renderer_context["view"].as_linked_data(data) if data else data
        content: bytes = super().render(described, accepted_media_type, renderer_context)
        return content


def linked_data(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The namespace as JSON-LD. What is not known is left out."""
    profile = namespace["profile"] or {}
    members = {
        "@context": CONTEXT,
        "@id": namespace["links"]["self"],
        "@type": ["DefinedTermSet", "dcat:Resource"],
        "identifier": namespace["nid"],
        "name": profile.get("title") or namespace["nid"],
        "alternateName": f"urn:{namespace['nid']}",
        "description": profile.get("summary") or namespace["purpose"],
        "publisher": _publisher(profile.get("organisation"), namespace["registrant"]),
        "maintainer": _maintainer(namespace["change_controller"]),
        "url": namespace["links"]["html"],
        "dcat:landingPage": profile.get("homepage"),
        "keywords": [*profile.get("subjects", ()), *profile.get("keywords", ())],
        "version": str(namespace["version"]),
        "dateCreated": namespace["registered_on"],
        "dateModified": namespace["updated_on"],
        "creativeWorkStatus": namespace["status"],
        "dcterms:isReplacedBy": _successor(namespace["deprecation"]),
        "subjectOf": list(_documents(namespace, profile)),
        "hasDefinedTerm": [_term(each) for each in profile.get("examples", ())],
        "isPartOf": {"@type": "DataCatalog", "name": "URN Namespaces", "url": absolute_url("/namespaces/")},
    }
    return _stated(members)


def linked_list(namespace: Namespace, page: Mapping[str, Any]) -> dict[str, Any]:
    """The sub-namespaces of a page of the list as JSON-LD, as parts of the namespace."""
    nid, profile = namespace.nid, namespace.current_profile
    members = {"@context": CONTEXT, "@id": api_url("namespace", nid=nid), "@type": ["DefinedTermSet"]}
    members |= {"identifier": nid, "name": profile.title if profile else nid}
    return members | {"hasPart": [*map(_part, page["results"])]}


def linked_subnamespace(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The sub-namespace as JSON-LD, as a part of its namespace."""
    return {"@context": CONTEXT} | _part(entry) | {"isPartOf": {"@id": entry["links"]["namespace"]}}


def _part(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the list; the parameter `fields` may have left members out."""
    links, successor = entry.get("links", {}), entry.get("successor")
    document = {"@type": "CreativeWork", "name": entry.get("reference"), "url": entry.get("url")}
    address = str(links.get("self")).partition("?")[0]
    members = {
        "@id": links.get("self"),
        "@type": ["DefinedTermSet"],
        "identifier": entry["prefix"],
        "name": entry.get("title"),
        "alternateName": f"urn:{entry['nid']}:{entry['prefix']}" if "nid" in entry else None,
        "publisher": _publisher(None, entry.get("holder")),
        "url": links.get("html"),
        "creativeWorkStatus": entry.get("status"),
        "dcterms:isReplacedBy": f"{address}?{urlencode({'prefix': successor})}"
        if links and successor
        else None,
        "subjectOf": _stated(document) if document["name"] or document["url"] else None,
    }
    return _stated(members)


def _publisher(organisation: str | None, registrant: str | None) -> dict[str, str] | None:
    """The responsible organisation, or the registrant, who may be a person."""
    if organisation:
        return {"@type": "Organization", "name": organisation}
    return {"name": registrant} if registrant else None


def _maintainer(organisation: Mapping[str, Any] | None) -> dict[str, str] | None:
    """The organisation that is the change controller."""
    if organisation is None:
        return None
    return {"@type": "Organization", "name": organisation["name"], "url": organisation["html"]}


def _successor(deprecation: Mapping[str, Any] | None) -> str | None:
    successor = deprecation and deprecation["successor"]
    return successor["url"] if successor else None


def _documents(namespace: Mapping[str, Any], profile: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The template, the references of the registration, and the specifications of the identifiers."""
    if template := namespace["links"]["template"] or namespace["template_url"]:
        yield {"@type": "CreativeWork", "name": "Registration template", "url": template}
    for each in map(reference, namespace["references"]):
        yield _stated({"@type": "CreativeWork", "name": each.text, "url": each.url})
    for each in profile.get("specifications", ()):
        yield _stated({"@type": "CreativeWork", "name": each["title"], "url": each["url"]})


def _term(example: Mapping[str, Any]) -> dict[str, Any]:
    return _stated({"@type": "DefinedTerm", "termCode": example["urn"], "name": example["description"]})


def _stated(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}
