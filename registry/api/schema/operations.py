"""How the API describes itself in OpenAPI 3.1: what all operations share is said here, once.

`operation` stands above each method of a resource. What drf-spectacular has no place for (links between
operations, headers and 304 of every answer that can be read) `complete_schema` adds at the end.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.exceptions import NotAcceptable, Throttled, ValidationError
from rest_framework.serializers import Serializer

from registry.api.framework.conditional import StalePrecondition
from registry.api.framework.fields import InvalidParameter, QueryNotUnicode
from registry.api.framework.problems import (
    CONTENT_TYPE,
    FRAMEWORK_TYPES,
    INVALID_REQUEST,
    UNAVAILABLE,
    ProblemType,
)
from registry.api.framework.renderers import FORMATS
from registry.api.schema import problem_serializers
from registry.core.exceptions import RegistryError
from urnsyntax.nid import NID_PATTERN

Method = TypeVar("Method", bound=Callable[..., Any])
ProblemKind = type[Exception] | ProblemType
Link = tuple[str, Mapping[str, str]] | tuple[str, Mapping[str, str], Mapping[str, str]]

# What may happen wherever something is read, and wherever anything is asked.
COMMON_PROBLEMS: tuple[ProblemKind, ...] = (
    InvalidParameter,
    QueryNotUnicode,
    INVALID_REQUEST,
    NotAcceptable,
    Throttled,
    UNAVAILABLE,
)
READ_PROBLEMS: tuple[ProblemKind, ...] = (*COMMON_PROBLEMS, StalePrecondition)
# For a view with `throttle_classes = ()`: without 429, an operation has no RateLimit headers either.
UNLIMITED_READ_PROBLEMS = tuple(each for each in READ_PROBLEMS if each is not Throttled)
# The members of a problem beyond those that all have, and what they may be; `with_problem_members` adds to it.
PROBLEM_MEMBERS: dict[type[Exception], tuple[type[Serializer[Any]], dict[str, Any]]] = {
    InvalidParameter: (
        problem_serializers.ParameterProblemSerializer,
        {"errors": [{"parameter": "kind", "detail": "“kind” has to be “formal” or “informal”."}]},
    ),
    ValidationError: (
        problem_serializers.FieldsProblemSerializer,
        {"errors": [{"pointer": "#/text", "detail": "This field is required."}]},
    ),
}
# The types of problem that some operation may answer with, by their slugs: each operation adds its own.
DESCRIBED_TYPES: dict[str, ProblemType] = {}
TEXT = {"type": "string"}
# Statuses of what may succeed later, of which the answer says when.
RETRY_STATUSES = {str(int(each)) for each in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)}
# RFC 8141, section 2, for those who read the description by program. (An r-component may hold a "?" as well.)
_PCHAR = "([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_SCHEME = "[Uu][Rr][Nn]"
_NSS, _QF = f"{_PCHAR}({_PCHAR}|/)*", f"({_PCHAR}|[/?])*"
URN_SCHEMA = {
    "type": "string",
    "pattern": rf"^{_SCHEME}:{NID_PATTERN}:{_NSS}(\?\+{_NSS})?(\?={_PCHAR}{_QF})?(#{_QF})?$",
}
# In a path “%”, “?” and “#” stand percent-encoded once more, which no pattern of the text itself can say.
URN_IN_PATH_SCHEMA = {
    "type": "string",
    "pattern": rf"^{_SCHEME}:{NID_PATTERN}:[A-Za-z0-9._~!$&'()*+,;=:@-]+$",
}
ABOUT = """\
The registry of URN namespaces (RFC 8141). Everything that its pages show can be read here, by everybody.

Every address is there with and without its last slash; neither leads elsewhere by a redirect. A refusal is a
problem (RFC 9457), never a page; its `type` is the address of an explanation. An answer has a strong ETag: sent
back in If-None-Match, it saves the answer while nothing changed. What is long comes compressed to whoever takes
that in Accept-Encoding, as zstd or as gzip, with an ETag of its own. Lists come in pages: `has_more` says whether
there is another one, `next`, and Link with rel="next", where it is. Nothing here names a page by its number, so
a list that grows while it is read stays whole.

