"""Who is told what happens to a namespace after its registration: mail in the transaction of the change.

The texts are `templates/emails/<verb of the event>.txt`.
"""

from collections.abc import Iterable

from django.conf import settings

from registry.accounts.models import User, addresses
from registry.audit_log.models import Event
from registry.mail import outbox
from registry.namespaces.models import Namespace, RulesVersion, Transfer


def notify_of_transfer(event: Event, transfer: Transfer) -> None:
    """Tell both sides, and whoever acted for one of them."""
    sides = [transfer.offered_by, transfer.to, *([event.actor] if event.actor else [])]
    _post(event, transfer.namespace, sides, transfer=transfer)


def notify_of_deprecation(event: Event, namespace: Namespace) -> None:
    """Tell its registrant; a namespace that was imported has none here."""
    _post(event, namespace, _registrant_of(namespace))


def notify_of_rules(event: Event, made: RulesVersion) -> None:
    """Tell the registrant, whose words the rules make explicit."""
    _post(event, made.namespace, _registrant_of(made.namespace), rules=made.value)


def _registrant_of(namespace: Namespace) -> list[User]:
    return [namespace.registrant] if namespace.registrant else []


def _post(event: Event, namespace: Namespace, people: Iterable[User], **more: object) -> None:
    context = {"namespace": namespace, "event": event, "origin": settings.PUBLIC_ORIGIN, **more}
    outbox.post(event.verb, to=addresses(people), context=context, event_number=event.number)
