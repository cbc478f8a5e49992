"""Namespaces as values."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Self

from urnregistry.exchange import Source
from urnregistry.members import as_nid, instant, instant_or_none, read, read_all
from urnregistry.profiles import Profile, members_of_document


@dataclass(frozen=True, slots=True)
class Reference:
    """A document about a namespace, such as an RFC."""

    type: str
    label: str | None
    target: str | None


@dataclass(frozen=True, slots=True)
class Deprecation:
    """When and why a namespace was deprecated, and the NID to use instead."""

    deprecated_at: datetime
    statement: str
    successor: str | None

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        return read(cls, members, deprecated_at=instant(members["deprecated_at"]))


@dataclass(frozen=True, slots=True)
class Contact:
    """The contact beside the registered text, and whether it was confirmed. Without one, `name` and `email` are None."""

    name: str | None
    email: str | None
    changed_at: datetime | None
    confirmed_at: datetime
    unverified_since: datetime | None

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        return read(
            cls,
            members,
            changed_at=instant_or_none(members["changed_at"]),
            confirmed_at=instant(members["confirmed_at"]),
            unverified_since=instant_or_none(members["unverified_since"]),
        )


@dataclass(frozen=True, slots=True)
class ChangeController:
    """The organisation that is responsible for a namespace. `html` is the address of its page."""

    number: int
    name: str
    html: str


@dataclass(frozen=True, slots=True)
class Registrant:
    """The Registrant section of a template. Unknown values are empty."""

    organization: str = ""
    address: str = ""
    contact_person: str = ""
    email: str = ""
    phone: str = ""
    postal_address: str = ""
    fast_track: bool = False
    other: str = ""


@dataclass(frozen=True, slots=True)
class Sections:
    """The registration template (RFC 8141, Appendix A). `texts` are the filled sections by key, such as “purpose”."""

    version: int
    registrant: Registrant
    texts: Mapping[str, str]

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        return read(cls, members, registrant=read(Registrant, members["registrant"]))


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace in a list. Dates are those of the registration: a day, a month, or unknown."""

    nid: str
    kind: str
    number: int | None
    origin: str
    version: int
    registrant: str | None
    registered_on: str | None
    updated_on: str | None
    purpose: str | None
    title: str | None
    references: tuple[Reference, ...]
    template_url: str | None
    is_deprecated: bool
    changed_at: datetime

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Parse an entry of the list."""
        return read(cls, item, **_parsed_members(item), is_deprecated=item["status"] == "deprecated")


@dataclass(frozen=True, slots=True)
class NamespaceDetail(Namespace):
    """A namespace with its current registration, profile and contact, and the numbers of its versions.

    `sections` is None if only IANA has the text, and `contact` without a registrant. `change_controller` is None if that is
    a person or is not known.
    """

    versions: tuple[int, ...]
    deprecation: Deprecation | None
    sections: Sections | None
    change_controller: ChangeController | None
    contact: Contact | None
    profile: Profile | None
    source: Source = Source.REGISTRY

    @classmethod
    def from_resource(cls, body: Mapping[str, Any]) -> Self:
        """Parse the response of a lookup."""
        deprecation = body["deprecation"]
        if deprecation and deprecation["successor"]:
            deprecation = {**deprecation, "successor": deprecation["successor"]["nid"]}
        versions = [each["version"] for each in body["versions"]]
        sections = _with_texts_apart(body["sections"])
        return cls.from_json({**body, "deprecation": deprecation, "versions": versions, "sections": sections})

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> Self:
        """Parse a line of the file of the whole registry, which has all versions of the texts and of the profile."""
        latest: dict[str, Any] = [{"version": 1, "sections": None}, *line["versions"]][-1]
        last_profile: dict[str, Any] = [{"content": None}, *line["versions_of_profile"]][-1]
        document = last_profile["content"]
        current = {
            "version": latest["version"],
            "versions": [each["version"] for each in line["versions"]],
            "sections": _with_texts_apart(latest["sections"]),
            "title": document and document["title"],
            "profile": document and members_of_document(last_profile["version"], document),
        }
        return cls.from_json({**line, **current})

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Restore what `to_json` wrote."""
        parts = {
            name: kept[name] and kind.from_json(kept[name])
            for name, kind in (("deprecation", Deprecation), ("sections", Sections), ("contact", Contact), ("profile", Profile))
        }  # fmt: skip
        controller = kept["change_controller"]
        return read(
            cls,
            kept,
            **_parsed_members(kept),
            **parts,
            is_deprecated=kept["deprecation"] is not None,
            versions=tuple(kept["versions"]),
            change_controller=controller and read(ChangeController, controller),
        )

    def to_json(self) -> str:
        """The namespace as JSON, with instants in UTC."""
        return json.dumps(asdict(self), default=datetime.isoformat)

    def with_source(self, source: Source) -> Self:
        return replace(self, source=source)


def _parsed_members(members: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "nid": as_nid(members["nid"]),
        "references": read_all(Reference, members["references"]),
        "changed_at": instant(members["changed_at"]),
    }


def _with_texts_apart(sections: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The sections, with those that are texts in `texts` unless they are empty."""
    if sections is None:
        return None
    apart = {name: sections[name] for name in ("version", "registrant")}
    return apart | {"texts": {name: text for name, text in sections.items() if name not in apart and text}}
