"""`namespaces/<nid>/subnamespaces/`: the list, one of them, and imports with a dry run."""

import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.subnamespaces.importing import MAX_DOCUMENT
from registry.subnamespaces.models import ListVersion
from tests.api.client import TokenClient
from tests.api.namespaces.test_json_ld import CONTEXT
from tests.api.schema_checks import check_response
from tests.subnamespaces.conftest import LINES, Import, gardens, import_list
from tests.support.services import a_service

__all__ = ("gardens", "import_list")
NAMESPACE = "/api/v1/namespaces/example-gardens/"
LIST = f"{NAMESPACE}subnamespaces/"
ONE = f"{NAMESPACE}subnamespace/"
OAK = '{"prefix": "oak", "title": "Oak Park"}'
SENT = {"document": LINES, "list_format": "jsonl", "basis": "The list of gardens.", "replaces": 0}


def prefixes(client: Client, **query: Any) -> list[str]:
    answer = client.get(LIST, query)
    assert answer.status_code == 200, answer.json()
    return [each["prefix"] for each in answer.json()["results"]]


def test_the_list_has_pages_and_filters(client: Client, gardens: Namespace, import_list: Import) -> None:
    assert prefixes(client) == []
    import_list(LINES + '{"prefix": "kew:north", "title": "The north", "status": "retired"}\n')
    assert prefixes(client) == ["kew", "kew:north", "oak"]
    assert prefixes(client, q="kew") == ["kew", "kew:north"]
    assert prefixes(client, q="park") == ["oak"]
    assert prefixes(client, status="retired") == ["kew:north"]
    assert prefixes(client, below="KEW") == ["kew:north"]
    page = client.get(LIST, {"page_size": 2}).json()
    assert page["has_more"] is True
    assert [each["prefix"] for each in client.get(page["next"]).json()["results"]] == ["oak"]
    assert client.get(LIST, {"status": "lost"}).status_code == 400
    assert client.get(LIST, {"below": "elm"}).status_code == 404


def test_one_is_found_by_its_prefix(client: Client, import_list: Import) -> None:
    import_list()
    found = client.get(ONE, {"prefix": "KEW"}).json()
    assert (found["prefix"], found["holder"], found["successor"]) == ("kew", "Board of Kew", None)
    assert client.get(found["links"]["self"]).json() == found
    assert client.get(found["links"]["html"], headers={"accept": "text/html"}).status_code == 200
    refused = client.get(ONE, {"prefix": "kaw"})
    assert (refused.status_code, refused.json()["near"]) == (404, ["kew"])
    assert client.get(ONE).status_code == 400


def test_the_namespace_leads_to_its_list_and_the_list_to_its_files(
    client: Client, gardens: Namespace, import_list: Import
) -> None:
    assert client.get(NAMESPACE).json()["links"]["subnamespaces"] is None
    assert client.get(LIST).json()["files"] == []
    import_list()
    listed = client.get(client.get(NAMESPACE).json()["links"]["subnamespaces"]).json()
    assert len(listed["results"]) == 2
    lines, table = listed["files"]
    assert (lines["media_type"], table["media_type"].partition(";")[0]) == ("application/jsonl", "text/csv")
    assert b"Oak Park" in client.get(lines["url"]).getvalue()
    assert f"Sub-namespaces: http://localhost:8000{LIST}" in client.get(f"{NAMESPACE[:-1]}.txt").text


def test_an_entry_has_what_the_list_states_of_its_names(
    client: Client, gardens: Namespace, import_list: Import
) -> None:
    services = [a_service(gardens.nid, examples=["urn:example-gardens:oak:1"])]
    names = {"pattern": "[0-9]", "examples": [{"urn": "urn:example-gardens:oak:1"}]}
    row = {"prefix": "oak", "title": "Oak Park", "names": names, "services": services}
    import_list(LINES.replace(OAK, json.dumps(row)))
    entries = {each["prefix"]: each for each in client.get(LIST).json()["results"]}
    assert (entries["oak"]["names"], entries["oak"]["services"]) == (names, services)
    assert (entries["kew"]["names"], entries["kew"]["services"]) == (None, [])
    answer = client.get(ONE, {"prefix": "oak"})
    check_response("get", answer)
    assert answer.json() == entries["oak"]
    assert client.get(ONE, {"prefix": "oak"}).json() == entries["oak"]


