"""Searches among IANA's namespaces with the profiles of the registry: what a person expects is found, and first."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from registry.namespaces.search import SearchQuery, search_page
from registry.search.results import Results, search
from tests.support.databases import rolled_back_in


@pytest.fixture(autouse=True)
def real_namespaces(the_demonstration: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rolled_back_in(the_demonstration):
        yield


def nids(results: Results) -> list[str]:
    return [each.namespace.nid for each in results.namespaces]


@pytest.mark.parametrize(
    ("words", "first", "others", "subjects"),
    [
        ("library", {"isbn", "issn", "nbn"}, set(), ["bibliography"]),
        ("libraries", {"isbn", "issn", "nbn"}, set(), ["bibliography"]),
        ("medical", {"service", "nena"}, {"iso"}, ["health"]),
        ("video", {"eidr", "isan", "dvb"}, {"smpte"}, []),
        ("legal", {"lex"}, {"lei"}, ["law"]),
        ("aviation", {"s1000d"}, set(), []),
        ("book", {"isbn"}, {"nbn"}, []),
        ("books", {"isbn"}, {"nbn"}, []),
        ("journal", {"issn"}, set(), []),
        ("phone", {"gsma"}, set(), []),
        ("ISO 2108", {"isbn"}, set(), []),
        ("television episode", {"eidr"}, set(), []),
    ],
)
def test_words_find_what_a_person_expects(
    words: str, first: set[str], others: set[str], subjects: list[str]
) -> None:
    results = search(words)
    assert first <= set(nids(results)[:10])
    assert others <= set(nids(results))
    assert results.subjects == subjects
    assert not results.is_corrected


def test_the_title_comes_first() -> None:
    assert nids(search("book"))[0] == "isbn"
    assert nids(search("legal entity"))[0] == "lei"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("librery", "library"),
        ("libary", "library"),
        ("lbirary", "library"),
        ("medcial", "medical"),
        ("avation", "aviation"),
        ("National Bibliogrphy", "national bibliography"),
        ("journnal magazine", "journal magazine"),
        ("uudi", "uuid"),
    ],
)
def test_a_misspelt_word_finds_the_nearest_known_one(typed: str, meant: str) -> None:
    results = search(typed)
    assert (results.words, results.is_corrected) == (meant, True)
    assert nids(results) == nids(search(meant)) != []


def test_the_page_says_what_was_searched_for(client: Client) -> None:
    page = client.get("/", {"q": "librery"}).text
    assert "Results for “library”" in page
    assert "No results for “librery”." in page
    assert 'value="librery"' in page
    assert page.index("/namespaces/nbn/") > 0


def test_the_list_finds_the_same_namespaces_in_the_same_order() -> None:
    for words in ("library", "medical", "video", "legal", "book"):
        page = search_page(SearchQuery(words), 100)
        assert [each.nid for each in page.rows][:20] == nids(search(words))


def test_no_search_asks_for_much(client: Client, django_assert_max_num_queries: Any) -> None:
    client.get("/", {"q": "library"})  # profiles are remembered
    with django_assert_max_num_queries(13):
        client.get("/", {"q": "library"})
