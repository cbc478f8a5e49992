"""In a template: an event in words, and what kind of mail something is."""

from django import template

from registry.audit_log.models import Event
from registry.cases.history import in_words
from registry.namespaces.history import event_label

register = template.Library()


@register.filter
def event_description(event: Event) -> str:
    """In a few words, without asking for those whom it names."""
    if event.case_number is None:
        return event_label(event)
    return in_words(event, {})


@register.filter
def mail_type_label(name: str) -> str:
    """The name of a mail as words: "password_reset_key" is a "Password reset key"."""
    return name.replace("_", " ").capitalize()
