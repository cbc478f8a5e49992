"""Correcting what the public record says: a new event beside the old one, which stays as it was written."""

from django.conf import settings
from django.db import transaction

from registry.accounts.actions import hold_roles
from registry.accounts.models import User, addresses
from registry.errors import NotForYou, RegistryError
from registry.mail import outbox
from registry.namespaces.history import WORDS as WORDS_OF_NAMESPACES
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_administrator as administers_namespace
from registry.record import journal
from registry.record.models import Event
from registry.registrations.models import Registration
from registry.registrations.permissions import is_administrator
from registry.registrations.watching import watchers_of
from registry.words import check_remark, check_words

VERB = "correct"
LONGEST_REFERENCE = 500


class NotCorrectable(RegistryError):
    """The event is not part of the history of a case or a namespace that everyone can read."""

    title = "This can't be corrected here"


def check_may_correct(event: Event, *, by: User) -> None:
    """Raise NotCorrectable or NotForYou unless `by` may correct what the event says."""
    case, namespace = _case_of(event), _namespace_of(event)
    if case is None and namespace is None:
        raise NotCorrectable(f"Event {event.number} is in no public history of a case or a namespace.")
    if case is not None and not is_administrator(by, case):
        raise NotForYou(f"Only an administrator who has no part in case {case.pk} corrects its record.")
    if namespace is not None and not administers_namespace(by, namespace):
        raise NotForYou(
            f"Only an administrator who is not its registrant corrects the record of {namespace}."
        )


@transaction.atomic
def correct(event: Event, *, by: User, wrong: str, right: str, reference: str = "") -> Event:
    """Say what is wrong in an event, and what is right. Nothing that was written is changed."""
    hold_roles(by)
    check_may_correct(event, by=by)
    wrong = check_words(wrong, "what is wrong")
    right = check_words(right, "what is right")
    reference = check_remark(reference, "the reference", longest=LONGEST_REFERENCE)
    case, namespace = _case_of(event), _namespace_of(event)
    readers = addresses(_readers(case, namespace))
    correction = journal.append(
        VERB,
        by=by,
        registration=event.registration_number,
        # Of a case's own events the history of the namespace says nothing, nor of their corrections.
        nid=event.nid if event.verb in WORDS_OF_NAMESPACES else "",
        reason=right,
        corrects=event.number,
        wrong=wrong,
        **({"reference": reference} if reference else {}),
    )
    about = case or namespace
    context = {"event": correction, "corrected": event, "about": about, "origin": settings.PUBLIC_ORIGIN}
    outbox.post(VERB, to=readers, context=context, event_number=correction.number)
    return correction


def _readers(case: Registration | None, namespace: Namespace | None) -> list[User]:
    """Those whom the history concerns: who edits and watches the case, who has the namespace."""
    people = [namespace.registrant] if namespace is not None and namespace.registrant else []
    if case is not None:
        people += [case.registrant, *(link.user for link in case.co_editors.select_related("user"))]
        people += watchers_of(case)
    return people


def _case_of(event: Event) -> Registration | None:
    if event.registration_number is None:
        return None
    cases = Registration.objects.public().select_related("registrant", "namespace")
    return cases.filter(pk=event.registration_number).first()


def _namespace_of(event: Event) -> Namespace | None:
    if event.verb not in WORDS_OF_NAMESPACES or not event.nid:
        return None
    return Namespace.objects.filter(nid=event.nid).select_related("registrant").first()
