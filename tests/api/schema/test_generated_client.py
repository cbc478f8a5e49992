"""A client that openapi-python-client makes of the description looks a namespace up and submits a case."""

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.api.namespaces.fast_paths import one_namespace
from registry.api.schema.views import OPENAPI_FILE
from registry.core.http.fast_path import FastPaths
from registry.namespaces.lookup import LookupReader, release_tag
from registry.namespaces.models import Namespace
from registry.observability.access_log import AccessLog
from registry.wsgi import django_application
from tests.support.factories import a_template

pytestmark = pytest.mark.exhaustive

# As in registry.wsgi, but in the thread of the test, whose transaction is not committed.
reader = LookupReader(release_tag())
application = AccessLog(FastPaths(django_application, {"api:namespace": partial(one_namespace, reader)}))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the generated package, which can be imported during the test."""
    folder = tmp_path_factory.mktemp("made")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    options = ["--path", str(OPENAPI_FILE), "--output-path", str(folder / "registry_client")]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, cwd=folder, check=False, timeout=1200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield "registry_client"
    sys.path.remove(str(folder))
    reader.close()


@pytest.fixture
def part(made: str, db: None) -> Iterator[Callable[[str], Any]]:
    """A part of the package by its name, while the database stays this test's from request to request."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield lambda name: importlib.import_module(f"{made}.{name}")
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def over_wsgi() -> dict[str, Any]:
    """How the client reaches the registry without a network."""
    return {"transport": httpx.WSGITransport(app=application, remote_addr="127.0.0.1")}


def test_it_looks_a_namespace_up(part: Callable[[str], Any], isbn: Namespace) -> None:
    client = part("client").Client(base_url="http://localhost", httpx_args=over_wsgi())
    found = part("api.namespaces.get_namespace").sync(client=client, nid="ISBN")
    assert (found.nid, found.kind.value, found.status.value) == ("isbn", "formal", "active")
    assert found.links.self_ == "http://localhost:8000/api/v1/namespaces/isbn/"
    assert found.sections is None
    listed = part("api.namespaces.list_namespaces").sync(client=client, q="isbn")
    assert [each.nid for each in listed.results] == ["isbn"]


def test_a_namespace_that_there_is_not_is_a_problem_to_it(part: Callable[[str], Any]) -> None:
    client = part("client").Client(base_url="http://localhost", httpx_args=over_wsgi())
    answer = part("api.namespaces.get_namespace").sync_detailed(client=client, nid="example-forest")
    assert answer.status_code == 404
    assert (answer.parsed.nid_status.value, answer.parsed.cases) == ("free", [])


def test_it_submits_a_case(part: Callable[[str], Any], registrant: User) -> None:
    _, secret = make_token(by=registrant, name="Example program", scopes=[Scope.READ, Scope.WRITE])
    client = part("client").AuthenticatedClient(
        base_url="http://localhost", token=secret, httpx_args=over_wsgi()
    )
    body = part("models.create_case_request").CreateCaseRequest.from_dict(
        {"kind": "formal", "sections": a_template().to_json()}
    )
    begun = part("api.cases.create_case").sync(client=client, body=body)
    stamp = part("models.submit_request").SubmitRequest.from_dict({"draft_stamp": begun.draft_stamp})
    moved = part("api.transitions.submit_case").sync(begun.number, client=client, body=stamp)
    assert moved.state.value == "in_review"
    case = part("api.cases.get_case").sync(begun.number, client=client)
    assert (case.state.value, case.requested_nid) == ("in_review", "example-trees")
