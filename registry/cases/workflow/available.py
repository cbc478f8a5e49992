"""The transitions and actions that a person may make in a case now."""

from registry.cases.models import Case
from registry.cases.permissions import Permission, Person
from registry.cases.workflow.action_table import ACTIONS
from registry.cases.workflow.definition import Action, Transition
from registry.cases.workflow.table import ALL_ACTIONS, TRANSITIONS


def transitions_with(permission: Permission) -> tuple[Transition, ...]:
    """The transitions that need this permission."""
    return tuple(each for each in TRANSITIONS if each.permission is permission)


def transitions_allowed_for(user: Person, case: Case) -> list[Transition]:
    """The transitions that `user` may make in this case now."""
    return [transition for transition in TRANSITIONS if transition.is_allowed_for(user, case)]


def actions_allowed_for(user: Person, case: Case) -> list[Action]:
    """The actions with a page, other than transitions, that `user` may take now."""
    return [action for action in ACTIONS if action.is_allowed_for(user, case)]


def all_allowed_for(user: Person, case: Case) -> list[Action]:
    """All actions and transitions that `user` may take in this case now."""
    return [action for action in ALL_ACTIONS if action.is_allowed_for(user, case)]
