"""Who asks: whoever owns the token in the header Authorization (RFC 6750). A page's session says nothing here."""

import re
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from registry.accounts.models import Scope, Token, User
from registry.accounts.services.tokens import note_use, token_with
from registry.core.exceptions import RegistryError

REALM = 'Bearer realm="registry"'
CREDENTIALS = re.compile("bearer +([!-~]+)", re.IGNORECASE)

# How the API's description says the same.
SECURITY_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": (
        "A token, made at /accounts/tokens/ by whoever the program acts for. Its scopes say what it may be used "
        "for: `read` what only its owner can see, `write` as registrant and participant, `decide` in the roles "
        "of its owner. A role that is withdrawn, and an account that is closed, close it at once."
    ),
}


class TokenRefused(RegistryError):
    """The token is not known, has expired, was revoked, or its owner's account is closed."""

    status = HTTPStatus.UNAUTHORIZED
    title = "The token is not valid"
    headers = {"WWW-Authenticate": f'{REALM}, error="invalid_token"'}


class TokenMissing(RegistryError):
    """Only the owner of a token may do this."""

    status = HTTPStatus.UNAUTHORIZED
    title = "Say who you are"
    headers = {"WWW-Authenticate": REALM}


class ScopeMissing(RegistryError):
    """The token was not made for this; `scope` names what it would have to be made for."""

    status = HTTPStatus.FORBIDDEN
    title = "The token may not do this"

    def __init__(self, scope: Scope, token: Token) -> None:
        super().__init__(
            f"This needs a token with the scope “{scope}”; this one has {_listed(token.scopes)}. "
            "Make another at /accounts/tokens/."
        )
        self.members = {"scope": scope.value}
        self.headers = {"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{scope.value}"'}


def _listed(scopes: list[str]) -> str:
    return " and ".join(f"“{scope}”" for scope in scopes)


def token_of(request: HttpRequest) -> Token | None:
    """The token that came with the request, looked up once; None without one. Raises TokenRefused."""
    if not hasattr(request, "presented_token"):
        request.presented_token = _presented(request)  # type: ignore[attr-defined]
    found: Token | TokenRefused | None = request.presented_token  # type: ignore[attr-defined]
    if isinstance(found, TokenRefused):
        raise found
    return found


def _presented(request: HttpRequest) -> Token | TokenRefused | None:
    header = request.headers.get("Authorization", "")
    if not header:
        return None
    credentials = CREDENTIALS.fullmatch(header)
    if credentials is None:
        return TokenRefused("The header Authorization has to read “Bearer”, a space, and a token.")
    token = token_with(credentials[1])
    reason = _why_not(token)
    if token is None or reason:
        return TokenRefused(reason)
    note_use(token)
    return token


def _why_not(token: Token | None) -> str:
    """The sentence that says why the token opens nothing; "" when it does."""
    if token is None:
        return "There is no such token. A token is shown whole, once, when it is made at /accounts/tokens/."
    if token.revoked_at:
        return f"This token was revoked on {token.revoked_at:%Y-%m-%d}."
    if token.is_expired:
        return f"This token expired on {token.expires_at:%Y-%m-%d}."
    return "" if token.owner.is_active else "The account that this token belongs to is closed."


class TokenAuthentication(BaseAuthentication):
    """The REST framework's door to `token_of`."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        token = token_of(request._request)
        return (token.owner, token) if token else None

    def authenticate_header(self, request: Request) -> str:
        return REALM


def check_scope(request: Any, scope: Scope | None) -> Token:
    """The request's token, which was made for `scope`, if one is asked for. Raises TokenMissing, TokenRefused or ScopeMissing."""
    token = token_of(request._request)
    if token is None:
        raise TokenMissing("Send a token in the header Authorization. Make one at /accounts/tokens/.")
    if scope and scope not in token.scopes:
        raise ScopeMissing(scope, token)
    return token
