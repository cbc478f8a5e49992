"""Rules for the whole description, so that clients which are generated from it are pleasant to use."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from registry.api.schema.document import IN_FORMAT
from registry.registration_template import SECTIONS
from registry.registration_template.sections import Required
from tests.api.schema_checks import described_operations, description, resolved

DATES = re.compile("(^|_)(at|on|since|date|until|as_of)$")
# A template has the date as its author wrote it.
WRITTEN_DATES = {("Sections", "date"), ("sections", "date")}
# As the list of sub-namespaces has them.
WRITTEN_DATES |= {(each, "as_of") for each in ("SubNamespace", "SubNamespaceEntry", "FoundSubNamespace")}
WRITTEN_DATES.add(("UnknownSubNamespace", "stated_on"))
Named = tuple[str, dict[str, Any]]


def schemas_below(part: Any, where: str, seen: set[str]) -> Iterator[Named]:
    """The schemas of objects in a schema, each component once."""
    if isinstance(part, list):
        for index, each in enumerate(part):
            yield from schemas_below(each, f"{where}/{index}", seen)
    if not isinstance(part, dict):
        return
    if target := part.get("$ref"):
        if target not in seen:
            seen.add(target)
            yield from schemas_below(resolved(part), target, seen)
        return
    yield where, part
    for name, each in part.items():
        if name not in {"example", "examples", "enum", "const", "default"}:
            yield from schemas_below(each, f"{where}/{name}", seen)


def contents(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The media types of every request body, or of every response, with their schemas."""
    for name, (_, _, operation) in described_operations().items():
        parts = [operation.get("requestBody", {})] if kind == "request" else operation["responses"].values()
        for part in map(resolved, parts):
            for media_type, content in part.get("content", {}).items():
                yield f"{name} {media_type}", content


def schemas_of(kind: str) -> list[Named]:
    seen: set[str] = set()
    if kind == "parameter":
        return [
            named
            for name, (_, _, operation) in described_operations().items()
            for each in map(resolved, operation.get("parameters", ()))
            for named in schemas_below(each["schema"], f"{name} {each['name']}", seen)
        ]
    return [
        named
        for where, content in contents(kind)
        for named in schemas_below(content.get("schema", {}), where, seen)
    ]


def test_request_bodies_take_no_unknown_members() -> None:
    objects = [(where, schema) for where, schema in schemas_of("request") if schema.get("type") == "object"]
    assert len(objects) > 30
    # A mapping has names that the client chooses.
    mappings = {where for where, schema in objects if "properties" not in schema}
    open_ones = [where for where, schema in objects if schema.get("additionalProperties") is not False]
    assert set(open_ones) <= mappings


def test_no_member_of_a_request_has_a_default() -> None:
    """A generated client would require the member, or always send it."""
    found = [where for where, schema in schemas_of("request") if "default" in schema]
    assert found == []


def test_every_component_has_a_description() -> None:
    schemas = description()["components"]["schemas"]
    assert len(schemas) > 300
    assert {name for name, schema in schemas.items() if not schema.get("description")} == set()


@pytest.mark.parametrize("kind", ["request", "response", "parameter"])
def test_the_branches_of_a_choice_exclude_each_other(kind: str) -> None:
    choices = [
        (where, [resolved(each) for each in schema["oneOf"]])
        for where, schema in schemas_of(kind)
        if "oneOf" in schema
    ]
    assert choices or kind != "response"
    overlapping = [
        where
        for where, branches in choices
        for one, other in combinations(branches, 2)
        if not (differ(one, other) or differ(other, one))
    ]
    assert overlapping == []
    assert [where for where, schema in schemas_of(kind) if "anyOf" in schema] == []


