"""The public events of claims and contacts, in the histories of namespaces."""

from registry.actions.declarations import EventType
from registry.custody.services.claims import (
    ANNOUNCE_CLAIM,
    APPROVE_CLAIM,
    OBJECT_TO_CLAIM,
    RESTORE_REPRESENTATIVE,
)
from registry.custody.services.contact import CHANGE_CONTACT, CONFIRM_CONTACT

EVENT_TYPES = (
    ANNOUNCE_CLAIM,
    OBJECT_TO_CLAIM,
    APPROVE_CLAIM,
    RESTORE_REPRESENTATIVE,
    CHANGE_CONTACT,
    CONFIRM_CONTACT,
    EventType(name="contact_unverified", past="Contact not confirmed for a year"),
)
