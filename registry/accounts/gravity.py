"""The gravity of actions: what a stolen session or token must not be enough for.

An action declares it once. From it follow the recent sign-in that its page asks for (`recent_sign_in`), and the scope that a
token needs, which the endpoint describes and the action itself checks.
"""

from enum import Enum
from http import HTTPStatus
from typing import Any

from registry.accounts.models import Scope, Token, User
from registry.core.exceptions import RegistryError

REALM = 'Bearer realm="registry"'


class Gravity(Enum):
    """How far the effect of an action reaches. The value is the scope that a token needs."""

    ORDINARY = Scope.WRITE
    # Who controls an organisation, a namespace, a case or a webhook: what would outlast a stolen session or token.
    CONTROL = Scope.MANAGE
    # In a role, for the registry.
    DECISION = Scope.DECIDE

    @property
    def scope(self) -> Scope:
        return self.value

    @property
    def asks_for_sign_in(self) -> bool:
        """Whether a page asks to confirm a sign-in that is not recent."""
        return self is not Gravity.ORDINARY


class ScopeMissing(RegistryError):
    """The token does not have the scope that this request needs; `scope` names it."""

    status = HTTPStatus.FORBIDDEN
    title = "Missing scope"

    def __init__(self, scope: Scope, token: Token) -> None:
        listed = ", ".join(f"“{each}”" for each in token.scopes)
        super().__init__(
            f"This request needs a token with the scope “{scope}”; the token has {listed}. "
            "Create another token at /accounts/tokens/."
        )
        self.members = {"scope": scope.value}
        self.headers = {"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{scope.value}"'}


def check_token_permits(gravity: Gravity, *, by: User | None) -> None:
    """Raise ScopeMissing if `by` acts with a token that lacks the scope of this gravity."""
    token = by.acting_with if by is not None else None
    if token is not None and gravity.scope not in token.scopes:
        raise ScopeMissing(gravity.scope, token)


def gravity_of(action: Any) -> Gravity:
    """The gravity of a declared action. Raises AttributeError for anything else."""
    gravity: Gravity = action.gravity
    return gravity
