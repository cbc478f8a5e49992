"""Base classes of the API's resources: `PublicAPIView`, and `TokenAPIView` where a token is needed."""

from collections.abc import Mapping, Sequence
from functools import cache
from http import HTTPStatus
from io import BytesIO
from typing import Any, ClassVar, NoReturn, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from registry.accounts.models import Scope, User
from registry.api.framework.authentication import TokenAuthentication
from registry.api.framework.conditional import (
    KnownETag,
    apply_preconditions,
    conditional,
    known_etag,
    not_modified,
    sent_etag,
)
from registry.api.framework.fields import query_parameters
from registry.api.framework.parsers import MAX_VALUES, check_content_length
from registry.api.framework.permissions import HasTokenScope
from registry.api.framework.throttling import TooManyRequests
from registry.audit_log.consistency import HEADER as SEQUENCE
from registry.audit_log.log import last_written
from registry.audit_log.models import LogPosition
from registry.core.http.conditional import body_etag
from registry.core.rate_limits import Allowance
from registry.core.validators import BodySize

SERVICE_LINKS = '</api/v1/schema/>; rel="service-desc", </api/>; rel="service-doc"'


@cache
def operation_name(view: Any, method: str) -> str:
    """The name of an operation, by the class that declares it; "" if the method is not described."""
    declared: list[Any] = [vars(each).get(method) for each in view.__mro__]
    return next((str(each.details.name) for each in declared if hasattr(each, "details")), "")


class PublicAPIView(APIView):
    """A public resource, which can be read from pages of any origin.

    A token is not needed, but one that is sent must be valid: a program whose token has expired learns that from each
    response. The response is the same for all clients, so that caches may share it. `query` is the serializer of the query parameters; without one there are none.
    """

    authentication_classes: Any = (TokenAuthentication,)
    permission_classes: Any = (HasTokenScope,)
    # The scope that each method needs; None stands for any token. Those that are not here are public if they read.
    required_scopes: ClassVar[Mapping[str, Scope | None]] = {}
    renderer_classes: Sequence[type[BaseRenderer]] = (JSONRenderer,)
    query: ClassVar[type[Serializer[Any]] | None] = None
    request_headers = "Accept, Authorization, If-Modified-Since, If-None-Match, Registry-Sequence"
    response_headers = "Allow, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate"
    # Whether a GET depends only on tables that renew the token of changes: its ETag is then known until one changes.
    knows_etags = False
    _known_etag: KnownETag | None = None
    # Whether a POST reads: it needs no token, and is counted as reading.
    is_reading = False
    # The limits of the body: in octets (registry.core.http.request_limits) and in values of JSON.
    max_body = BodySize.SMALL
    max_values = MAX_VALUES
    allowance: Allowance | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """REST framework's steps, with the throttle first: refused requests are counted, too."""
        last_written.set(0)
        self.check_throttles(request)
        if request.method not in self.allowed_methods:
            raise MethodNotAllowed(str(request.method))
        self.perform_authentication(request)
        self.check_permissions(request)
        if request.method != "OPTIONS":
            self.check_body(request)
            self.parameters = self.check_parameters(request)
        self.format_kwarg = self.get_format_suffix(**kwargs)
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request)

    def confirmed(self, request: Request) -> HttpResponseBase | None:
        """A 304 response to a client that has the newest list. Otherwise the ETag of the response will be known."""
        self._known_etag = known_etag(request._request) if self.knows_etags else None
        etag = sent_etag(request.META)
        return not_modified(etag) if self._known_etag and self._known_etag.is_equal_to(etag) else None

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        raise TooManyRequests(cast("Allowance", self.allowance))

    def check_body(self, request: Request) -> None:
        """Refuse a body before anything else is done with the request."""

    def check_parameters(self, request: Request) -> dict[str, Any]:
        """The values of the query parameters. Raises QueryNotUnicode or InvalidParameter."""
        return query_parameters(request, self.query if request.method in ("GET", "HEAD") else None)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """The methods of the resource (Allow), and permission for pages of other origins to use them."""
        permissions = {
            "Access-Control-Allow-Methods": ", ".join(self.allowed_methods),
            "Access-Control-Allow-Headers": self.request_headers,
            "Access-Control-Max-Age": "86400",
        }
        return Response(headers=permissions)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(response, ["Accept"])
        if isinstance(response, Response) and request.method in ("GET", "HEAD"):
            response = self.conditional(request._request, response)
            if self._known_etag and response.status_code in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
                self._known_etag.store(response["ETag"])
        elif response.status_code == HTTPStatus.NOT_MODIFIED:
            del response["Allow"]
        response["Link"] = ", ".join(
            filter(None, (response.get("Link"), self.service_links(str(request.method))))
        )
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = self.response_headers
        for name, value in self.allowance.headers.items() if self.allowance else ():
            response[name] = value
        return response

    @classmethod
    def service_links(cls, method: str) -> str:
        """Links to the descriptions of the API, and to that of the operation (RFC 8631)."""
        view: Any = cls  # mypy takes the class for an instance, whose __hash__ is another one
        name = operation_name(view, "get" if method == "HEAD" else method.lower())
        return f'{SERVICE_LINKS}, </api/reference/#{name}>; rel="describedby"' if name else SERVICE_LINKS

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        return conditional(request, response)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        self._break_cycles(response)
        return response

    def _break_cycles(self, response: HttpResponseBase) -> None:
        """Render the response, and drop the references that tie it to the request.

        Request, view, response and middleware refer to each other in cycles, which stay in memory until the
        garbage collector runs: with bodies of megabytes, hundreds of them would fill the memory of a worker.
        """
        if isinstance(response, Response):
            response.render()
            response.renderer_context.clear()  # type: ignore[attr-defined]
        self.request.parser_context.clear()
        del self.response
        plain: Any = self.request._request
        plain._body, plain._stream = b"", None
        plain.META["wsgi.input"] = BytesIO()


