"""What the actions of a case are about: its lock, the record of each action, and the only function that writes a state."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.utils import timezone

from registry.accounts.models import Token, User
from registry.actions.declarations import ActionContext, SubjectType
from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.cases import notifications
from registry.cases.models import Case, Round, State
from registry.cases.workflow.declarations.definition import CaseEvent
from registry.cases.workflow.exceptions import StaleRound
from registry.namespaces.models import Namespace
from registry.organisations.subjects import share_organisation


@dataclass(slots=True)
class CaseContext(ActionContext[Case]):
    """The locked case, and the facts of the event that an action adds to it.

    A transition may set `to` to another of its targets, and `since` to the time since which the case counts as being in
    its new state.
    """

    before: State = State.DRAFT
    targets: tuple[State, ...] = ()
    to: State | None = None
    since: datetime | None = None
    nid: str = ""
    text_digest: str = ""

    @property
    def case(self) -> Case:
        return self.subject


class CaseSubject(SubjectType[Case]):
    """A case, locked with what the conditions read: the namespace that it revises, and the members of its organisation. Its
    row is there: the database refuses to delete a case, and of a deleted draft only the texts are gone.
    """

    def lock(self, subject: Case, by: User | None) -> Case:
        case = Case.objects.select_for_update().get(pk=subject.pk)
        if case.is_revision and case.namespace_id is not None:
            case.namespace = Namespace.objects.select_for_update().get(pk=case.namespace_id)
        if case.organisation_id is not None:
            share_organisation(case.organisation_id)
        return case

    def begin(
        self, subject: Case, by: User | None, action: Any, made_with: Token | None = None
    ) -> CaseContext:
        targets = getattr(action, "targets", ())
        return CaseContext(
            subject,
            by,
            action,
            made_with,
            before=State(subject.state),
            targets=targets,
            to=targets[0] if targets else None,
        )

    def members(self, subject: Case) -> Mapping[str, Any]:
        return {"case": subject.pk, "nid": subject.requested_nid}

    def record(self, context: ActionContext[Case]) -> None:
        of_case = cast("CaseContext", context)
        if of_case.targets:
            write_state(of_case)
        _record(of_case)


def write_state(context: CaseContext) -> None:
    """Write the new state of a case after a transition."""
    case = context.case
    if context.to not in context.targets:
        raise AssertionError(f"{context.event_type.name} can't end in {context.to}")
    case.state = context.to
    case.changed_at = timezone.now()
    if context.before != context.to:
        case.state_since = context.since or case.changed_at
    case.save()
    latest = case.latest_round
    context.text_digest = context.text_digest or (latest.digest if latest else "")


def _record(context: CaseContext) -> None:
    """Write the event and the mails. Recipients are read first, because an event blocks all other writers."""
    case, by, event_type = context.case, context.actor, cast("CaseEvent", context.event_type)
    if context.to is None:  # `write_state` has saved the case
        case.mark_changed()
    concerned: dict[str, Any] = {"person": context.person, "invited": context.address}
    recipients = notifications.recipients_of(event_type, case, by=by, before=context.before, **concerned)
    if event_type.is_private_in_draft and not case.is_public:
        notifications.notify_about_draft(case, recipients, by=by, **concerned)
        return
    about = {**CASE.members(case), **({"nid": context.nid} if context.nid else {})}
    event = log.append(
        event_type.name,
        by=by,
        from_state=context.before if context.to else "",
        to_state=context.to or "",
        reason=context.reason,
        text_digest=context.text_digest,
        **about,
        **context.details,
    )
    head = publish_head() if event_type.publishes_head else None
    notifications.notify(event, case, recipients, **concerned, head=head)


CASE = CaseSubject()


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
