"""Mail about cases, put in the outbox in the transaction of the change.

`cases.workflow.declarations.transitions` declares who is mailed for each transition; the texts are `templates/emails/<name>.txt`.
"""

from copy import copy
from functools import partial

from django.db.models import prefetch_related_objects
from django.utils.functional import SimpleLazyObject

from registry.accounts.models import User, addresses
from registry.audit_log.models import Event, SignedHead
from registry.cases.audiences import (
    Occasion,
    Recipients,
    addresses_of,
    editor_addresses,
    mentioned_in,
    subscribers_except,
)
from registry.cases.deadlines import due_at
from registry.cases.drafts.history import changes_to_previous_round, changes_to_registered
from registry.cases.models import Case, Comment, State
from registry.cases.workflow.declarations.definition import CaseEvent
from registry.cases.workflow.declarations.reviews import VERDICTS
from registry.mail import outbox


def recipients_of(
    event_type: CaseEvent,
    case: Case,
    *,
    by: User,
    before: State,
    person: User | None = None,
    invited: str = "",
) -> Recipients:
    """The recipients of each mail about what `by` did in the case, by the template of the mail.

    Call it before the event is written: an event holds up all other writers until the commit.
    """
    if not event_type.mails:
        return Recipients()
    case = copy(case)  # what is read here may change later in the transaction of the caller
    if case.registrant_id == by.pk:
        case.registrant = by
    prefetch_related_objects([case], "registrant", "co_editors__user", "recusals")
    return addresses_of(event_type.mails, Occasion(case, by, before, person, invited))


def notify(
    event: Event,
    case: Case,
    recipients: Recipients,
    *,
    person: User | None = None,
    invited: str = "",
    head: SignedHead | None = None,
) -> None:
    """Put the mails of one event in the outbox. A draft has no rounds, and concerns its editors alone."""
    round_ = case.latest_round
    if round_ is None:
        return
    context = {
        "case": case,
        "event": event,
        "round": round_,
        "by": event.actor,
        "person": person,
        "head": head,
        "due": due_at(case),
        "verdict": VERDICTS[event.details["verdict"]].label if "verdict" in event.details else "",
        # Read only by the mails about a submission.
        "revision_changes": SimpleLazyObject(partial(changes_to_registered, case, round_)),
        "round_changes": SimpleLazyObject(partial(changes_to_previous_round, case, round_)),
    }
    outbox.post_all(
        recipients.by_mail,
        context=context,
        own=recipients.editors,
        event_number=event.number,
        needs_account=invited,
    )


def notify_about_draft(
    case: Case, recipients: Recipients, *, by: User | None, person: User | None = None, invited: str = ""
) -> None:
    """Put the mails about the editors of a draft in the outbox, without an event, and not for the person who acted."""
    context = {"case": case, "by": by, "person": person}
    others = {
        mail: {to: kind for to, kind in kinds.items() if by is None or to != by.email}
        for mail, kinds in recipients.by_mail.items()
    }
    outbox.post_all(others, context=context, own=recipients.editors, needs_account=invited)


def notify_of_comment(comment: Comment) -> None:
    """Put the mails about a comment in the outbox, for those whom it mentions and the other subscribers."""
    case = comment.round.case
    mentioned = addresses(mentioned_in(comment))
    others = set(addresses(subscribers_except(case, comment.author))).difference(mentioned)
    context = {"case": case, "comment": comment, "round": comment.round}
    mails = {"mention": mentioned, "comment": sorted(others)}
    outbox.post_all(mails, context=context, own=editor_addresses(case))
