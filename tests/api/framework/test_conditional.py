"""ETag, 304 and 412: an answer is sent again when it changed, and only then."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.http import http_date

from registry.accounts.models import User
from registry.audit_log.heads import get_head, publish_head
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.transfers import move_to_organisation
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.registers.actions.entries import open_branch
from registry.registers.actions.registers import open_register, register_entry
from registry.sightings.actions import confirm_sighting
from registry.subnamespaces.importing import import_subnamespaces
from tests.api.conftest import revise
from tests.api.problem_causes import LISTED
from tests.api.schema_checks import description
from tests.sightings.conftest import a_sighting
from tests.support.factories import a_case_in_review, a_profile, an_imported_namespace

TREES = "/api/v1/namespaces/example-trees/"
# A value for every parameter of an address.
SAMPLES = {
    "{nid}": "example-trees",
    "{suffix}": "json",
    "{version}": "1",
    "{urn}": "urn:example-trees:1",
    "{slug}": "namespace-unknown",
    "{file}": "urn-namespaces.txt",
    "{round}": "1",
}
UNLIMITED = (
    TREES,
    f"{TREES[:-1]}.json",
    "/api/v1/namespaces/",
    f"{TREES}subnamespace/?prefix=12",
    f"{TREES}subnamespace.json?prefix=12",
)
# These need more than the samples: a stream has no end, and a comparison two versions or rounds.
OTHERS = ("/stream/", "/compare/")
# The other public addresses in the API description.
READABLE = [
    path + ("?urn=urn:isbn:1" if path.endswith("/urns/") else "")
    for path, methods in description()["paths"].items()
    if {} in methods.get("get", {}).get("security", ()) and not path.endswith(OTHERS)
]


@pytest.fixture
def place(trees: Namespace, registrant: User, administrator: User, request: pytest.FixtureRequest) -> str:
    """One of them, with something there."""
    case = a_case_in_review(by=registrant, namespace_identifier="hedges")
    organisation = create_organisation(by=registrant, name="Example Arboretum")
    move_to_organisation(organisation, by=registrant, namespaces=[trees])
    head = publish_head() or get_head()
    number = case.pk
    if "/sightings/" in request.param:
        number = confirm_sighting(a_sighting(by=registrant), by=administrator, reason="Read.").pk
    address = request.param
    if address.endswith(("/register/", "/entries/", "/{entry}/", "/subnamespace/", "/subnamespace.{suffix}")):
        profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
        set_profile(trees, by=None, profile=profile, basis="Syntax.", replaces=0)
    if address.endswith(("/register/", "/entries/", "/{entry}/")):
        register = open_register(trees, by=registrant, policy="first_come", title="Gardens")
        entry = register_entry(register, by=registrant, label="12", title="Botanical Garden")
        open_branch(entry, by=registrant, policy="first_come", title="Trees")
        address = address.replace("{entry}", str(entry.pk))
    elif address.endswith(("/subnamespace/", "/subnamespace.{suffix}")):
        import_subnamespaces(
            trees, by=None, document=LISTED, list_format="jsonl", basis="The list.", replaces=0
        )
        address += "?prefix=12"
    address = (
        address.replace("{number}", str(number))
        .replace("{size}", str(head.size))
        .replace("{other}", "latest")
    )
    address = address.replace("{organisation}", str(organisation.pk))
    for name, value in SAMPLES.items():
        address = address.replace(name, value)
    return str(address)


def headers_of(answer: Any) -> dict[str, str]:
    """All but how many requests are left, which is one fewer each time."""
    return {name: value for name, value in answer.headers.items() if name != "RateLimit"}


@pytest.mark.sampled(6, 1)
@pytest.mark.parametrize("place", READABLE, indirect=True)
def test_every_readable_resource_has_head_options_and_a_strong_etag_that_gets_304(
    client: Client, place: str
) -> None:
    full, head = client.get(place), client.head(place)
    body = full.getvalue()
    assert full.status_code == 200
    assert full["Content-Length"] == str(len(body))
    assert (head.status_code, head.getvalue(), headers_of(head)) == (200, b"", headers_of(full))
    assert full["Access-Control-Allow-Origin"] == "*"
    if place in UNLIMITED:
        assert "RateLimit" not in full
    else:
        assert full["RateLimit"].startswith('"read";r=')
    preflight = client.options(place, headers={"origin": "https://elsewhere.example"})
    assert (preflight.status_code, preflight.content) == (200, b"")
    assert {"GET", "HEAD", "OPTIONS"} <= set(preflight["Allow"].split(", "))
    assert preflight["Access-Control-Allow-Methods"] == preflight["Allow"]
    assert preflight["Access-Control-Allow-Origin"] == "*"
    assert full["ETag"].startswith('"')
    assert full["Cache-Control"] == "public, no-cache"
    assert "Accept" in full["Vary"]
    assert "Cookie" not in full["Vary"]
    again = client.get(place, headers={"if-none-match": full["ETag"]})
    assert (again.status_code, again.getvalue()) == (304, b"")
    assert client.head(place, headers={"if-none-match": full["ETag"]}).status_code == 304
    for header in ("ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin"):
        assert again[header] == full[header]
    assert "Content-Type" not in again


@pytest.mark.parametrize(
    ("template", "status"),
    [
        ("{}", 304),
        ("W/{}", 304),
        ('"other", {}', 304),
        ('W/"other",W/{}', 304),
        ("*", 304),
        ('"other"', 200),
        ('"oth,er"', 200),
        ("", 200),
        ("nonsense", 200),
        ('"', 200),
        ("{}x", 200),
    ],
)
def test_if_none_match_follows_rfc_9110(client: Client, trees: Namespace, template: str, status: int) -> None:
    etag = client.get(TREES)["ETag"]
    response = client.get(TREES, headers={"if-none-match": template.format(etag)})
    assert response.status_code == status


def test_the_etag_changes_only_with_the_namespace(
    client: Client, trees: Namespace, administrator: User
) -> None:
    seen = [client.get(TREES)["ETag"]]
    an_imported_namespace(nid="another")
    assert client.get(TREES)["ETag"] == seen[0]
    revise(trees, revision_information="Shrubs, too.")
    seen.append(client.get(TREES)["ETag"])
    deprecate(trees, by=administrator, statement="No more.")
    seen.append(client.get(TREES)["ETag"])
    assert len(set(seen)) == 3
    assert client.get(TREES)["ETag"] == seen[-1]
    assert client.get(TREES, headers={"if-none-match": seen[0]}).status_code == 200


def test_another_filter_or_page_has_another_etag(client: Client, trees: Namespace, isbn: Namespace) -> None:
    addresses = ["?page_size=1", "?page_size=1&after=example-trees", "", "?q=isbn"]
    etags = {client.get(f"/api/v1/namespaces/{address}")["ETag"] for address in addresses}
    assert len(etags) == 3, "the last namespace is the same answer however it was asked for"


def test_head_has_the_headers_of_get_and_no_body(client: Client, trees: Namespace) -> None:
    full, head = client.get(TREES), client.head(TREES)
    assert (head.status_code, head.content) == (200, b"")
    assert dict(head.headers) == dict(full.headers)
    assert client.head(TREES, headers={"if-none-match": full["ETag"]}).status_code == 304
    assert client.head("/api/v1/namespaces/nobody/").status_code == 404


def test_last_modified_is_the_time_of_the_last_change(client: Client, trees: Namespace) -> None:
    Namespace.objects.filter(pk=trees.pk).update(changed_at=datetime(2026, 1, 31, 12, 30, 1, 999, UTC))
    assert client.get(TREES)["Last-Modified"] == "Sat, 31 Jan 2026 12:30:01 GMT"


@pytest.mark.parametrize(("offset", "status"), [(0, 304), (1, 304), (-1, 200)])
def test_if_modified_since_applies_to_a_namespace_without_recent_changes(
    client: Client, trees: Namespace, offset: int, status: int
) -> None:
    changed = timezone.now() - timedelta(hours=1)
    Namespace.objects.filter(pk=trees.pk).update(changed_at=changed)
    since = http_date(int(changed.timestamp()) + offset)
    assert client.get(TREES, headers={"if-modified-since": since}).status_code == status


def test_a_date_is_ignored_in_the_minute_after_a_change(client: Client, trees: Namespace) -> None:
    """Two changes in one second have one Last-Modified; only the ETag tells them apart."""
    since = client.get(TREES)["Last-Modified"]
    assert client.get(TREES, headers={"if-modified-since": since}).status_code == 200


def test_a_stale_etag_overrides_a_matching_date(client: Client, trees: Namespace) -> None:
    Namespace.objects.filter(pk=trees.pk).update(changed_at=timezone.now() - timedelta(hours=1))
    headers = {"if-modified-since": http_date(timezone.now().timestamp()), "if-none-match": '"other"'}
    assert client.get(TREES, headers=headers).status_code == 200


def test_if_match_of_another_version_is_412_as_a_problem(client: Client, trees: Namespace) -> None:
    etag = client.get(TREES)["ETag"]
    assert client.get(TREES, headers={"if-match": etag}).status_code == 200
    refused = client.get(TREES, headers={"if-match": '"other"'})
    assert refused.status_code == 412
    assert refused["Content-Type"] == "application/problem+json"
    assert refused.json()["type"].endswith("/problems/stale-precondition/")


def test_a_date_is_compared_with_last_modified(client: Client, trees: Namespace) -> None:
    long_ago = {"if-unmodified-since": "Sat, 01 Jan 2000 00:00:00 GMT"}
    refused = client.get(TREES, headers=long_ago)
    assert refused.status_code == 412
    assert refused["Content-Type"] == "application/problem+json"
    # What has no date can't have been modified after one (RFC 9110, Section 13.1.4).
    for address in ("/api/v1/namespaces/", "/api/v1/files/urn-namespaces.txt"):
        answer = client.get(address, headers=long_ago)
        answer.getvalue()
        assert (answer.status_code, "Last-Modified" in answer.headers) == (200, False)


def test_problems_are_not_cached(client: Client, db: None) -> None:
    refused = client.get("/api/v1/namespaces/nobody/", headers={"if-none-match": "*"})
    assert refused.status_code == 404
    assert refused["Cache-Control"] == "no-cache"
    assert "ETag" not in refused