class LookupAPIView(PublicAPIView):
    """A resource that has a fast path (`registry.core.http.fast_path`), which neither counts a request nor compresses its JSON."""

    throttle_classes: Any = ()  # counting a request would take longer than the fast path

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        """JSON has the same ETag from here as from the fast path."""
        return conditional(request, response, is_compressed=response.accepted_renderer.format != "json")


class TokenAPIView(PublicAPIView):
    """A resource with methods that need a token, or a session (SessionAPIView): `required_scopes` has those marked with `requires_scope`."""

    request_headers = "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, Registry-Sequence"
    response_headers = f"{PublicAPIView.response_headers}, Idempotency-Replayed, Location, Registry-Sequence"

    # Whether a response that is mostly public is for the owner of the token alone, as for a row that only they may see.
    is_private = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        methods = ((name.upper(), getattr(cls, name, None)) for name in cls.http_method_names)
        marked = ((name, method) for name, method in methods if hasattr(method, "required_scope"))
        scopes = {name: method.required_scope for name, method in marked}  # type: ignore[union-attr]
        cls.required_scopes = scopes | ({"HEAD": scopes["GET"]} if "GET" in scopes else {})

    @property
    def user(self) -> User:
        """The person for whom the request is made: the owner of its token or session."""
        return cast("User", self.request.user)

    def validated_data(self, serializer_class: type[Serializer[Any]]) -> dict[str, Any]:
        """The fields of the request's body. Raises ValidationError, which names each that is wrong."""
        serializer = serializer_class(data=self.request.data, context={"user": self.user})
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def check_body(self, request: Request) -> None:
        """Read the body, so that one that is truncated is refused before anything else."""
        if request.method in self.required_scopes and request.method not in SAFE_METHODS:
            check_content_length(request)
            _ = request._request.body

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if request.method in self.required_scopes:
            response["Cache-Control"] = "private, no-store"
            patch_vary_headers(response, ["Authorization"])
            if response.status_code < HTTPStatus.BAD_REQUEST and (number := self._event_of(response)):
                response[SEQUENCE] = str(number)
        return response

    def _event_of(self, response: Response) -> int:
        """The number of the last event after a public change, 0 without one."""
        is_replayed = "Idempotency-Replayed" in response
        return LogPosition.current().number if is_replayed else last_written.get()

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        """A private response has an ETag only if its operation declares one."""
        if request.method not in self.required_scopes:
            result = super().conditional(request, response)
            if self.is_private:
                result["Cache-Control"] = "private, no-store"
                patch_vary_headers(result, ["Authorization"])
            return result
        if not self.get.details.has_etag or response.status_code != HTTPStatus.OK:  # type: ignore[attr-defined]
            return response
        response.render()
        response["ETag"] = etag = body_etag(response.content)
        return apply_preconditions(request, etag, response)

    def current_representation(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The response to a GET of a record that is to be changed on a condition.

        A person who may read the record, but not change it, is refused before the condition is evaluated (RFC 9110,
        Section 13.2.1).
        """
        current: Response = self.get(request, *args, **kwargs)  # type: ignore[attr-defined]
        return current
