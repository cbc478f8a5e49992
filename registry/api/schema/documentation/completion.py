"""Completes the generated description: a description for each property, an example for each message.

A hook of drf-spectacular, because components are complete only after all views were described.
"""

from collections.abc import Iterator
from typing import Any

from registry.api.framework.renderers import XMLRenderer
from registry.api.schema.documentation.descriptions import DESCRIPTIONS
from registry.api.schema.documentation.example_messages import EXAMPLE_MESSAGES
from registry.api.schema.documentation.examples import COMPONENTS, ExampleBuilder
from registry.api.schema.documentation.places import VIEW, candidates

JSON = "application/json"
METHODS = ("get", "put", "post", "patch", "delete")
Node = dict[str, Any]


def complete(result: Node, **_: Any) -> Node:
    """After: add what is missing."""
    components = result["components"]
    for name, schema in components["schemas"].items():
        describe(schema, name)
    components["examples"] = {}
    messages = _Messages(components)
    for path in (*result["paths"].values(), *result["webhooks"].values()):
        for described in (path[method] for method in METHODS if method in path):
            messages.complete(described, described.pop(VIEW, None))
    components["examples"] = dict(sorted(components["examples"].items()))
    return result


def describe(schema: Node, owner: str) -> None:
    """Describe the properties of a schema, and those of the schemas in it."""
    for name, part in schema.get("properties", {}).items():
        text = next((DESCRIPTIONS[place] for place in candidates(owner, name) if place in DESCRIPTIONS), "")
        if text:
            part.setdefault("description", text)
        describe(part, name)
    for part in _parts_of(schema):
        describe(part, owner)


def _parts_of(schema: Node) -> Iterator[Node]:
    for key in ("allOf", "oneOf", "anyOf"):
        yield from schema.get(key, ())
    if isinstance(schema.get("items"), dict):
        yield schema["items"]


class _Messages:
    """Completes the request and the success response of operations."""

    def __init__(self, components: Node) -> None:
        self.shared = components["examples"]
        self.builder = ExampleBuilder(components)

    def complete(self, described: Node, view: Any) -> None:
        name = described["operationId"]
        bodies = described.get("requestBody", {}).get("content", {})
        self._add_examples(bodies, f"{name} request", view)
        for status, response in described["responses"].items():
            if status < "300":
                self._add_examples(response.get("content", {}), name, view)

    def _add_examples(self, content: Node, message: str, view: Any) -> None:
        json = content.get(JSON)
        for media_type, part in sorted(content.items(), key=lambda each: each[0] != JSON):
            describe(part["schema"], message)
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
