"""The sitemap and robots.txt: complete, in parts, without OFFSET."""

from datetime import UTC, datetime
from itertools import chain
from urllib.robotparser import RobotFileParser
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.namespaces.models import Namespace
from registry.publication import sitemaps
from tests.subnamespaces.conftest import Import, gardens, import_list
from tests.support.factories import an_imported_namespace

__all__ = ("gardens", "import_list")
pytestmark = pytest.mark.django_db
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ORIGIN = "http://localhost:8000"


def read(client: Client, address: str) -> Element:
    response = client.get(address.removeprefix(ORIGIN))
    assert (response.status_code, response["Content-Type"]) == (200, "application/xml")
    return fromstring(response.getvalue())


def addresses(element: Element) -> list[str]:
    return [each.text or "" for each in element.iter(f"{SITEMAP}loc")]


@pytest.fixture
def names(db: None) -> list[str]:
    found = sorted(["3gpp", "a-b", "isbn", "issn", "uuid", "w3c", "zz9"])
    for nid in found:
        an_imported_namespace(nid=nid)
    return found


@pytest.mark.parametrize("part", [1, 2, 3, 7, 8])
def test_the_parts_contain_each_namespace_once(
    client: Client, names: list[str], monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(sitemaps, "PART", part)
    index = read(client, "/sitemap.xml")
    assert index.tag == f"{SITEMAP}sitemapindex"
    of_pages, *parts = addresses(index)
    assert len(parts) == -(-len(names) // part)
    found = [addresses(read(client, each)) for each in parts]
    assert {len(each) for each in found[:-1]} <= {part}
    assert list(chain.from_iterable(found)) == [f"{ORIGIN}/namespaces/{nid}/" for nid in names]
    assert addresses(read(client, of_pages))[0] == f"{ORIGIN}/"


def test_a_list_of_sub_namespaces_has_an_address(
    client: Client, names: list[str], import_list: Import
) -> None:
    import_list()
    listed = read(client, "/sitemap-namespaces-a-b.xml")
    gardens, of_gardens = addresses(listed)[:2]
    assert (gardens, of_gardens) == (f"{ORIGIN}/namespaces/example-gardens/", f"{gardens}subnamespaces/")
    assert client.get(of_gardens.removeprefix(ORIGIN)).status_code == 200
    assert len(addresses(listed)) == len([nid for nid in names if nid > "a-b"]) + 2


def test_an_empty_registry_has_a_sitemap(client: Client) -> None:
    parts = addresses(read(client, "/sitemap.xml"))
    assert parts == [f"{ORIGIN}/sitemap-pages.xml", f"{ORIGIN}/sitemap-namespaces.xml"]
    assert addresses(read(client, parts[1])) == []


def test_every_page_in_it_exists_and_may_be_crawled(client: Client, names: list[str]) -> None:
    rules = RobotFileParser()
    rules.parse(client.get("/robots.txt").text.splitlines())
    listed = [
        *addresses(read(client, "/sitemap-pages.xml")),
        *addresses(read(client, "/sitemap-namespaces.xml")),
    ]
    for address in listed:
        assert rules.can_fetch("any", address), address
        answer = client.get(address.removeprefix(ORIGIN), headers={"accept": "text/html"})
        assert answer.status_code == 200, address


def test_the_time_of_a_change_is_that_of_the_namespace(client: Client, names: list[str]) -> None:
    Namespace.objects.filter(nid="isbn").update(changed_at=datetime(2026, 3, 2, 9, 30, 1, 5, tzinfo=UTC))
    entry = read(client, "/sitemap-namespaces-a-b.xml").find(f"{SITEMAP}url")
    assert entry is not None
    assert entry.findtext(f"{SITEMAP}loc") == f"{ORIGIN}/namespaces/isbn/"
    assert entry.findtext(f"{SITEMAP}lastmod") == "2026-03-02T09:30:01Z"


def test_a_part_is_found_by_its_key(client: Client, names: list[str]) -> None:
    with CaptureQueriesContext(connection) as queries:
        read(client, "/sitemap.xml")
        read(client, "/sitemap-namespaces-isbn.xml")
    assert not [each["sql"] for each in queries if "OFFSET" in each["sql"].upper()]
    assert addresses(read(client, "/sitemap-namespaces-isbn.xml")) == [
        f"{ORIGIN}/namespaces/{nid}/" for nid in names if nid > "isbn"
    ]


@pytest.mark.parametrize("key", ["", "-a", "a b", "x" * 40, "a/b", "never-registered"])
def test_another_key_is_not_found(client: Client, db: None, key: str) -> None:
    assert client.get(f"/sitemap-namespaces-{key}.xml").status_code == 404


def test_an_unchanged_part_is_confirmed(client: Client, names: list[str]) -> None:
    first = client.get("/sitemap-namespaces.xml")
    first.getvalue()
    assert client.get("/sitemap-namespaces.xml", headers={"if-none-match": first["ETag"]}).status_code == 304


def test_robots_txt_names_the_sitemap_and_keeps_crawlers_from_private_pages(client: Client) -> None:
    response = client.get("/robots.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    rules = RobotFileParser()
    rules.parse(response.text.splitlines())
    assert rules.site_maps() == [f"{ORIGIN}/sitemap.xml"]
    for path in ("/accounts/login/", "/desk/", "/api/v1/namespaces/", "/resolve/urn:isbn:0451450523"):
        assert not rules.can_fetch("any", f"{ORIGIN}{path}"), path
    for path in ("/", "/namespaces/isbn/", "/cases/1/", "/api/", "/registry/urn-namespaces.xml"):
        assert rules.can_fetch("any", f"{ORIGIN}{path}"), path