def test_list_and_entry_are_described_as_json_ld(client: Client, import_list: Import) -> None:
    more = {
        "status": "deprecated",
        "successor": "oak:b",
        "reference": "RFC 8141",
        "url": "https://kew.example/",
    }
    kew = {"prefix": "kew", "title": "Gardens at Kew", "holder": "Board of Kew"} | more
    import_list(f'{json.dumps(kew)}\n{OAK}\n{{"prefix": "oak:b", "title": "B"}}\n')
    page = html.unescape(client.get(LIST.removeprefix("/api/v1"), {"prefix": "kew"}).text)
    (address,) = re.findall('<link rel="alternate" type="application/ld[+]json" href="([^"]+)"', page)
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/ld+json")
    by_accept = client.get(ONE, {"prefix": "kew"}, headers={"accept": "application/ld+json"})
    check_response("get", by_accept)
    assert by_accept.content == answer.content
    origin = "http://localhost:8000"
    entry = {
        "@id": f"{origin}{ONE}?prefix=kew",
        "@type": ["DefinedTermSet"],
        "identifier": "kew",
        "name": "Gardens at Kew",
        "alternateName": "urn:example-gardens:kew",
        "publisher": {"name": "Board of Kew"},
        "url": f"{origin}/namespaces/example-gardens/subnamespaces/?prefix=kew",
        "creativeWorkStatus": "deprecated",
        "dcterms:isReplacedBy": f"{origin}{ONE}?prefix=oak%3Ab",
        "subjectOf": {"@type": "CreativeWork", "name": "RFC 8141", "url": "https://kew.example/"},
    }
    of_namespace = {"isPartOf": {"@id": f"{origin}{NAMESPACE}"}}
    assert answer.json() == {"@context": CONTEXT} | entry | of_namespace
    page = client.get(LIST.removeprefix("/api/v1")).text
    (address,) = re.findall('<link rel="alternate" type="application/ld[+]json" href="([^"]+)"', page)
    listed = client.get(address)
    check_response("get", client.get(LIST, headers={"accept": "application/ld+json"}))
    body = listed.json()
    assert (body["@id"], body["identifier"]) == (f"{origin}{NAMESPACE}", "example-gardens")
    assert body["hasPart"][0] == entry
    assert [each["identifier"] for each in body["hasPart"]] == ["kew", "oak", "oak:b"]
    first = client.get(address, {"fields": "title", "page_size": 1})
    (following,) = re.findall('<(.+)>; rel="next"', first["Link"])
    assert [each["identifier"] for each in client.get(following).json()["hasPart"]] == ["oak"]
    few = first.json()["hasPart"]
    assert few == [{"@type": ["DefinedTermSet"], "identifier": "kew", "name": "Gardens at Kew"}]
    assert client.get(f"{LIST[:-1]}.xml").status_code == 404


def test_a_dry_run_shows_the_difference_and_changes_nothing(gardens: Namespace, administrator: User) -> None:
    client = TokenClient(administrator)
    planned = client.post(f"{LIST}import/", {**SENT, "dry_run": True})
    assert planned.status_code == 200, planned.json()
    assert (planned.json()["version"], planned.json()["added_prefixes"]) == (None, ["kew", "oak"])
    assert not ListVersion.objects.exists()
    assert client.post(f"{LIST}import/", SENT).json()["version"] == 1
    refused = client.post(f"{LIST}import/", SENT)
    assert (refused.status_code, refused.json()["current"]) == (409, 1)


@pytest.mark.parametrize("is_dry", [False, True])
def test_a_wrong_list_is_refused(gardens: Namespace, administrator: User, is_dry: bool) -> None:
    client = TokenClient(administrator)
    document = '{"prefix": "elm", "title": "Elm"}'
    refused = client.post(f"{LIST}import/", {**SENT, "document": document, "dry_run": is_dry})
    assert refused.status_code == 422
    assert "“kew” is no garden" in refused.json()["failures"][0]
    too_long = "x" * MAX_DOCUMENT
    answer = client.post(f"{LIST}import/", {**SENT, "document": LINES + too_long, "dry_run": is_dry})
    assert answer.status_code == 422
    assert "Shorten the list" in answer.json()["detail"]
