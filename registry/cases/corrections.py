"""Correction of the audit log: a new event, which refers to the old one. The old event is not changed."""

from django.db import transaction

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User, addresses
from registry.accounts.roles import lock_roles
from registry.audit_log import log
from registry.audit_log.history import CORRECTION
from registry.audit_log.models import Event
from registry.cases.audiences import editors, subscribers_of
from registry.cases.models import Case
from registry.cases.permissions import is_administrator
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import MAX_REFERENCE_LENGTH, check_optional_text, check_text
from registry.mail import outbox
from registry.namespaces.actions.registrants import people_of
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_administrator as administers_namespace


class NotCorrectable(RegistryError):
    """The event is not part of the public history of a case or namespace."""

    title = "This event can't be corrected"


def check_may_correct(event: Event, *, by: User) -> None:
    """Raise NotCorrectable or NotPermitted unless `by` may correct the event."""
    case, namespace = _case_of(event), _namespace_of(event)
    if case is None and namespace is None:
        raise NotCorrectable(
            f"Event {event.number} is not part of the public history of a case or namespace."
        )
    if case is not None and not is_administrator(by, case):
        raise NotPermitted(f"Only an administrator who does not take part in case {case.pk} can correct it.")
    if namespace is not None and not administers_namespace(by, namespace):
        raise NotPermitted(
            f"Only an administrator who is not the registrant of {namespace} can correct its history."
        )


@has_gravity(Gravity.DECISION)
@transaction.atomic
def correct(event: Event, *, by: User, wrong: str, right: str, reference: str = "") -> Event:
    """Record an error in an event, and the correction. The event itself is not changed."""
    lock_roles(by)
    check_may_correct(event, by=by)
    wrong = check_text(wrong, "the error")
    right = check_text(right, "the correction")
    reference = check_optional_text(reference, "the reference", longest=MAX_REFERENCE_LENGTH)
    case, namespace = _case_of(event), _namespace_of(event)
    recipients = addresses(_recipients(case, namespace))
    if case is not None:
        case.mark_changed()
    if namespace is not None:
        namespace.mark_changed()
    correction = log.append(
        CORRECTION,
        by=by,
        case=event.case_number,
        # The history of a namespace contains no events of cases, so it contains none of their corrections either.
        nid=event.nid if event.verb in event_types() else "",
        reason=right,
        corrects=event.number,
        wrong=wrong,
        **({"reference": reference} if reference else {}),
    )
    about = case or namespace
    context = {"event": correction, "corrected": event, "about": about}
    outbox.post(CORRECTION, to=recipients, context=context, event_number=correction.number)
    return correction


def _recipients(case: Case | None, namespace: Namespace | None) -> list[User]:
    """The editors and subscribers of the case, and the registrant of the namespace."""
    people = people_of(namespace) if namespace is not None else []
    if case is not None:
        people += [*editors(case), *subscribers_of(case)]
    return people


def _case_of(event: Event) -> Case | None:
    if event.case_number is None:
        return None
    cases = Case.objects.public().select_related("registrant", "namespace")
    return cases.filter(pk=event.case_number).first()


def _namespace_of(event: Event) -> Namespace | None:
    if event.verb not in event_types() or not event.nid:
        return None
    return Namespace.objects.filter(nid=event.nid).select_related("registrant").first()
