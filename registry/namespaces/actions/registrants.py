"""The registrants of namespaces, and mails to them.

The text of a mail is in `templates/emails/<verb of the event>.txt`.
"""

from collections.abc import Iterable
from typing import Any

from registry.accounts.models import RoleName, User, addresses
from registry.actions.declarations import ActionContext
from registry.audit_log.models import Event
from registry.mail import outbox
from registry.namespaces.current_profiles import comparison_in_words
from registry.namespaces.models import Namespace, ProfileVersion, Transfer
from registry.organisations import gains
from registry.organisations.models import Controller, MemberRole, Organisation, members_of

# The events by which a registered namespace gets or loses its registrant or organisation.
REGISTRANT_EVENTS = ("accept_transfer", "approve_claim", "move_to_organisation", "release_namespace")


def change_registrant(namespace: Namespace, to: User | Organisation | None) -> dict[str, Any]:
    """Set the registrant, or the organisation, of a locked namespace. Returns the details of the event, which the
    caller writes. Raises ConflictOfInterest if one of those who get it decided on it for the registry.
    """
    if to is not None:
        gains.check_may_get(to, namespace)
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


def people_of(namespace: Namespace, parts: Iterable[MemberRole] = tuple(MemberRole)) -> list[User]:
    """The people who get the mail of a namespace: its registrant, or the members of its organisation, or those with some parts."""
    if namespace.organisation_id is not None:
        return list(members_of(namespace.organisation_id, parts))
    return [namespace.registrant] if namespace.registrant else []


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


def mail_registrant(event: Event, context: ActionContext[Namespace]) -> None:
    """Mail the registrant of the namespace that an action changed. An imported namespace has none."""
    _post(event, context.subject, _registrant_of(context.subject))


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
