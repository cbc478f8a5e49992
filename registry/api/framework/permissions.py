"""Permission to use a method of a resource: the scope that the token needs."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar, cast

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from registry.accounts.gravity import ScopeMissing
from registry.accounts.models import Scope, Token
from registry.api.framework.authentication import TokenMissing
from registry.core.exceptions import RegistryError
from registry.core.http.urls import public_url

Method = TypeVar("Method", bound=Callable[..., Any])


class SecondFactorMissing(RegistryError):
    """The owner of the token decides in a role that needs a second factor, and has none; `add` is the page that adds one."""

    status = HTTPStatus.FORBIDDEN
    title = "Second factor required"

    def __init__(self) -> None:
        page = public_url("mfa_add_webauthn")
        super().__init__(
            "The roles of the owner of this token are suspended until the account has a passkey or an authenticator app. "
            f"Add one at {page}, then send the request again with the same token."
        )
        self.members = {"add": page}


class HasTokenScope(BasePermission):
    """Requires a token with the scope that the view's `required_scopes` has for the method.

    None stands for a token of any scope. A method that is not in `required_scopes` is public if it reads; one that
    writes is closed, and so is a view without `required_scopes`.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        scopes = getattr(view, "required_scopes", None)
        if scopes is None:
            return False
        if request.method in scopes:
            self.check(request, scopes[request.method])
            return True
        return request.method in SAFE_METHODS or view.is_reading

    def check(self, request: Request, scope: Scope | None) -> None:
        """Raise the refusal of a request that may not use a method with this scope."""
        check_scope(request, scope)


def requires_scope(scope: Scope | None) -> Callable[[Method], Method]:
    """Require a token with `scope` for a method of a TokenAPIView.

    None: any token; in a SessionAPIView, a session with a recent sign-in.
    """

    def mark(method: Method) -> Method:
        method.required_scope = scope  # type: ignore[attr-defined]
        return method

    return mark


def check_scope(request: Request, scope: Scope | None) -> None:
    """Raise TokenMissing without a token, ScopeMissing unless its scopes include `scope`, and SecondFactorMissing if
    the scope is of decisions, and a role of the owner is suspended.
    """
    token = cast("Token | None", request.auth)
    if token is None:
        raise TokenMissing("Send a token in the header Authorization. Create one at /accounts/tokens/.")
    if scope and scope not in token.scopes:
        raise ScopeMissing(scope, token)
    if scope == Scope.DECIDE and token.owner.suspended_roles:
        raise SecondFactorMissing
