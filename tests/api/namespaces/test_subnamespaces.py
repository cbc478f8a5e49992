"""`namespaces/<nid>/subnamespaces/`: the list, one of them, and imports with a dry run."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.subnamespaces.importing import MAX_DOCUMENT
from registry.subnamespaces.models import ListVersion
from tests.api.client import TokenClient
from tests.subnamespaces.conftest import LINES, Import, gardens, import_list

__all__ = ("gardens", "import_list")
NAMESPACE = "/api/v1/namespaces/example-gardens/"
LIST = f"{NAMESPACE}subnamespaces/"
ONE = f"{NAMESPACE}subnamespace/"
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
