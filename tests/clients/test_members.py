"""The records of the Python client have the members of the components of the OpenAPI document."""

from dataclasses import fields
from typing import Any, get_args, get_type_hints

import pytest
import yaml
from urnregistry import (
    ChangeController,
    Contact,
    Deprecation,
    Event,
    Grammar,
    Namespace,
    NamespaceDetail,
    Profile,
    ProfileExample,
    Reference,
    Registrant,
    Resolution,
    Sections,
    Specification,
    URNCheck,
)
from urnregistry.syncing import Head

from registry.devserver.node_programs import OPENAPI_FILE

# Addresses of the API, which a client makes of the NID, or of the number.
ADDRESSES = {"links", "url"}
RECORDS: dict[str, type[Any]] = {
    "Namespace": Namespace,
    "NamespaceDetail": NamespaceDetail,
    "Reference": Reference,
    "Deprecation": Deprecation,
    "Contact": Contact,
    "OrganisationLink": ChangeController,
    "Registrant": Registrant,
    "Profile": Profile,
    "Grammar": Grammar,
    "ProfileExample": ProfileExample,
    "Specification": Specification,
    "URNJudgementResult": URNCheck,
    "URNSyntaxResult": URNCheck,
    "URNResolutionResult": Resolution,
    "Event": Event,
    "EventHead": Head,
}
# By component: members that the client has under another name, or does not need.
OTHER_NAMES = {
    "Namespace": {"status": "is_deprecated"},
    "NamespaceDetail": {"status": "is_deprecated"},
    "URNSyntaxResult": {"number": "urn"},  # Results are in the order of the texts.
    "EventHead": {"at": "number"},  # Only the digest of a number is compared.
}


@pytest.fixture(scope="module")
def components() -> dict[str, Any]:
    document = yaml.load(OPENAPI_FILE.read_text("utf-8"), yaml.CSafeLoader)
    found: dict[str, Any] = document["components"]["schemas"]
    return found


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_every_member_of_its_component(components: dict[str, Any], name: str) -> None:
    wanted = components[name]["properties"].keys() - ADDRESSES
    other_names = OTHER_NAMES.get(name, {})
    missing = {other_names.get(each, each) for each in wanted} - {each.name for each in fields(RECORDS[name])}
    assert not missing


@pytest.mark.parametrize("name", RECORDS)
def test_a_member_that_may_be_null_may_be_none(components: dict[str, Any], name: str) -> None:
    hints = get_type_hints(RECORDS[name])
    nullable = {
        each
        for each, schema in components[name]["properties"].items()
        if each in hints and "null" in str(schema.get("type", schema.get("oneOf")))
    }
    assert not [each for each in nullable if type(None) not in get_args(hints[each])]


def test_every_section_but_two_is_a_text(components: dict[str, Any]) -> None:
    properties = components["Sections"]["properties"]
    others = {name for name, schema in properties.items() if schema.get("type") != "string"}
    assert others == {each.name for each in fields(Sections)} - {"texts"}
