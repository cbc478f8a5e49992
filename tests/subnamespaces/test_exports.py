"""The list as files: an import of an export changes nothing, digests, conditional requests, and the links."""

import csv
import hashlib
import html
import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.core.digests import canonical_json
from registry.namespaces.models import Namespace
from registry.subnamespaces.exports import CHUNK, LIST_FILES
from registry.subnamespaces.importing import plan_import
from registry.subnamespaces.models import SubNamespace
from tests.subnamespaces.conftest import LINES, Import
from tests.support.services import a_service
from urnsyntax.profiles.subnamespaces.importing import read_csv

CONTENTS = '"subnamespaces_subnamespace"."content"'
# A spreadsheet would take the last ones for formulas.
TITLES = ("'s Graveland Oaks", "'=1", "''=1", "=1+1", "+1", "-1", "@a", "Oak =1")
LIST = "/namespaces/example-gardens/subnamespaces/"
WITH_ALL = {
    "prefix": "oak:b",
    "title": "Board, “south”, of Oak Park",
    "holder": '=Board "B"',
    "status": "retired",
    "successor": "oak",
    "reference": "RFC 8141, Section 5",
    "url": "https://gardens.example.org/oak?a=b&c=d",
    "source": "Map of gardens",
    "as_of": "2026-01-30",
    "names": {"pattern": "[0-9]+", "examples": [{"urn": "urn:example-gardens:oak:b:1"}]},
    "services": [a_service("example-gardens", examples=["urn:example-gardens:oak:b:1"])],
    "fields": {"kind": "=Park", "places": "East, “old”\nWest"},
}


def downloaded(client: Client, name: str) -> bytes:
    answer = client.get(f"{LIST}{name}")
    assert answer.status_code == 200
    return answer.getvalue()


@pytest.mark.parametrize("suffix", LIST_FILES)
def test_importing_an_export_changes_nothing(
    client: Client, gardens: Namespace, import_list: Import, suffix: str
) -> None:
    import_list(f"{LINES}{json.dumps(WITH_ALL)}\n")
    document = downloaded(client, f"example-gardens.{suffix}").decode()
    assert plan_import(gardens, document, list_format=suffix, retires_others=True).is_empty
    # An import ignores the day of a source, but the file has it.
    read = read_csv(document) if suffix == "csv" else [json.loads(line) for line in document.splitlines()]
    assert read == [row.content for row in SubNamespace.objects.order_by("prefix")]


def test_no_cell_of_a_csv_file_is_a_formula(client: Client, gardens: Namespace, import_list: Import) -> None:
    rows = [{"prefix": f"{mark}{at}", "title": title} for at, title in enumerate(TITLES) for mark in "-+@="]
    import_list(LINES + "".join(f"{json.dumps(row)}\n" for row in rows))
    document = downloaded(client, "example-gardens.csv").decode()
    cells = [cell for row in csv.reader(document.splitlines()) for cell in row]
    assert len(cells) > len(rows)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert plan_import(gardens, document, list_format="csv", retires_others=True).is_empty
    read = {each["prefix"]: each["title"] for each in read_csv(document)}
    assert {row["prefix"]: row["title"] for row in rows}.items() <= read.items()


def test_the_first_version_has_the_digest_of_its_file(client: Client, import_list: Import) -> None:
    made = import_list()
    assert hashlib.sha256(downloaded(client, "example-gardens.jsonl")).hexdigest() == made.digest


