"""The published tree on a plain file server, crawled from link to link."""

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from django.test import Client, override_settings
from django.urls import resolve, reverse

from registry.namespaces.models import Namespace
from registry.publication.snapshot.manifest import verify
from registry.publication.snapshot.publisher import publish
from registry.publication.snapshot.rendering import HTMX
from tests.publication.snapshot.registries import files
from tests.support.databases import a_fresh_database
from tests.support.servers import serving_files

LIVING = "https://registry.example.org"
LEADS = {"href", "src", "srcset", "action", "formaction", "poster", "data", "ping"}


@dataclass
class Page(HTMLParser):
    """Collects the links, form targets, anchors and attributes of a page."""

    text: str
    links: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            self.attributes.add(name)
            if name in LEADS:
                self.links.append((tag, value or ""))
            elif name == "id":
                self.names.add(value or "")
            elif name == "name":
                self.fields.add(value or "")


@dataclass(frozen=True)
class Site:
    """The published demonstration: every page reachable from the first, by URL."""

    address: str
    tree: Path
    pages: dict[str, Page]


@pytest.fixture(scope="module")
def site(
    the_demonstration: str, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Publish once for all tests of this module, which change nothing."""
    directory = tmp_path_factory.mktemp("published")
    origin = override_settings(PUBLIC_ORIGIN=LIVING, ALLOWED_HOSTS=["registry.example.org"])
    with django_db_blocker.unblock(), a_fresh_database(the_demonstration), origin:
        publish(directory)
        with serving_files(directory / "current") as address:
            yield Site(address, directory / "current", crawled(address))


def fetched(address: str) -> tuple[str, str]:
    """Return media type and text of a page; redirects are not followed."""
    with urlopen(address) as answer:
        assert answer.url == address, f"{address} leads on to {answer.url}"
        return answer.headers.get_content_type(), answer.read().decode(errors="replace")


def crawled(site: str) -> dict[str, Page]:
    """Crawl from the first page, and the 404 page; a broken link is an error."""
    pages: dict[str, Page] = {}
    waiting, seen = deque([(f"{site}/", ""), (f"{site}/404.html", "")]), set[str]()
    while waiting:
        address, from_page = waiting.popleft()
        if address in seen:
            continue
        seen.add(address)
        try:
            media_type, text = fetched(address)
        except HTTPError as fault:
            pytest.fail(f"{from_page} leads to {address}: {fault.code}")
        if media_type == "text/html":
            pages[address] = Page(text)
            found = (urldefrag(urljoin(address, link)).url for _, link in pages[address].links)
            waiting.extend((link, address) for link in found if link.startswith(site))
    return pages


@pytest.mark.exhaustive
def test_the_whole_registry_is_there(site: Site) -> None:
    found = files(site.tree)
    for namespace in Namespace.objects.all():
        assert f"namespaces/{namespace.nid}/index.html" in found
        assert json.loads(found[f"api/v1/namespaces/{namespace.nid}/index.json"])["nid"] == namespace.nid
    for name in ("index.html", "namespaces/index.html", "404.html", "registry/urn-namespaces.xml"):
        assert name in found
    assert b"urn:example-trees:" in found["namespaces/example-trees/versions/1/template.txt"]
    assert json.loads(found["api/v1/namespaces/example-trees/versions/2/index.json"])["version"] == 2
    assert verify(site.tree).faults == []


@pytest.mark.exhaustive
def test_no_link_leads_nowhere_and_every_namespace_is_reached(site: Site) -> None:
    expected = {"/guide/", "/statistics/", "/registry/"}
    expected |= {f"/namespaces/{nid}/" for nid in Namespace.objects.values_list("nid", flat=True)}
    assert {f"{site.address}{path}" for path in expected} - set(site.pages) == set()
    for address, page in site.pages.items():
        for _, link in page.links:
            target, fragment = urldefrag(urljoin(address, link))
            if fragment and target in site.pages:
                assert fragment in site.pages[target].names, (address, link)


@pytest.mark.exhaustive
@pytest.mark.parametrize("of_each_kind", [2, pytest.param(None, marks=pytest.mark.soak)])
def test_dynamic_links_lead_to_the_live_site_and_every_page_is_marked_as_a_copy(
    site: Site, of_each_kind: int | None
) -> None:
    """A kind: the links to one view with the same names of parameters."""
    living: dict[tuple[str, ...], set[str]] = {}
    for address, page in site.pages.items():
        if "/registry/urn-namespaces" in address:
            continue  # a page of its own, without the site's layout
        assert "This page is a copy." in page.text, address
        for tag, link in page.links:
            assert tag != "form" or link.startswith(f"{LIVING}/"), (address, link)
            if link.startswith(f"{LIVING}/"):
                parts = urlsplit(link)
                kind = (resolve(parts.path).view_name, *parse_qs(parts.query))
                living.setdefault(kind, set()).add(link.removeprefix(LIVING))
    assert set(living) >= {("home",), ("cases:list",), ("account_login",), ("cases:nids",)}
    for link in chain(*(sorted(links)[:of_each_kind] for links in living.values())):
        headers = {"host": "registry.example.org", "accept": "text/html,*/*;q=0.8"}
        answer = Client().get(link, headers=headers, secure=True)
        is_resolved = link.startswith("/resolve/") and answer.status_code in (300, 303, 409)
        # That of an event comes with the next head.
        is_proof = (link.endswith("/proof/") and answer.status_code == 302) or link.endswith(".tlog-proof")
        is_sign_in = not is_resolved and answer.get("Location", "").startswith(reverse("account_login"))
        assert answer.status_code == 200 or is_resolved or is_proof or is_sign_in, link


@pytest.mark.exhaustive
def test_the_living_site_does_not_call_itself_a_copy(site: Site) -> None:
    answer = Client().get("/guide/", headers={"host": "registry.example.org"}, secure=True)
    assert answer.status_code == 200
    assert "copy" not in answer.text


@pytest.mark.exhaustive
def test_nothing_of_htmx_is_left_on_a_page(site: Site) -> None:
    """htmx would send requests to the static files, or suppress forms."""
    for address, page in site.pages.items():
        assert not [name for name in page.attributes if "hx-" in name], address


@pytest.mark.exhaustive
def test_nothing_in_the_files_is_of_one_visitor(site: Site) -> None:
    for address, page in site.pages.items():
        assert not {each for each in page.fields if "csrf" in each}, address
        assert "Sign out" not in page.text, address
    secrets = re.compile(rb"csrf|sessionid|set-cookie", re.IGNORECASE)
    files = [each for each in site.tree.rglob("*") if each.is_file() and "static" not in each.parts]
    assert len(files) > 300
    for file in files:
        if file.name not in {
            "json",
            "yaml",
            "schema.yaml",
            "schema.json",
        }:  # the description of the API, with its cookies
            assert not secrets.search(file.read_bytes()), file


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ('<form action="/a" data-hx-get="/b" class="c">', '<form action="/a" class="c">'),
        ('<a hx-post="/b">', "<a>"),
        ('<p\n  data-hx-on:click="x"\n>', "<p\n>"),
        ('<p data-hx-trigger="input changed, submit">', "<p>"),
        ("<p>hx-get=&quot;/b&quot;</p>", "<p>hx-get=&quot;/b&quot;</p>"),
        ('<p class="data-hx-get">', '<p class="data-hx-get">'),
        ("<p> hx-get </p>\n", "<p> hx-get </p>\n"),
    ],
)
def test_what_htmx_reads_goes_and_nothing_else(written: str, left: str) -> None:
    assert HTMX.sub(b"", written.encode()).decode() == left
