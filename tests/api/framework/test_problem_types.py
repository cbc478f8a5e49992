"""Every type of problem, caused by a request that really causes it, and answered as the description says.

`CAUSES` has a row for each type that the API can answer with, `ELSEWHERE` says why the others never reach it.
A new type is in neither list, and fails here until it is added to one.
"""

import json
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from django.test import Client

import registry
from registry.accounts.models import User
from registry.api.framework.problems import FRAMEWORK_TYPES, SERVER_ERROR, UNAVAILABLE, ProblemType
from registry.core.exceptions import NotPermitted, RegistryError
from tests.api.problem_causes import CAUSES, World
from tests.api.schema_checks import described_operations, described_type, description, operations, types_of

# No operation describes that it was written wrongly.
NOT_FORETOLD = {"server-error"}

BY_TOKEN = "the API has refusals of its own for tokens and scopes"
ON_PAGES = "it is done on pages alone"
BY_COMMAND = "it is done by commands alone"
BY_RESOLUTION = "it is the answer of /resolve/ or /uri-res/"
OWN_WORDS = "the API says it with members of its own, as another type"
BY_TEXTS = "no action takes texts of this length, or other values than JSON of RFC 8785 has"
BY_FILES = "it is the answer of the files of the audit log"
ELSEWHERE = dict.fromkeys(
    # `manage.py publish` and what checks it.
    (
        "directory-busy",
        "asset-missing",
        "malformed-manifest",
        "snapshot-not-found",
        "not-publishable",
        "not-our-directory",
        "invalid-path",
        "worker-died",
        "unwritable-record",
        # `manage.py build_data_package`.
        "nothing-to-package",
        "too-much-to-package",
        "unknown-part",
        # Pages with a form.
        "form-invalid",
        "unknown-decision",
        # `manage.py check_services`, and the daily check.
        "host-not-found",
        "address-not-public",
        "request-failed",
        "connection-failed",
        "certificate-rejected",
        "request-timed-out",
        "too-many-redirects",
        "redirect-refused",
        "check-running",
        "network-unreachable",
        # The worker, which checks domains of organisations, and asks others about heads of the log.
        "lookup-failed",
        "head-contradicted",
        "not-attested",
        "not-cosigned",
        "not-stamped",
    ),
    BY_COMMAND,
) | {
    "not-a-urn": BY_RESOLUTION,
    "namespace-not-registered": BY_RESOLUTION,
    "informal-namespace-not-assigned": BY_RESOLUTION,
    "not-conformant": BY_RESOLUTION,
    "no-services": BY_RESOLUTION,
    "no-suitable-service": BY_RESOLUTION,
    "no-safe-address": BY_RESOLUTION,
    "services-down": BY_RESOLUTION,
    "unknown-uri-service": BY_RESOLUTION,
    "urn-missing": BY_RESOLUTION,
    "not-a-host-of-services": ON_PAGES,
    "already-confirmed": ON_PAGES,
    "not-confirmed": ON_PAGES,
    "unknown-basis": ON_PAGES,
    "leaf-too-long": BY_TEXTS,
    "not-canonical": BY_TEXTS,
    "malformed-place": BY_FILES,
    "proof-unknown": BY_FILES,
    "tile-unknown": BY_FILES,
    "not-in-registration": ON_PAGES,
    "something-left-to-do": ON_PAGES,
    "authentication-failed": BY_TOKEN,
    "forbidden": BY_TOKEN,
    "not-authenticated": BY_TOKEN,
    "files-not-accepted": ON_PAGES,
    "form-invalid": ON_PAGES,
    "form-too-long": ON_PAGES,
    "last-administrator": ON_PAGES,
    "own-role": ON_PAGES,
    "no-such-file": ON_PAGES,
    "not-correctable": ON_PAGES,
    "too-few-versions": ON_PAGES,
    "recognition-stands": ON_PAGES,
    "provider-not-usable": ON_PAGES,
    "title-taken": ON_PAGES,
    "url-not-allowed": BY_COMMAND,
    "malformed-position": BY_COMMAND,
    "malformed-erasure-list": BY_COMMAND,
    "only-representative": BY_COMMAND,
    "owner-required": BY_COMMAND,
    "unreadable-sighting": BY_COMMAND,
    "reason-names-person": BY_COMMAND,
    "malformed-key": BY_COMMAND,
    "untrusted-note": BY_COMMAND,
    "wrong-signature": BY_COMMAND,
    "damaged-escrow": BY_COMMAND,
    "forged-escrow": BY_COMMAND,
    "unproven-escrow": BY_COMMAND,
    # The registry writes its own, and reports others as a broken audit log.
    "malformed-frontier": BY_COMMAND,
    "malformed-note": BY_COMMAND,
    "malformed-file": BY_COMMAND,
    "already-closed": BY_COMMAND,
    "no-second-factor": BY_COMMAND,
    "hub-refused": BY_COMMAND,
    "escrow-not-found": BY_COMMAND,
    "not-a-small-file": BY_COMMAND,
    "not-delivered": BY_COMMAND,
    "database-not-empty": BY_COMMAND,
    "nothing-to-read": BY_COMMAND,
    "incompatible-escrow": BY_COMMAND,
    "escrow-rejected": BY_COMMAND,
    "download-failed": BY_COMMAND,
    "no-such-version": OWN_WORDS,
    "not-registered": OWN_WORDS,
    "unknown-outcome": OWN_WORDS,
}


