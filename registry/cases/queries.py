"""The lookup of one case for pages, review desk and API.

Permission is checked here, before a form or serializer reads what the request contains: a person without permission
gets the same response for every input.
"""

from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import User
from registry.cases.drafts.drafts import check_editor
from registry.cases.models import Case, CaseQuerySet
from registry.cases.permissions import is_invited
from registry.core.exceptions import NotPermitted

if TYPE_CHECKING:  # the definitions import the models of drafts
    from registry.cases.workflow.declarations.definition import CaseAction


def get_visible_case(user: User | AnonymousUser, pk: int) -> Case:
    """The case with its people, if `user` may see it. Raises NotPermitted, as if it did not exist."""
    return _get_case(Case.objects.visible_to(user), pk)


def _get_case(cases: CaseQuerySet, number: int) -> Case:
    cases = cases.select_related("namespace", "organisation", "registrant", "body")
    case = cases.prefetch_related("co_editors__user").filter(pk=number).first()
    if case is None:
        raise NotPermitted(f"There is no case {number}.")
    return case


def get_edited_case(user: User | AnonymousUser, number: int) -> Case:
    """The case, if `user` edits it."""
    case = get_visible_case(user, number)
    check_editor(case, by=user)
    return case


def get_case_for(action: "CaseAction", user: User | AnonymousUser, number: int) -> Case:
    """The case, if `user` has the permission for the action. State and conditions are not checked.

    An invited person can answer the invitation to a draft, but not see the draft.
    """
    if action.permission is is_invited and isinstance(user, User):
        return _get_case(Case.objects.inviting(user), number)
    case = get_visible_case(user, number)
    action.check_permission(user, case)
    return case
