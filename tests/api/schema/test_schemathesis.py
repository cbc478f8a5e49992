"""Thousands of generated requests over HTTP, to every operation and along its links.

No answer is a mistake, none is outside of the description, and those with a token really act: a case is begun,
submitted, reviewed and assigned by requests that schemathesis made up.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.accounts.models import User
from tests.api.schema.schemathesis_runs import Explored, cast, explore, granted
from tests.api.schema_checks import described_operations
from tests.support.factories import a_body, a_case_in_review, a_draft, a_namespace
from tests.support.servers import a_free_port, serving

UNLIMITED = {"API_READS_A_MINUTE": "999999999", "API_WRITES_A_MINUTE": "999999999"}


@pytest.fixture
def people(real_database: None) -> dict[str, User]:
    """The cast, and something of everything for them to find."""
    people = cast()
    by = people["registrant"]
    a_namespace(by=by, expert=people["expert"], administrator=people["administrator"])
    a_case_in_review(by=by, namespace_identifier="hedges", resolution="It is a TODO.")
    a_draft(by=by, namespace_identifier="shrubs")
    a_case_in_review(by=by, namespace_identifier="mosses", body=a_body())
    return people


@pytest.fixture
def origin(people: dict[str, User], tmp_path: Path) -> Iterator[str]:
    port = a_free_port()
    with serving(port, log=tmp_path / "log", **UNLIMITED):
        yield f"http://localhost:{port}"


def explored_by(origin: str, people: dict[str, User], folder: Path, phases: str, examples: int) -> Explored:
    options = ["--phases", phases, "--max-examples", str(examples), "--seed", "8141"]
    explored = explore(origin, folder, granted(people), *options)
    assert explored.status == 0, explored.said[-20_000:]
    return explored


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_few_generated_requests_get_described_responses_without_server_errors(
    origin: str, people: dict[str, User], tmp_path: Path
) -> None:
    explored = explored_by(origin, people, tmp_path, "examples,fuzzing,stateful", 1)
    assert set(described_operations()) == {operation for operation, _ in explored.answers}
    assert len(explored.succeeded()) > len(described_operations()) / 4


@pytest.mark.soak
def test_thousands_of_generated_requests_get_described_responses(
    origin: str, people: dict[str, User], tmp_path: Path
) -> None:
    explored = explored_by(origin, people, tmp_path, "examples,coverage,fuzzing,stateful", 60)
    assert len(explored.answers) > 5000
    assert set(described_operations()) - explored.succeeded() == set()
