"""`files/`: the whole registry in one answer, the same as the registry's own files."""

import csv
import json
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring
from django.db import InterfaceError, connection
from django.db.models.expressions import RawSQL
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import RoleName, User
from registry.accounts.roles import grant_role
from registry.audit_log.models import Event, LogPosition
from registry.cases.workflow import functions
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.models import Namespace
from registry.publication import file_digests
from registry.publication.file_digests import measure_files, store_digest
from registry.publication.formats.export_formats import FILES
from registry.publication.models import FileDigest
from tests.support.factories import a_draft

ADDRESS = "/api/v1/files/"
NAMES = [
    "urn-namespaces.xml",
    "urn-namespaces-1.csv",
    "urn-namespaces-2.csv",
    "urn-namespaces.txt",
    "urn-namespaces.jsonl",
    "profiles.json",
    "bioregistry.json",
    "urn.arpa.zone",
]


def got(client: Client, address: str, **how: Any) -> Any:
    """The answer, read to its end."""
    response = client.get(address, **how)
    response.body = response.getvalue()
    return response


def test_every_listed_file_exists(client: Client, trees: Namespace) -> None:
    listed = got(client, ADDRESS).json()["results"]
    assert [each["name"] for each in listed] == NAMES
    for each in listed:
        response = got(client, each["url"])
        assert response.status_code == 200
        assert response["Content-Type"] == each["media_type"]
        body = response.body
        assert body == b"".join(FILES[each["name"]].write())
        assert response["Content-Length"] == str(len(body))


def listed(client: Client) -> dict[str, Any]:
    return {each["name"]: each for each in got(client, ADDRESS).json()["results"]}


def known_of(client: Client, name: str) -> tuple[Any, ...]:
    entry = listed(client)[name]
    return entry["size"], entry["repr_digest"], entry["log_position"]


UNKNOWN = (None, None, None)


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_the_list_has_size_and_digest_of_what_was_downloaded_until_the_next_event(
    client: Client, isbn: Namespace, administrator: User, registrant: User, coding: str
) -> None:
    name = "urn-namespaces.xml"
    grant_role(registrant, RoleName.EXPERT, by=None)
    assert known_of(client, name) == UNKNOWN
    got(client, f"{ADDRESS}{name}", headers={"accept-encoding": coding})
    plain = got(client, f"{ADDRESS}{name}")
    expected = (len(plain.body), plain["Repr-Digest"], int(plain["Log-Position"]))
    assert known_of(client, name) == expected
    newest = client.get("/api/v1/events/head/").json()["at"]
    assert {each["changed_at"] for each in listed(client).values()} == {newest, None}
    assert known_of(client, "profiles.json") == UNKNOWN
    deprecate(isbn, by=administrator, statement="No more.")
    assert known_of(client, name) == UNKNOWN
    assert listed(client)[name]["name"] == name


def test_another_release_of_the_software_may_write_another_file(
    client: Client, isbn: Namespace, registrant: User, settings: Any
) -> None:
    grant_role(registrant, RoleName.EXPERT, by=None)
    measure_files()
    assert known_of(client, NAMES[0]) != UNKNOWN
    settings.PUBLIC_ORIGIN = "https://registry.example.org"
    assert known_of(client, NAMES[0]) == UNKNOWN


def test_the_worker_measures_what_is_not_known(client: Client, isbn: Namespace, registrant: User) -> None:
    grant_role(registrant, RoleName.EXPERT, by=None)
    assert measure_files() == len(FILES)
    assert measure_files() == 0
    for name in NAMES:
        response = got(client, f"{ADDRESS}{name}")
        position = int(response["Log-Position"])
        assert known_of(client, name) == (len(response.body), response["Repr-Digest"], position)
    page = client.get("/registry/").text
    assert all(listed(client)[name]["repr_digest"] in page for name in NAMES)
    grant_role(registrant, RoleName.LIAISON, by=None)
    assert "sha-256" not in client.get("/registry/").text
    assert measure_files() == len(FILES)


def test_a_worker_that_is_stopped_stores_nothing_of_an_unfinished_file(
    isbn: Namespace, registrant: User
) -> None:
    grant_role(registrant, RoleName.EXPERT, by=None)
    answers = iter([False])  # before the first file; from its first block on, the worker is to stop
    assert measure_files(should_stop=lambda: next(answers, True)) == 0
    assert not FileDigest.objects.exists()
    assert measure_files() == len(FILES)


def row_version(name: str) -> Any:
    """Changes with each write of the row."""
    return FileDigest.objects.annotate(version=RawSQL("ctid::text", ())).get(name=name).version


def test_the_digest_of_an_older_state_does_not_replace_a_newer_one(
    client: Client, isbn: Namespace, registrant: User
) -> None:
    """A slow download stores its digest after that of a newer state."""
    grant_role(registrant, RoleName.EXPERT, by=None)
    older = LogPosition.current()
    grant_role(registrant, RoleName.LIAISON, by=None)
    measure_files()
    known = known_of(client, NAMES[0])
    store_digest(NAMES[0], older, 1, "00" * 32)
    assert known_of(client, NAMES[0]) == known != UNKNOWN
    assert known[0] == len(got(client, f"{ADDRESS}{NAMES[0]}").body)


