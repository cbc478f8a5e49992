"""Exceptions as RFC 9457 problems: the API's counterpart of `registry.core.http.middleware.RegistryErrorMiddleware`.

The `type` of a problem is an address below /api/v1/problems/ that explains it. Every RegistryError class is a
type, named after the class; the exceptions of Django and REST framework are listed in `FRAMEWORK_TYPES`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.utils.log import log_response
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import set_rollback

from registry.core.database.errors import is_unavailable
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.http.capacity import BODY_TIMEOUT, SlowBody
from registry.core.http.negotiation import PROBLEM
from registry.core.http.urls import absolute_url
from registry.core.validators import MAX_LISTED, shortened

MAX_POINTER = 200  # characters
WORD_BOUNDARY = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class ProblemType:
    """The type of a problem: what is the same whenever it occurs (RFC 9457, Section 3.1.1)."""

    slug: str
    status: int
    title: str
    explanation: str

    @property
    def component(self) -> str:
        """The name of its schema in the OpenAPI description."""
        return "".join(part.capitalize() for part in self.slug.split("-"))

    @property
    def uri(self) -> str:
        return absolute_url(f"/api/v1/problems/{self.slug}/")

    @classmethod
    def of(cls, refusal: type[RegistryError]) -> "ProblemType":
        """The type of an exception class: `nid-taken` of NIDTaken, `urn-malformed` of URNMalformed; or the class has a `slug`."""
        slug = refusal.__dict__.get("slug") or WORD_BOUNDARY.sub("-", refusal.__name__).lower()
        return cls(slug, refusal.status, refusal.title, " ".join((refusal.__doc__ or "").split()))


class AddressUnknown(RegistryError):
    """The API has nothing at this address."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"


