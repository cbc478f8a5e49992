"""Declarations of methods that need a token, or the session of a browser: what they require and honour, and their description.

`token_operation` and `write_operation` decorate a method of a TokenAPIView, `session_operation` one of a SessionAPIView. A method
that writes and has none of them is refused (`HasTokenScope`).
"""

from collections.abc import Callable
from typing import Any

from registry.accounts.gravity import gravity_of
from registry.accounts.models import Scope
from registry.api.framework.conditional import honouring_if_match
from registry.api.framework.idempotency import idempotent
from registry.api.framework.permissions import requires_scope
from registry.api.schema.operations import Method
from registry.api.schema.token_operations import (
    describe_session_operation,
    describe_token_operation,
    describe_write_operation,
)


def token_operation(
    name: str, summary: str, *, scope: Scope | None, **described: Any
) -> Callable[[Method], Method]:
    """Declare a method that reads with a token. Without a scope, any token is accepted."""
    describe = describe_token_operation(name, summary, scope=scope, **described)
    return lambda method: describe(requires_scope(scope)(method))


def write_operation(
    name: str,
    summary: str,
    *,
    action: Any = (),
    scope: Scope = Scope.WRITE,
    is_once: bool = True,
    is_conditional: bool = False,
    **described: Any,
) -> Callable[[Method], Method]:
    """Declare a method that writes: with an `action`, or several of one gravity, the token needs its scope. `is_once`: it
    accepts an Idempotency-Key; `is_conditional`: it honours If-Match with the ETag of the GET of its view.
    """
    actions = action if isinstance(action, tuple) else (action,)
    if actions:
        (scope,) = {gravity_of(each).scope for each in actions}
    describe = describe_write_operation(
        name,
        summary,
        actions=actions,
        scope=scope,
        is_once=is_once,
        is_conditional=is_conditional,
        **described,
    )

    def declare(method: Method) -> Method:
        conditional = honouring_if_match(method) if is_conditional else method
        return describe(requires_scope(scope)(idempotent(conditional) if is_once else conditional))

    return declare


def session_operation(
    name: str, summary: str, *, is_write: bool = False, **described: Any
) -> Callable[[Method], Method]:
    """Declare a method that needs a session with a recent sign-in. One with a body writes."""
    is_write = is_write or described.get("request") is not None
    describe = describe_session_operation(name, summary, is_write=is_write, **described)
    return lambda method: describe(requires_scope(None)(method))
