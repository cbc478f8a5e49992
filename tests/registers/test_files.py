"""Addresses of the files of a register: conditional requests, compression, the page and the API, and the feed."""

import base64
import gzip
import hashlib
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.models import Namespace
from registry.organisations.models import Organisation
from registry.publication.formats import registers as formats
from registry.registers.actions.registers import (
    change_register,
    register_entry,
    resume_register,
    suspend_register,
)
from registry.registers.models import Entry, Register
from tests.organisations.conftest import an_organisation
from tests.registers.conftest import (
    OPENED,
    a_branch,
    a_deep_namespace,
    a_register,
    a_request,
    delegated,
)
from tests.support.browser import signed_in
from tests.support.factories import a_person

PAGE = "/namespaces/example-trees/register/"
API = "/api/v1/namespaces/example-trees/register/"
WRITTEN = [f"{PAGE}files/register-of-example-trees.{suffix}" for suffix in ("html", "xml")]
OF_LIST = [f"/namespaces/example-trees/subnamespaces/example-trees.{suffix}" for suffix in ("csv", "jsonl")]
TEXTS = {name: OPENED[name] for name in ("title", "guidance")}


def test_the_page_and_the_api_name_every_file(register: Register, holder: User, client: Client) -> None:
    def named() -> tuple[set[str], list[str]]:
        page, files = client.get(PAGE).text, client.get(API).json()["files"]
        section = page.partition('id="files"')[2].partition("</section>")[0]
        links = set(re.findall('href="([^"]+)"', section))
        for file in files:
            path = file["url"].removeprefix("http://localhost:8000")
            answer = client.get(path)
            assert (answer.status_code, answer["Content-Type"]) == (200, file["media_type"])
            assert file["description"] in section
            assert answer.getvalue()
        return links, [each["url"].removeprefix("http://localhost:8000") for each in files]

    feed = "/namespaces/example-trees/feed.atom"
    links, files = named()
    assert links == {*WRITTEN, feed}
    assert sorted(files) == sorted(WRITTEN)
    assert all(client.get(each).status_code == 404 for each in OF_LIST)
    register_entry(register, by=holder, label="kew", title="Kew Gardens")
    links, files = named()
    assert links == {*WRITTEN, *OF_LIST, feed}
    assert sorted(files) == sorted([*WRITTEN, *OF_LIST])
    assert client.get(feed).status_code == 200


def test_the_holder_reads_how_to_use_the_page(register: Register, holder: User, requester: User) -> None:
    assert "on your own site" in signed_in(holder).get(PAGE).text
    assert "on your own site" not in signed_in(requester).get(PAGE).text