@pytest.fixture
def world(
    registrant: User,
    expert: User,
    administrator: User,
    client: Client,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> World:
    return World(registrant, expert, administrator, client, settings, monkeypatch)


def refusals_of(refusal: type[RegistryError]) -> Iterator[type[RegistryError]]:
    """The classes of refusals that the registry has, those of tests left out."""
    for each in refusal.__subclasses__():
        if each.__module__.startswith("registry."):
            yield each
            yield from refusals_of(each)


@cache
def types_there_are() -> dict[str, ProblemType]:
    for module in pkgutil.walk_packages(registry.__path__, "registry."):
        if ".migrations" not in module.name:
            import_module(module.name)
    # What is done at the desk the API can't do: it may not even import it.
    refusals = [
        each for each in refusals_of(RegistryError) if not each.__module__.startswith("registry.review_desk")
    ]
    own = (ProblemType.of(each) for each in refusals if each is not NotPermitted)
    return {each.slug: each for each in (*FRAMEWORK_TYPES.values(), SERVER_ERROR, UNAVAILABLE, *own)}


def test_every_problem_type_has_a_cause_or_is_tested_elsewhere() -> None:
    assert sorted(types_there_are()) == sorted({*CAUSES, *ELSEWHERE})
    assert not CAUSES.keys() & ELSEWHERE.keys()


@pytest.mark.sampled(16)
@pytest.mark.parametrize("slug", CAUSES)
def test_every_problem_is_returned_as_described(world: World, slug: str) -> None:
    answer = CAUSES[slug](world)
    expected = types_there_are()[slug]
    assert answer.status_code == expected.status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    problem = json.loads(answer.content)
    assert (problem["type"], problem["title"]) == (expected.uri, expected.title)
    assert (problem["status"], problem["instance"]) == (expected.status, answer.wsgi_request.get_full_path())
    assert problem["detail"]
    explained = world.client.get(problem["type"].removeprefix("http://localhost:8000")).json()
    assert (explained["type"], explained["status"]) == (problem["type"], expected.status)
    if slug not in NOT_FORETOLD:
        assert slug in types_described(answer)


def types_described(answer: Any) -> set[str]:
    """The types that the description foresees of this operation with this status."""
    path, method = answer.request["PATH_INFO"].rstrip("/"), answer.request["REQUEST_METHOD"].lower()
    operation = next(found for pattern, found in operations() if pattern.fullmatch(path))[method]
    return types_of(operation, answer.status_code)


def test_what_is_described_is_a_type_that_something_causes() -> None:
    described = {
        slug
        for _, _, operation in described_operations().values()
        for status in operation["responses"]
        for slug in types_of(operation, int(status))
    }
    assert described == CAUSES.keys() - NOT_FORETOLD


def test_every_type_that_is_described_is_one_component_of_its_name() -> None:
    components = description()["components"]["schemas"].items()
    described = sorted(
        (described_type(schema), name) for name, schema in components if described_type(schema)
    )
    names = {slug: "".join(map(str.capitalize, slug.split("-"))) for slug in CAUSES.keys() - NOT_FORETOLD}
    assert described == sorted(names.items())


def test_what_may_be_refused_is_listed_and_nothing_else(client: Client, db: None) -> None:
    listed = client.get("/api/v1/problems/").json()["results"]
    assert [each["type"].rstrip("/").rpartition("/")[2] for each in listed] == sorted(CAUSES)
