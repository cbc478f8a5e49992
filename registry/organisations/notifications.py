"""Mails about organisations and their members, created in the transaction of the change.

The text of a mail is in `templates/emails/<verb of the event>.txt`.
"""

from collections.abc import Iterable

from registry.accounts.models import User, addresses
from registry.audit_log.models import Event
from registry.mail import outbox
from registry.organisations.models import MemberRole, Organisation, members_of


def notify(
    event: Event,
    organisation: Organisation,
    *,
    person: User | None = None,
    invited: str = "",
    **more: object,
) -> None:
    """Mail the representatives, the member whom the event concerns, and the address that is invited.

    The address may belong to no account.
    """
    people: Iterable[User] = [
        *members_of(organisation.pk, [MemberRole.REPRESENTATIVE]),
        *([person] if person else []),
    ]
    to = addresses(people)
    if invited and invited.lower() not in map(str.lower, to):
        to.append(invited)
    context = {"organisation": organisation, "event": event, "person": person, "invited": invited, **more}
    outbox.post(event.verb, to=to, context=context, event_number=event.number, needs_account=invited)