Whoever writes sends a token in the header Authorization; tokens are made at /accounts/tokens/. Everything that
people do on the pages goes through the same actions here, with the same refusals. A POST with an Idempotency-Key
can be sent again when its answer was lost: it gets that answer, and has no second effect. Drafts are changed with
If-Match, so that nobody's words are overwritten unseen; decisions name the round that was looked at.

A client, which is a token or else an address, may read 600 times and write 120 times in a minute, unless an
installation sets other limits. RateLimit-Policy says which limit counted a request, and RateLimit what is left of
it; beyond the limit, the response is 429 with Retry-After. The lookup of one namespace has no limit. A resource that
is going to end says so in Deprecation and Sunset (RFC 9745, RFC 8594).
"""

NID = OpenApiParameter(
    "nid",
    {"type": "string", "minLength": 1},
    OpenApiParameter.PATH,
    description="A namespace identifier, in any case of letters.",
    examples=[OpenApiExample("ISBN", "isbn")],
)
NUMBER = OpenApiParameter(
    "number",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The number of a case.",
    examples=[OpenApiExample("the first case", 1)],
)
VERSION = OpenApiParameter(
    "version",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The number of a version, from 1.",
    examples=[OpenApiExample("the first", 1)],
)


def with_problem_members(
    shape: type[Serializer[Any]], **sample: Any
) -> Callable[[type[RegistryError]], type[RegistryError]]:
    """Say of a class of refusals what its problems hold beyond the members that all problems have."""

    def describe(refusal: type[RegistryError]) -> type[RegistryError]:
        PROBLEM_MEMBERS[refusal] = (shape, sample)
        return refusal

    return describe


def operation(
    name: str,
    summary: str,
    *,
    answers: Any,
    status: int = HTTPStatus.OK,
    about: str = "",
    refusals: Sequence[ProblemKind] = (),
    common: Sequence[ProblemKind] = READ_PROBLEMS,
    examples: Mapping[str, Any] | None = None,
    links: Mapping[str, Link] | None = None,
    parameters: Sequence[Any] = (),
    bodies: Sequence[OpenApiExample] = (),
    is_body_needed: bool = False,
    has_etag: bool | None = None,
    **more: Any,
) -> Callable[[Method], Method]:
    """Describe a method of a resource.

    `answers` is the shape of its answer, or one for each media type. `links` names, for what can be asked
    next, the operation, where its parameters stand in this answer, and the body where the answer has all of it.
    `has_etag` says whether it has an ETag, as all that everybody may read have.
    """
    by_type = answers if isinstance(answers, Mapping) else {"application/json": answers}
    responses: dict[Any, Any] = {(int(status), media): shape for media, shape in by_type.items()}
    shown = [
        OpenApiExample(title, value, response_only=True, status_codes=[str(int(status))])
        for title, value in (examples or {}).items()
    ]
    followed = {
        title: {"operationId": target, "parameters": dict(arguments)}
        | ({"requestBody": dict(body[0])} if body else {})
        for title, (target, arguments, *body) in (links or {}).items()
    }
    return extend_schema(
        operation_id=name,
        summary=summary,
        description=about,
        parameters=list(parameters),
        responses=responses | problem_responses(*common, *refusals),
        examples=[*shown, *bodies],
        extensions={
            "x-links": {str(int(status)): followed},
            "x-body-needed": is_body_needed,
            "x-etag": has_etag,
        },
        **more,
    )


def in_all_formats(shape: Any) -> dict[str, Any]:
    """An answer in all formats, which have the members that `shape` names."""
    return {str(each.media_type): TEXT for each in FORMATS} | {"application/json": shape}


def problem_responses(*kinds: ProblemKind) -> dict[tuple[int, str], OpenApiResponse]:
    """The refusals as responses by status, each with an example of every type of problem that it may be."""
    by_status: dict[int, dict[str, ProblemKind]] = defaultdict(dict)
    for kind in kinds:
        by_status[int(_type_of(kind).status)][_type_of(kind).slug] = kind
        DESCRIBED_TYPES[_type_of(kind).slug] = _type_of(kind)
    return {(status, CONTENT_TYPE): _response(list(found.values())) for status, found in by_status.items()}


def _response(kinds: list[ProblemKind]) -> OpenApiResponse:
    types = [_type_of(kind) for kind in kinds]
    return OpenApiResponse(
        _any_of({_members_of(kind)[0] for kind in kinds}),
        description=" ".join(f"{each.title}: {each.explanation}" for each in types),
        examples=[_example(_type_of(kind), _members_of(kind)[1]) for kind in kinds],
    )


def _type_of(kind: ProblemKind) -> ProblemType:
    if isinstance(kind, ProblemType):
        return kind
    return ProblemType.of(kind) if issubclass(kind, RegistryError) else FRAMEWORK_TYPES[kind]


def _members_of(kind: ProblemKind) -> tuple[type[Serializer[Any]], dict[str, Any]]:
    family = () if isinstance(kind, ProblemType) else kind.__mro__
    return next(
        (PROBLEM_MEMBERS[each] for each in family if each in PROBLEM_MEMBERS),
        (problem_serializers.ProblemSerializer, {}),
    )


def _any_of(shapes: set[type[Serializer[Any]]]) -> Any:
    ordered = sorted(shapes, key=lambda each: each.__name__)
    if len(ordered) == 1:
        return ordered[0]
    name = "Or".join(shape.__name__.removesuffix("Serializer") for shape in ordered)
    return PolymorphicProxySerializer(name, ordered, resource_type_field_name=None)


def _example(problem_type: ProblemType, members: dict[str, Any]) -> OpenApiExample:
    body = {
        "type": f"https://registry.example.org/api/v1/problems/{problem_type.slug}/",
        "title": problem_type.title,
        "status": int(problem_type.status),
        "detail": problem_type.explanation,
        "instance": "/api/v1/",
    }
    return OpenApiExample(problem_type.slug, body | members, summary=problem_type.title)


def canonical_endpoints(endpoints: list[Any]) -> list[Any]:
    """One address for each resource, with the last slash or the name of a file; what is described. (A hook.)"""
    return [each for each in endpoints if _is_canonical(each[0]) and _is_described(each[2], each[3])]


def _is_described(method: str, view: Any) -> bool:
    return hasattr(getattr(view.cls, method.lower()), "kwargs")


def _is_canonical(path: str) -> bool:
    *folders, last = path.split("/")
    if folders[-1] == "{file}":
        return False
    if last:
        return last == "{file}" or ("." in last and "{suffix}" not in last)
    return "." not in folders[-1]


def complete_schema(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add to the description what all operations share, and the links between them. (A hook.)"""
    result["info"]["description"] = ABOUT
    result.update(_without_empty_enums(result))
    components = result.setdefault("components", {})
    for name in EMPTY_VALUES:
        components["schemas"].pop(name, None)
    components["headers"] = HEADERS
    for schema in components.get("schemas", {}).values():
        # A problem with members of its own is a plain one as well.
        if all(each.get("$ref", "").endswith("Problem") for each in schema.get("oneOf", [{}])):
            schema["anyOf"] = schema.pop("oneOf")
    components.setdefault("parameters", {}).update(PARAMETERS)
    responses: dict[str, Any] = {}
    components["responses"] = responses
    for path in result["paths"].values():
        for method, each in path.items():
            for status, links in each.pop("x-links", {}).items():
                each["responses"][status] |= {"links": links} if links else {}
            if each.pop("x-body-needed", False):
                each["requestBody"]["required"] = True
            is_read, has_etag = method == "get", each.pop("x-etag", None)
            has_etag = is_read if has_etag is None else has_etag
            if is_read and has_etag:
                _make_conditional(each)
            is_limited = str(int(HTTPStatus.TOO_MANY_REQUESTS)) in each["responses"]
            for status, response in each["responses"].items():
                _name_headers(status, response, is_read=is_read, has_etag=has_etag, is_limited=is_limited)
                each["responses"][status] = _shared(response, responses) if is_limited else response
    return result


