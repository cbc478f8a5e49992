"""The declaration of an operation: `operation` decorates each method of a view.

What drf-spectacular has a place for is passed to it; `AutoSchema` describes the rest from `Details`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotAcceptable, ParseError, Throttled, ValidationError
from rest_framework.serializers import Serializer

from registry.api.framework.authentication import TokenRefused
from registry.api.framework.conditional import StalePrecondition
from registry.api.framework.fields import InvalidParameter, QueryNotUnicode
from registry.api.framework.parsers import TooManyValues
from registry.api.framework.problems import FRAMEWORK_TYPES, INVALID_REQUEST, UNAVAILABLE, ProblemType
from registry.api.framework.renderers import FORMATS
from registry.api.schema.problems import (
    FieldsProblemSerializer,
    LengthProblemSerializer,
    LimitProblemSerializer,
    ParameterProblemSerializer,
    ProblemSerializer,
)
from registry.core.exceptions import RegistryError
from registry.core.http.request_limits import BodyTooLong
from urnsyntax.nid import NID_PATTERN

Method = TypeVar("Method", bound=Callable[..., Any])
ProblemKind = type[Exception] | ProblemType
Link = tuple[str, Mapping[str, str]] | tuple[str, Mapping[str, str], Mapping[str, str]]

# The serializers of problems with further members; see `with_problem_members`.
PROBLEM_MEMBERS: dict[type[Exception], type[Serializer[Any]]] = {
    InvalidParameter: ParameterProblemSerializer,
    BodyTooLong: LengthProblemSerializer,
    TooManyValues: LimitProblemSerializer,
    ValidationError: FieldsProblemSerializer,
}
# The problem types that some operation returns.
DESCRIBED_TYPES: set[ProblemType] = set()
# The names of responses that several operations share and that may be of several problem types.
RESPONSE_NAMES: dict[frozenset[ProblemType], str] = {}
TEXT = {"type": "string"}
# RFC 8141, Section 2, for programs. (An r-component may contain a “?” as well.)
_PCHAR = "([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_SCHEME = "[Uu][Rr][Nn]"
_NSS, _QF = f"{_PCHAR}({_PCHAR}|/)*", f"({_PCHAR}|[/?])*"
URN_SCHEMA = {
    "type": "string",
    "pattern": rf"^{_SCHEME}:{NID_PATTERN}:{_NSS}(\?\+{_NSS})?(\?={_PCHAR}{_QF})?(#{_QF})?$",
}
# In a path “%”, “?” and “#” are percent-encoded once more, which a pattern of the decoded text cannot express.
URN_IN_PATH_SCHEMA = {
    "type": "string",
    "pattern": rf"^{_SCHEME}:{NID_PATTERN}:[A-Za-z0-9._~!$&'()*+,;=:@-]+$",
}


def with_problem_members(
    serializer: type[Serializer[Any]],
) -> Callable[[type[RegistryError]], type[RegistryError]]:
    """Declare the members that the problems of an exception class have in addition to the standard ones."""

    def declare(refusal: type[RegistryError]) -> type[RegistryError]:
        PROBLEM_MEMBERS[refusal] = serializer
        return refusal

    return declare


def type_of(kind: ProblemKind) -> ProblemType:
    """The problem type of an exception class."""
    if isinstance(kind, ProblemType):
        return kind
    return ProblemType.of(kind) if issubclass(kind, RegistryError) else FRAMEWORK_TYPES[kind]


def serializer_of(kind: ProblemKind) -> type[Serializer[Any]]:
    """The serializer of a problem."""
    family = () if isinstance(kind, ProblemType) else kind.__mro__
    return next((PROBLEM_MEMBERS[each] for each in family if each in PROBLEM_MEMBERS), ProblemSerializer)


def shared_response(name: str, *kinds: ProblemKind) -> tuple[ProblemKind, ...]:
    """Name the response of operations that return any of these problem types with one status."""
    RESPONSE_NAMES[frozenset(map(type_of, kinds))] = name
    return kinds


BAD_REQUEST = shared_response("BadRequest", InvalidParameter, QueryNotUnicode, INVALID_REQUEST)
BAD_BODY = shared_response("BadBody", *BAD_REQUEST, ValidationError, ParseError)
TOO_LARGE = shared_response("TooLarge", BodyTooLong, TooManyValues)
# What each operation may return, and each that reads.
COMMON_PROBLEMS: tuple[ProblemKind, ...] = (
    *BAD_REQUEST,
    TokenRefused,
    NotAcceptable,
    Throttled,
    UNAVAILABLE,
)
READ_PROBLEMS: tuple[ProblemKind, ...] = (*COMMON_PROBLEMS, StalePrecondition)
# For a view with `throttle_classes = ()`: without 429, an operation has no RateLimit headers either.
UNLIMITED_READ_PROBLEMS = tuple(each for each in READ_PROBLEMS if each is not Throttled)


def path_parameter(
    name: str, component: str, description: str, example: Any, **schema: Any
) -> OpenApiParameter:
    """A parameter of an address, described once as the component of that name."""
    return OpenApiParameter(
        name,
        schema,
        OpenApiParameter.PATH,
        description=description,
        examples=[OpenApiExample("example", example)],
        extensions={"x-component": component},
    )


POSITIVE_INTEGER = {"type": "integer", "minimum": 1}
NID = path_parameter(
    "nid", "NID", "A namespace identifier; case is ignored.", "isbn", type="string", minLength=1
)
NUMBER = path_parameter("number", "CaseNumber", "The number of a case.", 1, **POSITIVE_INTEGER)
VERSION = path_parameter("version", "Version", "The number of a version, from 1.", 1, **POSITIVE_INTEGER)


@dataclass(frozen=True, kw_only=True)
class Details:
    """What `AutoSchema` describes: the links, headers and problems of an operation. `name` is its operationId.

    A link names an operation, where in this response its parameters are, and its body if that is there, too. `headers` are
    those that only this operation has. `actions` are those that it carries out, if they declare their gravity.
    """

    name: str
    status: int
    problems: tuple[ProblemKind, ...]
    links: Mapping[str, Link]
    is_body_required: bool
    has_etag: bool | None
    headers: Sequence[str]
    actions: tuple[Any, ...]


def operation(
    name: str,
    summary: str,
    *,
    response: Any,
    status: int = HTTPStatus.OK,
    about: str = "",
    refusals: Sequence[ProblemKind] = (),
    common: Sequence[ProblemKind] = READ_PROBLEMS,
    links: Mapping[str, Link] | None = None,
    parameters: Sequence[Any] = (),
    is_body_needed: bool = False,
    has_etag: bool | None = None,
    headers: Sequence[str] = (),
    actions: tuple[Any, ...] = (),
    **more: Any,
) -> Callable[[Method], Method]:
    """Describe a method of a view.

    `response` is the serializer of the response, or one for each media type. `has_etag` says whether it has an
    ETag; by default, if it is read.
    """
    by_type = response if isinstance(response, Mapping) else {"application/json": response}
    phrase = HTTPStatus(status).phrase
    details = Details(
        name=name,
        status=int(status),
        problems=(*common, *refusals),
        links=links or {},
        is_body_required=is_body_needed,
        has_etag=has_etag,
        headers=headers,
        actions=actions,
    )
    DESCRIBED_TYPES.update(map(type_of, details.problems))
    extend = extend_schema(
        operation_id=name,
        summary=summary,
        description=about,
        parameters=list(parameters),
        responses={
            (details.status, media_type): OpenApiResponse(serializer, description=phrase)
            for media_type, serializer in by_type.items()
        },
        **more,
    )

    def describe(method: Method) -> Method:
        method.details = details  # type: ignore[attr-defined]
        return extend(method)

    return describe


def in_all_formats(serializer: Any) -> dict[str, Any]:
    """A response in all formats, whose members are those of `serializer`."""
    return {str(each.media_type): TEXT for each in FORMATS} | {"application/json": serializer}
