"""Examples of messages, put together from the examples of their properties."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from registry.api.schema.documentation.example_values import BY_FORMAT, EXAMPLE_VALUES
from registry.api.schema.documentation.places import candidates

Schema = Mapping[str, Any]
COMPONENTS = "#/components/schemas/"


class ExampleMissing(LookupError):
    """A property has no example, and its schema does not determine one."""


class ExampleBuilder:
    """Builds examples of schemas. `components` are the components of the description, to which schemas refer."""

    def __init__(self, components: Schema) -> None:
        self.components = components

    def build(self, schema: Schema, owner: str = "", name: str = "") -> Any:
        """An example of a schema: of the property `name` of `owner`, or of a whole message. Raises ExampleMissing."""
        if "$ref" in schema:
            component = schema["$ref"].removeprefix(COMPONENTS)
            return self._property(self.components["schemas"][component], owner, name, component)
        return self._property(schema, owner, name, name or owner)

    def _property(self, schema: Schema, owner: str, name: str, inner: str) -> Any:
        """`inner` is the owner of the properties that the schema has itself."""
        for place in candidates(owner, name):
            if place in EXAMPLE_VALUES and self._is_valid(schema, EXAMPLE_VALUES[place]):
                return EXAMPLE_VALUES[place]
        for key in ("examples", "enum"):
            if key in schema:
                return schema[key][0]
        if "const" in schema:
            return schema["const"]
        for alternative in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
            return self.build(alternative, owner, name)
        return self._composed(schema, owner, name, inner)

    def _composed(self, schema: Schema, owner: str, name: str, inner: str) -> Any:
        if "allOf" in schema:
            parts = [self.build(part, owner if "$ref" in part else inner, name) for part in schema["allOf"]]
            return (
                parts[0] if len(parts) == 1 else {key: value for part in parts for key, value in part.items()}
            )
        if "properties" in schema:
            return {key: self.build(part, inner, key) for key, part in schema["properties"].items()}
        kinds = schema.get("type", ())
        if "array" in kinds:
            return [self.build(schema["items"], owner, name)]
        if "object" in kinds:
            return {}
        return self._plain(schema, owner, name)

    def _plain(self, schema: Schema, owner: str, name: str) -> Any:
        """The value of a date, a boolean or a number, and for a text the name of the property in words."""
        if schema.get("format") in BY_FORMAT:
            return BY_FORMAT[schema["format"]]
        by_type = {"boolean": True, "integer": 1, "string": name.replace("_", " ").capitalize()}
        for kind, value in by_type.items():
            is_plain = kind in schema.get("type", ()) and "format" not in schema
            if name and is_plain and self._is_valid(schema, value):
                return value
        raise ExampleMissing(
            f"{owner}.{name} needs a value in registry/api/schema/documentation/example_values.py"
        )

    def _is_valid(self, schema: Schema, value: Any) -> bool:
        return bool(Draft202012Validator({**schema, "components": self.components}).is_valid(value))
