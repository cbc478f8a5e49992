"""Hooks of drf-spectacular, for what a view's AutoSchema cannot decide alone."""

from typing import Any

from registry.api.framework.pagination import SPARSE_SERIALIZERS
from registry.api.webhooks.openapi import HEADERS

# drf-spectacular makes a component of each of these two values, for fields with choices.
EMPTY_VALUES: dict[str, Any] = {"Null": {"type": "null"}, "Blank": {"const": ""}}


def canonical_endpoints(endpoints: list[Any]) -> list[Any]:
    """Before: keep one address for each resource, with its final slash or the name of a file."""
    return [each for each in endpoints if _is_canonical(each[0]) and _is_described(each[2], each[3])]


def _is_described(method: str, view: Any) -> bool:
    return hasattr(getattr(view.cls, method.lower()), "details")


def _is_canonical(path: str) -> bool:
    *folders, last = path.split("/")
    if folders[-1] == "{file}":
        return False
    if last:
        return last == "{file}" or ("." in last and "{suffix}" not in last)
    return "." not in folders[-1]


def revised(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """After: what the description says in another way than drf-spectacular."""
    return dict(_without_lists(_with_webhook_headers(_with_optional_members(_with_empty_values(result)))))


def _with_webhook_headers(result: dict[str, Any]) -> dict[str, Any]:
    """Add the headers of messages to webhooks, which need no credentials but these.

    Events are requests there, and a member of a request is not read-only.
    """
    del result["components"]["schemas"]["Event"]["properties"]["links"]["readOnly"]
    for methods in result["webhooks"].values():
        for operation in methods.values():
            operation |= {"parameters": HEADERS, "security": []}
    return result


def _without_lists(part: Any) -> Any:
    """Without the lists of values that say nothing but the values, which drf-spectacular adds to descriptions."""
    if isinstance(part, list):
        return [_without_lists(each) for each in part]
    if not isinstance(part, dict):
        return part
    values = part.get("schema", part).get("enum", ()) if isinstance(part.get("schema", part), dict) else ()
    rest = {name: _without_lists(each) for name, each in part.items()}
    if values and isinstance(about := part.get("description"), str):
        listed = {f"* `{value}` - {value}" for value in values}
        lines = [line for line in about.splitlines() if line not in listed]
        rest["description"] = "\n".join(lines).strip()
        if not rest["description"]:
            del rest["description"]
    return rest


def _with_optional_members(result: dict[str, Any]) -> dict[str, Any]:
    """Require of the entries of lists only what the parameter `fields` can't leave out."""
    for serializer, key in SPARSE_SERIALIZERS.items():
        name = serializer.__name__.removesuffix("Serializer")
        result["components"]["schemas"][name]["required"] = [key]
    return result


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
    target = str(part.get("$ref", "")).removeprefix("#/components/schemas/")
    return EMPTY_VALUES.get(target) or {name: _inlined(each) for name, each in part.items()}
