"""How a case is moved: the one writer of its state, and the lock under which everybody works on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.cases.models import Case, State
from registry.cases.notifications import notifications
from registry.cases.workflow.table import TRANSITION_BY_NAME
from registry.namespaces.models import Namespace


@dataclass(slots=True)
class TransitionContext:
    """What an action tells `transition` about the move that it makes."""

    case: Case
    to: State
    verb: str = ""
    reason: str = ""
    nid: str = ""
    text_digest: str = ""
    details: dict[str, Any] = field(default_factory=dict)


def lock_case(case: Case, *, by: User) -> Case:
    """The case as it is now. Until the transaction ends nobody changes it, nor what its conditions ask of:
    the registrant of the namespace that it revises, and the roles of `by`.
    """
    case = Case.objects.select_for_update().get(pk=case.pk)
    if case.is_revision and case.namespace_id is not None:
        case.namespace = Namespace.objects.select_for_update().get(pk=case.namespace_id)
    lock_roles(by)
    return case


@contextmanager
def transition(case: Case, name: str, *, by: User) -> Iterator[TransitionContext]:
    """The only writer of a state: lock and re-read the case, ask who and from where, let the action do
    its part, then write state, event and mail, all in one transaction.
    """
    definition = TRANSITION_BY_NAME[name]
    with transaction.atomic():
        case = lock_case(case, by=by)
        definition.check_allowed(by, case)
        context = TransitionContext(case=case, to=definition.targets[0])
        yield context
        if context.to not in definition.targets:
            raise AssertionError(f"{name} can't end in {context.to}")
        before, case.state = case.state, context.to
        if before != context.to:
            case.state_since = timezone.now()
        case.save()
        latest = case.rounds.order_by("-number").first()
        verb = context.verb or name
        recipients = notifications.recipients_of(verb, case, by=by, before=State(before))
        event = log.append(
            verb,
            by=by,
            case=case.pk,
            nid=context.nid or case.requested_nid,
            from_state=before,
            to_state=context.to,
            reason=context.reason,
            text_digest=context.text_digest or (latest.digest if latest else ""),
            **context.details,
        )
        notifications.notify(event, case, recipients)
