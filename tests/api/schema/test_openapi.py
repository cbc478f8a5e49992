"""The API's description: what is committed is what the code says, and it can be fetched and browsed."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from registry.api.schema.document import EXAMPLE_ORIGIN, IN_FORMAT
from registry.api.schema.views import OPENAPI_FILE
from tests.api.schema_checks import described_operations, described_type, resolved, type_of, types_of

HOW = "The committed description is not the code's. Write it anew: python3 run.py docs"


@pytest.fixture(scope="module")
def description() -> dict[str, object]:
    return yaml.load(OPENAPI_FILE.read_bytes(), yaml.CSafeLoader)


def test_the_committed_description_is_the_one_of_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    with GENERATOR_STATS.silence():
        written = OpenApiYamlRenderer().render(SchemaGenerator().get_schema(request=None, public=True))
    assert written.decode() == OPENAPI_FILE.read_text("utf-8"), HOW


@pytest.mark.exhaustive
def test_it_is_openapi_3_1(description: dict[str, object]) -> None:
    assert description["openapi"] == "3.1.0"
    validate_schema(description)


def test_every_operation_has_a_name_a_summary_and_its_refusals(description: dict[str, object]) -> None:
    names = []
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            names.append(operation["operationId"])
            assert operation["summary"], where
            assert operation["description"], where
            assert "400" in operation["responses"], where
            # The lookup of one namespace or sub-namespace is not limited.
            unlimited = ("getNamespace", "getSubnamespace")
            is_limited = operation["operationId"].removesuffix(IN_FORMAT) not in unlimited
            assert ("429" in operation["responses"]) == is_limited, where
            # A file has one format for every Accept header.
            assert ("406" in operation["responses"]) == (operation["operationId"] != "downloadFile"), where
    assert len(names) == len(set(names))


def test_names_suit_generated_clients(description: dict[str, object]) -> None:
    for methods in description["paths"].values():
        for operation in methods.values():
            assert re.fullmatch("[a-z]+([A-Z][a-z]*)+", operation["operationId"])
    for name in description["components"]["schemas"]:
        assert not re.search("Enum[0-9]*$|^Null$|^Blank$", name)
    for components in description["components"].values():
        assert [name for name in components if re.search(".Or[A-Z]", name)] == []


def test_every_parameter_is_described(description: dict[str, object]) -> None:
    missing = [
        f"{method} {path}: {parameter['name']}"
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
        for parameter in operation.get("parameters", ())
        if "$ref" not in parameter and not parameter.get("description")
    ]
    assert missing == []


def test_no_description_is_empty(description: dict[str, object]) -> None:
    assert [where for where, text in descriptions(description) if not text.strip()] == []


def descriptions(part: Any, where: str = "#") -> Iterator[tuple[str, str]]:
    """Every description, and where it stands."""
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, below in entries:
        if name == "description" and isinstance(below, str):
            yield where, below
        yield from descriptions(below, f"{where}/{name}")


def test_every_refusal_in_it_is_a_problem_with_an_example(description: dict[str, object]) -> None:
    examples = 0
    for _, _, operation in described_operations().values():
        for status, response in operation["responses"].items():
            if status < "400":
                continue
            assert list(resolved(response)["content"]) == ["application/problem+json"]
            assert types_of(operation, int(status))
    for name, schema in description["components"]["schemas"].items():
        if slug := described_type(schema):
            (example,) = schema["examples"]
            reference = {"$ref": f"#/components/schemas/{name}", "components": description["components"]}
            Draft202012Validator(reference).validate(example)
            assert (type_of(example), bool(example["detail"])) == (slug, True)
            examples += 1
    assert examples > 60


def test_every_link_leads_to_an_operation(description: dict[str, object]) -> None:
    operations = [each for methods in description["paths"].values() for each in methods.values()]
    parameters = {
        each["operationId"]: {resolved(parameter)["name"] for parameter in each.get("parameters", [])}
        for each in operations
    }
    links = [
        link
        for operation in operations
        for response in operation["responses"].values()
        for link in resolved(response).get("links", {}).values()
    ]
    assert links
    for link in links:
        assert set(link["parameters"]) <= parameters[link["operationId"]]


@pytest.mark.parametrize("accept", ["*/*", "application/yaml"])
def test_the_schema_is_there_as_yaml(client: Client, accept: str) -> None:
    response = client.get("/api/v1/schema/", headers={"accept": accept})
    assert response["Content-Type"] == "application/yaml"
    assert response.content.decode() == served()
    assert client.get("/api/v1/schema.yaml").content == response.content


def served() -> str:
    """The committed description with the addresses of this installation."""
    return OPENAPI_FILE.read_text("utf-8").replace(EXAMPLE_ORIGIN, settings.PUBLIC_ORIGIN)


def test_its_addresses_are_those_of_the_installation(client: Client, settings: Any) -> None:
    settings.PUBLIC_ORIGIN = "https://urn.example.net"
    document = client.get("/api/v1/schema.json").json()
    assert [each["url"] for each in document["servers"]] == ["https://urn.example.net"]
    assert document["info"]["contact"]["url"] == "https://urn.example.net/api/"
    assert EXAMPLE_ORIGIN not in json.dumps(document)


def test_the_schema_is_there_as_json(client: Client) -> None:
    response = client.get("/api/v1/schema/", headers={"accept": "application/json"})
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content) == yaml.load(served(), yaml.CSafeLoader)
    by_name = client.get("/api/v1/schema.json", headers={"accept": "text/html"})
    assert by_name.content == response.content


def test_another_format_of_it_is_a_404(client: Client) -> None:
    response = client.get("/api/v1/schema.xml")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_the_page_to_browse_it_names_no_outside_host(client: Client, db: None) -> None:
    page = client.get("/api/v1/schema/browse/")
    assert page.status_code == 200
    text = page.content.decode()
    assert not re.findall(r'<(?:script|link|img)[^>]*"(?:https?:)?//', text)
    assert "/api/v1/schema.json" in text
    assert "<style" not in text
    script = Path(__file__).parents[3] / "registry" / "assets" / "api.js"
    assert "validatorUrl: null" in script.read_text()
