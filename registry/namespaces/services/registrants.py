"""The only writer of the registrant or organisation of a registered namespace, and the people behind them."""

from typing import Any

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.namespaces.models import Namespace
from registry.organisations.models import Controller, Organisation, members_of

# The events by which a registered namespace gets or loses its registrant or organisation.
REGISTRANT_EVENTS = ("accept_transfer", "approve_claim", "move_to_organisation", "release_namespace")


def change_registrant(namespace: Namespace, to: User | Organisation | None) -> dict[str, Any]:
    """Set the registrant, or the organisation, of a locked namespace. Returns the details of the event, which the
    caller writes.
    """
    former = namespace.controller
    namespace.registrant = to if isinstance(to, User) else None
    namespace.organisation = to if isinstance(to, Organisation) else None
    namespace.save(update_fields=["registrant", "organisation"])
    details = {
        "person": namespace.registrant_id,
        "organisation": namespace.organisation_id,
        "former_organisation": former.organisation,
    }
    return {"former": former.person} | {name: key for name, key in details.items() if key is not None}


def controller_after(event: Event) -> Controller:
    """The person or organisation that the namespace has after an event of `REGISTRANT_EVENTS`."""
    return Controller(event.details.get("person"), event.details.get("organisation"))


def latest_registrant_event(namespace: Namespace) -> int:
    """The number of the event by which a registered namespace got or lost its registrant; 0 if there is none."""
    events = Event.objects.of_namespace(namespace.nid).filter(verb__in=REGISTRANT_EVENTS)
    return events.order_by("-number").values_list("number", flat=True).first() or 0


def people_of(namespace: Namespace) -> list[User]:
    """The people who get the mail of a namespace: its registrant, or the members of its organisation."""
    if namespace.organisation_id is not None:
        return list(members_of(namespace.organisation_id))
    return [namespace.registrant] if namespace.registrant else []
