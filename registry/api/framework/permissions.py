"""What the resources have in common that somebody must be known for: the token, and the scope that it has."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.api.framework.authentication import TokenAuthentication, check_scope
from registry.api.framework.parsers import StrictJSONParser, check_content_length
from registry.api.framework.throttling import SAFE_METHODS
from registry.api.framework.views import PublicAPIView

Method = TypeVar("Method", bound=Callable[..., Any])


def requires_scope(scope: Scope | None) -> Callable[[Method], Method]:
    """Open a method of a TokenAPIView to tokens alone that were made for `scope` (None: to any token)."""

    def mark(method: Method) -> Method:
        method.scope = scope  # type: ignore[attr-defined]
        return method

    return mark


class TokenAPIView(PublicAPIView):
    """A resource for some of whose methods somebody must be known: `scopes` holds those marked `requires_scope`."""

    scopes: ClassVar[Mapping[str, Scope | None]] = {}
    parser_classes: Any = (StrictJSONParser,)
    request_headers = (
        "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match"
    )
    response_headers = f"{PublicAPIView.response_headers}, Idempotency-Replayed, Location"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        methods = ((name.upper(), getattr(cls, name, None)) for name in cls.http_method_names)
        scopes = {name: method.scope for name, method in methods if method and hasattr(method, "scope")}
        cls.scopes = scopes | ({"HEAD": scopes["GET"]} if "GET" in scopes else {})

    def get_authenticators(self) -> list[BaseAuthentication]:
        # Whoever describes the API makes a resource without a request.
        method = self.request.method if self.request else None
        return [TokenAuthentication()] if method in self.scopes else []

    def admit(self, request: Request) -> None:
        """Ask for the token, and read the body, so that one that is too long is refused first of all."""
        method = str(request.method)
        if method in self.scopes:
            self.token = check_scope(request, self.scopes[method])
            if method not in SAFE_METHODS:
                check_content_length(request)
                _ = request._request.body

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        if request.method in self.scopes:
            response["Cache-Control"] = "private, no-store"
            patch_vary_headers(response, ["Authorization"])
        return response

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        """What one person alone may read has a validator only where the resource itself gives it one."""
        if request.method not in self.scopes:
            return super().conditional(request, response)
        return response


def request_user(request: Request) -> User:
    """Who makes the request."""
    return cast("User", request.user)
