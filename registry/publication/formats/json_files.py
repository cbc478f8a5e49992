"""The registry as JSON: all namespaces with their data as JSON Lines, their profiles as one object, and prefixes for
the Bioregistry.

In the Bioregistry, a prefix is a NID, and a local identifier is a namespace specific string.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from django.db.models.functions import JSONObject

from registry.audit_log.models import LogPosition
from registry.core.http.urls import public_url
from registry.namespaces.models import Namespace, ProfileVersion, Revision
from registry.namespaces.profile_cache import parsed_profile
from registry.publication.iana.records import Element
from registry.publication.models import IanaRegistry
from urnsyntax.profiles import Profile
from urnsyntax.profiles.grammar.matching import Grammar

PROFILE_CHUNK = 500
to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def current_profiles(*fields: str) -> Iterator[tuple[Any, ...]]:
    """The content of each current profile and these fields of its namespace, ordered by NID."""
    described = Namespace.objects.filter(profile__isnull=False).order_by("nid")
    yield from described.values_list("profile__content", *fields).iterator(chunk_size=PROFILE_CHUNK)


def format_profiles() -> Iterator[str]:
    """Yield `{"profiles": […], "log_position": …}`, with each profile on a line, and the last event before this state."""
    yield '{"profiles":['
    yield from separated(to_json(content) for (content,) in current_profiles())
    yield f'\n],"log_position":{LogPosition.current().number}}}\n'


def separated(members: Iterator[str]) -> Iterator[str]:
    """The members of an array or an object, each on a line and after a comma."""
    separator = "\n"
    for each in members:
        yield separator + each
        separator = ",\n"


# Classes such as [:alpha:] and repetitions such as {,2} mean something else in Python; the others may in the future.
OF_RE2_ONLY = re.compile(r"\[:|\{,|\[\[|--|&&|~~|\|\|")


def format_bioregistry() -> Iterator[str]:
    """Yield one JSON object with a member for each prefix."""
    yield "{"
    yield from separated(f"{to_json(each['prefix'])}:{to_json(each)}" for each in _records())
    yield "\n}\n"


def _records() -> Iterator[dict[str, Any]]:
    for content, digest, deprecated_at in current_profiles("profile__digest", "deprecated_at"):
        yield record(parsed_profile(digest, content)) | ({"deprecated": True} if deprecated_at else {})


def record(profile: Profile) -> dict[str, Any]:
    """The record of a profile, without the fields that the profile does not state."""
    names = profile.names
    fields = {
        "prefix": profile.nid,
        "name": profile.title,
        "description": profile.summary,
        "homepage": profile.homepage,
        "pattern": pattern_of(names.grammar) if names.grammar else "",
        "example": names.examples[0].urn.split(":", 2)[2] if names.examples else "",
        "keywords": [*profile.subjects, *profile.keywords],
    }
    return {name: value for name, value in fields.items() if value}


def pattern_of(grammar: Grammar) -> str:
    """A pattern of Python's `re` for local identifiers; "" if only RE2 takes it."""
    pattern = f"^(?:{grammar.pattern})$"
    return pattern if _is_pattern_of_python(pattern) else ""


def _is_pattern_of_python(pattern: str) -> bool:
    if OF_RE2_ONLY.search(pattern):
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


# A row contains all texts of a namespace, so few rows are fetched at once.
CHUNK = 100
VERSIONS = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version")
ONE_VERSION = JSONObject(
    version="version",
    origin="origin",
    registered_at="registered_at",
    digest="digest",
    commitments="commitments",
    sections="content",
    text="text",
    original_file="original__file",
    original_form="original__form",
    original_digest="original__digest",
    original_text="original__text",
)
PROFILES = ProfileVersion.objects.filter(namespace=OuterRef("pk")).order_by("version")
OF_A_PROFILE = ("version", "content", "digest", "basis", "set_at")
ONE_PROFILE = JSONObject(**{name: name for name in OF_A_PROFILE})
PLAIN = (
    "nid",
    "kind",
    "number",
    "origin",
    "registered_on",
    "updated_on",
    "purpose",
    "references",
    "template_url",
    "changed_at",
)
CONTACT = ("name", "email", "changed_at", "confirmed_at", "unverified_since")
DEPRECATION = ("deprecated_at", "deprecation_statement", "successor__nid")
AT_IANA = ("name", "as_of", "removed_on", "date", "updated", "references", "template", "contact")


