"""What readers of the description need: every property and parameter is described, every message has an example."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from registry.api.schema.document import IN_FORMAT, TAGS, tag_of
from registry.api.schema.examples import permits_null
from tests.api.schema_checks import described_operations, description, resolved

Schema = dict[str, Any]
HOW = "Add a request to registry/devserver/api_examples/, then run: python3 run.py docs"


def properties(schema: Schema, owner: str) -> Iterator[tuple[str, str, Schema]]:
    """The properties of a schema and of the schemas in it, each with its owner and its name."""
    for name, part in schema.get("properties", {}).items():
        yield owner, name, part
        yield from properties(part, name)
    for key in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(key, ()):
            yield from properties(part, owner)
    if isinstance(schema.get("items"), dict):
        yield from properties(schema["items"], owner)


def messages() -> Iterator[tuple[str, str, Schema]]:
    """The name, the media type and the description of each request body and each success response."""
    for operation_id, (_, _, operation) in described_operations().items():
        name = operation_id.removesuffix(IN_FORMAT)
        for media_type, part in operation.get("requestBody", {}).get("content", {}).items():
            yield f"{name} request", media_type, part
        for status, response in operation["responses"].items():
            if status < "300":
                for media_type, part in resolved(response).get("content", {}).items():
                    yield name, media_type, part


def every_property() -> list[tuple[str, str, Schema]]:
    components = description()["components"]["schemas"].items()
    found = [each for name, schema in components for each in properties(schema, name)]
    return found + [each for name, _, part in messages() for each in properties(part["schema"], name)]


def test_every_property_is_described() -> None:
    missing = {f"{owner}.{name}" for owner, name, part in every_property() if not part.get("description")}
    assert missing == set(), "Add help_text to the field, or a description to the schema."


def test_a_description_mentions_null_where_the_schema_permits_it_and_only_there() -> None:
    schemas = description()["components"]["schemas"]
    parts = [
        (component, name, part)
        for component, schema in schemas.items()
        for _, name, part in properties(schema, component)
    ]
    nullable = [each for each in parts if permits_null(each[2], schemas)]
    others = [each for each in parts if not permits_null(each[2], schemas)]
    assert min(len(nullable), len(others)) > 100
    for component, name, part in nullable:
        is_of_request = component.endswith("Request") or component.startswith("Patched")
        assert is_of_request or "null" in part["description"].lower(), (component, name)
        assert "empty" not in part["description"], (component, name)
    of_members = {("PatchedDraftChanges", "sections"), ("StatisticsRow", "values")}
    assert {(c, name) for c, name, part in others if "null" in part["description"].lower()} == of_members


def test_every_parameter_and_header_is_described() -> None:
    components = description()["components"]
    shared = [*components["parameters"].values(), *components["headers"].values()]
    own = [
        each
        for _, _, operation in described_operations().values()
        for each in operation.get("parameters", ())
    ]
    assert all(each.get("description") for each in (*shared, *map(resolved, own)))


def test_every_message_has_an_example_that_is_valid() -> None:
    checked = 0
    for name, media_type, part in messages():
        schema = {**part["schema"], "components": description()["components"]}
        validator = Draft202012Validator(schema, format_checker=FormatChecker())
        assert part.get("examples"), (name, media_type, HOW)
        for example in part["examples"].values():
            faults = [each.message for each in validator.iter_errors(resolved(example)["value"])]
            assert faults == [], (name, media_type)
            checked += 1
    assert checked > 100


def test_every_operation_is_in_a_described_group() -> None:
    groups = {each["name"]: each["description"] for each in description()["tags"]}
    used = [tag for _, _, operation in described_operations().values() for tag in operation["tags"]]
    assert set(used) == set(groups) == {tag.name for tag in TAGS}
    assert all(groups.values())


@pytest.mark.parametrize(
    ("path", "tag"),
    [
        ("/api/v1/", "api"),
        ("/api/v1/problems/{slug}/", "api"),
        ("/api/v1/cases/", "cases"),
        ("/api/v1/cases/{number}/", "cases"),
        ("/api/v1/cases/{number}/events/", "cases"),
        ("/api/v1/cases/{number}/draft/", "drafts"),
        ("/api/v1/cases/{number}/request-changes/", "transitions"),
        ("/api/v1/namespaces/{nid}/transfers/{number}/accept/", "transfers"),
        ("/api/v1/namespaces/{nid}/", "namespaces"),
        ("/api/v1/token/", "account"),
        ("/api/v1/new-things/{id}/", "new-things"),
    ],
)
def test_the_group_of_an_operation_follows_from_its_path(path: str, tag: str) -> None:
    assert tag_of(path) == tag
