"""How a case is moved: the one writer of its state, and the lock under which everybody works on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from registry.accounts.actions import hold_roles
from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.record import journal
from registry.registrations import announcements
from registry.registrations.models import Registration, State
from registry.registrations.workflow import MOVE_BY_NAME


@dataclass(slots=True)
class Step:
    """What an action tells `moving` about the move that it makes."""

    case: Registration
    to: State
    verb: str = ""
    reason: str = ""
    nid: str = ""
    text_digest: str = ""
    particulars: dict[str, Any] = field(default_factory=dict)


def locked(registration: Registration, *, by: User) -> Registration:
    """The case as it is now. Until the transaction ends nobody changes it, nor what its conditions ask of:
    the registrant of the namespace that it revises, and the roles of `by`.
    """
    case = Registration.objects.select_for_update().get(pk=registration.pk)
    if case.is_revision and case.namespace_id is not None:
        case.namespace = Namespace.objects.select_for_update().get(pk=case.namespace_id)
    hold_roles(by)
    return case


@contextmanager
def moving(registration: Registration, name: str, *, by: User) -> Iterator[Step]:
    """The only writer of a state: lock and re-read the case, ask who and from where, let the action do
    its part, then write state, event and mail, all in one transaction.
    """
    move = MOVE_BY_NAME[name]
    with transaction.atomic():
        case = locked(registration, by=by)
        move.check_open(by, case)
        step = Step(case=case, to=move.targets[0])
        yield step
        if step.to not in move.targets:
            raise AssertionError(f"{name} can't end in {step.to}")
        before, case.state = case.state, step.to
        if before != step.to:
            case.state_since = timezone.now()
        case.save()
        latest = case.submissions.order_by("-round").first()
        verb = step.verb or name
        readers = announcements.readers_of(verb, case, by=by, before=State(before))
        event = journal.append(
            verb,
            by=by,
            registration=case.pk,
            nid=step.nid or case.requested_nid,
            from_state=before,
            to_state=step.to,
            reason=step.reason,
            text_digest=step.text_digest or (latest.digest if latest else ""),
            **step.particulars,
        )
        announcements.announce(event, case, readers)
