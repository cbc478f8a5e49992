"""No answer outside of the description: generated requests for every operation, good ones and bad ones.

The short form runs a fixed choice of them; the long one thousands that nobody has seen (`-m soak`).
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import schemathesis
import yaml
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case

from registry.accounts.models import User
from registry.api.schema import COMMITTED
from registry.namespaces.actions import deprecate
from registry.namespaces.models import Namespace
from registry.registrations import discussion
from registry.registrations.models import Registration
from registry.wsgi import application
from tests.factories import a_case_in_review, a_draft


def strict(schema: Any) -> Any:
    """The description as a promise: an object has the members that are written there, and no others."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return closed | {name: strict(each) for name, each in schema.items()}


def description() -> Any:
    """The committed one. A problem has its type's members besides its own, so problems stay open."""
    committed = yaml.load(COMMITTED.read_bytes(), yaml.CSafeLoader)
    shapes = committed["components"]["schemas"]
    committed["components"]["schemas"] = {
        name: shape if name.endswith("Problem") else strict(shape) for name, shape in shapes.items()
    }
    return committed


schema = schemathesis.openapi.from_dict(description())


def app(environ: Any, start_response: Any) -> list[bytes]:
    """The registry, asked by a client on this machine that reads plain answers, each to its end."""
    environ = {name: value for name, value in environ.items() if name != "HTTP_ACCEPT_ENCODING"}
    response = application({**environ, "REMOTE_ADDR": "127.0.0.1"}, start_response)
    with closing(response):
        return [b"".join(response)]


def described(*, with_every_scenario: bool) -> Any:
    """The operations to ask: with a few requests each, or with all that can be thought of."""
    schema = schemathesis.openapi.from_dict(description())
    schema.app = app
    # Too much at once is refused by a word of its own.
    refused = schema.config.checks.negative_data_rejection
    refused.expected_statuses = [*refused.expected_statuses, "413"]
    schema.config.phases.coverage.enabled = with_every_scenario
    return schema


def followed(schema: Any) -> Any:
    """The links as a machine. It carries URNs on, and would leave their “%” plain in a path."""
    return schema.exclude(operation_id="urn").as_state_machine()


SHORT, LONG = described(with_every_scenario=False), described(with_every_scenario=True)
REPEATABLE: dict[str, Any] = {
    "derandomize": True,
    "database": None,
    "deadline": None,
    "phases": [Phase.explicit, Phase.generate],
    "suppress_health_check": list(HealthCheck),
}
UNFORESEEN: dict[str, Any] = REPEATABLE | {"derandomize": False}


@pytest.fixture(scope="module", autouse=True)
def _the_lookup_lets_go_of_its_connections() -> Iterator[None]:
    yield
    application.application.reader.close()


@pytest.fixture
def registry(
    settings: Any, isbn: Namespace, trees: Namespace, registrant: User, participant: User, administrator: User
) -> Iterator[Registration]:
    """Something of everything, and no limit to how much may be asked."""
    settings.API_READS_A_MINUTE = settings.API_WRITES_A_MINUTE = 10**9
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "localhost"]
    deprecate(isbn, by=administrator, statement="No more.", successor=trees)
    case = a_case_in_review(by=registrant, namespace_identifier="hedges")
    discussion.comment(case, by=participant, round_number=1, text="What of moss?", section="purpose")
    a_draft(by=registrant)
    # The database is this test's, and stays so from request to request.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield case
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@SHORT.parametrize()
@settings(max_examples=10, **REPEATABLE)
def test_no_answer_is_outside_of_the_description(case: Case, registry: Registration) -> None:
    case.call_and_validate()


def test_whoever_follows_the_links_stays_inside_of_it(registry: Registration) -> None:
    followed(SHORT).run(settings=settings(max_examples=25, stateful_step_count=6, **REPEATABLE))


@pytest.mark.soak
@LONG.parametrize()
@settings(max_examples=250, **UNFORESEEN)
def test_no_answer_to_thousands_of_requests_is_outside(case: Case, registry: Registration) -> None:
    case.call_and_validate()


@pytest.mark.soak
def test_whoever_follows_the_links_for_long_stays_inside(registry: Registration) -> None:
    followed(LONG).run(settings=settings(max_examples=500, stateful_step_count=10, **UNFORESEEN))
