"""The reference: the operations of the OpenAPI document, prepared for the templates."""

import json
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, NamedTuple

from registry.api.schema.document import TAGS, Tag
from registry.api.schema.examples import recorded_operation
from registry.api.schema.views import openapi_document

Schema = Mapping[str, Any]
# Members of members of members …: the rest is in the example.
MAX_DEPTH = 3
FORMATS = {"uri": "address", "date-time": "time", "date": "date", "uri-reference": "address"}


class Member(NamedTuple):
    """A row. `name` contains the names of the members around it: `links.self`, `results[].nid`."""

    name: str
    type: str
    is_required: bool
    description: str
    values: list[str]


def resolved(document: Schema, part: Schema) -> Schema:
    """The part of the document that `part` refers to, with its own description."""
    if "$ref" not in part:
        return part
    found: Any = document
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    own = {"description": part["description"]} if "description" in part else {}
    return {**resolved(document, found), **own}


def members_of(document: Schema, schema: Schema, before: str = "", depth: int = 1) -> Iterator[Member]:
    """The rows of a schema, with those of the objects in it."""
    for alternative in alternatives(document, schema):
        if "items" in alternative:
            yield from members_of(document, alternative["items"], f"{before}[]", depth)
        required = alternative.get("required", ())
        for name, part in alternative.get("properties", {}).items():
            whole = f"{before}.{name}".removeprefix(".")
            yield Member(whole, *_facts(document, part, name in required))
            if depth < MAX_DEPTH:
                yield from members_of(document, part, whole, depth + 1)


def alternatives(document: Schema, schema: Schema) -> list[Schema]:
    """The schemas that the value can have, without null."""
    whole = resolved(document, schema)
    for key in ("oneOf", "anyOf", "allOf"):
        if key in whole:
            return [each for part in whole[key] for each in alternatives(document, part)]
    return [] if whole.get("type") == "null" else [whole]


def _facts(document: Schema, part: Schema, is_required: bool) -> tuple[str, bool, str, list[str]]:
    text = resolved(document, part).get("description", "")
    return type_of(document, part), is_required, text, values_of(document, part)


def type_of(document: Schema, schema: Schema) -> str:
    """The type in words, such as “text or null” or “list of objects”."""
    kinds = dict.fromkeys(_kind(document, each) for each in alternatives(document, schema))
    return " or ".join([*kinds, *(["null"] if _is_nullable(document, schema) else [])]) or "any value"


def _kind(document: Schema, schema: Schema) -> str:
    kind = schema.get("type", "string" if "enum" in schema else "any value")
    kind = next((each for each in kind if each != "null"), "null") if isinstance(kind, list) else kind
    if kind == "array":
        of = type_of(document, schema["items"])
        return f"list of {of}s" if " " not in of else f"list: {of}"
    return {"string": FORMATS.get(schema.get("format", ""), "text")}.get(kind, kind)


def _is_nullable(document: Schema, schema: Schema) -> bool:
    whole = resolved(document, schema)
    if any(_is_nullable(document, each) for key in ("oneOf", "anyOf") for each in whole.get(key, ())):
        return True
    return "null" in ([kind] if isinstance(kind := whole.get("type", []), str) else kind)


def values_of(document: Schema, schema: Schema) -> list[str]:
    """The values of an enumeration, as in JSON without quotes."""
    found = [value for each in alternatives(document, schema) for value in each.get("enum", ())]
    return [value if isinstance(value, str) else json.dumps(value) for value in found if value != ""]


