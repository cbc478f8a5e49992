"""Authentication by the session of a browser, with a recent sign-in, for what a token must not do: manage tokens.

A token that could make tokens would outlast its own revocation.
"""

from http import HTTPStatus
from typing import Any

from rest_framework import authentication, exceptions
from rest_framework.request import Request

from registry.accounts.models import Scope, User
from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, ACCOUNT_CHANGES_MINUTES, is_recent
from registry.api.framework.authentication import token_of
from registry.api.framework.permissions import HasTokenScope
from registry.api.framework.views import TokenAPIView
from registry.core.exceptions import RegistryError
from registry.core.http.urls import public_url


class RecentSignInRequired(RegistryError):
    """Needs the session of a browser in which the sign-in was confirmed recently; no token is enough.

    `sign_in` is the page that asks to confirm it, with the second factor of an account that has one.
    """

    status = HTTPStatus.FORBIDDEN
    title = "Recent sign-in required"

    def __init__(self, reason: str) -> None:
        page = public_url("tokens:make")
        super().__init__(f"{reason} Confirm your sign-in at {page}, and send the cookie of that session.")
        self.members = {"sign_in": page}


class CSRFCheckFailed(RegistryError):
    """A write with a session needs the header X-CSRFToken, and over HTTPS an Origin or Referer of this host."""

    status = HTTPStatus.FORBIDDEN
    title = "CSRF check failed"


class SessionAuthentication(authentication.SessionAuthentication):
    """The session of a browser. Writes are checked for CSRF."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        if token_of(request._request):
            raise RecentSignInRequired("A token can't manage tokens.")
        return super().authenticate(request)

    def enforce_csrf(self, request: Any) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as error:
            raise CSRFCheckFailed(
                f"{error.detail} Send the value of the CSRF cookie in X-CSRFToken."
            ) from error


class HasRecentSignIn(HasTokenScope):
    """Requires a session with a recent sign-in, instead of a token."""

    def check(self, request: Request, scope: Scope | None) -> None:
        if not request.user.is_authenticated:
            raise RecentSignInRequired("This request needs a session.")
        if not is_recent(request._request, ACCOUNT_CHANGES):
            raise RecentSignInRequired(
                f"The sign-in was not confirmed in the last {ACCOUNT_CHANGES_MINUTES} minutes."
            )


class SessionAPIView(TokenAPIView):
    """A resource with methods that need a session, not a token: those marked with `requires_scope(None)`."""

    authentication_classes = (SessionAuthentication,)
    permission_classes: Any = (HasRecentSignIn,)
    request_headers = "Accept, Content-Type, X-CSRFToken"
