"""Checks of events by their leaves: https://c2sp.org/tlog-tiles calls them entries of the log.

The leaf of an event is canonical JSON with all that the registry publishes about the event, except the name of the actor, and
commitments to everything else. Its member `previous` is the digest of the event before.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from urnregistry.errors import LogChanged, ProofRefused, UnexpectedResponse
from urnregistry.members import MALFORMED
from urnregistry.proofs import ProvenEvent, digest_of_json
from urnregistry.records import Event

FORMAT = 2
# The event with which leaves begin, also after events that code of an earlier release wrote in between.
FORMAT_CHANGE = "change_event_format"
SAME = ("at", "verb", "case", "nid", "from_state", "to_state", "reason", "text_digest")
DETAIL = "details."


def check_leaf(event: Event, before: Event | None) -> None:
    """Check that an event has the digest of its leaf and says what it says, and that it continues the event before it.

    `before` is None if it is not known. Raises LogChanged or UnexpectedResponse.
    """
    if event.leaf is None:
        return
    try:
        leaf = json.loads(event.leaf)
        place = (leaf["number"], leaf["is_public"])
        previous, is_same = leaf["previous"], not event.is_public or _is_same(event, leaf)
        form = leaf["format"]
    except MALFORMED as fault:
        raise UnexpectedResponse(
            f"The leaf of event {event.number} is not in the form that is known here."
        ) from fault
    if form != FORMAT:
        raise UnexpectedResponse(f"The leaf of event {event.number} has a format that is not known here.")
    if event.is_public and event.computed_digest != event.digest:
        raise LogChanged(f"Event {event.number} does not have the digest of its leaf.")
    if place != (event.number, event.is_public):
        raise LogChanged(f"The leaf of event {event.number} is that of another one.")
    if not is_same:
        raise LogChanged(f"The leaf of event {event.number} says something else than the event.")
    if before is None:
        return
    if before.computed_digest not in (None, previous):
        raise LogChanged(f"Event {event.number} does not continue the event before it.")
    if _has_no_leaf(before) and event.verb != FORMAT_CHANGE:
        raise LogChanged(
            f"Event {event.number} has a leaf, the event before it has none, and it does not say that the format changes."
        )


def explained(events: Sequence[Event], before: Event | None) -> Sequence[Event]:
    """Return the first of these events, up to one without a leaf that follows one with a leaf and that none explains.

    Only code of an earlier release writes such events. As soon as later code writes again, it records the change of the
    format. Raises LogChanged if nothing is left: then the registry withholds a leaf, or its earlier code is still in use.
    """
    last_change = max((each.number for each in events if each.verb == FORMAT_CHANGE), default=0)
    known = [before, *events] if before else list(events)
    for former, event in pairwise(known):
        if former.leaf and _has_no_leaf(event) and event.number > last_change:
            kept = [each for each in events if each.number < event.number]
            if kept:
                return kept
            raise LogChanged(
                f"Event {event.number} has no leaf, although the event before it has one. If the registry runs code of an "
                "earlier release for a while, its log goes on with leaves later."
            )
    return events


def verify_actor(proven: ProvenEvent, name: str, salt: str) -> None:
    """Check the name of the person who acted, with the salt in `actor_salt` of the API. Raises ProofRefused."""
    if proven.members.get("actor") != digest_of_json({"shown": name}, salt):
        raise ProofRefused(f"The log does not say that “{name}” made event {proven.number}.")


def _has_no_leaf(event: Event) -> bool:
    """Whether the registry said that an event has none. Earlier versions of this client did not ask for leaves."""
    return event.leaf is None and "leaf" in event.members


def _is_same(event: Event, leaf: Mapping[str, Any]) -> bool:
    """Whether a public event says what its leaf says. Long texts are commitments there, whose salts are not public."""
    hidden, said = leaf["hidden"], event.members
    details = {
        name: value for name, value in (event.details or {}).items() if f"{DETAIL}{name}" not in hidden
    }
    recorded = {name: value for name, value in leaf["details"].items() if value not in ("", None)}
    return details == recorded and all(leaf[name] == said[name] for name in SAME if name not in hidden)
