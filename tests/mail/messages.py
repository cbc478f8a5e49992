"""Queries for mails in the outbox, and checks that apply to every mail."""

import re

from django.conf import settings

from registry.cases.audiences import editor_addresses
from registry.cases.models import Case
from registry.mail import delivery
from registry.mail.models import Message


def mails(name: str, case: Case | None = None) -> list[Message]:
    found = Message.objects.filter(name=name)
    return list(found.filter(thread=f"case-{case.pk}") if case else found)


def delivered(name: str) -> list[str]:
    """Deliver the mails of this name, and return the recipients of those that were sent."""
    for message in mails(name):
        delivery.attempt(message.pk)
    return sorted(Message.objects.filter(name=name).exclude(sent_at=None).values_list("to", flat=True))


def the_mail(name: str, case: Case) -> Message:
    """Return the latest mail of this name to people other than the editors; to the editors, if only they get it."""
    to_editors, to_others = _newest(name, case)
    return (to_others or to_editors)[0]


def the_mail_to_editors(name: str, case: Case) -> Message:
    return _newest(name, case)[0][0]


def _newest(name: str, case: Case) -> tuple[list[Message], list[Message]]:
    """The latest mails of this name: to editors, and to others. Within each, all are equal."""
    written = mails(name, case)
    newest = [message for message in written if message.event_number == written[-1].event_number]
    own = editor_addresses(Case.objects.get(pk=case.pk))
    to_editors = [each for each in newest if each.to in own]
    to_others = [each for each in newest if each.to not in own]
    for group in (to_editors, to_others):
        assert len({(message.subject, message.body) for message in group}) <= 1
    return to_editors, to_others


def recipients(name: str, case: Case, event_number: int | None = None) -> list[str]:
    """Return the recipients of the mails of this name, or of one event."""
    written = [each for each in mails(name, case) if event_number in {None, each.event_number}]
    return sorted(message.to.partition("@")[0] for message in written)


def check_sound(message: Message, case: Case) -> None:
    """Check a mail of a case: plain text with a link to the case."""
    check_plain(message)
    assert f"\n{settings.PUBLIC_ORIGIN}/cases/{case.pk}/\n" in message.body


def check_says_how_to_unsubscribe(message: Message, case: Case) -> None:
    assert message.body.endswith(f"\n{settings.PUBLIC_ORIGIN}/cases/{case.pk}/unsubscribe/\n")


def check_plain(message: Message) -> None:
    """Check a mail: plain text, no empty values, no template syntax."""
    body = message.body.partition("-" * 70)[0]  # what follows is the registrant's own
    body = re.sub(r"(?<=^The template:\n\n)(?: {4}.*\n|\n)+", "", body, flags=re.MULTILINE)
    assert not re.search(r"\{\{|\}\}|\{%|%\}|None|&(amp|lt|gt|quot|#)", message.subject + body), body
    assert "\n\n\n" not in body, body
    assert not re.search(r"[ \t]$", body, re.MULTILINE), body
    assert not re.search(r"\s[.,;:]|\S  |^ {1,3}\S", body, re.MULTILINE), body
    signature = "\N{EM DASH} "  # of a signed note, whose lines are not wrapped
    lines = [line for line in body.splitlines() if "://" not in line and not line.startswith(signature)]
    assert max(map(len, lines)) <= 76
