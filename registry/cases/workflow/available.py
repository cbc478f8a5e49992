"""The transitions and actions that a person may make in a case now."""

from collections.abc import Iterable
from functools import cache
from typing import TypeVar

from registry.cases.models import Case
from registry.cases.permissions import Permission, Person
from registry.cases.workflow.declarations.actions import ACTIONS
from registry.cases.workflow.declarations.definition import CaseAction, Transition
from registry.cases.workflow.declarations.reviews import TAKE_BACK
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS, TRANSITIONS

AnyAction = TypeVar("AnyAction", bound=CaseAction)


def transitions_with(permission: Permission) -> tuple[Transition, ...]:
    """The transitions that need this permission."""
    return tuple(each for each in TRANSITIONS if each.permission is permission)


def transitions_open_in(case: Case) -> list[Transition]:
    """The transitions that state and conditions of this case permit now, regardless of the person. Taking back a verdict
    is not one of them: the case does not wait for it.
    """
    return [each for each in TRANSITIONS if each is not TAKE_BACK and each.is_open(case)]


def transitions_allowed_for(user: Person, case: Case) -> list[Transition]:
    """The transitions that `user` may make in this case now."""
    return _allowed(TRANSITIONS, user, case)


def actions_allowed_for(user: Person, case: Case) -> list[CaseAction]:
    """The actions with a page, other than transitions, that `user` may take now."""
    return _allowed(ACTIONS, user, case)


def all_allowed_for(user: Person, case: Case) -> list[CaseAction]:
    """All actions and transitions that `user` may take in this case now."""
    return _allowed(ALL_ACTIONS, user, case)


def _allowed(actions: Iterable[AnyAction], user: Person, case: Case) -> list[AnyAction]:
    """Those that `user` may take now. Each permission, and each obstacle, is looked up once."""
    holds = cache(lambda question: question(user, case))
    return [
        each
        for each in actions
        if each.is_open(case)
        and holds(each.permission)
        and not holds(each.obstacle)
        and (each.offered_to is None or holds(each.offered_to))
    ]