Node = Mapping[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")
TITLES = {"urns": "URNs", "nids": "NIDs", "api": "The API itself"}


class Parameter(NamedTuple):
    """A parameter of an operation. `place` is path, query or header."""

    name: str
    place: str
    type: str
    is_required: bool
    description: str
    values: list[str]
    default: str


class Message(NamedTuple):
    """A request body or a response in one media type."""

    media_type: str
    members: list[Member]
    example: str


class Refusal(NamedTuple):
    """The problem types with one status."""

    status: int
    phrase: str
    problems: list[tuple[str, str]]


class Operation(NamedTuple):
    """One operation, with everything that its part of the page shows."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    needs_token: bool
    needs_session: bool
    parameters: list[Parameter]
    limits: str
    bodies: list[Message]
    status: int
    phrase: str
    responses: list[Message]
    refusals: list[Refusal]
    request: str


class Group(NamedTuple):
    """A tag and its operations."""

    tag: Tag
    operations: list[Operation]

    @property
    def title(self) -> str:
        return TITLES.get(self.tag.name) or self.tag.name.replace("-", " ").capitalize()


@cache
def groups(origin: str) -> dict[str, Group]:
    """The groups of operations by the names of their tags. Read once, since the document changes only with the code."""
    document = json.loads(openapi_document("json", origin))
    found = {tag.name: Group(tag, []) for tag in TAGS}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                described = methods[method]
                found[described["tags"][0]].operations.append(
                    _operation(document, origin, path, method, described)
                )
    return found


def _operation(document: Node, origin: str, path: str, method: str, described: Node) -> Operation:
    status, success = next(
        (int(status), each) for status, each in described["responses"].items() if status < "300"
    )
    body = described.get("requestBody", {})
    tokens = [each for each in described["security"] if "token" in each]
    needs_session = any("session" in each for each in described["security"])
    credentials = _credentials(origin, method, needs_token=bool(tokens), needs_session=needs_session)
    parameters = [resolved(document, each) for each in described.get("parameters", ())]
    bodies = list(_messages(document, body))
    return Operation(
        name=described["operationId"],
        method=method.upper(),
        path=path,
        summary=described["summary"],
        description=described["description"],
        scope=next((scope for each in tokens for scope in each["token"]), ""),
        needs_token=bool(tokens),
        needs_session=needs_session,
        parameters=[_parameter(document, each) for each in parameters],
        limits=body.get("description", ""),
        bodies=bodies,
        status=status,
        phrase=HTTPStatus(status).phrase,
        responses=list(_messages(document, resolved(document, success))),
        refusals=[
            _refusal(document, int(status), each)
            for status, each in described["responses"].items()
            if status >= "400"
        ],
        request=_request(
            origin + recorded_operation(described["operationId"])["address"],
            method,
            parameters,
            bodies,
            credentials,
        ),
    )


def _credentials(origin: str, method: str, *, needs_token: bool, needs_session: bool) -> list[str]:
    """The options of curl that authenticate a request."""
    if needs_token:
        return ['--header "Authorization: Bearer $TOKEN"']
    if not needs_session:
        return []
    # Over HTTPS, the origin is checked as well as the header X-CSRFToken, which is a parameter.
    return ["--cookie cookies.txt", *([] if method == "get" else [f'--header "Origin: {origin}"'])]


def _parameter(document: Node, described: Node) -> Parameter:
    schema = described["schema"]
    default = next((each["default"] for each in alternatives(document, schema) if "default" in each), "")
    return Parameter(
        described["name"],
        described["in"],
        type_of(document, schema),
        bool(described.get("required")),
        described["description"],
        values_of(document, schema),
        str(default),
    )


def _messages(document: Node, described: Node) -> Iterator[Message]:
    for media_type, part in described.get("content", {}).items():
        examples = [resolved(document, each)["value"] for each in part["examples"].values()]
        text = (
            examples[0]
            if isinstance(examples[0], str)
            else json.dumps(examples[0], indent=2, ensure_ascii=False)
        )
        yield Message(media_type, list(members_of(document, part["schema"])), text)


def _refusal(document: Node, status: int, described: Node) -> Refusal:
    schema = resolved(document, described)["content"]["application/problem+json"]["schema"]
    kinds = [resolved(document, each) for each in schema.get("oneOf", [schema])]
    problems = [(_slug(each), each["description"]) for each in kinds]
    return Refusal(status, HTTPStatus(status).phrase, problems)


def _slug(problem: Node) -> str:
    """The slug of a problem type, which its example contains."""
    return str(problem["examples"][0]["type"]).rstrip("/").rpartition("/")[2]


def _request(
    address: str, method: str, parameters: list[Node], bodies: list[Message], credentials: list[str]
) -> str:
    """The recorded request of the operation, as a command for curl."""
    lines = [
        f"--header {shlex.quote(each['name'] + ': ' + _example(each))}"
        for each in parameters
        if each["in"] == "header"
        and (each.get("required") or each["name"] in {"If-Match", "Idempotency-Key"})
    ]
    lines = credentials + lines
    if bodies:
        lines += [
            f"--header 'Content-Type: {bodies[0].media_type}'",
            f"--data {shlex.quote(bodies[0].example)}",
        ]
    start = (
        ["curl"]
        if method == "get" or (method == "post" and bodies)
        else ["curl", f"--request {method.upper()}"]
    )
    return " \\\n  ".join([" ".join([*start, shlex.quote(address)]), *lines])


def _example(parameter: Node) -> str:
    return str(next(iter(parameter["examples"].values()))["value"])
