"""Co-editors: those whom the registrant lets write the draft with them.

Whoever wrote in a case decides nothing in it, also after they left it; whoever was made a co-editor and
wrote nothing is free to act in their role again once they leave.
"""

from typing import Any

from django.db import transaction

from registry.accounts.models import User
from registry.errors import NotForYou, RegistryError
from registry.record import journal
from registry.record.models import Event
from registry.registrations import announcements, permissions
from registry.registrations.models import CoEditor, Recusal, Registration
from registry.registrations.moving import locked
from registry.registrations.workflow import ACT_BY_NAME

# Of what somebody does in a case who is not its registrant: what they do for themselves.
FOR_THEMSELVES = ("recuse", "remove_co_editor")


class AlreadyAnEditor(RegistryError):
    """The person edits the case already."""

    title = "Already an editor"


class NotAnEditor(RegistryError):
    """The person is no co-editor of the case."""

    title = "Not a co-editor"


class HasActed(RegistryError):
    """Who acted in a case for the registry can't write in it."""

    title = "This person acted in the case"


@transaction.atomic
def add_co_editor(registration: Registration, *, by: User, user: User) -> CoEditor:
    """Let `user` see and write the draft. The registrant alone submits, completes, appeals and withdraws."""
    case = locked(registration, by=by)
    ACT_BY_NAME["add_co_editor"].check_open(by, case)
    if permissions.is_editor(user, case):
        raise AlreadyAnEditor(f"{user} edits case {case.pk} already.")
    if Event.objects.of_registration(case.pk).filter(actor=user).exclude(verb__in=FOR_THEMSELVES).exists():
        raise HasActed(f"{user} acted in case {case.pk} for the registry, and so can't write in it.")
    link = CoEditor.objects.create(registration=case, user=user)
    _record("add_co_editor", case, by=by, user=user)
    return link


@transaction.atomic
def remove_co_editor(registration: Registration, *, by: User, user: User) -> Registration:
    """End it: the registrant ends it for anyone, a co-editor for themselves."""
    case = locked(registration, by=by)
    ACT_BY_NAME["remove_co_editor"].check_open(by, case)
    if not permissions.is_registrant(by, case) and by.pk != user.pk:
        raise NotForYou(f"Only the registrant of case {case.pk} ends it for other people.")
    link = case.co_editors.filter(user=user).first()
    if link is None:
        raise NotAnEditor(f"{user} is no co-editor of case {case.pk}.")
    if link.has_written:
        Recusal.objects.get_or_create(
            registration=case, user=user, defaults={"reason": "Wrote in the case as a co-editor."}
        )
    link.delete()
    _record("remove_co_editor", case, by=by, user=user, recused=link.has_written)
    return case


def _record(verb: str, case: Registration, *, by: User, user: User, **particulars: Any) -> None:
    """A draft concerns its editors alone; its first round says who they were."""
    if not case.is_public:
        announcements.tell_editors(verb, case, by=by, person=user)
        return
    readers = announcements.readers_of(verb, case, by=by, also=[user])
    event = journal.append(
        verb, by=by, registration=case.pk, nid=case.requested_nid, person=user.pk, **particulars
    )
    announcements.announce(event, case, readers, person=user)
