"""The search for sub-namespaces: by words of their own, and of their namespace."""

import pytest
from django.conf import settings
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.search_terms import terms_of
from registry.subnamespaces.loading import load_subnamespaces
from registry.subnamespaces.search import search_subnamespaces
from tests.resolution.conftest import fixture_profile
from tests.subnamespaces.conftest import LINES, Import


def found(words: str) -> list[str]:
    return [str(each) for each in search_subnamespaces(terms_of(words), 20)]


@pytest.fixture
def real_lists(db: None) -> None:
    for nid in ("nbn", "ietf", "mrn"):
        namespace = Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
        set_profile(namespace, by=None, profile=fixture_profile(nid), basis="Loaded", replaces=0)
    directory = settings.BASE_DIR / "fixtures" / "subnamespaces"
    load_subnamespaces((nid, directory / f"{nid}.jsonl") for nid in ("nbn", "ietf", "mrn"))


def test_real_sub_namespaces_are_found(real_lists: None, client: Client) -> None:
    assert "urn:nbn:de:bvb" in found("Bavarian libraries")[:3]
    assert found("oauth")[0] == "urn:ietf:params:oauth"
    assert found("buoys") == ["urn:mrn:iala:aton"]
    assert "urn:mrn:iala:aton" in found("maritime buoys")[:3]
    page = client.get("/", {"q": "maritime buoys"})
    assertContains(page, 'href="/namespaces/mrn/subnamespaces/?prefix=iala%3Aaton"')
    assertContains(page, "Lights, <mark>buoys</mark> and other aids to navigation")


def test_words_of_the_namespace_alone_find_no_sub_namespace(import_list: Import) -> None:
    import_list()
    assert found("example gardens") == ["urn:example-gardens:kew"]  # the title has the second word
    assert found("example") == []


def test_stems_accents_and_holders_count(import_list: Import) -> None:
    import_list(LINES + '{"prefix": "a/b", "title": "Jardín of Lilies", "holder": "Board of Botany"}')
    for words in ("jardin", "lily", "botany", "lilies board", "a b"):
        assert found(words) == ["urn:example-gardens:a/b"]
    for words in ("", "lil", "lilies rose"):
        assert found(words) == []


def test_a_changed_title_is_found(import_list: Import) -> None:
    import_list()
    import_list('{"prefix": "oak", "title": "Beech Park"}')
    assert (found("beech"), found("oak park")) == (["urn:example-gardens:oak"],) * 2


def test_retired_ones_come_last_and_are_marked(import_list: Import, client: Client) -> None:
    import_list(
        LINES + '{"prefix": "a", "title": "Rose garden", "status": "retired"}\n'
        '{"prefix": "bbbb", "title": "Rose house"}'
    )
    assert found("rose") == ["urn:example-gardens:bbbb", "urn:example-gardens:a"]
    assertContains(client.get("/", {"q": "rose"}), "retired", count=1)


def test_at_most_twenty_are_shown(import_list: Import, client: Client) -> None:
    lines = [f'{{"prefix": "r{number}", "title": "Rose {number}"}}' for number in range(21)]
    import_list(LINES + "\n".join(lines[:20]))
    assertNotContains(client.get("/", {"q": "rose"}), "More sub-namespaces match")
    import_list("\n".join(lines))
    page = client.get("/", {"q": "rose"})
    assertContains(page, "More sub-namespaces match")
    assertContains(page, "/subnamespaces/?prefix=r", count=20)


def test_texts_of_a_list_are_escaped(import_list: Import, client: Client) -> None:
    import_list(LINES + '{"prefix": "a&b", "title": "<b>Rose</b>"}')
    page = client.get("/", {"q": "rose"})
    assertContains(page, "?prefix=a%26b")
    assertContains(page, "&lt;b&gt;<mark>Rose</mark>&lt;/b&gt;")
