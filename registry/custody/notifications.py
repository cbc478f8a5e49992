"""Mails about claims and contacts of namespaces, created in the transaction of the change.

The text of a mail is in `templates/emails/<verb of the event>.txt`.
"""

from datetime import datetime

from registry.accounts.models import RoleName, User, addresses
from registry.audit_log.models import Event
from registry.custody.evidence import address_of, addresses_of_contact, known_addresses_of
from registry.custody.links import confirmation_path, objection_path
from registry.custody.models import NamespaceClaim, NamespaceContact
from registry.custody.permissions import has_conflict
from registry.mail import outbox

# The other mails of an event, to everyone who may be the registrant.
TO_KNOWN_ADDRESSES = {
    "announce_claim_to_registrant",
    "approve_claim_to_registrant",
    "restore_representative_to_registrant",
}


def notify_of_claim(event: Event, claim: NamespaceClaim) -> None:
    """Mail the claimant and the administrators without a conflict of interest, and the known addresses what they can
    object to, or must know.
    """
    administrators = User.objects.holding(RoleName.ADMINISTRATOR)
    people = [claim.claimant, *(each for each in administrators if not has_conflict(each, claim))]
    context: dict[str, object] = {"claim": claim, "namespace": claim.namespace, "event": event}
    outbox.post(event.verb, to=addresses(people), context=context, event_number=event.number)
    known = f"{event.verb}_to_registrant"
    if known in TO_KNOWN_ADDRESSES:
        to = known_addresses_of(claim)
        context |= {"objection_path": objection_path(claim)}
        outbox.post(known, to=to, context=context, event_number=event.number)


def notify_of_contact(event: Event, contact: NamespaceContact, *, former: str) -> None:
    """Mail the registrant, the contact, and the address of the contact before, if there was one."""
    to = {*addresses_of_contact(contact), *([former] if former else [])}
    context = {"contact": contact, "namespace": contact.namespace, "event": event}
    outbox.post(event.verb, to=sorted(to), context=context, event_number=event.number)


def remind_of_contact(contact: NamespaceContact, limit: datetime) -> None:
    """Mail the registrant and the contact a link that confirms the contact, each their own."""
    context = {"contact": contact, "namespace": contact.namespace, "limit": limit}
    for address in addresses_of_contact(contact):
        path = confirmation_path(contact, is_to_contact=address == address_of(contact))
        outbox.post("confirm_contact", to=[address], context=context | {"confirmation_path": path})
