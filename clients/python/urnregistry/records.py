"""The registry's responses as values. Members that this version of the client does not know are left out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Self

from urnregistry.exchange import Source


@dataclass(frozen=True, slots=True)
class Reference:
    """A document about a namespace, such as an RFC."""

    type: str
    label: str
    target: str


@dataclass(frozen=True, slots=True)
class Deprecation:
    """When and why a namespace was deprecated, and the NID to use instead."""

    deprecated_at: datetime
    statement: str
    successor: str | None

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        return cls(instant(members["deprecated_at"]), members["statement"], members["successor"])


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace in a list. Dates are those of the registration: a day, a month, or unknown."""

    nid: str
    kind: str
    number: int | None
    origin: str
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
        return cls(**_shared_members(item), is_deprecated=item["status"] == "deprecated")


@dataclass(frozen=True, slots=True)
class NamespaceDetail(Namespace):
    """A namespace with its deprecation and the numbers of its versions."""

    versions: tuple[int, ...]
    deprecation: Deprecation | None
    source: Source = Source.REGISTRY

    @classmethod
    def from_resource(cls, body: Mapping[str, Any]) -> Self:
        """Parse the response of a lookup."""
        deprecation = body["deprecation"]
        if deprecation and deprecation["successor"]:
            deprecation = {**deprecation, "successor": deprecation["successor"]["nid"]}
        return cls._in_full(body, deprecation)

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> Self:
        """Parse a line of the file of the whole registry."""
        profiles = line["versions_of_profile"]
        title = profiles[-1]["content"]["title"] if profiles and profiles[-1]["content"] else None
        return cls._in_full({**line, "title": title}, line["deprecation"])

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Restore what `to_json` returned."""
        versions = [{"version": version} for version in kept["versions"]]
        return cls._in_full({**kept, "versions": versions}, kept["deprecation"])

    def to_json(self) -> dict[str, Any]:
        """Return the namespace as JSON, with instants in UTC."""
        members = asdict(self) | {"changed_at": self.changed_at.isoformat()}
        if self.deprecation:
            members["deprecation"]["deprecated_at"] = self.deprecation.deprecated_at.isoformat()
        return members

    def with_source(self, source: Source) -> Self:
        return replace(self, source=source)

    @classmethod
    def _in_full(cls, members: Mapping[str, Any], deprecation: Mapping[str, Any] | None) -> Self:
        return cls(
            **_shared_members(members),
            is_deprecated=deprecation is not None,
            versions=tuple(each["version"] for each in members["versions"]),
            deprecation=Deprecation.from_json(deprecation) if deprecation else None,
        )


AS_THEY_ARE = (
    "nid",
    "kind",
    "number",
    "origin",
    "registrant",
    "registered_on",
    "updated_on",
    "purpose",
    "title",
    "template_url",
)


def _shared_members(members: Mapping[str, Any]) -> dict[str, Any]:
    references = tuple(
        Reference(each["type"], each["label"], each["target"]) for each in members["references"]
    )
    own = {"references": references, "changed_at": instant(members["changed_at"])}
    return {name: members[name] for name in AS_THEY_ARE} | own


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class URNCheck:
    """Whether a text is a URN, and follows the rules of its namespace. `conformant` is None if no rules are known.

    At the level of syntax, only `urn`, `is_urn` and `reason` are known; the other members are None.
    """

    urn: str
    is_urn: bool
    reason: str | None
    nid: str | None = None
    registered: bool | None = None
    deprecated: bool | None = None
    conformant: bool | None = None
    canonical: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the text is a URN, and no rule of a namespace is known to be broken."""
        return self.is_urn and self.conformant is not False

    @classmethod
    def from_json(cls, urn: str, result: Mapping[str, Any]) -> Self:
        optional = ("nid", "registered", "deprecated", "conformant", "canonical")
        return cls(
            urn, result["is_urn"], result.get("reason"), **{name: result.get(name) for name in optional}
        )


@dataclass(frozen=True, slots=True)
class Resolution:
    """The address of a URN and the kind of its service (RFC 2483), or the reason why there is none."""

    urn: str
    address: str | None
    kind: str | None
    reason: str | None

    @classmethod
    def from_json(cls, result: Mapping[str, Any]) -> Self:
        return cls(result["urn"], result["address"], result["kind"], result["reason"])


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the log. An event that is not public has a number and nothing else.

    `members` are all members, as in the response.
    """

    number: int
    is_public: bool
    at: datetime | None
    verb: str | None
    case: int | None
    nid: str | None
    digest: str | None
    members: Mapping[str, Any]

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        at = members["at"]
        own = {name: members[name] for name in ("number", "is_public", "verb", "case", "nid", "digest")}
        return cls(**own, at=instant(at) if at else None, members=members)

    @property
    def changed_namespace(self) -> str | None:
        """The NID of the namespace that the event changed, if any."""
        return self.nid if "namespace" in self.members["links"] else None

    @property
    def lasting(self) -> dict[str, Any]:
        """The members that never change. Names of people do if the people leave, and addresses if the registry moves."""
        return {name: value for name, value in self.members.items() if name not in CHANGING}


CHANGING = frozenset(["actor", "details", "links"])