# What drf-spectacular writes as enumerations of one value each.
EMPTY_VALUES: dict[str, Any] = {"Null": {"type": "null"}, "Blank": {"const": ""}}


def _without_empty_enums(part: Any) -> Any:
    """The description with null and the empty text written where they are allowed."""
    if isinstance(part, list):
        return [_without_empty_enums(each) for each in part]
    if not isinstance(part, dict):
        return part
    target = str(part.get("$ref", "")).removeprefix("#/components/schemas/")
    return EMPTY_VALUES.get(target) or {name: _without_empty_enums(each) for name, each in part.items()}


def _shared(response: dict[str, Any], responses: dict[str, Any]) -> dict[str, Any]:
    """A refusal stands once in the description, named after the types of problem that it may be."""
    refusal = response.get("content", {}).get(CONTENT_TYPE)
    if refusal is None:
        return response
    name = "Or".join(slug.title().replace("-", "") for slug in refusal["examples"])
    responses[name] = response
    return _reference("responses", name)


def _make_conditional(described: dict[str, Any]) -> None:
    names = ("If-None-Match", "If-Modified-Since")
    described.setdefault("parameters", []).extend(_reference("parameters", each) for each in names)
    described["responses"]["304"] = {"description": "The answer is the one whose ETag the request names."}
    described["responses"] = dict(sorted(described["responses"].items()))


