"""Completes the generated description: which properties may be null, the recorded examples of each message.

A hook of drf-spectacular, because components are complete only after all views were described.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

EXAMPLES_FILE = Path(__file__).with_name("examples.json")


@cache
def recorded_examples() -> Mapping[str, Any]:
    """The recording, as `registry.devserver.api_examples.recorder` describes it."""
    found: Mapping[str, Any] = json.loads(EXAMPLES_FILE.read_text("utf-8"))
    return found


def recorded_operation(name: str) -> Mapping[str, Any]:
    """What was recorded of an operation; empty of one that is new."""
    found: Mapping[str, Any] = recorded_examples()["operations"].get(name, {})
    return found


def recorded_problem(slug: str) -> Mapping[str, Any] | None:
    """A recorded problem of a type, if there is one."""
    found: Mapping[str, Any] | None = recorded_examples()["problems"].get(slug)
    return found


COMPONENTS = "#/components/schemas/"
METHODS = ("get", "put", "post", "patch", "delete")
Node = dict[str, Any]


def complete(result: Node, **_: Any) -> Node:
    """After: add what is missing."""
    schemas = result["components"]["schemas"]
    for name, schema in schemas.items():
        if not (name.endswith("Request") or name.startswith("Patched")):
            _say_null(schema, schemas)
    for path in (*result["paths"].values(), *result["webhooks"].values()):
        for described in (path[method] for method in METHODS if method in path):
            _complete_messages(described, schemas)
    return result


def _say_null(schema: Node, schemas: Node) -> None:
    """Say of the properties of a response, and of the schemas in it, which may be null, if their descriptions do not."""
    for part in schema.get("properties", {}).values():
        text = part.get("description", "")
        if text and "null" not in text.lower() and permits_null(part, schemas):
            part["description"] = f"{text} Null if there is none."
        _say_null(part, schemas)
    for part in _parts_of(schema):
        _say_null(part, schemas)


def permits_null(part: Node, schemas: Node) -> bool:
    """Whether null is a value of the schema."""
    if target := part.get("$ref", "").removeprefix(COMPONENTS):
        return permits_null(schemas[target], schemas)
    if branches := part.get("oneOf", ()):
        return any(permits_null(each, schemas) for each in branches)
    if parts := part.get("allOf", ()):
        return all(permits_null(each, schemas) for each in parts)
    return "null" in part.get("type", ()) or None in part.get("enum", ())


def _parts_of(schema: Node) -> Iterator[Node]:
    for key in ("allOf", "oneOf", "anyOf"):
        yield from schema.get(key, ())
    if isinstance(schema.get("items"), dict):
        yield schema["items"]


def _complete_messages(described: Node, schemas: Node) -> None:
    """Complete the request and the success response of an operation."""
    recorded = recorded_operation(described["operationId"])
    _add_examples(described.get("requestBody", {}).get("content", {}), recorded.get("request", {}))
    for status, response in described["responses"].items():
        if status < "300":
            content = response.get("content", {})
            for part in content.values():
                _say_null(part["schema"], schemas)
            _add_examples(content, recorded.get("responses", {}).get(status, {}))


def _add_examples(content: Node, recorded: Node) -> None:
    for media_type, part in content.items():
        if examples := recorded.get(media_type):
            part["examples"] = {name: {"value": value} for name, value in examples.items()}
