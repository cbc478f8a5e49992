"""In a template: an event in words, and what kind of mail something is."""

from django import template

from registry.namespaces.history import words_of
from registry.record.models import Event
from registry.registrations.history import WORDS as WORDS_OF_CASES

register = template.Library()


@register.filter
def event_in_words(event: Event) -> str:
    """In a few words, without asking for those whom it names."""
    if event.registration_number is None:
        return words_of(event)
    words = WORDS_OF_CASES.get(event.verb, event.verb.replace("_", " ").capitalize())
    said = {"round": "", "version": "", **event.particulars, "nid": event.nid, "person": "somebody"}
    return words.format(**said)


@register.filter
def kind_of_mail(name: str) -> str:
    """The name of a mail as words: "password_reset_key" is a "Password reset key"."""
    return name.replace("_", " ").capitalize()
