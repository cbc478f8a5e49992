"""Lists of sub-namespaces in a snapshot: their pages, the links to them, their files, and what a new list changes."""

import html
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.db import transaction
from django.test import Client

from registry.audit_log import log
from registry.namespaces.models import Namespace
from registry.publication.snapshot import pages
from registry.publication.snapshot.manifest import verify
from registry.publication.snapshot.publisher import publish
from registry.subnamespaces.views import PAGE
from tests.publication.snapshot.registries import files, imported, read
from tests.subnamespaces.conftest import LINES, Import, gardens, import_list

__all__ = ("gardens", "import_list")
pytestmark = pytest.mark.usefixtures("db")
LIST = "namespaces/example-gardens/subnamespaces"
BROWSE = "browse/subnamespaces/example-gardens"
LINK = re.compile('<a[^>]* href="([^"]*)"')
OAK = '{"prefix": "oak", "title": "Oak Park"}'
SLASH = '{"prefix": "z/%C3%BC%2F", "title": "Slash"}'


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "LANDMARK_PREFIX", "0")  # one in sixteen


def a_list(length: int) -> str:
    return "".join(f'{{"prefix": "g{n:03}", "title": "Garden {n}"}}\n' for n in range(length))


def listed(tree: Path, page: str, found: list[str]) -> list[str]:
    """The prefixes on a page and those after it, by following the links."""
    text = read(tree, f"{page.strip('/')}/index.html")
    found += map(html.unescape, re.findall('<tr id="prefix-([^"]*)"', text))
    following = re.findall('rel="next" href="([^"]*)"', text)
    return listed(tree, following[0], found) if following else found


def listed_page(tree: Path, prefix: str) -> str:
    (found,) = (
        content.decode()
        for name, content in files(tree / "current" / BROWSE).items()
        if f'<tr id="prefix-{prefix}">'.encode() in content
    )
    return found


@pytest.mark.slow
def test_every_sub_namespace_is_on_one_page_to_which_links_lead_and_in_the_files(
    tmp_path: Path, client: Client, import_list: Import
) -> None:
    more = (
        '{"prefix": "kew", "title": "Kew", "status": "retired", "successor": "g001", "reference": "RFC 8141"}'
    )
    import_list(f"{a_list(PAGE)}{more}\n{OAK}\n{SLASH}\n")
    publish(tmp_path)
    assert verify(tmp_path).faults == []
    everything = [*(f"g{n:03}" for n in range(PAGE)), "kew", "oak", "z/%C3%BC%2F"]
    assert listed(tmp_path, f"{BROWSE}/first", []) == everything
    first = read(tmp_path, f"{LIST}/index.html")
    links = [html.unescape(each) for each in LINK.findall(first)]
    places = [each.partition("#") for each in links if each.startswith(f"/{BROWSE}/")]
    assert len(places) == PAGE + 1
    for path, _, fragment in places:
        page = read(tmp_path, f"{path.strip('/')}/index.html")
        assert not fragment or f'<tr id="{unquote(fragment)}">' in page
    assert len({path for path, _, _ in places}) > 2
    (continued,) = re.findall('href="([^"]*)">Next page', first)
    assert '<tr id="prefix-kew">' in read(tmp_path, f"{continued.strip('/')}/index.html")
    page = listed_page(tmp_path, "kew")
    for words in ("retired", "Successor:", "g001", "RFC 8141"):
        assert words in page, words
    for suffix in ("jsonl", "csv"):
        name = f"{LIST}/example-gardens.{suffix}"
        assert f'href="/{name}"' in first
        assert (tmp_path / "current" / name).read_bytes() == client.get(f"/{name}").getvalue()


@pytest.mark.exhaustive
def test_a_new_list_changes_its_pages_as_a_whole_run_does(tmp_path: Path, import_list: Import) -> None:
    imported("example-a")  # an entry of the feed of the registry, which begins now without any
    import_list(a_list(40) + LINES)
    publish(tmp_path / "grown")
    import_list('{"prefix": "g0155", "title": "A garden between"}')
    assert not publish(tmp_path / "grown").is_whole
    publish(tmp_path / "fresh")
    assert files(tmp_path / "grown" / "current") == files(tmp_path / "fresh" / "current")
    assert "A garden between" in listed_page(tmp_path / "grown", "g0155")


@pytest.mark.exhaustive
def test_without_a_list_the_page_of_the_levels_is_there(tmp_path: Path, gardens: Namespace) -> None:
    publish(tmp_path)
    assert f'href="/{LIST}/"' in read(tmp_path, "namespaces/example-gardens/index.html")
    assert "First: garden" in read(tmp_path, f"{LIST}/index.html")
    assert not (tmp_path / "current" / BROWSE).exists()
    assert not (tmp_path / "current" / LIST / "example-gardens.jsonl").exists()


@pytest.mark.exhaustive
def test_a_list_is_written_again_only_if_a_text_of_its_namespace_was_committed(
    tmp_path: Path, import_list: Import
) -> None:
    import_list(a_list(400) + LINES)
    first = publish(tmp_path)
    of_the_list = len(files(tmp_path / "current" / BROWSE))
    with transaction.atomic():
        log.append("confirm_host", by=None, nid="example-gardens", host="gardens.example.org")
    second = publish(tmp_path)
    assert (second.is_whole, second.namespaces) == (False, 1)
    assert second.pages <= first.pages - of_the_list
