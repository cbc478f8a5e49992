"""A resource that is going to end says so in every answer, and is told so in one place."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from registry.api.framework.views import Deprecation
from registry.api.namespaces.views import NamespaceListView
from registry.api.root.views import ProblemTypeListView
from tests.api.client import V1

SINCE = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_nothing_is_deprecated_without_being_named(client: Client) -> None:
    answer = client.get(f"{V1}problems/")
    assert not {"Deprecation", "Sunset"} & set(answer.headers)


def test_a_deprecated_resource_says_since_when_and_until_when(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Deprecation(SINCE, SINCE.replace(year=2027), "https://example.org/why")
    monkeypatch.setattr(ProblemTypeListView, "deprecation", told)
    for path, status in (("problems/", 200), ("problems", 200), ("problems/?x=1", 400)):
        answer = client.get(V1 + path)
        assert answer.status_code == status
        assert answer.headers["Deprecation"] == "@1795262400"
        assert answer.headers["Sunset"] == "Sun, 21 Nov 2027 12:00:00 GMT"
        assert answer.headers["Link"] == '<https://example.org/why>; rel="deprecation"; type="text/html"'
    assert "Deprecation" not in client.get(V1).headers


def test_its_link_stands_beside_others(
    client: Client, trees: object, isbn: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Deprecation(SINCE, explained_at="https://example.org/why")
    monkeypatch.setattr(NamespaceListView, "deprecation", told)
    link = client.get(f"{V1}namespaces/?page_size=1").headers["Link"]
    assert 'rel="next"' in link
    assert link.endswith(', <https://example.org/why>; rel="deprecation"; type="text/html"')
