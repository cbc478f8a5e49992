"""Whether an answer is one of those that the API's description foresees, down to the shape of its body."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from registry.api.schema.document import IN_FORMAT, SUFFIX
from registry.api.schema.views import OPENAPI_FILE

# What people write may be empty: templates and proposed profiles, and the lines of their comparison.
DOCUMENTS = {"sections", "lines", "profile"}
# An empty text that was sent is returned as it is, and an empty component of a URN is not a missing one.
TEXTS_AS_SENT = {"nid", "urn", "f_component", "parameter"}
PARAMETER = re.compile(r"\\{[a-z_]+\\}")


@cache
def description() -> dict[str, Any]:
    return dict(yaml.load(OPENAPI_FILE.read_bytes(), yaml.CSafeLoader))


@cache
def operations() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """The addresses as patterns, those with a suffix and those without parameters first."""
    found = sorted(
        description()["paths"].items(), key=lambda each: (not each[0].endswith(SUFFIX), each[0].count("{"))
    )
    return [
        (re.compile(PARAMETER.sub("[^/]+", re.escape(path.rstrip("/")))), methods) for path, methods in found
    ]


@cache
def described_operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """The method, the address and the description of each operation, by its name."""
    return {
        described["operationId"]: (method, path, described)
        for path, methods in description()["paths"].items()
        for method, described in methods.items()
    }


def check_response(method: str, answer: Any) -> None:
    """The answer's status is declared, its body has the shape that is declared for it, and an ETag if one is."""
    path = answer.request["PATH_INFO"].rstrip("/")
    methods = next((found for pattern, found in operations() if pattern.fullmatch(path)), {})
    operation = methods.get(method.lower())
    if operation is None or answer.status_code == 304:
        return
    responses = operation["responses"]
    assert str(answer.status_code) in responses, (method, path, answer.status_code, answer.content)
    response = resolved(responses[str(answer.status_code)])
    if answer.status_code == 204:
        assert (answer.content, "content" in response) == (b"", False), (method, path)
        return
    media_type = answer.headers["Content-Type"].partition(";")[0]
    if media_type not in response["content"]:  # negotiated by Accept
        _, _, in_format = described_operations()[operation["operationId"] + IN_FORMAT]
        response = resolved(in_format["responses"][str(answer.status_code)])
    assert media_type in response["content"], (method, path, answer.status_code, media_type)
    if answer.status_code < 300:
        assert ("ETag" in answer.headers) == ("ETag" in response["headers"]), (method, path)
    if media_type.endswith("json"):
        whole = {**response["content"][media_type]["schema"], "components": description()["components"]}
        told = json.loads(answer.content)
        faults = sorted(map(str, Draft202012Validator(whole).iter_errors(told)))
        assert not faults, (method, path, faults[0])
        assert list(unusual_values(told)) == [], (method, path)
        if answer.status_code >= 400:
            assert type_of(told) in types_of(operation, answer.status_code), (method, path, told)


def unusual_values(part: Any, where: str = "") -> Iterator[str]:
    """Where a fact that is unknown is an empty text instead of null, or an instant does not end in “Z”."""
    for name, value in (
        part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    ):
        place = f"{where}/{name}"
        if value == "" and name not in TEXTS_AS_SENT:
            yield place
        if isinstance(value, str) and value.endswith("+00:00"):
            yield place
        if name not in DOCUMENTS:
            yield from unusual_values(value, place)


def type_of(problem: dict[str, Any]) -> str:
    """The last part of a problem's type."""
    return str(problem["type"]).rstrip("/").rpartition("/")[2]


def types_of(operation: dict[str, Any], status: int) -> set[str]:
    """The types of problem that an operation is described to refuse with, by this status."""
    response = resolved(operation["responses"].get(str(status), {}))
    schema = response.get("content", {}).get("application/problem+json", {}).get("schema")
    return {described_type(resolved(each)) for each in schema.get("oneOf", [schema])} if schema else set()


def described_type(schema: dict[str, Any]) -> str:
    """The last part of the type that a component describes, "" if it describes something else."""
    own = schema.get("allOf", [{}])[-1]
    pattern = own.get("properties", {}).get("type", {}).get("pattern", "")
    return str(pattern).removeprefix("/problems/").removesuffix("/$")


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    reference = part.get("$ref")
    if reference is None:
        return part
    found: Any = description()
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return dict(found)
