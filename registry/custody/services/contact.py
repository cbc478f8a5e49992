"""Contacts of namespaces: change, confirm, and what happens if no one confirms them. Only triggers write them elsewhere."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.core.exceptions import NotPermitted
from registry.core.rate_limits import limited
from registry.core.text_limits import MAX_REASON_LENGTH
from registry.core.validators import check_address, check_text
from registry.custody import permissions
from registry.custody.known_addresses import address_of
from registry.custody.models import NamespaceContact
from registry.custody.notifications import notify_of_contact, remind_of_contact
from registry.mail.bounces import clear_bounce
from registry.namespaces.models import Namespace

CONFIRMED_FOR = timedelta(days=365)
# Days before the limit.
REMINDERS = (30, 14, 3)
MAX_NAME_LENGTH = 200


def check_may_change_contact(namespace: Namespace, *, by: User) -> None:
    if not permissions.may_change_contact(by, namespace):
        raise NotPermitted(
            f"Only the registrant or an administrator can change the contact of “{namespace.nid}”."
        )


@has_gravity(Gravity.CONTROL)
@limited("changes of contacts")
@transaction.atomic
def change_contact(namespace: Namespace, *, by: User, name: str, email: str, reason: str) -> NamespaceContact:
    """Set the contact beside the registered text, which does not change. All three texts are public, and mailed."""
    namespace = Namespace.objects.select_for_update().get(pk=namespace.pk)
    lock_roles(by)
    check_may_change_contact(namespace, by=by)
    now = timezone.now()
    name = check_text(name, "the name", longest=MAX_NAME_LENGTH)
    email = check_address(email)
    reason = check_text(reason, "the reason", longest=MAX_REASON_LENGTH)
    former = NamespaceContact.objects.filter(pk=namespace.pk).first()
    contact, _ = NamespaceContact.objects.update_or_create(
        namespace=namespace,
        defaults={
            "name": name,
            "email": email,
            "changed_at": now,
            "confirmed_at": now,
            "unverified_since": None,
            "reminded": None,
        },
    )
    namespace.mark_changed()
    event = log.append("change_contact", by=by, nid=namespace.nid, reason=reason)
    notify_of_contact(event, contact, former=former)
    return contact


@transaction.atomic
def confirm_contact(
    namespace: Namespace, *, by: User | None, is_by_contact: bool = False
) -> NamespaceContact:
    """Confirm that the contact is right. `by` is None for a person who followed the link of a reminder.

    If that reminder was mailed to the contact, its address can be reached.
    """
    namespace = Namespace.objects.select_for_update().get(pk=namespace.pk)
    contact = NamespaceContact.objects.filter(pk=namespace.pk).first()
    if contact is None or (by is not None and not permissions.may_change_contact(by, namespace)):
        raise NotPermitted(f"You can't confirm the contact of “{namespace.nid}”.")
    contact.confirmed_at, contact.unverified_since, contact.reminded = timezone.now(), None, None
    contact.save(update_fields=["confirmed_at", "unverified_since", "reminded"])
    namespace.mark_changed()
    if is_by_contact:
        clear_bounce(address_of(contact))
    log.append("confirm_contact", by=by, nid=namespace.nid)
    return contact


def forget_contact(contact: NamespaceContact) -> None:
    """Erase the contact; the namespace then has that of the registered text. The events of the erasure record it."""
    contact.name, contact.email, contact.changed_at = "", "", None
    contact.save(update_fields=["name", "email", "changed_at"])


def remind_contacts(now: datetime | None = None) -> list[str]:
    """Send the reminders that are due, and mark contacts that no one confirmed. Returns the NIDs."""
    now = now or timezone.now()
    return [nid for key, nid in _due(now) if _remind(key, now)]


def _due(now: datetime) -> Iterator[tuple[int, str]]:
    soon = now - CONFIRMED_FOR + timedelta(days=REMINDERS[0])
    held = NamespaceContact.objects.exclude(namespace__registrant=None, namespace__organisation=None)
    held = held.filter(unverified_since=None)
    due = held.filter(confirmed_at__lte=soon).order_by("pk")
    yield from list(due.values_list("pk", F("namespace__nid")))


@transaction.atomic
def _remind(key: int, now: datetime) -> bool:
    """Lock one contact, unless another process has it, and send the latest reminder that was not sent."""
    namespace = Namespace.objects.select_for_update(skip_locked=True).filter(pk=key).first()
    contact = NamespaceContact.objects.filter(pk=key, unverified_since=None).first()
    if namespace is None or contact is None:
        return False
    contact.namespace = namespace
    limit = contact.confirmed_at + CONFIRMED_FOR
    if now >= limit:
        contact.unverified_since = limit
        contact.save(update_fields=["unverified_since"])
        namespace.mark_changed()
        log.append("contact_unverified", by=None, nid=namespace.nid)
        return True
    step = min((days for days in REMINDERS if limit - now <= timedelta(days=days)), default=None)
    if step is None or (contact.reminded is not None and contact.reminded <= step):
        return False
    contact.reminded = step
    contact.save(update_fields=["reminded"])
    remind_of_contact(contact, limit)
    return True
