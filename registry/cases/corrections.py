"""Correcting what the public record says: a new event beside the old one, which stays as it was written."""

from django.conf import settings
from django.db import transaction

from registry.accounts.models import User, addresses
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases.models import Case
from registry.cases.notifications.subscriptions import subscribers_of
from registry.cases.permissions import is_administrator
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text, check_text
from registry.mail import outbox
from registry.namespaces.history import EVENT_LABELS as NAMESPACE_EVENT_LABELS
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_administrator as administers_namespace

VERB = "correct"
LONGEST_REFERENCE = 500


class NotCorrectable(RegistryError):
    """The event is not part of the history of a case or a namespace that everyone can read."""

    title = "This can't be corrected here"


def check_may_correct(event: Event, *, by: User) -> None:
    """Raise NotCorrectable or NotPermitted unless `by` may correct what the event says."""
    case, namespace = _case_of(event), _namespace_of(event)
    if case is None and namespace is None:
        raise NotCorrectable(f"Event {event.number} is in no public history of a case or a namespace.")
    if case is not None and not is_administrator(by, case):
        raise NotPermitted(f"Only an administrator who has no part in case {case.pk} corrects its record.")
    if namespace is not None and not administers_namespace(by, namespace):
        raise NotPermitted(
            f"Only an administrator who is not its registrant corrects the record of {namespace}."
        )


@transaction.atomic
def correct(event: Event, *, by: User, wrong: str, right: str, reference: str = "") -> Event:
    """Say what is wrong in an event, and what is right. Nothing that was written is changed."""
    lock_roles(by)
    check_may_correct(event, by=by)
    wrong = check_text(wrong, "what is wrong")
    right = check_text(right, "what is right")
    reference = check_optional_text(reference, "the reference", longest=LONGEST_REFERENCE)
    case, namespace = _case_of(event), _namespace_of(event)
    recipients = addresses(_recipients(case, namespace))
    correction = log.append(
        VERB,
        by=by,
        case=event.case_number,
        # Of a case's own events the history of the namespace says nothing, nor of their corrections.
        nid=event.nid if event.verb in NAMESPACE_EVENT_LABELS else "",
        reason=right,
        corrects=event.number,
        wrong=wrong,
        **({"reference": reference} if reference else {}),
    )
    about = case or namespace
    context = {"event": correction, "corrected": event, "about": about, "origin": settings.PUBLIC_ORIGIN}
    outbox.post(VERB, to=recipients, context=context, event_number=correction.number)
    return correction


def _recipients(case: Case | None, namespace: Namespace | None) -> list[User]:
    """Those whom the history concerns: who edits and watches the case, who has the namespace."""
    people = [namespace.registrant] if namespace is not None and namespace.registrant else []
    if case is not None:
        people += [case.registrant, *(link.user for link in case.co_editors.select_related("user"))]
        people += subscribers_of(case)
    return people


def _case_of(event: Event) -> Case | None:
    if event.case_number is None:
        return None
    cases = Case.objects.public().select_related("registrant", "namespace")
    return cases.filter(pk=event.case_number).first()


def _namespace_of(event: Event) -> Namespace | None:
    if event.verb not in NAMESPACE_EVENT_LABELS or not event.nid:
        return None
    return Namespace.objects.filter(nid=event.nid).select_related("registrant").first()
