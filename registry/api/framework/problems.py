"""Refusals as RFC 9457 problems: the API's twin of `registry.core.middleware.RegistryErrorMiddleware`.

A problem's `type` is an address below /api/v1/problems/ that explains it. Every RegistryError class is a type
of its own, named after the class; what Django and the REST framework refuse is listed in `FRAMEWORK`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.utils.log import log_response
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import set_rollback

from registry.core.exceptions import NotPermitted, RegistryError

CONTENT_TYPE = "application/problem+json"
WORD_BOUNDARY = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class ProblemType:
    """What kind of refusal it is, the same whenever it happens (RFC 9457, section 3.1.1)."""

    slug: str
    status: int
    title: str
    explanation: str

    @property
    def uri(self) -> str:
        return f"{settings.PUBLIC_ORIGIN}/api/v1/problems/{self.slug}/"

    @classmethod
    def of(cls, refusal: type[RegistryError]) -> "ProblemType":
        """The type that a class of refusals is: NidTaken is `nid-taken`, URNMalformed `urn-malformed`."""
        slug = WORD_BOUNDARY.sub("-", refusal.__name__).lower()
        return cls(slug, refusal.status, refusal.title, " ".join((refusal.__doc__ or "").split()))


NOT_FOUND = ProblemType("not-found", 404, "Not found", "Nothing that you may see is at this address.")
INVALID_REQUEST = ProblemType(
    "invalid-request", 400, "The request can't be understood", "Address, headers or body break their format."
)
TOO_LARGE = ProblemType(
    "too-large", 413, "The request is too large", "The body has more bytes than are accepted here."
)
FORBIDDEN = ProblemType(
    "forbidden", 403, "Not allowed", "You are known, or need not be, and still may not do this."
)
METHOD_NOT_ALLOWED = ProblemType(
    "method-not-allowed", 405, "Not with this method", "The header Allow names the methods that can be used."
)
SERVER_ERROR = ProblemType(
    "server-error", 500, "The registry made a mistake", "It was logged. Trying again later may help."
)
UNAVAILABLE = ProblemType(
    "unavailable", 503, "Not now", "The registry can't answer at the moment. Trying again later helps."
)
DATABASE_AWAY = (OperationalError, InterfaceError)
# The first class that fits decides.
FRAMEWORK_TYPES: dict[type[Exception], ProblemType] = {
    exceptions.ValidationError: ProblemType(
        "invalid-fields", 400, "Some fields are wrong", "`errors` names each field and what is wrong with it."
    ),
    exceptions.ParseError: ProblemType(
        "unreadable-body",
        400,
        "The body can't be read",
        "It is not in the format that its Content-Type names.",
    ),
    exceptions.AuthenticationFailed: ProblemType(
        "authentication-failed", 401, "The credentials are not valid", "They are wrong, expired or revoked."
    ),
    exceptions.NotAuthenticated: ProblemType(
        "not-authenticated", 401, "Say who you are", "Only somebody who is known may do this."
    ),
    exceptions.PermissionDenied: FORBIDDEN,
    exceptions.NotFound: NOT_FOUND,
    exceptions.MethodNotAllowed: METHOD_NOT_ALLOWED,
    exceptions.NotAcceptable: ProblemType(
        "not-acceptable", 406, "Not in this format", "The answer exists in no format that Accept names."
    ),
    exceptions.UnsupportedMediaType: ProblemType(
        "unsupported-media-type", 415, "Not in this format", "The body's Content-Type is not read here."
    ),
    exceptions.Throttled: ProblemType(
        "too-many-requests", 429, "Too many requests", "The header Retry-After says how many seconds to wait."
    ),
    **dict.fromkeys(DATABASE_AWAY, UNAVAILABLE),
    Http404: NOT_FOUND,
    PermissionDenied: FORBIDDEN,
    RequestDataTooBig: TOO_LARGE,
    SuspiciousOperation: INVALID_REQUEST,
    BadRequest: INVALID_REQUEST,
    UnreadablePostError: INVALID_REQUEST,
}
BY_STATUS = {each.status: each for each in (*FRAMEWORK_TYPES.values(), INVALID_REQUEST, SERVER_ERROR)}


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal: its type, what was wrong this time, and what a program may want to know of it."""

    type: ProblemType
    detail: str
    members: Mapping[str, Any] = field(default_factory=dict)
    status: int | None = None

    def response(self, request: HttpRequest) -> HttpResponse:
        """The problem as the answer to `request`."""
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
        # A lone surrogate, which UTF-8 can't hold, becomes what JSON writes for it: \ud800.
        answer = HttpResponse(text.encode("utf-8", "backslashreplace"), CONTENT_TYPE, status)
        answer["Cache-Control"] = "no-cache"
        return answer


