"""Results of checks and resolution, and events, as values. Members that this version of the client does not know are left out."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Self

from urnregistry.members import as_nid, instant_or_none, read, whole
from urnregistry.proofs import leaf_hash


@dataclass(frozen=True, slots=True)
class URNCheck:
    """Whether a text is a URN, and follows the rules of its namespace. `conformant` is None if no rules are known.

    `notes` are remarks that are not errors, and `doubts` what is doubtful in a conformant URN, as sentences.
    `subnamespaces` are the prefixes of the sub-namespaces that it belongs to, the outermost first.
    `sighted` tells that the NID is in use without a registration. At the level of syntax, the members from `nid` to
    `displayed` are None. The last four tell which rule is broken where, at that level alone.
    """

    urn: str
    is_urn: bool
    reason: str | None = None
    nid: str | None = None
    registered: bool | None = None
    deprecated: bool | None = None
    sighted: bool | None = None
    conformant: bool | None = None
    canonical: str | None = None
    displayed: str | None = None
    subnamespaces: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    position: int | None = None
    rule: str | None = None
    section: str | None = None
    document: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the text is a URN, and no rule of a namespace is known to be broken."""
        return self.is_urn and self.conformant is not False

    @classmethod
    def from_json(cls, urn: str, result: Mapping[str, Any]) -> Self:
        notes = tuple(each["message"] for each in result.get("notes", ()))
        doubts = tuple(each["reason"] for each in result.get("doubts", ()))
        below = tuple(result.get("subnamespaces", ()))
        return read(cls, result, urn=urn, subnamespaces=below, notes=notes, doubts=doubts)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The address of a URN and the kind of its service (RFC 2483), or the reason why there is none."""

    urn: str
    address: str | None
    kind: str | None
    reason: str | None

    @classmethod
    def from_json(cls, result: Mapping[str, Any]) -> Self:
        return read(cls, result)


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the log. An event that is not public has a number, a leaf and nothing else.

    `leaf` is the entry of the event in the Merkle tree of the log; None if a registry without such leaves wrote it.
    `members` are all members, as in the response.
    """

    number: int
    is_public: bool
    at: datetime | None
    verb: str | None
    actor: str | None
    case: int | None
    nid: str | None
    from_state: str | None
    to_state: str | None
    reason: str | None
    text_digest: str | None
    details: Mapping[str, Any] | None
    digest: str | None
    members: Mapping[str, Any]
    leaf: str | None = None
    actor_salt: str | None = None

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        if "namespace" in members["links"]:
            as_nid(members["nid"])
        number, is_public = whole(members["number"]), bool(members["is_public"])
        at = instant_or_none(members["at"])
        return read(cls, members, number=number, is_public=is_public, at=at, members=members)

    @property
    def computed_digest(self) -> str | None:
        """The digest of the event, computed from its leaf; that which the registry states for an event without one."""
        return leaf_hash(self.leaf.encode()).hex() if self.leaf else self.digest

    @property
    def changed_namespace(self) -> str | None:
        """The NID of the namespace that the event changed, if any."""
        return self.nid if "namespace" in self.members["links"] else None

    def is_still(self, now: "Event") -> bool:
        """Whether `now` is this event: the members that this one has, except those that may change, have the same values.

        A copy may be older than a member of the API, such as `leaf`.
        """
        lasting = self.members.keys() - CHANGING
        return all(name in now.members and now.members[name] == self.members[name] for name in lasting)


# Names of people change if the people leave, and addresses if the registry moves. Details are compared with the leaf.
CHANGING = frozenset(["actor", "actor_salt", "details", "links"])
# What to ask for: a registry sends `leaf` and `actor_salt` on request alone.
MEMBERS = ",".join([*(each.name for each in fields(Event) if each.name != "members"), "links"])
