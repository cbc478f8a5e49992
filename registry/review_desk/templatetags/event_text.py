"""Template filters for descriptions of events and kinds of mail."""

from django import template

from registry.audit_log.models import Event
from registry.cases.history import describe_event
from registry.namespaces.history import event_label

register = template.Library()
MAIL_LABELS = {
    "account_already_exists": "Sign-up with an existing account",
    "day_summary": "Daily summary",
    "email_confirmation": "Address confirmation",
    "email_added": "Address added",
    "email_changed": "Address changed",
    "email_confirmed": "Address confirmed",
    "email_deleted": "Address removed",
    "email_confirmation_password": "Address confirmation with a new password",  # nosec B105  # a label
    "email_confirmation_signup": "Address confirmation",
    "password_changed": "Password changed",
    "password_reset": "Password reset done",
    "password_set": "Password set",
    "password_reset_key": "Password reset",  # nosec B105  # a label
    "unknown_account": "Password reset without an account",
}


@register.filter
def event_description(event: Event) -> str:
    """A short description, without looking up the people in it."""
    if event.case_number is None:
        return event_label(event)
    return describe_event(event, {})


@register.filter
def mail_type_label(name: str) -> str:
    """The kind of a mail, such as “Password reset”."""
    return MAIL_LABELS.get(name, name.replace("_", " ").capitalize())
