"""`account/tokens/`: the tokens of the user, which are made, rotated and revoked with a recent sign-in."""

from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts import tokens
from registry.accounts.models import Token
from registry.api.account import (
    OwnTokenPageSerializer,
    OwnTokenQuerySerializer,
    OwnTokenSerializer,
    TokenRequestSerializer,
    TokenWithSecretSerializer,
)
from registry.api.framework.fields import EmptyRequestSerializer, parse_number
from registry.api.framework.methods import session_operation
from registry.api.framework.pagination import PaginatedAPIView
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.sessions import SessionAPIView
from registry.api.framework.urls import api_url
from registry.api.schema.operations import POSITIVE_INTEGER, path_parameter
from registry.api.schema.token_operations import TEXT_PROBLEMS
from registry.core.names import NameRefused
from registry.core.new_secrets import WithSecret

TOKEN_NUMBER = path_parameter("number", "TokenNumber", "The number of a token.", 1, **POSITIVE_INTEGER)
LINKS = {
    "rotate": ("rotateToken", {"number": "$response.body#/number"}),
    "revoke": ("revokeToken", {"number": "$response.body#/number"}),
}


def _with_secret(made: WithSecret[Token]) -> Any:
    return TokenWithSecretSerializer(made.record, context={"made": made}).data


class OwnTokenAPIView(SessionAPIView):
    """A resource below one token of the user."""

    def token(self, number: str) -> Token:
        """Raises Http404 for a token of another person, and for one that was revoked."""
        return get_object_or_404(Token, pk=parse_number(number), owner=self.user, revoked_at=None)


class OwnTokenListView(PaginatedAPIView, SessionAPIView):
    """The tokens of the user."""

    query = OwnTokenQuerySerializer

    @session_operation(
        "listTokens",
        "The tokens of the user",
        response=OwnTokenPageSerializer,
        about="The tokens that were not revoked, in the order in which they were made.",
        links={"token": ("getOwnToken", {"number": "$response.body#/results/0/number"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        return self.paginated(
            request, Token.objects.filter(owner=self.user, revoked_at=None), OwnTokenSerializer
        )

    @session_operation(
        "createToken",
        "Create a token",
        request=TokenRequestSerializer,
        response=TokenWithSecretSerializer,
        status=HTTPStatus.CREATED,
        about=(
            "Only this response contains the secret, which programs send in `Authorization`. A person can have "
            f"{tokens.MOST_TOKENS} tokens."
        ),
        refusals=(
            tokens.TokenNameTaken,
            tokens.TooManyTokens,
            tokens.InvalidTokenSettings,
            NameRefused,
            *TEXT_PROBLEMS,
        ),
        links=LINKS,
        is_body_needed=True,
    )
    def post(self, request: Request) -> Response:
        made = tokens.make_token(by=self.user, **self.validated_data(TokenRequestSerializer))
        headers = {"Location": api_url("own-token", number=made.record.pk)}
        return Response(_with_secret(made), HTTPStatus.CREATED, headers=headers)


class OwnTokenDetailView(OwnTokenAPIView):
    """A token of the user."""

    @session_operation(
        "getOwnToken",
        "A token of the user",
        response=OwnTokenSerializer,
        about="Its scopes, its expiry and its last use, without the secret.",
        refusals=(NOT_FOUND,),
        parameters=(TOKEN_NUMBER,),
        links=LINKS,
    )
    def get(self, request: Request, number: str) -> Response:
        return Response(OwnTokenSerializer(self.token(number)).data)

    @session_operation(
        "revokeToken",
        "Revoke a token",
        response=None,
        status=HTTPStatus.NO_CONTENT,
        about="It stops working immediately and permanently.",
        refusals=(NOT_FOUND,),
        parameters=(TOKEN_NUMBER,),
        is_write=True,
    )
    def delete(self, request: Request, number: str) -> Response:
        tokens.revoke_token(self.token(number), by=self.user)
        return Response(status=HTTPStatus.NO_CONTENT)


class RotateTokenView(OwnTokenAPIView):
    """Replace the secret of a token."""

    @session_operation(
        "rotateToken",
        "Replace the secret of a token",
        request=EmptyRequestSerializer,
        response=TokenWithSecretSerializer,
        about=(
            "Name, scopes, quota and expiry stay. The old secret stops working at once, because it may have leaked. Only this "
            "response contains the new one. For an overlap, create a second token."
        ),
        refusals=(NOT_FOUND, tokens.TokenEnded),
        parameters=(TOKEN_NUMBER,),
        links=LINKS,
    )
    def post(self, request: Request, number: str) -> Response:
        token = self.token(number)
        self.validated_data(EmptyRequestSerializer)
        return Response(_with_secret(tokens.rotate_token(token, by=self.user)))
