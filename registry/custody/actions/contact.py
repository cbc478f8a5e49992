"""Contacts of namespaces: change, confirm, and what happens if no one confirms them. Only triggers write them elsewhere."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext, EventType
from registry.actions.engine import performs
from registry.actions.parameters import Address, Name, public_reason
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.core.names import check_name
from registry.core.validators import MAX_NAME_LENGTH, MAX_REASON_LENGTH, check_address, check_text
from registry.custody import permissions
from registry.custody.evidence import address_of
from registry.custody.models import NamespaceContact
from registry.custody.notifications import notify_of_contact, remind_of_contact
from registry.mail.bounces import clear_bounce
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_registrant
from registry.namespaces.subjects import NAMESPACE

CONFIRMED_FOR = timedelta(days=365)
# Days before the limit.
REMINDERS = (30, 14, 3)


def _acts_in_role(by: User, namespace: Namespace) -> bool:
    return not is_registrant(by, namespace)


def _mail_about_contact(event: Event, context: ActionContext[Namespace]) -> None:
    notify_of_contact(event, context.result, former=context.address)


NOT_PERMITTED = "Only the registrant or an administrator can change the contact of “{subject.nid}”."
CHANGE_CONTACT = Action[Namespace](
    name="change_contact",
    label="Change the contact",
    effect="It is shown beside the registered text, without a review. The text stays as it is until a revision.",
    success="The contact was changed. The registered text stays as it is.",
    past="Contact changed",
    permission=permissions.may_change_contact,
    not_permitted=NOT_PERMITTED,
    gravity=Gravity.CONTROL,
    acts_in_role=_acts_in_role,
    limit="changes of contacts",
    parameters=(
        Name("name", "Name", "A person or a function. This is public.", max_length=MAX_NAME_LENGTH),
        Address("email", "E-mail address", "This is public.", is_often_own=True),
        public_reason(),
    ),
    needs_confirmed_address=False,
    notify=_mail_about_contact,
)
CONFIRM_CONTACT = Action[Namespace](
    name="confirm_contact",
    label="Confirm the contact",
    effect=f"The contact is right, for another {CONFIRMED_FOR.days} days.",
    success="The contact is confirmed for a year.",
    past="Contact confirmed",
    permission=permissions.may_change_contact,
    not_permitted="You can't confirm the contact of “{subject.nid}”.",
    gravity=Gravity.ORDINARY,
    acts_in_role=_acts_in_role,
    # By the link of a reminder.
    is_automatic=True,
    needs_confirmed_address=False,
)
CONTACT_UNVERIFIED = EventType(name="contact_unverified", past="Contact not confirmed for a year")


@performs(CHANGE_CONTACT, NAMESPACE)
def change_contact(
    context: ActionContext[Namespace], *, name: str, email: str, reason: str
) -> NamespaceContact:
    """Set the contact beside the registered text, which does not change. All three texts are public, and mailed."""
    now = timezone.now()
    name = check_name(name, "the name", longest=MAX_NAME_LENGTH, argument="name")
    email = check_address(email, argument="email")
    context.reason = check_text(reason, "the reason", longest=MAX_REASON_LENGTH, argument="reason")
    former = NamespaceContact.objects.filter(pk=context.subject.pk).first()
    contact, _ = NamespaceContact.objects.update_or_create(
        namespace=context.subject,
        defaults={
            "name": name,
            "email": email,
            "changed_at": now,
            "confirmed_at": now,
            "unverified_since": None,
            "reminded": None,
        },
    )
    context.address = former.email if former else ""
    return contact


@performs(CONFIRM_CONTACT, NAMESPACE)
def confirm_contact(context: ActionContext[Namespace], *, is_by_contact: bool = False) -> NamespaceContact:
    """Confirm that the contact is right. If a reminder was mailed to the contact, its address can be reached."""
    contact = NamespaceContact.objects.filter(pk=context.subject.pk).first()
    if contact is None:
        raise NotPermitted(CONFIRM_CONTACT.not_permitted.format(subject=context.subject))
    contact.confirmed_at, contact.unverified_since, contact.reminded = timezone.now(), None, None
    contact.save(update_fields=["confirmed_at", "unverified_since", "reminded"])
    if is_by_contact:
        clear_bounce(address_of(contact))
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
        log.append(CONTACT_UNVERIFIED.name, by=None, nid=namespace.nid)
        return True
    step = min((days for days in REMINDERS if limit - now <= timedelta(days=days)), default=None)
    if step is None or (contact.reminded is not None and contact.reminded <= step):
        return False
    contact.reminded = step
    contact.save(update_fields=["reminded"])
    remind_of_contact(contact, limit)
    return True
