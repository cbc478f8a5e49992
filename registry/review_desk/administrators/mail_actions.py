"""Actions of administrators on unsent mail."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from registry.accounts.gravity import Gravity
from registry.accounts.models import RoleName, User
from registry.actions.declarations import Action, ActionContext, Condition, SubjectType
from registry.actions.engine import performs
from registry.actions.parameters import Text
from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_REASON_LENGTH, check_text
from registry.mail import outbox
from registry.mail.models import Message


class MailAlreadySent(RegistryError):
    """The mail has been sent, or is being sent."""

    title = "Mail already sent"


class MailSubject(SubjectType[Message]):
    """A mail. The outbox locks it, and passes over one that is being sent: a lock here would wait for the mail server."""

    def lock(self, subject: Message, by: User | None) -> Message:
        return subject

    def members(self, subject: Message) -> Mapping[str, Any]:
        return {"mail": subject.pk, "name": subject.name, "event": subject.event_number}


MAIL = MailSubject()
ALREADY_SENT = "Mail {} has already been sent, or is being sent."
# What the actions on a mail have in common.
on_mail = partial(
    Action[Message],
    is_public=False,
    permission=lambda user, _: RoleName.ADMINISTRATOR in user.roles,
    not_permitted="Only administrators can do this.",
    gravity=Gravity.ORDINARY,
    conditions=(
        Condition[Message](
            lambda message: message.sent_at is None,
            lambda message: ALREADY_SENT.format(message.pk),
            MailAlreadySent,
        ),
    ),
    needs_confirmed_address=False,
)
RETRY_MAIL = on_mail(
    name="retry_mail",
    label="Retry",
    button="Retry now",
    effect="Retry once the cause of the failure is fixed. The number of attempts starts again from zero.",
    success=lambda message: f"Mail {message.pk} is queued for retry.",
    is_logged=False,
)
DISCARD_MAIL = on_mail(
    name="discard_mail",
    label="Discard",
    effect=(
        "Use this for an address that no longer exists. The mail is deleted permanently; the audit log records your name "
        "and reason."
    ),
    success=lambda message: f"Mail {message.pk} was discarded.",
    parameters=(
        Text(
            "reason",
            "Reason",
            "The reason is recorded in the audit log.",
            lines=4,
            max_length=MAX_REASON_LENGTH,
        ),
    ),
    is_grave=True,
)
# The actions on the page of a mail, in the order of the buttons.
DECISIONS = {"retry": RETRY_MAIL, "discard": DISCARD_MAIL}


@performs(RETRY_MAIL, MAIL)
def retry_mail(context: ActionContext[Message]) -> None:
    """Retry one mail now."""
    if not outbox.retry(only=[context.subject.pk]):
        raise MailAlreadySent(ALREADY_SENT.format(context.subject.pk))


@performs(DISCARD_MAIL, MAIL)
def discard_mail(context: ActionContext[Message], *, reason: str) -> None:
    """Remove an unsent mail permanently. The event contains the reason, but not the recipient."""
    context.reason = check_text(reason, "the reason")
    mail = Message.objects.filter(pk=context.subject.pk)
    outbox.discard(mail)
    if mail.exists():
        raise MailAlreadySent(ALREADY_SENT.format(context.subject.pk))
