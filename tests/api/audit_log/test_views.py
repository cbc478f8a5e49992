"""`audit-log/`: the verifier keys and the signed heads, as JSON and as signed notes."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.audit_log.models import SignedHead
from registry.audit_log.signed_notes import Checkpoint, VerifierKey
from tests.support.signing_key import KEY

ADDRESS = "/api/v1/audit-log/"


@pytest.fixture
def heads(db: None) -> list[SignedHead]:
    for _ in range(5):
        with transaction.atomic():
            log.append("import", by=None, nid="example")
            log.append("import", by=None, nid="example")
        publish_head()
    return list(SignedHead.objects.all())


def test_the_published_key_verifies_every_note(client: Client, heads: list[SignedHead]) -> None:
    described = client.get(ADDRESS).json()
    assert described["events"] == 10
    keys = [VerifierKey.parse(text) for text in described["verifier_keys"]]
    assert keys == [KEY.verifier]
    listed = client.get(described["heads_url"]).json()["results"]
    assert [each["size"] for each in listed] == [2, 4, 6, 8, 10]
    for each in listed:
        checkpoint = Checkpoint.verified(each["note"], keys)
        assert checkpoint == Checkpoint.of_note(client.get(each["note_url"]).content.decode())
        stated = (each["origin"], each["size"], each["root_hash"])
        assert stated == (checkpoint.origin, checkpoint.size, checkpoint.encoded_root)
        assert client.get(each["url"]).json() == each


def test_the_list_has_pages(client: Client, heads: list[SignedHead]) -> None:
    first = client.get(f"{ADDRESS}heads/?page_size=2").json()
    assert ([each["size"] for each in first["results"]], first["has_more"]) == ([2, 4], True)
    second = client.get(first["next"]).json()
    assert [each["size"] for each in second["results"]] == [6, 8]


def test_the_latest_head_has_a_stable_address(client: Client, heads: list[SignedHead]) -> None:
    response = client.get(f"{ADDRESS}heads/latest/note.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode() == heads[-1].note
    assert client.get(f"{ADDRESS}heads/latest/").json()["size"] == 10
    unchanged = client.get(f"{ADDRESS}heads/latest/note.txt", headers={"if-none-match": response["ETag"]})
    assert unchanged.status_code == 304
    with transaction.atomic():
        log.append("import", by=None, nid="example")
        publish_head()
    changed = client.get(f"{ADDRESS}heads/latest/note.txt", headers={"if-none-match": response["ETag"]})
    assert (changed.status_code, changed.content.decode().split("\n")[1]) == (200, "11")


@pytest.mark.parametrize("size", ["1", "0", "12", "02", "-2", "Latest", "٢", "9" * 30, "a%00"])
@pytest.mark.parametrize("note", ["", "note.txt"])
def test_an_unknown_head_is_a_404(client: Client, heads: list[SignedHead], size: str, note: str) -> None:
    response = client.get(f"{ADDRESS}heads/{size}/{note}")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_without_heads_and_key_the_lists_are_empty(client: Client, db: None, settings: Any) -> None:
    settings.LOG_SIGNING_KEY = ""
    assert client.get(ADDRESS).json()["verifier_keys"] == []
    assert client.get(f"{ADDRESS}heads/").json()["results"] == []
    assert client.get(f"{ADDRESS}heads/latest/").status_code == 404
