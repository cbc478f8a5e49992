"""The only writer of the registrant of a registered namespace."""

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.namespaces.models import Namespace

# The events by which a registered namespace gets or loses its registrant.
REGISTRANT_EVENTS = ("accept_transfer", "approve_claim", "release_namespace")


def change_registrant(namespace: Namespace, to: User | None) -> int | None:
    """Set the registrant of a locked namespace, and return the key of the former one. The caller writes the event."""
    former, namespace.registrant = namespace.registrant_id, to
    namespace.save(update_fields=["registrant"])
    return former


def latest_registrant_event(namespace: Namespace) -> int:
    """The number of the event by which a registered namespace got or lost its registrant; 0 if there is none."""
    events = Event.objects.of_namespace(namespace.nid).filter(verb__in=REGISTRANT_EVENTS)
    return events.order_by("-number").values_list("number", flat=True).first() or 0