def differ(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the types differ, one needs a member that the other lacks, or both are problems of other types."""
    if one.get("type", "object") != other.get("type", "object"):
        return True
    if one.get("allOf") and other.get("allOf"):
        patterns = [each["allOf"][-1]["properties"]["type"]["pattern"] for each in (one, other)]
        return patterns[0] != patterns[1]
    return bool(set(one.get("required", ())) - set(other.get("properties", {})))


def test_dates_have_a_format() -> None:
    found = set[tuple[str, str]]()
    for where, schema in [*schemas_of("request"), *schemas_of("response")]:
        for name, member in schema.get("properties", {}).items():
            is_text = "string" in (member.get("type") or ())
            shape = "date" in member.get("format", "") or "[0-9]{4}" in member.get("pattern", "")
            if DATES.search(name) and is_text and not shape:
                found.add((where.rpartition("/")[2], name))
    assert found <= WRITTEN_DATES


def test_every_example_is_valid() -> None:
    examples = list(all_examples())
    assert len(examples) > 40
    for where, schema, value in examples:
        whole = {**schema, "components": description()["components"]}
        faults = sorted(map(str, Draft202012Validator(whole).iter_errors(value)))
        assert not faults, (where, faults[0])


def all_examples() -> Iterator[tuple[str, dict[str, Any], Any]]:
    for kind in ("request", "response"):
        for where, content in contents(kind):
            for name, example in content.get("examples", {}).items():
                yield f"{where} {name}", content["schema"], resolved(example)["value"]
    for name, (_, _, operation) in described_operations().items():
        for parameter in map(resolved, operation.get("parameters", ())):
            for example in parameter.get("examples", {}).values():
                yield f"{name} {parameter['name']}", parameter["schema"], resolved(example)["value"]


def test_the_sections_say_what_a_submission_needs() -> None:
    sections = resolved(description()["components"]["schemas"]["DraftRequest"])["properties"]["sections"]
    assert "required" not in sections, "a draft may be incomplete"
    for section in SECTIONS:
        about = sections["properties"][section.key]["description"]
        assert ("A submission needs it" in about) == (section.required != Required.NEVER), section.key


def test_each_value_is_described_once() -> None:
    """A description that lists values without explaining them repeats the enumeration, or the component."""
    found = list(descriptions_below(description(), ""))
    assert len(found) > 1000
    unexplained = re.compile(r"^\* `(.+)` - \1$", re.MULTILINE)
    assert [where for where, part in found if unexplained.search(part["description"])] == []
    listing = [where for where, part in found if re.search(r"^\* `.+` - ", part["description"], re.MULTILINE)]
    assert listing
    assert [where for where, part in found if where in listing and "enum" not in part] == []


def descriptions_below(part: Any, where: str) -> Iterator[Named]:
    """Everything that is described in words."""
    if isinstance(part, dict) and isinstance(part.get("description"), str):
        yield where, part
    for name, each in part.items() if isinstance(part, dict) else ():
        yield from descriptions_below(each, f"{where}/{name}")
    for index, each in enumerate(part) if isinstance(part, list) else ():
        yield from descriptions_below(each, f"{where}/{index}")


def test_an_operation_with_json_has_no_other_media_type() -> None:
    """Generated clients then return its type without being told which. Files and formats have addresses of their own."""
    with_others = {
        name
        for name, (_, _, operation) in described_operations().items()
        for status, response in operation["responses"].items()
        if status < "300" and len(resolved(response).get("content", {})) > 1
    }
    in_formats = {name for name in described_operations() if name.endswith(IN_FORMAT)}
    assert with_others == in_formats | {"downloadFile"}
    assert {name.removesuffix(IN_FORMAT) for name in in_formats} <= described_operations().keys()


def test_actions_change_something() -> None:
    tagged = {method for method, _, each in described_operations().values() if "transitions" in each["tags"]}
    assert tagged == {"post"}


def test_a_number_has_the_name_of_the_thing_in_requests_and_responses() -> None:
    # Such as `round`, which bodies of decisions take from a response.
    named = {
        (where, name)
        for kind in ("request", "response")
        for where, schema in schemas_of(kind)
        for name in schema.get("properties", {})
        if name.endswith("_number")
    }
    assert named == set()
    bodies = {where for where, schema in schemas_of("request") if "round" in schema.get("properties", {})}
    assert len(bodies) >= 8
