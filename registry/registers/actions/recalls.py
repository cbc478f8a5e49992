"""Recalls of entries whose holders can't be reached, as claims of namespaces are announced (`registry.custody`).

The holder of the register recalls an entry, with a public reason. Its holder keeps it with one answer. If none comes for
`DAYS_TO_OBJECT` days, the holder of the register can offer it to others (`Entry.is_assigned`). An answer counts until someone accepts it.
"""

from datetime import date

from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext, Condition
from registry.actions.engine import performs
from registry.actions.parameters import public_reason
from registry.audit_log.history import Detail
from registry.audit_log.models import Event
from registry.core.validators import MAX_REASON_LENGTH, check_text
from registry.custody.actions.claims import time_to_object
from registry.custody.actions.contact import CONFIRMED_FOR
from registry.registers.actions.entries import end_lapsed_offer
from registry.registers.conditions import IS_ACTIVE, IS_CURRENT
from registry.registers.models import Entry
from registry.registers.permissions import has_entry, holds_register_of
from registry.registers.subjects import ENTRY, ENTRY_OF_REGISTER, InvalidRecall, post, post_or_hold

KEPT_FOR = CONFIRMED_FOR


def _mail_both(event: Event, context: ActionContext[Entry]) -> None:
    """Mail who has the entry, and the holder of the register."""
    entry = context.subject
    post(event, entry.register, entry.own_holders, entry=entry, is_holder=True)
    post_or_hold(event, entry.register, entry.register.holders, entry=entry)


RECALL_ENTRY = Action[Entry](
    name="recall_entry",
    label="Recall the entry",
    effect=(
        "Its holder gets mail, and can keep the entry. If they do not answer in time, you can offer it to another holder. What is "
        "registered stays. The public log names you, with the reason."
    ),
    success="The entry is recalled. Its holder was notified by e-mail.",
    past="Entry {entry} recalled: its holder can keep it until {keep_until}",
    details=(ENTRY, Detail("keep_until", date, "The day from which the entry can be offered to others.")),
    permission=holds_register_of,
    not_permitted="Only the holder of the register can recall “{subject.name}”.",
    gravity=Gravity.CONTROL,
    conditions=(
        IS_ACTIVE,
        IS_CURRENT,
        Condition(
            lambda entry: entry.recall_ends_at is None,
            "“{subject.name}” is recalled already.",
            InvalidRecall,
        ),
        Condition(
            lambda entry: entry.is_assigned,
            "“{subject.name}” has no holder who could answer. You can offer it to another holder.",
            InvalidRecall,
        ),
        Condition(
            lambda entry: entry.kept_at is None or entry.kept_at + KEPT_FOR <= timezone.now(),
            lambda entry: (
                f"The holder of “{entry.name}” answered on {entry.kept_at:%Y-%m-%d}, and is not asked again for a year."
            ),
            InvalidRecall,
        ),
    ),
    parameters=(public_reason("Why you think that the holder can't be reached. It is public."),),
    is_grave=True,
    notify=_mail_both,
)
KEEP_ENTRY = Action[Entry](
    name="keep_entry",
    label="Keep the entry",
    effect="The recall ends, and you hold the entry as before. You are not asked again for a year.",
    success="You hold the entry as before.",
    past="Entry {entry} kept by its holder",
    details=(ENTRY,),
    is_public=False,
    permission=has_entry,
    not_permitted="Only the holder of “{subject.name}” can keep it.",
    gravity=Gravity.CONTROL,
    conditions=(
        Condition(
            lambda entry: entry.recall_ends_at is not None,
            "“{subject.name}” is not recalled.",
            InvalidRecall,
        ),
    ),
    notify=_mail_both,
)
# By the parts of their addresses.
ACTIONS = {"recall": RECALL_ENTRY, "keep": KEEP_ENTRY}


@performs(RECALL_ENTRY, ENTRY_OF_REGISTER)
def recall_entry(context: ActionContext[Entry], *, reason: str) -> None:
    """Recall an entry, with a public reason."""
    entry = context.subject
    context.reason = check_text(reason, "the reason", longest=MAX_REASON_LENGTH, argument="reason")
    entry.recall_ends_at = timezone.now() + time_to_object()
    entry.save(update_fields=["recall_ends_at"])
    context.details = {"keep_until": entry.recall_ends_at.date().isoformat()}


@performs(KEEP_ENTRY, ENTRY_OF_REGISTER)
def keep_entry(context: ActionContext[Entry]) -> None:
    """End the recall of an entry, for its holder."""
    entry = context.subject
    entry.recall_ends_at, entry.kept_at = None, timezone.now()
    entry.save(update_fields=["recall_ends_at", "kept_at"])
    end_lapsed_offer(entry)
