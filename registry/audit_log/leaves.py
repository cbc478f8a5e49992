"""Leaves: what an event is in the Merkle tree of the log. Everyone can compute those of format 2 from public data.

Format 1: the leaf is the digest of the event, 32 octets. The digest is the SHA-256 of the canonical JSON of the whole event
(`Event.canonical`), which is not public.

Format 2: the leaf is the canonical JSON (RFC 8785) of the public form of the event. Each member that is not public is a
commitment in `hidden`: the SHA-256 of its salt, in ASCII, followed by its canonical JSON. So is the name of the actor, whose
value and salt are erased with the person (`personal_data`). The digest of the event is the hash of the leaf in the tree
(RFC 6962, Section 2.1): SHA-256 of an octet 0 and the leaf.

The salts of an event are written with it, by the names of what they hide. They decide what the leaf contains, so that it
stays as it is when a later version publishes more, or less.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from registry.core.canonical_json import canonical
from registry.core.digests import new_salt
from registry.core.exceptions import RegistryError

Event = Any  # `models.Event`, whose module imports this one

FORMAT_1, FORMAT_2 = 1, 2
# The event that changes the format: later events have the format that it names. Only code before format 2, if the registry goes
# back to it, writes format 1 again.
FORMAT_CHANGE = "change_event_format"
# What a salt hides: all of a private event, the people of an event, its reason, a detail.
EVENT, PEOPLE, REASON, DETAIL = "event", "people", "reason", "details."
# Octets. A text that is longer is in the leaf as a commitment: tiles limit leaves (https://c2sp.org/tlog-tiles).
LONGEST_MEMBER = 8_192
LONGEST_LEAF = 65_535


class LeafTooLong(RegistryError):
    """The public members of an event don't fit into a leaf."""

    title = "Event too long"


def commitment(salt: str, value: Any) -> str:
    """Return SHA-256 of the salt, in ASCII, followed by the canonical JSON of the value, in hexadecimal."""
    return hashlib.sha256(f"{salt}{canonical(value)}".encode()).hexdigest()


def new_salts(event: Event, *, is_public: bool, details: Iterable[str]) -> dict[str, str]:
    """Return a salt for each member of an event that is not public. `details` are the names of public ones."""
    if not is_public:
        return {EVENT: new_salt()}
    values, published = _values(event), {f"{DETAIL}{name}" for name in details} | {REASON}
    return {name: new_salt() for name, value in values.items() if name not in published or _is_long(value)}


def _is_long(value: Any) -> bool:
    """Whether the canonical JSON of a value has more than LONGEST_MEMBER octets, at most 6 for each character of a text."""
    if isinstance(value, str) and len(value) * 6 + 2 <= LONGEST_MEMBER:
        return False
    return not isinstance(value, (int, type(None))) and len(canonical(value).encode()) > LONGEST_MEMBER


def leaf_of(event: Event) -> bytes:
    """Return the leaf of an event of format 2, in UTF-8. Raises LeafTooLong."""
    salts: Mapping[str, str] = event.salts or {}
    values = {EVENT: _content(event)} if EVENT in salts else _values(event)
    members: dict[str, Any] = {
        "format": FORMAT_2,
        "number": event.number,
        "previous": event.previous,
        "is_public": EVENT not in salts,
        "hidden": {name: commitment(salt, values.get(name)) for name, salt in salts.items()},
    }
    if EVENT not in salts:
        members |= {
            "at": instant(event),
            "verb": event.verb,
            "actor": event.identities.get(SHOWN_NAME),
            "case": event.case_number,
            "nid": event.nid or None,
            "from_state": event.from_state or None,
            "to_state": event.to_state or None,
            "reason": None if REASON in salts else event.reason or None,
            "text_digest": event.text_digest or None,
            "details": {
                name: value for name, value in event.details.items() if f"{DETAIL}{name}" not in salts
            },
        }
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


def _values(event: Event) -> dict[str, Any]:
    """What an event has that can be hidden, by the names of salts."""
    found: dict[str, Any] = {f"{DETAIL}{name}": value for name, value in event.details.items()}
    if event.reason:
        found[REASON] = event.reason
    if event.actor_id is not None or event.identities:
        found[PEOPLE] = {"actor": event.actor_id, "identities": event.identities}
    return found


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