def test_a_digest_of_a_log_that_was_replaced_by_an_earlier_one_does_not_stay(
    client: Client, isbn: Namespace, registrant: User
) -> None:
    grant_role(registrant, RoleName.EXPERT, by=None)
    position = LogPosition.current()
    store_digest(NAMES[0], LogPosition(position.number + 1_000, "ab" * 32), 1, "00" * 32)
    assert measure_files() == len(FILES)
    assert known_of(client, NAMES[0])[2] == position.number


def test_a_digest_that_is_known_is_not_written_again(
    client: Client, isbn: Namespace, registrant: User
) -> None:
    grant_role(registrant, RoleName.EXPERT, by=None)
    measure_files()
    before = row_version(NAMES[0])
    got(client, f"{ADDRESS}{NAMES[0]}")
    assert row_version(NAMES[0]) == before
    store_digest(NAMES[0], LogPosition.current(), 1, "00" * 32)
    assert row_version(NAMES[0]) != before


def test_what_is_missing_is_found_with_two_queries(isbn: Namespace, registrant: User) -> None:
    grant_role(registrant, RoleName.EXPERT, by=None)
    measure_files()
    with CaptureQueriesContext(connection) as queries:
        assert measure_files() == 0
    assert len(queries) == 2


def test_a_connection_that_is_lost_does_not_prevent_the_download(
    client: Client, isbn: Namespace, registrant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant_role(registrant, RoleName.EXPERT, by=None)

    def lost(*_: Any) -> Any:
        raise InterfaceError("the connection is closed")

    monkeypatch.setattr(file_digests.transaction, "atomic", lost)
    store_digest(NAMES[0], LogPosition.current(), 1, "00" * 32)
    monkeypatch.undo()
    assert known_of(client, NAMES[0]) == UNKNOWN


def test_files_contain_every_namespace(client: Client, trees: Namespace) -> None:
    lines = got(client, f"{ADDRESS}urn-namespaces.jsonl").body.splitlines()
    assert {json.loads(line)["nid"] for line in lines} == {"example-trees"}
    rows = csv.DictReader(got(client, f"{ADDRESS}urn-namespaces-1.csv").body.decode().splitlines())
    assert {row["URN Namespace"].lower() for row in rows} == {"example-trees"}
    xml = fromstring(got(client, f"{ADDRESS}urn-namespaces.xml").body)
    assert b"example-trees" in got(client, f"{ADDRESS}urn-namespaces.xml").body
    assert xml.attrib["id"] == "urn-namespaces"


@pytest.mark.parametrize("name", NAMES)
def test_an_unchanged_file_is_a_304(client: Client, trees: Namespace, administrator: User, name: str) -> None:
    first = got(client, ADDRESS + name)
    again = got(client, ADDRESS + name, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.body) == (304, b"")
    assert again["ETag"] == first["ETag"]
    assert got(client, ADDRESS + name, headers={"if-none-match": '"other"'}).status_code == 200
    assert got(client, ADDRESS + name, headers={"if-match": '"other"'}).status_code == 412


def test_a_file_names_the_event_that_it_is_true_of(
    client: Client, trees: Namespace, registrant: User, administrator: User
) -> None:
    name = f"{ADDRESS}urn-namespaces.jsonl"
    first = got(client, name)
    assert first["Log-Position"] == str(Event.objects.count())
    assert "Log-Position" in first["Access-Control-Expose-Headers"]
    functions.withdraw(a_draft(by=registrant), by=registrant)
    for _ in range(2):  # written, then known
        same = got(client, name, headers={"if-none-match": first["ETag"]})
        assert (same.status_code, same["Log-Position"]) == (304, str(Event.objects.count()))
    deprecate(trees, by=administrator, statement="Use another namespace.")
    (event,) = client.get("/api/v1/events/", {"since": same["Log-Position"]}).json()["results"]
    assert (event["verb"], event["nid"]) == ("deprecate", "example-trees")
    assert got(client, name)["Log-Position"] == str(event["number"])
    assert got(client, "/registry/urn-namespaces.jsonl")["Log-Position"] == str(event["number"])


def test_a_text_that_contains_the_etag_does_not_match(client: Client, trees: Namespace) -> None:
    first = got(client, f"{ADDRESS}urn-namespaces.txt")
    for header in (f"x{first['ETag']}", f"{first['ETag']}x", f'"{first["ETag"]}"'):
        again = got(client, f"{ADDRESS}urn-namespaces.txt", headers={"if-none-match": header})
        assert (again.status_code, again.body) == (200, first.body)


def test_the_etag_changes_only_with_the_file(
    client: Client, trees: Namespace, registrant: User, administrator: User
) -> None:
    name = f"{ADDRESS}urn-namespaces.jsonl"
    seen = got(client, name)["ETag"]
    functions.withdraw(a_draft(by=registrant), by=registrant)
    assert got(client, name, headers={"if-none-match": seen}).status_code == 304
    deprecate(trees, by=administrator, statement="No more.")
    response = got(client, name, headers={"if-none-match": seen})
    assert response.status_code == 200
    assert response["ETag"] != seen


@pytest.mark.parametrize("name", ["urn-namespaces.html", "nothing.xml", "urn-namespaces.xml%0A", "%00"])
def test_an_unknown_file_is_a_404(client: Client, name: str) -> None:
    response = got(client, ADDRESS + name)
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("accept", ["text/html", "application/json", "image/png"])
def test_the_file_name_determines_the_format(client: Client, accept: str) -> None:
    response = got(client, f"{ADDRESS}urn-namespaces.xml", headers={"accept": accept})
    assert response["Content-Type"] == "application/xml"