def _name_headers(
    status: str, response: dict[str, Any], *, is_read: bool, has_etag: bool, is_limited: bool
) -> None:
    names = ["Cache-Control"]
    if is_limited:
        names += ["RateLimit", "RateLimit-Policy"]
    if status in {"401", "403"}:
        names += ["WWW-Authenticate"]
    if status == "201":
        names += ["Location"]
    if status in {"200", "304"}:
        names += ["ETag"] if has_etag else []
        names += ["Last-Modified"] if is_read and has_etag else []
        names += ["Vary"] if is_read else []
    if status in RETRY_STATUSES:
        names += ["Retry-After"]
    response.setdefault("headers", {}).update({name: _reference("headers", name) for name in names})


def _reference(part: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{part}/{name}"}


def _header(description: str, **schema: Any) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string", **schema}}


HEADERS: dict[str, Any] = {
    "Cache-Control": _header(
        "How long the answer may be kept; it is to be asked about again before each use."
    ),
    "ETag": _header("Changes when the answer does, and only then. Send it back in If-None-Match."),
    "Last-Modified": _header("When the record changed last, where one record is the answer."),
    "Vary": _header("What of the request the answer depends on."),
    "Location": _header("Where what was made can be found, if it has an address of its own.", format="uri"),
    "RateLimit": _header(
        "The limit that counted the request, how many are left (r), and when it is whole (t)."
    ),
    "RateLimit-Policy": _header("The limit: how many requests (q) in how many seconds (w)."),
    "WWW-Authenticate": _header("What kind of token is needed, and for which scope."),
    "Retry-After": _header("How many seconds to wait.", pattern="^[0-9]+$"),
}
PARAMETERS: dict[str, Any] = {
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "description": "The ETag of an answer that is known: it is not sent again, but confirmed with 304.",
        "schema": TEXT,
    },
    "If-Modified-Since": {
        "name": "If-Modified-Since",
        "in": "header",
        "description": "The Last-Modified of an answer that is known, where no ETag is.",
        "schema": TEXT,
    },
}
