"""Completes the generated description: a description for each property, the recorded examples of each message.

A hook of drf-spectacular, because components are complete only after all views were described.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from registry.api.schema.descriptions import DESCRIPTIONS
from registry.api.schema.document import IN_FORMAT

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
# Of the texts of a property that only some components permit to be null.
NULL_CLAUSE = re.compile(r"; null( or empty)? [^.;]*(?=\.)")
METHODS = ("get", "put", "post", "patch", "delete")
Node = dict[str, Any]


def complete(result: Node, **_: Any) -> Node:
    """After: add what is missing."""
    components = result["components"]
    descriptions = Descriptions(components["schemas"])
    for name, schema in components["schemas"].items():
        descriptions.add(schema, name)
    for path in (*result["paths"].values(), *result["webhooks"].values()):
        for described in (path[method] for method in METHODS if method in path):
            _complete_messages(described, descriptions)
    return result


class Descriptions:
    """Describes properties. A description mentions null if, and only if, the schema permits it."""

    def __init__(self, schemas: Node) -> None:
        self.schemas = schemas

    def add(self, schema: Node, owner: str, *, is_request: bool | None = None) -> None:
        """Describe the properties of a schema, and those of the schemas in it."""
        if is_request is None:
            is_request = owner.lower().endswith("request") or owner.startswith("Patched")
        for name, part in schema.get("properties", {}).items():
            if text := part.get("description") or _text_for(owner, name):
                part["description"] = self._fitting(text, part, is_request=is_request)
            self.add(part, name, is_request=is_request)
        for part in _parts_of(schema):
            self.add(part, owner, is_request=is_request)

    def _fitting(self, text: str, part: Node, *, is_request: bool) -> str:
        if not self.permits_null(part):
            return NULL_CLAUSE.sub("", text)
        return text if is_request or "null" in text.lower() else f"{text} Null if there is none."

    def permits_null(self, part: Node) -> bool:
        """Whether null is a value of the schema."""
        if target := part.get("$ref", "").removeprefix(COMPONENTS):
            return self.permits_null(self.schemas[target])
        if branches := part.get("oneOf", ()):
            return any(map(self.permits_null, branches))
        if parts := part.get("allOf", ()):
            return all(map(self.permits_null, parts))
        return "null" in part.get("type", ()) or None in part.get("enum", ())


def candidates(owner: str, name: str) -> list[str]:
    """The keys of a property, the most specific first. `owner` is the component or property that contains it."""
    return [f"{owner}.{name}", name] if name else []


def _text_for(owner: str, name: str) -> str:
    return next((DESCRIPTIONS[place] for place in candidates(owner, name) if place in DESCRIPTIONS), "")


def _parts_of(schema: Node) -> Iterator[Node]:
    for key in ("allOf", "oneOf", "anyOf"):
        yield from schema.get(key, ())
    if isinstance(schema.get("items"), dict):
        yield schema["items"]


def _complete_messages(described: Node, descriptions: Descriptions) -> None:
    """Complete the request and the success response of an operation."""
    name = described["operationId"]
    owner, recorded = name.removesuffix(IN_FORMAT), recorded_operation(name)
    bodies = described.get("requestBody", {}).get("content", {})
    _complete_content(bodies, f"{owner} request", recorded.get("request", {}), descriptions)
    for status, response in described["responses"].items():
        if status < "300":
            examples = recorded.get("responses", {}).get(status, {})
            _complete_content(response.get("content", {}), owner, examples, descriptions)


def _complete_content(content: Node, owner: str, recorded: Node, descriptions: Descriptions) -> None:
    for media_type, part in content.items():
        descriptions.add(part["schema"], owner)
        if examples := recorded.get(media_type):
            part["examples"] = {name: {"value": value} for name, value in examples.items()}
