"""Authentication by the token in the header Authorization (RFC 6750). Sessions of pages are not accepted."""

import re
from http import HTTPStatus
from typing import cast

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from registry.accounts.models import Token, User
from registry.accounts.services.tokens import note_use, token_with
from registry.core.exceptions import RegistryError

REALM = 'Bearer realm="registry"'
CREDENTIALS = re.compile("bearer +([!-~]+)", re.IGNORECASE)


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
    """Bearer authentication with a token of the registry (RFC 6750)."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        token = token_of(request._request)
        return (token.owner, token) if token else None

    def authenticate_header(self, request: Request) -> str:
        return REALM


def request_user(request: Request) -> User:
    """The user who owns the token of the request."""
    return cast("User", request.user)
