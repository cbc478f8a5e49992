"""The members of a schema as rows of a table: names, types and descriptions."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

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
    text = plain(resolved(document, part).get("description", ""))
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


def plain(description: str) -> str:
    """A description without the list of values that drf-spectacular adds to it."""
    return re.sub(r"\n*^\* `.*", "", description, flags=re.DOTALL | re.MULTILINE).strip()
