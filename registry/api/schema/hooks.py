"""Hooks of drf-spectacular, for what a view's AutoSchema cannot decide alone."""

import re
from typing import Any

from registry.api.framework.pagination import SPARSE_SERIALIZERS
from registry.api.schema.enumerations import COMPONENT_DESCRIPTIONS
from registry.api.webhooks.openapi import headers_of

SCHEMAS = "#/components/schemas/"

# drf-spectacular makes a component of each of these two values, for fields with choices.
EMPTY_VALUES: dict[str, Any] = {"Null": {"type": "null"}, "Blank": {"const": ""}}

# A line of a list of values. The component that a schema refers to explains its values.
VALUE = re.compile(r"^\* `.+` - .+$\n?", re.MULTILINE)
UNEXPLAINED_VALUE = re.compile(r"^\* `(.+)` - \1$\n?", re.MULTILINE)


def canonical_endpoints(endpoints: list[Any]) -> list[Any]:
    """Before: keep of each resource the address that ends in a slash, a URN or the name of a file, and the one of its formats."""
    return [each for each in endpoints if _is_canonical(each[0]) and _is_described(each[2], each[3])]


def _is_described(method: str, view: Any) -> bool:
    return hasattr(getattr(view.cls, method.lower()), "details")


def _is_canonical(path: str) -> bool:
    *folders, last = path.split("/")
    if folders[-1] == "{file}":
        return False
    if last:
        return last in ("{file}", "{urn}") or "." in last
    return "." not in folders[-1]


def revised(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """After: what the description says in another way than drf-spectacular."""
    result = _with_webhook_headers(_with_empty_values(result))
    return _with_described_components(dict(_without_lists(result)))


def _with_described_components(result: dict[str, Any]) -> dict[str, Any]:
    """Say what a component without a serializer is; of an enumeration, before its list of values."""
    schemas = result["components"]["schemas"]
    for name, text in COMPONENT_DESCRIPTIONS.items():
        schemas[name]["description"] = "\n\n".join(filter(None, [text, schemas[name].get("description")]))
    return result


def _with_webhook_headers(result: dict[str, Any]) -> dict[str, Any]:
    """Add the headers of messages to webhooks, which need no credentials but these.

    Events are requests there, and a member of a request is not read-only.
    """
    del result["components"]["schemas"]["Event"]["properties"]["links"]["readOnly"]
    for methods in result["webhooks"].values():
        for operation in methods.values():
            operation |= {"parameters": headers_of(operation["operationId"]), "security": []}
    return result


def _without_lists(part: Any) -> Any:
    """Without the lists of values that drf-spectacular adds to descriptions, except where a component explains its values."""
    if isinstance(part, list):
        return [_without_lists(each) for each in part]
    if not isinstance(part, dict):
        return part
    rest = {name: _without_lists(each) for name, each in part.items()}
    if isinstance(about := part.get("description"), str):
        listed = VALUE if {"$ref", "allOf", "oneOf"} & part.keys() else UNEXPLAINED_VALUE
        rest["description"] = listed.sub("", about).strip()
        if not rest["description"]:
            del rest["description"]
    return rest


def sparse_entries(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """After: in lists, require of an entry only what the parameter `fields` can't leave out.

    A component that is used elsewhere, too, keeps its required members, and the list gets one of its own.
    """
    schemas = result["components"]["schemas"]
    for serializer, key in SPARSE_SERIALIZERS.items():
        name = serializer.__name__.removesuffix("Serializer")
        if later := getattr(serializer, "on_request", ()):
            required = [each for each in schemas[name].get("required", []) if each not in later]
            schemas[name] = {**schemas[name], "required": required}
        entry = {**schemas[name], "required": [key]}
        address = f"{SCHEMAS}{name}"
        lists = [each for each in schemas.values() if _entries_of(each) == {"$ref": address}]
        if len(lists) == _references(result, address):
            schemas[name] = entry
            continue
        schemas[f"{name}Entry"] = entry
        for each in lists:
            each["properties"]["results"]["items"] = {"$ref": f"{address}Entry"}
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    return result


def _entries_of(schema: dict[str, Any]) -> Any:
    return schema.get("properties", {}).get("results", {}).get("items")


def _references(part: Any, address: str) -> int:
    """How often the description refers to the address."""
    if isinstance(part, list):
        return sum(_references(each, address) for each in part)
    if not isinstance(part, dict):
        return 0
    return (part.get("$ref") == address) + sum(_references(each, address) for each in part.values())


def _with_empty_values(result: dict[str, Any]) -> dict[str, Any]:
    """Write null and the empty string where they are allowed, instead of components for them."""
    for name in EMPTY_VALUES:
        result["components"]["schemas"].pop(name, None)
    return dict(_inlined(result))


def _inlined(part: Any) -> Any:
    if isinstance(part, list):
        return [_inlined(each) for each in part]
    if not isinstance(part, dict):
        return part
    target = str(part.get("$ref", "")).removeprefix(SCHEMAS)
    return EMPTY_VALUES.get(target) or {name: _inlined(each) for name, each in part.items()}