NOT_FOUND = ProblemType(
    "not-found", 404, "Not found", "Nothing exists at this address, or you do not have access to it."
)
INVALID_REQUEST = ProblemType(
    "invalid-request", 400, "Invalid request", "The address, the headers or the body are not well-formed."
)
FORBIDDEN = ProblemType("forbidden", 403, "Not permitted", "You do not have the permission for this request.")
METHOD_NOT_ALLOWED = ProblemType(
    "method-not-allowed", 405, "Method not allowed", "The header Allow lists the methods of this address."
)
SERVER_ERROR = ProblemType(
    "server-error", 500, "Internal error", "The error was logged. Trying again later may help."
)
UNAVAILABLE = ProblemType(
    "unavailable",
    503,
    "Temporarily unavailable",
    "The registry can't respond at the moment. Try again later.",
)
# The first class that matches applies.
FRAMEWORK_TYPES: dict[type[Exception], ProblemType] = {
    exceptions.ValidationError: ProblemType(
        "invalid-fields", 400, "Invalid fields", "`errors` names each invalid field and the reason."
    ),
    exceptions.ParseError: ProblemType(
        "unreadable-body",
        400,
        "Unreadable body",
        "The body is not in the format that Content-Type names.",
    ),
    exceptions.AuthenticationFailed: ProblemType(
        "authentication-failed",
        401,
        "Authentication failed",
        "The credentials are wrong, expired or revoked.",
    ),
    exceptions.NotAuthenticated: ProblemType(
        "not-authenticated", 401, "Authentication required", "This request needs authentication."
    ),
    exceptions.PermissionDenied: FORBIDDEN,
    exceptions.NotFound: NOT_FOUND,
    exceptions.MethodNotAllowed: METHOD_NOT_ALLOWED,
    exceptions.NotAcceptable: ProblemType(
        "not-acceptable",
        406,
        "Not acceptable",
        "The response is not available in a format that Accept names.",
    ),
    exceptions.UnsupportedMediaType: ProblemType(
        "unsupported-media-type",
        415,
        "Unsupported media type",
        "This address does not accept the Content-Type of the body.",
    ),
    exceptions.Throttled: ProblemType(
        "too-many-requests",
        429,
        "Too many requests",
        "The header Retry-After contains the number of seconds to wait.",
    ),
    Http404: NOT_FOUND,
    PermissionDenied: FORBIDDEN,
    SlowBody: ProblemType(
        "slow-body",
        408,
        "Request timeout",
        f"The body did not arrive within {BODY_TIMEOUT:.0f} seconds. The connection is closed.",
    ),
    SuspiciousOperation: INVALID_REQUEST,
    BadRequest: INVALID_REQUEST,
    UnreadablePostError: INVALID_REQUEST,
}
BY_STATUS = {
    each.status: each for each in (*FRAMEWORK_TYPES.values(), INVALID_REQUEST, SERVER_ERROR, UNAVAILABLE)
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that occurred: its type, the details of this occurrence, and further members for programs."""

    type: ProblemType
    detail: str
    members: Mapping[str, Any] = field(default_factory=dict)
    status: int | None = None

    def response(self, request: HttpRequest) -> HttpResponse:
        """The problem as the response to `request`."""
        status = self.status or self.type.status
        body = {
            "type": self.type.uri,
            "title": self.type.title,
            "status": status,
            "detail": self.detail,
            "instance": request.get_full_path(),
            **self.members,
        }
        text = json.dumps(body, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))
        # A lone surrogate, which UTF-8 can't encode, is escaped as in JSON: \ud800.
        response = HttpResponse(text.encode("utf-8", "backslashreplace"), PROBLEM, status)
        response["Cache-Control"] = "no-cache"
        return response


def exception_handler(refusal: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """The response to an exception of a view: REST framework's EXCEPTION_HANDLER."""
    set_rollback()
    request: Request = context["request"]
    problem = problem_from(refusal)
    response = problem.response(request._request)
    for header, value in _headers(refusal):
        response[header] = value
    if problem.type is SERVER_ERROR or is_unavailable(refusal):
        _report(refusal, response, request._request)
    return response


def problem_from(refusal: Exception) -> Problem:
    """The problem of an exception. That of an unexpected exception reveals nothing about it."""
    if isinstance(refusal, NotPermitted):
        return Problem(NOT_FOUND, str(refusal))
    if isinstance(refusal, RegistryError):
        return Problem(ProblemType.of(type(refusal)), str(refusal), _members(refusal))
    if is_unavailable(refusal):
        return Problem(UNAVAILABLE, UNAVAILABLE.explanation)
    known = next((each for each in FRAMEWORK_TYPES if isinstance(refusal, each)), None)
    if known:
        return _framework_problem(FRAMEWORK_TYPES[known], refusal)
    if isinstance(refusal, exceptions.APIException):
        fallback = BY_STATUS.get(refusal.status_code, INVALID_REQUEST)
        return Problem(fallback, str(refusal.detail), status=refusal.status_code)
    return Problem(SERVER_ERROR, "An internal error occurred. It was logged.")


def all_types() -> dict[str, ProblemType]:
    """All problem types, by slug."""
    framework = (*FRAMEWORK_TYPES.values(), SERVER_ERROR, UNAVAILABLE)
    refusals = (ProblemType.of(each) for each in _subclasses(RegistryError) if each is not NotPermitted)
    return {each.slug: each for each in sorted((*framework, *refusals), key=lambda each: each.slug)}


def _subclasses(refusal: type[RegistryError]) -> Iterator[type[RegistryError]]:
    for each in refusal.__subclasses__():
        yield each
        yield from _subclasses(each)


def _framework_problem(problem_type: ProblemType, refusal: Exception) -> Problem:
    if isinstance(refusal, exceptions.ValidationError):
        return _fields_problem(problem_type, list(_pointed(refusal.detail)))
    if isinstance(refusal, exceptions.APIException):
        return Problem(problem_type, str(refusal.detail), status=refusal.status_code)
    return Problem(problem_type, problem_type.explanation)


def _fields_problem(problem_type: ProblemType, errors: list[dict[str, str]]) -> Problem:
    """The first errors, and how many there are."""
    is_complete = len(errors) <= MAX_LISTED
    detail = (
        f"`errors` names the first {MAX_LISTED} errors and leaves out {len(errors) - MAX_LISTED:,} others."
    )
    return Problem(
        problem_type,
        problem_type.explanation if is_complete else detail,
        {"errors": errors[:MAX_LISTED]},
    )


def _pointed(detail: Any, pointer: str = "#") -> Iterator[dict[str, str]]:
    """The errors of a serializer, each with a JSON pointer (RFC 6901) to the invalid value."""
    if isinstance(detail, str):
        yield {"pointer": shortened(pointer, MAX_POINTER), "detail": str(detail)}
    elif isinstance(detail, Mapping):
        for key, below in detail.items():
            name = "" if key == "non_field_errors" else "/" + str(key).replace("~", "~0").replace("/", "~1")
            yield from _pointed(below, pointer + name)
    else:
        for index, below in enumerate(detail):
            yield from _pointed(below, pointer if isinstance(below, str) else f"{pointer}/{index}")


def _members(refusal: RegistryError) -> dict[str, Any]:
    """The further members of a problem: the `members` of the exception, and its findings."""
    members = dict(getattr(refusal, "members", {}))
    findings = getattr(refusal, "findings", ())
    if findings:
        members["findings"] = [each.to_json() for each in findings]
    return members


def _headers(refusal: Exception) -> Iterator[tuple[str, str]]:
    yield from getattr(refusal, "headers", {}).items()
    if is_unavailable(refusal):
        yield "Retry-After", "5"
    if wait := getattr(refusal, "wait", None):
        yield "Retry-After", str(wait)
    if scheme := getattr(refusal, "auth_header", None):
        yield "WWW-Authenticate", scheme


def _report(error: Exception, response: HttpResponse, request: HttpRequest) -> None:
    """Log an error and send the signal as Django does for pages; the test client raises it again."""
    got_request_exception.send(sender=None, request=request)
    log_response(
        "%s: %s",
        response.reason_phrase,
        request.path,
        response=response,
        request=request,
        exception=error,
    )
