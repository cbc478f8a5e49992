"""Authentication by a token in the header Authorization (RFC 6750). Browser sessions are not accepted."""

import re
from http import HTTPStatus

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from registry.accounts.gravity import REALM
from registry.accounts.models import Token, User
from registry.accounts.tokens import note_use, token_with
from registry.core.exceptions import RegistryError

CREDENTIALS = re.compile("bearer +([!-~]+)", re.IGNORECASE)


class TokenRefused(RegistryError):
    """The token is unknown, expired or revoked, or the account of its owner is closed."""

    status = HTTPStatus.UNAUTHORIZED
    title = "Invalid token"
    headers = {"WWW-Authenticate": f'{REALM}, error="invalid_token"'}


class TokenMissing(RegistryError):
    """This request needs a token."""

    status = HTTPStatus.UNAUTHORIZED
    title = "Token required"
    headers = {"WWW-Authenticate": REALM}


def token_of(request: HttpRequest) -> Token | None:
    """The token of the request, looked up once; None if there is none. Raises TokenRefused."""
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
        return TokenRefused("The header Authorization must contain “Bearer”, a space and a token.")
    token = token_with(credentials[1])
    reason = _why_not(token)
    if token is None or reason:
        return TokenRefused(reason)
    note_use(token)
    return token


def _why_not(token: Token | None) -> str:
    """The reason why the token is not valid; "" if it is."""
    if token is None:
        return "The token is unknown. Create a token at /accounts/tokens/, where it is shown once."
    if token.revoked_at:
        return f"This token was revoked on {token.revoked_at:%Y-%m-%d}."
    if token.is_expired:
        return f"This token expired on {token.expires_at:%Y-%m-%d}."
    return "" if token.owner.is_active else "The account of the owner of this token is closed."


class TokenAuthentication(BaseAuthentication):
    """Bearer authentication with a token of the registry (RFC 6750)."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        token = token_of(request._request)
        if token is None:
            return None
        token.owner.acting_with = token
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        return REALM
