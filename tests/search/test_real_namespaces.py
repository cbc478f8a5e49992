"""Searches among IANA's namespaces with the profiles of the registry: what a person expects is found, and first."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.namespaces.search import SearchQuery, search_page
from registry.search.results import Results, search
from tests.support.databases import rolled_back_in


@pytest.fixture(autouse=True)
def real_namespaces(the_demonstration: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rolled_back_in(the_demonstration):
        yield


def nids(results: Results) -> list[str]:
    return [each.namespace.nid for each in results.namespaces]


# What people type, and the namespaces that they mean, in any order, before all others.
MEANT = {
    "who runs isbn": "isbn", "what is mrn": "mrn", "registrant of lex": "lex", "isbn": "isbn", "ISBN number": "isbn",
    "uuid 6ba7b810-9dad-11d1-80b4-00c04fd430c8": "uuid", "uuid 6ba7b810": "uuid", "globally unique identifier": "uuid",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8": "uuid", "urn:isbn:0451450523": "isbn", "urn:isbn": "isbn", "URN:LEX:": "lex",
    "book": "isbn", "books": "isbn", "book number": "isbn", "magazine": "issn", "journal": "doi iptc issn newsml urn-8",
    "newspaper": "iptc issn newsml", "news": "newsml", "thesis": "nbn urn-3", "dictionary": "dgiwg reso", "article": "doi newsml",
    "Bavarian libraries": "nbn", "web archive": "pwid", "airplane": "mrn s1000d ucode uic", "aviation": "s1000d",
    "ship": "mrn", "maritime buoys": "mrn", "buoys": "mrn", "railway": "uic", "timetable": "uic", "vehicle parts": "s1000d",
    "law": "lex", "statute": "lex", "legal entity": "lei", "bank": "eurosystem lei swift", "weather": "wmo",
    "military": "dgiwg nato", "map": "dgiwg ogc", "satellite": "ccsds dvb ogc", "space data": "ccsds", "seafood": "gdst",
    "fish": "gdst", "barcode": "gs1", "product code": "epc gs1", "sbom": "cdx", "software bill of materials": "cdx",
    "smart home": "csa knx thread", "building automation": "knx", "bluetooth": "nfc", "wifi": "wfa", "zigbee": "csa",
    "LTE": "3gpp", "mobile phone": "3gpp2 gsma oma", "emergency call": "service", "chat": "xmpp", "instant messaging": "xmpp",
    "rfc": "ietf", "oauth": "ietf", "xml": "xmlorg publicid", "dns": "gdr", "ISO 2108": "iso isbn", "oid": "oid",
    "television episode": "eidr isan", "film": "doi eidr isan", "advertising": "adid", "provenance": "c2pa",
    "finland": "nan", "new zealand": "nzl", "real estate": "reso", "grid": "ogf", "student": "schac",
}  # fmt: skip


@pytest.mark.parametrize("typed", MEANT)
def test_what_a_person_means_comes_first(typed: str) -> None:
    meant = MEANT[typed].split()
    found = nids(search(typed))
    assert sorted(found[: len(meant)]) == sorted(meant), found
    # The list finds the same.
    page = search_page(SearchQuery(typed), 20)
    assert [each.nid for each in page.namespaces[:20]] == found[:20]


@pytest.mark.parametrize(
    ("typed", "subject", "namespaces"),
    [
        ("song", "media", {"adid", "ebu", "eidr"}),
        ("construction", "industry", {"eic", "iso", "knx"}),
        ("airplanes", "transport", {"s1000d", "uic"}),
        ("flight", "transport", {"s1000d", "uic"}),
        ("libraries", "bibliography", {"isbn", "issn", "nbn"}),
        ("medical", "health", {"service", "nena", "iso"}),
        ("hospital", "health", {"service", "nena"}),
        ("phone", "telecommunications", {"gsma"}),
        ("payment", "finance", {"eurosystem", "swift"}),
    ],
)
def test_an_everyday_word_finds_a_subject(typed: str, subject: str, namespaces: set[str]) -> None:
    results = search(typed)
    assert results.subjects == [subject]
    assert namespaces <= set(nids(results))
    assert not results.corrections


@pytest.mark.parametrize(
    ("typed", "first"),
    [("oauth", "urn:ietf:params:oauth"), ("buoys", "urn:mrn:iala:aton"), ("Bavarian libraries", "urn:nbn:de:bvb"), ("wifi", "urn:ietf:params:xml:ns:geopriv:lm:wifi")],
)  # fmt: skip
def test_sub_namespaces_are_found(typed: str, first: str) -> None:
    assert str(search(typed).subnamespaces[0].subnamespace) == first


def test_what_nothing_has_is_named(client: Client) -> None:
    results = search("uuid 6ba7b810 snowdrift")
    assert results.unknown == ["6ba7b810", "snowdrift"]
    assert nids(results)[0] == "uuid"
    for path in ("/", "/namespaces/"):
        page = client.get(path, {"q": "uuid 6ba7b810 snowdrift"})
        assertContains(page, "Nothing has “6ba7b810” or “snowdrift”.")
        assertContains(page, 'href="/namespaces/uuid/"')


def test_a_uuid_is_recognised(client: Client) -> None:
    for path in ("/", "/namespaces/"):
        page = client.get(path, {"q": "uuid 6ba7b810-9dad-11d1-80b4-00c04fd430c8"})
        assertContains(page, 'href="/urns/?urn=urn%3Auuid%3A6ba7b810-9dad-11d1-80b4-00c04fd430c8"')
        assertNotContains(page, "Nothing has")


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
        ("isbm", "isbn"),
        ("urn:isbm:1", "isbn"),
        ("isbm 9780 books", "isbn 9780 books"),
    ],
)
def test_a_misspelt_word_finds_the_nearest_known_one(typed: str, meant: str) -> None:
    results = search(typed)
    assert results.words == meant
    assert results.corrections
    assert nids(results) == nids(search(meant)) != []


def test_the_page_says_what_was_searched_for(client: Client) -> None:
    page = client.get("/", {"q": "librery"}).text
    assert "Results for “library”" in page
    assert "Nothing has “librery”. “library” was searched for instead." in page
    assert 'value="librery"' in page
    assert page.index("/namespaces/nbn/") > 0


def test_the_interface_finds_the_same_in_the_same_order(client: Client) -> None:
    uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    for words in ("library", "who runs isbn", "airplane", "rfc", "libary", "urn:isbn:0451450523", uuid):
        page = client.get("/api/v1/namespaces/", {"q": words}).json()
        assert [each["nid"] for each in page["results"]][:20] == nids(search(words))


def test_no_search_asks_for_much(client: Client, django_assert_max_num_queries: Any) -> None:
    client.get("/", {"q": "library"})  # profiles are remembered
    with django_assert_max_num_queries(14):
        client.get("/", {"q": "library"})
