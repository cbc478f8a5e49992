"""The public events of claims and contacts, in the histories of namespaces."""

from datetime import date

from registry.actions.declarations import EventType
from registry.audit_log.details import Detail
from registry.namespaces.event_details import CLAIM, NEW_REGISTRANT
from registry.organisations.history import ORGANISATION, PERSON

EVENT_TYPES = (
    EventType(
        name="announce_claim",
        past="Claim announced: objections until {until}",
        details=(CLAIM, Detail("until", date, "The day from which the claim can be approved.")),
    ),
    EventType(name="object_to_claim", past="Objection: the claim ended", details=(CLAIM,)),
    EventType(name="approve_claim", past="Claim approved: new registrant", details=(CLAIM, *NEW_REGISTRANT)),
    EventType(
        name="restore_representative",
        past="Claim approved: the organisation has another representative",
        details=(CLAIM, ORGANISATION, PERSON),
    ),
    EventType(name="change_contact", past="Contact changed"),
    EventType(name="confirm_contact", past="Contact confirmed"),
    EventType(name="contact_unverified", past="Contact not confirmed for a year"),
)
