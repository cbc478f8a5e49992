"""The lock of a case, the record of each action, and the only function that writes a state."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from registry.accounts.gravity import check_token_permits
from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.accounts.services.verification import check_is_verified
from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.cases.models import Case, Round, State
from registry.cases.notifications import notifications
from registry.cases.workflow.definition import Action, EventType, Transition
from registry.cases.workflow.exceptions import StaleRound
from registry.namespaces.models import Namespace
from registry.organisations.services.locks import share_organisation


@dataclass(slots=True)
class ActionContext:
    """The locked case, and the facts of the event that an action adds to it.

    A transition may set `to` to another of its targets, and `since` to the time since which the case counts as being in
    its new state. `person` is the person whom the action concerns, `invited`
    an address, which may belong to no account.
    """

    case: Case
    event_type: EventType
    before: State
    to: State | None = None
    since: datetime | None = None
    reason: str = ""
    nid: str = ""
    text_digest: str = ""
    person: User | None = None
    invited: str = ""
    details: dict[str, Any] = field(default_factory=dict)


def lock_case(case: Case, *, by: User) -> Case:
    """Re-read and lock the case until the end of the transaction, with the rows that the conditions read: the
    namespace that it revises, the members of its organisation, and the roles of `by`.
    """
    case = Case.objects.select_for_update().get(pk=case.pk)
    if case.is_revision and case.namespace_id is not None:
        case.namespace = Namespace.objects.select_for_update().get(pk=case.namespace_id)
    if case.organisation_id is not None:
        share_organisation(case.organisation_id)
    lock_roles(by)
    return case


@contextmanager
def act(action: Action, case: Case, *, by: User) -> Iterator[ActionContext]:
    """Carry out an action in one transaction: lock and re-read the case, check that `by` may act, let the
    caller change rows, then write the event and the mails.
    """
    with transaction.atomic():
        case = lock_case(case, by=by)
        action.check_allowed(by, case)
        check_token_permits(action.gravity, by=by)
        check_is_verified(by)
        context = ActionContext(case, action, before=State(case.state))
        yield context
        _record(context, by=by)


@contextmanager
def transition(definition: Transition, case: Case, *, by: User) -> Iterator[ActionContext]:
    """`act`, then write the new state: the first target of the transition, unless the caller sets another."""
    with act(definition, case, by=by) as context:
        context.to = definition.targets[0]
        yield context
        if context.to not in definition.targets:
            raise AssertionError(f"{definition.name} can't end in {context.to}")
        case = context.case
        case.state = context.to
        case.changed_at = timezone.now()
        if context.before != context.to:
            case.state_since = context.since or case.changed_at
        case.save()
        latest = case.latest_round
        context.text_digest = context.text_digest or (latest.digest if latest else "")


def _record(context: ActionContext, *, by: User) -> None:
    """Write the event and the mails. Recipients are read first, because an event blocks all other writers."""
    case, event_type = context.case, context.event_type
    if context.to is None:  # `transition` has saved the case
        case.mark_changed()
    concerned: dict[str, Any] = {"person": context.person, "invited": context.invited}
    recipients = notifications.recipients_of(event_type, case, by=by, before=context.before, **concerned)
    if event_type.is_private_in_draft and not case.is_public:
        notifications.notify_about_draft(case, recipients, by=by, **concerned)
        return
    event = log.append(
        event_type.name,
        by=by,
        case=case.pk,
        nid=context.nid or case.requested_nid,
        from_state=context.before if context.to else "",
        to_state=context.to or "",
        reason=context.reason,
        text_digest=context.text_digest,
        **context.details,
    )
    head = publish_head() if event_type.publishes_head else None
    notifications.notify(event, case, recipients, **concerned, head=head)


def check_latest_round(case: Case, number: int | None) -> Round:
    """The latest round. Raises StaleRound if there is none, or if `number` is given and is not its number."""
    latest = case.latest_round
    if latest is None:
        raise StaleRound(f"Case {case.pk} has no round.")
    if number not in {None, latest.number}:
        raise StaleRound(
            f"You have read round {number}, but round {latest.number} is the latest. Read it, then try again."
        )
    return latest
