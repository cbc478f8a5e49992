"""Co-editors: those whom the registrant lets write the draft with them.

Whoever wrote in a case decides nothing in it, also after they left it; whoever was made a co-editor and
wrote nothing is free to act in their role again once they leave.
"""

from typing import Any

from django.db import transaction

from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import Case, CoEditor, Recusal
from registry.cases.notifications import notifications
from registry.cases.workflow.engine import lock_case
from registry.cases.workflow.table import ACTION_BY_NAME
from registry.core.exceptions import NotPermitted, RegistryError

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
def add_co_editor(case: Case, *, by: User, user: User) -> CoEditor:
    """Let `user` see and write the draft. The registrant alone submits, completes, appeals and withdraws."""
    case = lock_case(case, by=by)
    ACTION_BY_NAME["add_co_editor"].check_allowed(by, case)
    if permissions.is_editor(user, case):
        raise AlreadyAnEditor(f"{user} edits case {case.pk} already.")
    if Event.objects.of_case(case.pk).filter(actor=user).exclude(verb__in=FOR_THEMSELVES).exists():
        raise HasActed(f"{user} acted in case {case.pk} for the registry, and so can't write in it.")
    link = CoEditor.objects.create(case=case, user=user)
    _record("add_co_editor", case, by=by, user=user)
    return link


@transaction.atomic
def remove_co_editor(case: Case, *, by: User, user: User) -> Case:
    """End it: the registrant ends it for anyone, a co-editor for themselves."""
    case = lock_case(case, by=by)
    ACTION_BY_NAME["remove_co_editor"].check_allowed(by, case)
    if not permissions.is_registrant(by, case) and by.pk != user.pk:
        raise NotPermitted(f"Only the registrant of case {case.pk} ends it for other people.")
    link = case.co_editors.filter(user=user).first()
    if link is None:
        raise NotAnEditor(f"{user} is no co-editor of case {case.pk}.")
    if link.has_written:
        Recusal.objects.get_or_create(
            case=case, user=user, defaults={"reason": "Wrote in the case as a co-editor."}
        )
    link.delete()
    _record("remove_co_editor", case, by=by, user=user, recused=link.has_written)
    return case


def _record(verb: str, case: Case, *, by: User, user: User, **details: Any) -> None:
    """A draft concerns its editors alone; its first round says who they were."""
    if not case.is_public:
        notifications.notify_editors(verb, case, by=by, person=user)
        return
    recipients = notifications.recipients_of(verb, case, by=by, also=[user])
    event = log.append(verb, by=by, case=case.pk, nid=case.requested_nid, person=user.pk, **details)
    notifications.notify(event, case, recipients, person=user)
