"""Correction of the audit log: a new event, which refers to the old one. The old event is not changed."""

from collections.abc import Mapping
from typing import Any

from registry.accounts.gravity import Gravity
from registry.accounts.models import RoleName, User, addresses
from registry.actions.declarations import Action, ActionContext, Condition, Person, SubjectType
from registry.actions.engine import performs
from registry.actions.parameters import Text
from registry.audit_log.history import CORRECTION
from registry.audit_log.models import Event
from registry.cases.audiences import editors, subscribers_of
from registry.cases.models import Case
from registry.cases.permissions import is_administrator
from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_REFERENCE_LENGTH, check_optional_text, check_text
from registry.mail import outbox
from registry.namespaces.actions.registrants import people_of
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_administrator as administers_namespace


class NotCorrectable(RegistryError):
    """The event is not part of the public history of a case or namespace."""

    title = "This event can't be corrected"


def _case_of(event: Event) -> Case | None:
    if event.case_number is None:
        return None
    cases = Case.objects.public().select_related("registrant", "namespace")
    return cases.filter(pk=event.case_number).first()


def _namespace_of(event: Event) -> Namespace | None:
    if event.verb not in event_types() or not event.nid:
        return None
    return Namespace.objects.filter(nid=event.nid).select_related("registrant").first()


def _concerned(event: Event) -> list[Case | Namespace]:
    """The case and the namespace whose public histories contain the event."""
    return [each for each in (_case_of(event), _namespace_of(event)) if each is not None]


class EventSubject(SubjectType[Event]):
    """An event, which never changes."""

    def lock(self, subject: Event, by: User | None) -> Event:
        return subject

    def members(self, subject: Event) -> Mapping[str, Any]:
        # The history of a namespace contains no events of cases, so it contains none of their corrections either.
        nid = subject.nid if subject.verb in event_types() else ""
        return {"case": subject.case_number, "nid": nid, "corrects": subject.number}

    def mark_changed(self, subject: Event) -> None:
        for each in _concerned(subject):
            each.mark_changed()


EVENT = EventSubject()


def _may_correct(user: Person, event: Event) -> bool:
    """Whether `user` is an administrator who takes part in none of what the event concerns."""
    case, namespace = _case_of(event), _namespace_of(event)
    return (
        isinstance(user, User)
        and RoleName.ADMINISTRATOR in user.roles
        and (case is None or is_administrator(user, case))
        and (namespace is None or administers_namespace(user, namespace))
    )


def _mail(event: Event, context: ActionContext[Event]) -> None:
    about = {"event": event, "corrected": context.subject, "about": context.result}
    outbox.post(CORRECTION, to=addresses(context.people_before), context=about, event_number=event.number)


CORRECT_EVENT = Action[Event](
    name=CORRECTION,
    label="Correct an entry",
    button="Save the correction",
    effect="The entry does not change. Your correction is shown next to it, with your name.",
    success="The correction is published. The people concerned were notified.",
    permission=_may_correct,
    not_permitted=(
        "Only an administrator who does not take part in the case, and is not the registrant of the namespace, "
        "can correct event {subject.number}."
    ),
    gravity=Gravity.DECISION,
    conditions=(
        Condition(
            lambda event: bool(_concerned(event)),
            "Event {subject.number} is not part of the public history of a case or namespace.",
            NotCorrectable,
        ),
    ),
    parameters=(
        Text("wrong", "Error", "The error in the entry. This is public.", lines=4),
        Text("right", "Correction", "The correct information. This is public.", lines=4),
        Text(
            "reference",
            "Reference",
            "A public source for the correction.",
            lines=1,
            is_optional=True,
            max_length=MAX_REFERENCE_LENGTH,
        ),
    ),
    needs_confirmed_address=False,
    notify=_mail,
)


@performs(CORRECT_EVENT, EVENT)
def correct(
    context: ActionContext[Event], *, wrong: str, right: str, reference: str = ""
) -> Case | Namespace:
    """Record an error in an event, and the correction. The event itself is not changed.

    Returns the case or the namespace whose history shows both.
    """
    context.details = {"wrong": check_text(wrong, "the error", argument="wrong")}
    context.reason = check_text(right, "the correction", argument="right")
    reference = check_optional_text(
        reference, "the reference", longest=MAX_REFERENCE_LENGTH, argument="reference"
    )
    if reference:
        context.details["reference"] = reference
    concerned = _concerned(context.subject)
    context.people_before = [person for each in concerned for person in _recipients(each)]
    return concerned[0]


def _recipients(concerned: Case | Namespace) -> list[User]:
    """The editors and subscribers of a case, or the registrant of a namespace."""
    if isinstance(concerned, Namespace):
        return people_of(concerned)
    return [*editors(concerned), *subscribers_of(concerned)]
