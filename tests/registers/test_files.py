"""Addresses of the files of a register: conditional requests, compression, the page and the API, and the feed."""

import base64
import gzip
import hashlib
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
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
from registry.registers.models import Register
from tests.organisations.conftest import an_organisation
from tests.registers.conftest import OPENED, a_request
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
