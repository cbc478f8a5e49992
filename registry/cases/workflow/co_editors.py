"""Co-editors: people whom the registrant lets write the draft with them.

A person who wrote in a case decides nothing in it, also after leaving it. A co-editor who wrote nothing is free
to act in their role again after leaving.
"""

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import Case, CoEditor, Recusal
from registry.cases.workflow.action_table import ADD_CO_EDITOR, RECUSE, REMOVE_CO_EDITOR
from registry.cases.workflow.definition import action_of
from registry.cases.workflow.engine import act
from registry.cases.workflow.exceptions import AlreadyAnEditor, HasActed, NotAnEditor
from registry.core.exceptions import NotPermitted

# Actions that people take for themselves, and not for the registry.
FOR_THEMSELVES = (RECUSE.name, REMOVE_CO_EDITOR.name)


@action_of(ADD_CO_EDITOR)
def add_co_editor(case: Case, *, by: User, user: User) -> Case:
    """Let `user` see and write the draft. The registrant alone submits, completes, appeals and withdraws."""
    with act(ADD_CO_EDITOR, case, by=by) as context:
        case = context.case
        if permissions.is_editor(user, case):
            raise AlreadyAnEditor(f"{user} edits case {case.pk} already.")
        if Event.objects.of_case(case.pk).filter(actor=user).exclude(verb__in=FOR_THEMSELVES).exists():
            raise HasActed(f"{user} acted in case {case.pk} for the registry, and so can't write in it.")
        CoEditor.objects.create(case=case, user=user)
        context.person, context.details = user, {"person": user.pk}
    return case


@action_of(REMOVE_CO_EDITOR)
def remove_co_editor(case: Case, *, by: User, user: User) -> Case:
    """Remove a co-editor: the registrant removes any of them, a co-editor only themselves."""
    with act(REMOVE_CO_EDITOR, case, by=by) as context:
        case = context.case
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
        context.person, context.details = user, {"person": user.pk, "recused": link.has_written}
    return case
