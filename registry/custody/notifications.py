"""Mails about claims of namespaces, created in the transaction of the change.

The text of a mail is in `templates/emails/<verb of the event>.txt`.
"""

from registry.accounts.models import addresses
from registry.audit_log.models import Event
from registry.custody.known_addresses import known_addresses_of
from registry.custody.links import objection_path
from registry.custody.models import NamespaceClaim
from registry.mail import outbox
from registry.namespaces.services.notifications import administrators

# The other mails of an event, to everyone who may be the registrant.
TO_KNOWN_ADDRESSES = {"announce_claim_to_registrant", "approve_claim_to_registrant"}


def notify_of_claim(event: Event, claim: NamespaceClaim) -> None:
    """Mail the claimant and the administrators, and the known addresses what they can object to, or must know."""
    people = [claim.claimant, *administrators()]
    context: dict[str, object] = {"claim": claim, "namespace": claim.namespace, "event": event}
    outbox.post(event.verb, to=addresses(people), context=context, event_number=event.number)
    known = f"{event.verb}_to_registrant"
    if known in TO_KNOWN_ADDRESSES:
        to = known_addresses_of(claim)
        context |= {"objection_path": objection_path(claim)}
        outbox.post(known, to=to, context=context, event_number=event.number)
