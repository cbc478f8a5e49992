"""Completes the generated description: a description for each property, an example for each message.

A hook of drf-spectacular, because components are complete only after all views were described.
"""

import re
from collections.abc import Iterator
from typing import Any

from registry.api.framework.renderers import XMLRenderer
from registry.api.schema.document import IN_FORMAT
from registry.api.schema.documentation.descriptions import DESCRIPTIONS
from registry.api.schema.documentation.example_messages import EXAMPLE_MESSAGES
from registry.api.schema.documentation.examples import COMPONENTS, ExampleBuilder
from registry.api.schema.documentation.places import VIEW, candidates

JSON = "application/json"
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
    components["examples"] = {}
    messages = _Messages(components, descriptions)
    for path in (*result["paths"].values(), *result["webhooks"].values()):
        for described in (path[method] for method in METHODS if method in path):
            messages.complete(described, described.pop(VIEW, None))
    components["examples"] = dict(sorted(components["examples"].items()))
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


def _text_for(owner: str, name: str) -> str:
    return next((DESCRIPTIONS[place] for place in candidates(owner, name) if place in DESCRIPTIONS), "")


def _parts_of(schema: Node) -> Iterator[Node]:
    for key in ("allOf", "oneOf", "anyOf"):
        yield from schema.get(key, ())
    if isinstance(schema.get("items"), dict):
        yield schema["items"]


class _Messages:
    """Completes the request and the success response of operations."""

    def __init__(self, components: Node, descriptions: Descriptions) -> None:
        self.descriptions = descriptions
        self.shared = components["examples"]
        self.builder = ExampleBuilder(components)

    def complete(self, described: Node, view: Any) -> None:
        name = described["operationId"].removesuffix(IN_FORMAT)
        bodies = described.get("requestBody", {}).get("content", {})
        self._add_examples(bodies, f"{name} request", view)
        for status, response in described["responses"].items():
            if status < "300":
                self._add_examples(response.get("content", {}), name, view)

    def _add_examples(self, content: Node, message: str, view: Any) -> None:
        json = content.get(JSON)
        for media_type, part in sorted(content.items(), key=lambda each: each[0] != JSON):
            self.descriptions.add(part["schema"], message)
            if "examples" not in part:
                part["examples"] = {"example": self._example(media_type, part["schema"], message, json, view)}

    def _example(self, media_type: str, schema: Node, message: str, json: Node | None, view: Any) -> Node:
        if (message, media_type) in EXAMPLE_MESSAGES:
            return {"value": EXAMPLE_MESSAGES[message, media_type]}
        if media_type == "application/xml" and json:
            text = XMLRenderer().render(self._value(json), context={"view": view})
            return {"value": text.decode()}
        return self._shared(schema) or {"value": self.builder.build(schema, message)}

    def _shared(self, schema: Node) -> Node:
        """A reference to the example of a component, which several operations have; empty for another schema."""
        name = schema.get("$ref", "").removeprefix(COMPONENTS)
        if not name:
            return {}
        if name not in self.shared:
            self.shared[name] = {"value": self.builder.build(schema)}
        return {"$ref": f"#/components/examples/{name}"}

    def _value(self, part: Node) -> Any:
        """The first example of a message in JSON."""
        first = next(iter(part["examples"].values()))
        name = first.get("$ref", "").removeprefix("#/components/examples/")
        return self.shared[name]["value"] if name else first["value"]