def format_json_lines() -> Iterator[str]:
    """Yield one line for each namespace, ordered by NID. A registry without namespaces is an empty file."""
    yield from (f"{to_json(each)}\n" for each in exported_namespaces())


def exported_namespaces() -> Iterator[dict[str, Any]]:
    """Yield the exported data of each namespace, ordered by NID."""
    registry = IanaRegistry.current()
    people = {each.attribute("id"): _person(each) for each in (registry.part("people") if registry else ())}
    at_iana = [f"iana_record__{name}" for name in AT_IANA]
    contact = [f"contact__{name}" for name in CONTACT]
    rows = (
        Namespace.objects.order_by("nid")
        .annotate(
            versions=ArraySubquery(VERSIONS.values(json=ONE_VERSION)),
            versions_of_profile=ArraySubquery(PROFILES.values(json=ONE_PROFILE)),
        )
        .values(
            *PLAIN,
            "holder",
            *DEPRECATION,
            *at_iana,
            "iana_record__pk",
            "versions",
            "versions_of_profile",
            *contact,
            "organisation",
            "organisation__name",
        )
    )
    for row in rows.iterator(chunk_size=CHUNK):
        yield _namespace(row, people)


def _namespace(row: dict[str, Any], people: dict[str, dict[str, Any]]) -> dict[str, Any]:
    iana = {name: row[f"iana_record__{name}"] for name in AT_IANA} if row["iana_record__pk"] else None
    plain = {name: None if row[name] == "" else row[name] for name in PLAIN}
    return plain | {
        "registrant": row["holder"] or None,
        "changed_at": instant(row["changed_at"].isoformat()),
        "url": public_url("namespaces:detail", nid=row["nid"]),
        "deprecation": _deprecation(row),
        "change_controller": _change_controller(row),
        "contact": _contact(row),
        "versions": [_version(each) for each in row["versions"]],
        "versions_of_profile": [
            each | {"set_at": instant(each["set_at"])} for each in row["versions_of_profile"]
        ],
        "iana": iana,
        "people": [people[each] for each in _persons_in(iana) if each in people],
    }


def _change_controller(row: dict[str, Any]) -> dict[str, Any] | None:
    """The organisation that is responsible for the namespace; None if that is a person or is not known."""
    if row["organisation"] is None:
        return None
    url = public_url("organisations:detail", pk=row["organisation"])
    return {"number": row["organisation"], "name": row["organisation__name"], "html": url}


def _contact(row: dict[str, Any]) -> dict[str, Any] | None:
    """The contact beside the registered text, and whether it was confirmed; None without a registrant."""
    if row["contact__confirmed_at"] is None:
        return None
    columns = {name: row[f"contact__{name}"] or None for name in CONTACT}
    return {
        name: instant(value.isoformat()) if name.endswith(("_at", "_since")) and value else value
        for name, value in columns.items()
    }


def instant(text: str) -> str:
    """An instant in UTC as in the API, with “Z”."""
    return text.replace("+00:00", "Z")


def _deprecation(row: dict[str, Any]) -> dict[str, Any] | None:
    if row["deprecated_at"] is None:
        return None
    return {
        "deprecated_at": instant(row["deprecated_at"].isoformat()),
        "statement": row["deprecation_statement"],
        "successor": row["successor__nid"],
    }


def _version(row: dict[str, Any]) -> dict[str, Any]:
    """Return one version as JSON; `original` is the text of the file that it was imported from."""
    original = {name: row.pop(f"original_{name}") for name in ("file", "form", "digest", "text")}
    registered_at = instant(row["registered_at"])
    return row | {"registered_at": registered_at, "original": original if original["file"] else None}


def _persons_in(iana: dict[str, Any] | None) -> list[str]:
    """Return the distinct ids of the people that IANA's entry refers to."""
    if iana is None:
        return []
    parts = [*iana["references"], *(iana["template"] or []), *(iana["contact"] or [])]
    xrefs = [part for part in parts if isinstance(part, dict)]
    return list(dict.fromkeys(xref["data"] for xref in xrefs if xref["type"] == "person"))


def _person(element: Element) -> dict[str, Any]:
    """Return an entry of IANA's list of people as JSON. IANA writes “&” for “@” in addresses."""
    texts = {
        tag: [each.text for each in element.children if each.tag == tag] for tag in ("name", "org", "updated")
    }
    uris = [each.text for each in element.children if each.tag == "uri"]
    return {
        "id": element.attribute("id"),
        **{tag: found[0] if found else None for tag, found in texts.items()},
        "uris": uris,
    }