def exception_handler(refusal: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """The answer to an exception that a view let through. The REST framework calls this for each."""
    set_rollback()
    request: Request = context["request"]
    problem = problem_from(refusal)
    response = problem.response(request._request)
    for header, value in _headers(refusal):
        response[header] = value
    if problem.type is SERVER_ERROR or isinstance(refusal, DATABASE_AWAY):
        _report(refusal, response, request._request)
    return response


def problem_from(refusal: Exception) -> Problem:
    """The problem that an exception is. One that nobody foresaw tells nothing of itself."""
    if isinstance(refusal, NotPermitted):
        return Problem(NOT_FOUND, str(refusal))
    if isinstance(refusal, RegistryError):
        return Problem(ProblemType.of(type(refusal)), str(refusal), _members(refusal))
    known = next((each for each in FRAMEWORK_TYPES if isinstance(refusal, each)), None)
    if known:
        return _framework_problem(FRAMEWORK_TYPES[known], refusal)
    if isinstance(refusal, exceptions.APIException):
        fallback = BY_STATUS.get(refusal.status_code, INVALID_REQUEST)
        return Problem(fallback, str(refusal.detail), status=refusal.status_code)
    return Problem(SERVER_ERROR, "The registry made a mistake while it answered. The mistake was logged.")


def all_types() -> dict[str, ProblemType]:
    """Every type of problem by its slug."""
    framework = (*FRAMEWORK_TYPES.values(), SERVER_ERROR)
    refusals = (ProblemType.of(each) for each in _subclasses(RegistryError) if each is not NotPermitted)
    return {each.slug: each for each in sorted((*framework, *refusals), key=lambda each: each.slug)}


def _subclasses(refusal: type[RegistryError]) -> Iterator[type[RegistryError]]:
    for each in refusal.__subclasses__():
        yield each
        yield from _subclasses(each)


def _framework_problem(problem_type: ProblemType, refusal: Exception) -> Problem:
    if isinstance(refusal, exceptions.ValidationError):
        return Problem(problem_type, problem_type.explanation, {"errors": list(_pointed(refusal.detail))})
    if isinstance(refusal, exceptions.APIException):
        return Problem(problem_type, str(refusal.detail), status=refusal.status_code)
    return Problem(problem_type, problem_type.explanation)


def _pointed(detail: Any, pointer: str = "#") -> Iterator[dict[str, str]]:
    """The leaves of a serializer's errors, each with a JSON pointer (RFC 6901) to what is wrong."""
    if isinstance(detail, str):
        yield {"pointer": pointer, "detail": str(detail)}
    elif isinstance(detail, Mapping):
        for key, below in detail.items():
            name = "" if key == "non_field_errors" else "/" + str(key).replace("~", "~0").replace("/", "~1")
            yield from _pointed(below, pointer + name)
    else:
        for index, below in enumerate(detail):
            yield from _pointed(below, pointer if isinstance(below, str) else f"{pointer}/{index}")


def _members(refusal: RegistryError) -> dict[str, Any]:
    """What a refusal carries for programs: its own `members`, and the findings of a template."""
    members = dict(getattr(refusal, "members", {}))
    findings = getattr(refusal, "findings", ())
    if findings:
        members["findings"] = [each.to_json() for each in findings]
    return members


def _headers(refusal: Exception) -> Iterator[tuple[str, str]]:
    yield from getattr(refusal, "headers", {}).items()
    if isinstance(refusal, DATABASE_AWAY):
        yield "Retry-After", "5"
    if wait := getattr(refusal, "wait", None):
        yield "Retry-After", str(wait)
    if scheme := getattr(refusal, "auth_header", None):
        yield "WWW-Authenticate", scheme


def _report(mistake: Exception, response: HttpResponse, request: HttpRequest) -> None:
    """Log a mistake as Django does for pages, and tell whoever listens (a test's client raises it)."""
    got_request_exception.send(sender=None, request=request)
    log_response(
        "%s: %s",
        response.reason_phrase,
        request.path,
        response=response,
        request=request,
        exception=mistake,
    )
