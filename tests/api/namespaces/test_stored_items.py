"""Stored entries of lists: the serializer's octets, emptied by each change, and never those of another state."""

import json
from typing import Any

import pytest
from django.core.handlers.base import BaseHandler
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from rest_framework.renderers import JSONRenderer

from registry.api.namespaces import stored_items
from registry.api.namespaces.serializers import NamespaceSerializer
from registry.api.namespaces.stored_items import in_brief, items_of, store_all_items, with_items
from registry.core.http.internal_requests import build_request
from registry.namespaces.lookup import release_tag, store_items
from registry.namespaces.models import CachedLookup, Namespace
from tests.support.databases import in_sql

LIST = "/api/v1/namespaces/"


def stored() -> dict[str, bytes | None]:
    return {
        row.nid: row.item and bytes(row.item)
        for row in CachedLookup.objects.filter(item_release=release_tag())
    }


def rendered() -> dict[str, bytes]:
    return {each.nid: JSONRenderer().render(NamespaceSerializer(each).data) for each in in_brief()}


@pytest.mark.exhaustive
def test_every_entry_of_the_demonstration_is_that_of_the_serializer(
    client: Client, demonstration_database: None
) -> None:
    first = client.get(f"{LIST}?page_size=1000")
    assert len(stored()) == Namespace.objects.count() > 100
    assert stored() == rendered()
    assert client.get(f"{LIST}?page_size=1000").content == first.content
    assert first.json()["results"] == [json.loads(each) for _, each in sorted(rendered().items())]


@pytest.mark.parametrize("change", [
    "UPDATE namespaces_namespace SET holder = 'Another'",
    """INSERT INTO namespaces_revision
    (namespace_id, version, content, text, commitments, digest, origin, registered_at)
    SELECT namespace_id, version + 1, content, text, commitments, digest, origin, registered_at
    FROM namespaces_revision""",
])  # fmt: skip
def test_a_change_empties_the_entry(client: Client, trees: Namespace, change: str) -> None:
    client.get(LIST)
    assert stored() == rendered()
    in_sql(change)
    assert stored() == {}
    client.get(LIST)
    assert stored() == rendered()


@pytest.mark.parametrize("offset", [-1, 1])
def test_an_entry_of_another_generation_is_not_stored(trees: Namespace, isbn: Namespace, offset: int) -> None:
    known = {row.nid: row for row in CachedLookup.objects.all()}
    isbn_row, trees_row = known["isbn"], known["example-trees"]
    store_items(
        {(isbn_row.pk, isbn_row.generation): b"{}", (trees_row.pk, trees_row.generation + offset): b"[]"}
    )
    assert stored() == {"isbn": b"{}"}


def test_entries_of_another_release_or_origin_are_rendered_again(
    client: Client, trees: Namespace, settings: Any
) -> None:
    client.get(LIST)
    settings.PUBLIC_ORIGIN = "https://elsewhere.example.org"
    assert stored() == {}
    [entry] = client.get(LIST).json()["results"]
    assert entry["links"]["self"].startswith("https://elsewhere.example.org/")
    assert stored() == rendered()


def test_stored_entries_are_not_rendered_again(
    client: Client, trees: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = client.get(LIST)
    monkeypatch.setattr(stored_items, "NamespaceSerializer", lambda _: pytest.fail("rendered again"))
    assert client.get(LIST).content == before.content


def test_the_snapshot_stores_no_entries(client: Client, trees: Namespace) -> None:
    handler = BaseHandler()
    handler.load_middleware()
    assert handler.get_response(build_request(LIST)).status_code == 200
    assert stored() == {}


def test_all_entries_are_stored_in_batches(
    trees: Namespace, isbn: Namespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stored_items, "BATCH", 1)
    seen: list[tuple[int, int]] = []
    assert store_all_items(lambda done, total: seen.append((done, total))) == 2
    assert seen == [(1, 2), (2, 2)]
    assert stored() == rendered()
    in_sql("UPDATE namespaces_namespace SET holder = 'Another' WHERE nid = 'isbn'")
    for expected in ("1 entry was stored.\n", "0 entries were stored.\n"):
        call_command("store_list_items")
        assert capsys.readouterr().out == expected
    assert stored() == rendered()


def test_a_read_only_database_answers_with_rendered_entries(client: Client, trees: Namespace) -> None:
    in_sql("SET TRANSACTION READ ONLY")
    assert items_of(with_items(Namespace.objects.all())) == [*rendered().values()]


def test_nothing_else_writes_an_entry(trees: Namespace) -> None:
    with pytest.raises(IntegrityError, match="refused"), transaction.atomic():
        connection.cursor().execute("UPDATE namespaces_cachedlookup SET item = '{}', item_release = 'x'")
    assert stored() == {}