@pytest.mark.parametrize("address", WRITTEN)
def test_an_unchanged_register_is_not_written_again(
    client: Client, register: Register, holder: User, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew Gardens")
    first = client.get(address)
    assert first.getvalue()
    assert first["Last-Modified"]
    monkeypatch.setattr(formats, "published_entries", None)
    again = client.get(address, headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304
    assert client.head(address, headers={"if-none-match": first["ETag"]}).status_code == 304


@pytest.mark.parametrize("address", WRITTEN)
def test_each_change_of_what_it_shows_changes_the_file(
    client: Client, register: Register, holder: User, administrator: User, address: str
) -> None:
    person = a_person(email="someone@example.org")
    organisation = an_organisation(by=person, name="Board of gardens")
    changes = [
        lambda: register_entry(register, by=holder, label="kew", title="Kew"),
        lambda: register_entry(register, by=holder, label="oak", title="Oak"),
        lambda: change_register(register, by=holder, policy="expert_review", replaces=1, **TEXTS),
        lambda: suspend_register(register, by=administrator, reason="Order 17 of a court."),
        lambda: resume_register(register, by=administrator, reason="It was lifted."),
        lambda: Namespace.objects.update(registrant=None, organisation=organisation),
        lambda: Organisation.objects.update(name="Board of parks"),
        lambda: deprecate(Namespace.objects.get(), by=administrator, statement="It is replaced."),
    ]
    known = client.get(address)
    for change in changes:
        asked = {"if-none-match": known["ETag"]}
        assert client.get(address, headers=asked).status_code == 304
        change()
        changed = client.get(address, headers=asked)
        assert changed.status_code == 200
        known = changed
    assert b"Board of parks" in known.getvalue()


@pytest.mark.parametrize("address", WRITTEN)
def test_a_file_is_compressed_and_read_in_parts(client: Client, register: Register, address: str) -> None:
    plain = client.get(address).getvalue()
    compressed = client.get(address, headers={"accept-encoding": "gzip"})
    assert compressed["Content-Encoding"] == "gzip"
    assert gzip.decompress(compressed.getvalue()) == plain
    part = client.get(address, headers={"range": "bytes=0-9"})
    assert (part.status_code, part.getvalue()) == (206, plain[:10])


def test_the_policy_of_the_page_allows_its_style_alone(client: Client, register: Register) -> None:
    answer = client.get(WRITTEN[0])
    page = answer.getvalue().decode()
    (style,) = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = answer["Content-Security-Policy"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert " style=" not in page


def test_an_unknown_file_is_not_found_and_the_files_are_named(
    client: Client, register: Register, holder: User
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew Gardens")
    for name in ("register-of-example-trees.pdf", "register-of-isbn.xml", "example-trees.csv"):
        answer = client.get(f"{PAGE}files/{name}")
        assert answer.status_code == 404
        assert all(each in answer.text for each in (*WRITTEN, *OF_LIST))


def test_without_a_register_there_is_no_file(client: Client, namespace: Namespace) -> None:
    for address in WRITTEN:
        assert client.get(address).status_code == 404


def test_the_nid_is_in_lower_case(client: Client, register: Register) -> None:
    answer = client.get("/namespaces/Example-Trees/register/files/register-of-example-trees.xml")
    assert (answer.status_code, answer["Location"]) == (301, WRITTEN[1])


def test_the_xml_names_its_schema(client: Client, register: Register) -> None:
    (schema,) = re.findall('xml-model href="([^"]+)"', client.get(WRITTEN[1]).getvalue().decode())
    answer = client.get(schema.removeprefix("http://localhost:8000"))
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/relax-ng+xml")


@pytest.mark.parametrize("address", WRITTEN)
def test_a_download_takes_few_queries(client: Client, register: Register, holder: User, address: str) -> None:
    register_entry(register, by=holder, label="kew", title="Kew Gardens")
    client.get(address).getvalue()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).getvalue()
    assert len(queries) <= 14


def test_entries_are_in_the_feed_and_among_the_events(
    register: Register, holder: User, requester: User, client: Client
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew Gardens")
    a_request(register, by=requester, label="oak")
    feed = client.get("/namespaces/example-trees/feed.atom").text
    events = client.get("/api/v1/namespaces/example-trees/events/").json()["results"]
    for label in ("kew", "oak"):
        (entry,) = [each for each in feed.split("<entry>") if f"Entry {label} registered" in each]
        assert f'href="http://localhost:8000{PAGE}"' in entry
        (event,) = [each for each in events if each["details"].get("entry") == label]
        assert (event["verb"], event["nid"]) == ("register_entry", "example-trees")
        assert event["links"]["html"] == f"http://localhost:8000{PAGE}"


@pytest.fixture
def below(holder: User) -> Register:
    """A register below an entry, with a register below one of its entries."""
    register = a_register(a_deep_namespace(registrant=holder), by=holder)
    kew, _ = (
        register_entry(register, by=holder, label=each, title=f"Garden {each}") for each in ("kew", "elm")
    )
    below = a_branch(kew, by=holder, policy="first_come")
    rose = register_entry(below, by=holder, label="rose", title="Roses")
    register_entry(a_branch(rose, by=holder), by=holder, label="red", title="Red roses")
    return below


def test_a_register_below_an_entry_has_the_same_files(below: Register, client: Client) -> None:
    page, files = (
        client.get(below.get_absolute_url()).text,
        client.get(f"/api/v1{below.get_absolute_url()}").json()["files"],
    )
    stem = f"register-of-example-trees.{below.entry_id}"
    names = [f"{stem}.{suffix}" for suffix in ("html", "csv", "jsonl", "xml")]
    assert [each["url"].rpartition("/")[2] for each in files] == names
    assert all(f'href="{below.get_absolute_url()}files/{name}"' in page for name in names)
    for each in files:
        path = each["url"].removeprefix("http://localhost:8000")
        answer = client.get(path)
        assert (answer.status_code, answer["Content-Type"]) == (200, each["media_type"])
        content = answer.getvalue().decode()
        assert "kew:rose" in content
        assert "Red roses" in content
        assert "Garden elm" not in content
        assert client.get(path, headers={"if-none-match": answer["ETag"]}).status_code == 304
    assert client.get(f"{PAGE}files/{names[0]}").status_code == 404
    assert client.get(f"{below.get_absolute_url()}files/register-of-example-trees.xml").status_code == 404


def test_its_files_say_below_what_it_is_and_who_holds_it(
    below: Register, holder: User, other: User, client: Client
) -> None:
    at = f"{below.get_absolute_url()}files/register-of-example-trees.{below.entry_id}"
    before = {suffix: client.get(f"{at}.{suffix}") for suffix in ("html", "xml")}
    gardens = an_organisation(by=other, name="Royal Gardens")
    delegated(Entry.objects.get(subnamespace__prefix="kew"), by=holder, to=other, organisation=gardens)
    for suffix, former in before.items():
        answer = client.get(f"{at}.{suffix}", headers={"if-none-match": former["ETag"]})
        content = answer.getvalue().decode()
        assert "urn:example-trees:kew" in content
        assert "Royal Gardens" in content
        assert "Trees of Kew Gardens" in content


def test_an_empty_register_below_an_entry_has_no_list(below: Register, holder: User, client: Client) -> None:
    elm = a_branch(Entry.objects.get(subnamespace__prefix="elm"), by=holder)
    assert "CSV and JSON Lines exist from the first entry on." in client.get(elm.get_absolute_url()).text
    at = f"{elm.get_absolute_url()}files/register-of-example-trees.{elm.entry_id}"
    assert "Nothing is registered." in client.get(f"{at}.html").getvalue().decode()
    assert client.get(f"{at}.csv").status_code == 404


@pytest.mark.parametrize("suffix", ["html", "xml", "csv"])
def test_its_files_take_few_queries(below: Register, client: Client, suffix: str) -> None:
    address = f"{below.get_absolute_url()}files/register-of-example-trees.{below.entry_id}.{suffix}"
    client.get(address).getvalue()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).getvalue()
    assert len(queries) <= 30


def test_a_register_below_an_entry_has_a_feed(
    below: Register, holder: User, client: Client, settings: Any
) -> None:
    settings.WEBSUB_HUB = "https://hub.example.org/"
    change_register(below, by=holder, policy="closed", title="Trees", replaces=1)
    feed = f"{below.get_absolute_url()}feed.atom"
    assert f'href="{feed}"' in client.get(below.get_absolute_url()).text
    answer = client.get(feed)
    titles = re.findall("<title>(.*?)</title>", answer.text)[1:]
    assert len(titles) == 5
    assert all("kew" in each for each in titles)
    assert any("kew:rose:red" in each for each in titles)
    assert set(re.findall('<link href="([^"]+)" rel="alternate"', answer.text)) == {
        f"http://localhost:8000{below.get_absolute_url()}"
    }
    assert 'rel="hub"' not in answer.text
    assert "Link" not in answer
    last = Event.objects.latest("number").number
    assert len(re.findall("<entry>", client.get(f"{feed}?before={last}").text)) == 4
    assert (
        client.get(f"/namespaces/example-trees/entries/{below.entry_id + 100}/register/feed.atom").status_code
        == 404
    )
