"""Leaves: what an event is in the Merkle tree of the log. Everyone can compute those of format 2 from public data.

Format 1: the leaf is the digest of the event, 32 octets. The digest is the SHA-256 of the canonical JSON of the whole event
(`Event.canonical`), which is not public.

Format 2: the leaf is the canonical JSON (RFC 8785) of the public form of the event. What is not public is a commitment in
`hidden`: the SHA-256 of a salt, in ASCII, followed by canonical JSON. Of a public event, everything that is private is one
commitment, which is there also if there is nothing private: so the leaf does not tell what an event has. The name of the actor
is a commitment of its own, whose value and salt are erased with the person (`personal_data`). The digest of the event is the
hash of the leaf in the tree (RFC 6962, Section 2.1): SHA-256 of an octet 0 and the leaf.

The salts of an event are written with it, by the names of what they hide, and with them the names of its private details. They
decide what the leaf contains, so that it stays as it is when a later version publishes more, or less.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from registry.core.canonical_json import canonical
from registry.core.digests import new_salt, salted_digest
from registry.core.exceptions import RegistryError

FORMAT_1, FORMAT_2 = 1, 2
# The event that changes the format: later events have the format that it names. Only code before format 2, if the registry goes
# back to it, writes format 1 again.
FORMAT_CHANGE = "change_event_format"
# What a salt hides: all of a private event, all that is private of a public one, a long reason, a long detail.
EVENT, REST, REASON, DETAIL = "event", "rest", "reason", "details."
# Beside the salts of a public event: the names of its private details.
PRIVATE_DETAILS = "private_details"
# Octets. A text that is longer is in the leaf as a commitment: tiles limit leaves (https://c2sp.org/tlog-tiles).
LONGEST_MEMBER = 8_192
LONGEST_LEAF = 65_535


class Event(Protocol):
    """What a leaf is computed from: `models.Event`, whose module imports this one."""

    number: Any
    at: Any
    actor_id: Any
    verb: Any
    case_number: Any
    nid: Any
    from_state: Any
    to_state: Any
    reason: Any
    text_digest: Any
    details: Any
    identities: Any
    salts: Any
    previous: Any


class LeafTooLong(RegistryError):
    """The public members of an event don't fit into a leaf."""

    title = "Event too long"


# SHA-256 of a salt, in ASCII, followed by the canonical JSON of a value, in hexadecimal.
commitment = partial(salted_digest, encode=canonical)


def new_salts(event: Event, *, is_public: bool, details: Iterable[str]) -> dict[str, Any]:
    """Return the salts of an event, and the names of its private details. `details` are the names of public ones."""
    if not is_public:
        return {EVENT: new_salt()}
    private = sorted(event.details.keys() - set(details))
    texts = {f"{DETAIL}{name}": value for name, value in event.details.items() if name not in private}
    long = [name for name, value in (texts | {REASON: event.reason}).items() if _is_long(value)]
    return {name: new_salt() for name in (REST, *long)} | {PRIVATE_DETAILS: private}


def private_details(salts: Mapping[str, Any] | None) -> frozenset[str] | None:
    """Return the names of the details that are not public, from the salts of a public event; None for format 1."""
    return None if salts is None else frozenset(salts[PRIVATE_DETAILS])


def _is_long(value: Any) -> bool:
    """Whether the canonical JSON of a value has more than LONGEST_MEMBER octets, at most 6 for each character of a text."""
    if isinstance(value, str) and len(value) * 6 + 2 <= LONGEST_MEMBER:
        return False
    return not isinstance(value, (int, type(None))) and len(canonical(value).encode()) > LONGEST_MEMBER


def leaf_of(event: Event) -> bytes:
    """Return the leaf of an event of format 2, in UTF-8. Raises LeafTooLong, or NotCanonical."""
    salts: Mapping[str, Any] = event.salts or {}
    members: dict[str, Any] = {
        "format": FORMAT_2,
        "number": event.number,
        "previous": event.previous,
        "is_public": EVENT not in salts,
    }
    if EVENT in salts:
        members["hidden"] = {EVENT: commitment(salts[EVENT], _content(event))}
    else:
        members |= _public_members(event, salts)
    leaf = canonical(members).encode()
    if len(leaf) > LONGEST_LEAF:
        raise LeafTooLong(
            f"The public members of the event “{event.verb}” have {len(leaf)} octets. A leaf of the audit log has at most "
            f"{LONGEST_LEAF} (tlog-tiles). Shorten its reason and its details."
        )
    return leaf


# The part of `Event.identities` with the commitment to the name of the actor, as it is shown.
SHOWN_NAME = "shown"


def instant(event: Event) -> str:
    """The time of an event in UTC (RFC 3339), as in the API: with microseconds, unless these are 0."""
    return f"{event.at.isoformat().removesuffix('+00:00')}Z"


def _public_members(event: Event, salts: Mapping[str, Any]) -> dict[str, Any]:
    """What the leaf of a public event has beside its place."""
    private = salts[PRIVATE_DETAILS]
    hidden: dict[str, Any] = {
        REST: {
            "actor": event.actor_id,
            "identities": event.identities,
            "details": {name: event.details[name] for name in private},
        }
    }
    shown: dict[str, Any] = {}
    for name, value in event.details.items():
        if f"{DETAIL}{name}" in salts:
            hidden[f"{DETAIL}{name}"] = value
        elif name not in private:
            shown[name] = value
    if REASON in salts:
        hidden[REASON] = event.reason
    return {
        "hidden": {name: commitment(salts[name], value) for name, value in hidden.items()},
        "at": instant(event),
        "verb": event.verb,
        "actor": event.identities.get(SHOWN_NAME),
        "case": event.case_number,
        "nid": event.nid or None,
        "from_state": event.from_state or None,
        "to_state": event.to_state or None,
        "reason": None if REASON in salts else event.reason or None,
        "text_digest": event.text_digest or None,
        "details": shown,
    }


def _content(event: Event) -> dict[str, Any]:
    """All of a private event."""
    return {
        "at": instant(event),
        "verb": event.verb,
        "actor": event.actor_id,
        "identities": event.identities,
        "case": event.case_number,
        "nid": event.nid,
        "from_state": event.from_state,
        "to_state": event.to_state,
        "reason": event.reason,
        "text_digest": event.text_digest,
        "details": event.details,
    }
