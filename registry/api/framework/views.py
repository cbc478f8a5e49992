"""What the API's resources have in common: who may read, which parameters there are, when 304 is enough."""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from io import BytesIO
from typing import Any, ClassVar
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import parse_http_date_safe
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from registry.api.framework import throttling
from registry.api.framework.compression import coding_for, compress
from registry.api.framework.deprecation import DEPRECATED
from registry.api.framework.negotiation import FormatNegotiation
from registry.api.framework.problems import problem_from
from registry.core.exceptions import RegistryError

# A Last-Modified counts seconds: as long as more changes may follow in the same one it proves nothing
# (RFC 9110, section 8.8.2.2, which takes a minute).
LAST_MODIFIED_TRUSTED_AFTER = 60


class InvalidParameter(RegistryError):
    """A parameter of the address is unknown, given twice, missing or has a wrong value; `errors` names it."""

    status = HTTPStatus.BAD_REQUEST
    title = "A parameter is wrong"

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__(" ".join(reasons.values()))
        self.members = {"errors": [{"parameter": name, "detail": why} for name, why in reasons.items()]}


class QueryNotUnicode(RegistryError):
    """The address's query, its percent-encodings decoded, is not UTF-8."""

    status = HTTPStatus.BAD_REQUEST
    title = "The query is not UTF-8"


class StalePrecondition(RegistryError):
    """The record is not in the state that If-Match or If-Unmodified-Since asks for."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "It changed meanwhile"


class PublicAPIView(APIView):
    """Something that everybody may read, from everywhere, whoever they are.

    Nobody is authenticated here, so that an answer is the same for all and caches may share it.
    `query` is the serializer of the parameters after "?"; without one there are none.
    """

    authentication_classes = ()
    permission_classes = (AllowAny,)
    renderer_classes: Sequence[type[BaseRenderer]] = (JSONRenderer,)
    content_negotiation_class: type[BaseContentNegotiation] = FormatNegotiation
    query: ClassVar[type[Serializer[Any]] | None] = None
    request_headers = "Accept, If-Modified-Since, If-None-Match"
    response_headers = (
        "Allow, Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate"
    )
    # Whether what it is asked by POST is counted as reading.
    is_reading = False
    allowance: throttling.Allowance | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.count(request)
        if request.method not in self.allowed_methods:
            raise MethodNotAllowed(str(request.method))
        if request.method != "OPTIONS":
            self.admit(request)
            check_query_encoding(request)
            self.parameters = self.check_parameters(request)
        super().initial(request, *args, **kwargs)

    def count(self, request: Request) -> None:
        """Count the request of this client, and refuse it when it is one too many."""
        if request.method == "OPTIONS":
            return
        self.allowance = throttling.count_request(
            request._request, is_reading=self.is_reading or request.method in throttling.SAFE_METHODS
        )
        if self.allowance:
            self.allowance.check()

    def admit(self, request: Request) -> None:
        """Let in who may come in: here, everybody."""

    def check_parameters(self, request: Request) -> dict[str, Any]:
        """The parameters' values, or InvalidParameter."""
        is_read = request.method in ("GET", "HEAD")
        serializer = self.query(data=request.query_params.dict()) if self.query and is_read else None
        known = serializer.fields if serializer else {}
        reasons = {
            name: _unknown(name, list(known)) if name not in known else f"“{name}” is given more than once."
            for name, values in request.query_params.lists()
            if name not in known or len(values) > 1
        }
        if serializer and not serializer.is_valid():
            reasons = {name: " ".join(map(str, why)) for name, why in serializer.errors.items()} | reasons
        if reasons:
            raise InvalidParameter(reasons)
        return dict(serializer.validated_data) if serializer else {}

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """Say which methods there are (Allow), and let pages of other origins use them."""
        permissions = {
            "Access-Control-Allow-Methods": ", ".join(self.allowed_methods),
            "Access-Control-Allow-Headers": self.request_headers,
            "Access-Control-Max-Age": "86400",
        }
        return Response(headers=permissions)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        patch_vary_headers(response, ["Accept"])
        if isinstance(response, Response) and request.method in ("GET", "HEAD"):
            response = self.conditional(request, response)
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = self.response_headers
        for name, value in self._headers():
            response[name] = f"{response[name]}, {value}" if name in response else value
        self._part_from(response)
        return response

    def _part_from(self, response: HttpResponseBase) -> None:
        """Render the answer, and let go of what was sent.

        A request, its resource, its answer and what middleware ties to it hold each other in rings, which wait for
        the collector of garbage: with bodies of megabytes in them, hundreds would fill the memory of a worker.
        """
        if isinstance(response, Response):
            response.render()
            response.renderer_context.clear()  # type: ignore[attr-defined]
        self.request.parser_context.clear()
        del self.response
        plain: Any = self.request._request
        plain._body, plain._stream = b"", None
        plain.META["wsgi.input"] = BytesIO()

    def conditional(self, request: HttpRequest, response: Response) -> HttpResponseBase:
        return conditional(request, response)

    def _headers(self) -> Iterator[tuple[str, str]]:
        """What every answer says besides: how much may still be asked for, and whether this is to end."""
        if self.allowance:
            yield from self.allowance.headers.items()
        if deprecated := DEPRECATED.get(type(self).__name__):
            yield from deprecated.headers.items()