def test_each_version_has_the_digest_of_what_it_set(
    client: Client, gardens: Namespace, import_list: Import
) -> None:
    import_list()
    import_list('{"prefix": "Elm", "title": "Elm"}\n{"prefix": "kew", "title": "Kew"}')
    import_list('{"prefix": "kew", "title": "Kew Gardens"}')
    contents: dict[int, list[Any]] = {}
    for line in downloaded(client, "example-gardens-versions.jsonl").splitlines():
        row = json.loads(line)
        contents.setdefault(row["version"], []).append(row["content"])
    prefixes = {version: [each["prefix"] for each in rows] for version, rows in contents.items()}
    assert prefixes == {1: ["kew", "oak"], 2: ["Elm", "kew"], 3: ["kew"]}
    before = ""
    for version in gardens.subnamespace_list_versions.all():
        lines = [before] if before else []
        lines += map(canonical_json, contents[version.version])
        before = hashlib.sha256("".join(f"{each}\n" for each in lines).encode()).hexdigest()
        assert version.digest == before
    assert "example-gardens-versions.jsonl" in client.get(LIST).text


def test_a_file_is_sorted_by_prefix(client: Client, import_list: Import) -> None:
    import_list()
    import_list('{"prefix": "Elm", "title": "Elm"}\n{"prefix": "a~b", "title": "A"}')
    content = downloaded(client, "example-gardens.jsonl")
    assert [json.loads(line)["prefix"] for line in content.splitlines()] == ["Elm", "a~b", "kew", "oak"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("suffix", LIST_FILES)
def test_an_unchanged_list_is_not_read_again(client: Client, import_list: Import, suffix: str) -> None:
    import_list()
    address = f"{LIST}example-gardens.{suffix}"
    first = client.get(address)
    assert first["Content-Type"] == LIST_FILES[suffix].media_type
    assert first.getvalue()
    with CaptureQueriesContext(connection) as queries:
        again = client.get(address, headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304
    assert not [each["sql"] for each in queries if CONTENTS in each["sql"]]
    for title in ("Elm", "Elm Park"):  # the digest of a later version is not that of its file
        import_list(json.dumps({"prefix": "elm", "title": title}))
        first = client.get(address)
        assert client.get(address, headers={"if-none-match": first["ETag"]}).status_code == 304
        assert client.get(address, headers={"if-match": first["ETag"]}).status_code == 200
    import_list('{"prefix": "elm", "title": "Elms"}')
    changed = client.get(address, headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200
    assert b"Elm" in changed.getvalue()


@pytest.mark.parametrize("suffix", LIST_FILES)
def test_a_list_is_read_in_parts(client: Client, import_list: Import, suffix: str) -> None:
    import_list(
        "".join(f'{{"prefix": "g{n:04}", "title": "Garden {n}"}}\n' for n in range(CHUNK + 1)) + LINES
    )
    with CaptureQueriesContext(connection) as queries:
        lines = downloaded(client, f"example-gardens.{suffix}").splitlines()
    assert len(lines) - (suffix == "csv") == CHUNK + 3
    assert [each["sql"] for each in queries if "DECLARE" in each["sql"] and CONTENTS in each["sql"]]


def test_the_page_links_the_files(client: Client, gardens: Namespace, import_list: Import) -> None:
    assert "Download" not in client.get(LIST).text
    import_list()
    page = html.unescape(client.get(LIST).text)
    for suffix in LIST_FILES:
        assert f'href="{LIST}example-gardens.{suffix}"' in page


@pytest.mark.parametrize("name", ["example-gardens.xml", "example-trees.jsonl"])
def test_another_file_is_not_found(client: Client, import_list: Import, name: str) -> None:
    import_list()
    answer = client.get(f"{LIST}{name}")
    assert answer.status_code == 404
    assert "example-gardens.jsonl, example-gardens.csv" in answer.text


def test_without_a_list_there_is_no_file(client: Client, gardens: Namespace) -> None:
    answer = client.get(f"{LIST}example-gardens.jsonl")
    assert answer.status_code == 404
    assert "The namespace has no list." in answer.text


def test_the_nid_is_in_lower_case(client: Client, import_list: Import) -> None:
    import_list()
    answer = client.get("/namespaces/Example-Gardens/subnamespaces/example-gardens.csv")
    assert (answer.status_code, answer["Location"]) == (301, f"{LIST}example-gardens.csv")
