"""Mails about changes of a registered namespace, created in the transaction of the change.

The text of a mail is in `templates/emails/<verb of the event>.txt`.
"""

from collections.abc import Iterable

from registry.accounts.models import RoleName, User, addresses
from registry.actions.declarations import ActionContext
from registry.audit_log.models import Event
from registry.mail import outbox
from registry.namespaces.models import Namespace, ProfileVersion, Transfer
from registry.namespaces.profiles import comparison_in_words
from registry.namespaces.services.registrants import people_of


def notify_of_transfer(event: Event, transfer: Transfer, *, people_before: Iterable[User]) -> None:
    """Mail both parties, the person who acted, and the people of the namespace, now and before the event. The address may
    belong to no account.
    """
    people = {transfer.offered_by, *([event.actor] if event.actor else []), *people_before}
    people |= {*people_of(transfer.namespace)}
    to = addresses(people)
    if not any(person.has_address(transfer.email) for person in people):
        to.append(transfer.email)
    _post(event, transfer.namespace, to, transfer=transfer, needs_account=transfer.email)


def notify_of_release(event: Event, namespace: Namespace) -> None:
    """Mail the administrators, who can offer the namespace to another registrant."""
    _post(event, namespace, addresses(User.objects.holding(RoleName.ADMINISTRATOR)))


def notify_registrant(event: Event, namespace: Namespace) -> None:
    """Mail the registrant. An imported namespace has none."""
    _post(event, namespace, _registrant_of(namespace))


def mail_registrant(event: Event, context: ActionContext[Namespace]) -> None:
    """Mail the registrant of the namespace that an action changed."""
    notify_registrant(event, context.subject)


def notify_of_profile(event: Event, made: ProfileVersion) -> None:
    """Mail the registrant. Most imported namespaces have none, and loading profiles sets many."""
    if to := _registrant_of(made.namespace):
        profile = made.value
        comparison = comparison_in_words(profile.names) if profile else ""
        _post(event, made.namespace, to, profile=profile, comparison=comparison)


def _registrant_of(namespace: Namespace) -> list[str]:
    return addresses(people_of(namespace))


def _post(
    event: Event, namespace: Namespace, to: Iterable[str], *, needs_account: str = "", **more: object
) -> None:
    context = {"namespace": namespace, "event": event, **more}
    outbox.post(event.verb, to=to, context=context, event_number=event.number, needs_account=needs_account)