def check_query_encoding(request: Request) -> None:
    """Raise QueryNotUnicode where Django would put U+FFFD for octets of the query that are not UTF-8."""
    try:
        unquote_to_bytes(request.META.get("QUERY_STRING", "").encode("latin-1")).decode()
    except UnicodeDecodeError as fault:
        raise QueryNotUnicode(
            f"Octet {fault.start} after the “?”, counted when percent-encodings are decoded, is not UTF-8. "
            "A “%” that stands for itself, such as one of a URN, is written “%25” in an address."
        ) from fault


def conditional(request: HttpRequest, response: Response) -> HttpResponseBase:
    """The response with its ETag, or 304 or 412 when the request's conditions ask for that."""
    response.render()
    if not response.content:  # an empty text is one as well; the REST framework has taken its type away
        renderer = response.accepted_renderer
        response["Content-Type"] = f"{renderer.media_type}; charset={renderer.charset}"
    # A resource may know its own, as a namespace does; the others' is over what they say.
    digest = response.get("ETag", "").strip('"') or hashlib.sha256(response.content).hexdigest()[:32]
    patch_vary_headers(response, ["Accept-Encoding"])
    coding = coding_for(request, len(response.content))
    response["ETag"] = etag = etag_of(digest, coding)
    response["Cache-Control"] = "public, no-cache"
    changed = parse_http_date_safe(response.get("Last-Modified", ""))
    answer = apply_preconditions(request, etag, response, changed)
    is_by_time = answer.status_code == HTTPStatus.NOT_MODIFIED and "If-None-Match" not in request.headers
    if is_by_time and changed is not None and time.time() - changed < LAST_MODIFIED_TRUSTED_AFTER:
        answer = response
    if coding and answer is response:
        response.content = b"".join(compress([response.content], coding))
        response["Content-Encoding"] = coding
    return answer


def apply_preconditions(
    request: HttpRequest, etag: str | None, response: HttpResponseBase, changed: int | None = None
) -> HttpResponseBase:
    """The response, or 304 or 412 when the request's conditions ask for that (RFC 9110, section 13)."""
    if changed is None:
        # A date is ignored where there is none to hold it against (section 13.1.4); Django would refuse.
        request.META.pop("HTTP_IF_UNMODIFIED_SINCE", None)
    # The response is handed back as it is, of whatever class.
    ask: Any = get_conditional_response
    answer: HttpResponseBase = ask(request, etag=etag, last_modified=changed, response=response)
    if answer.status_code == HTTPStatus.PRECONDITION_FAILED:
        changed_meanwhile = StalePrecondition("What is here is at another version than the request expects.")
        return problem_from(changed_meanwhile).response(request)
    return answer


def etag_of(digest: str, coding: str) -> str:
    """The strong ETag of a body in a coding: other octets, so another ETag (RFC 9110, section 8.8.3.3)."""
    return f'"{digest}-{coding}"' if coding else f'"{digest}"'


def api_url(name: str, **arguments: Any) -> str:
    """The whole address of one of the API's resources."""
    return absolute_url(reverse(f"api:{name}", kwargs=arguments))


def absolute_url(path: str) -> str:
    """The whole address of a path: always the public one, so that no answer depends on how it was reached."""
    return f"{settings.PUBLIC_ORIGIN}{path}"


def _unknown(name: str, known: list[str]) -> str:
    there_are = f"there are {', '.join(known)}" if known else "there are none here"
    return f"“{name}” is not a parameter: {there_are}."
