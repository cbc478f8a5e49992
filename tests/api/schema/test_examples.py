"""The examples of the OpenAPI document are what the application answers now."""

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from registry.api.schema.examples import EXAMPLES_FILE, recorded_examples
from registry.devserver.api_examples.recorder import DATABASE_TIME, Recorder, UnexpectedResponse, address_of
from registry.devserver.api_examples.scenario import PARTS, fixed_surroundings, record
from registry.devserver.management.commands.document_api import an_empty_database
from tests.api.schema_checks import described_operations

HOW = "The committed examples are not what the application answers. Record them anew: python3 run.py docs"
KINDS = ("operations", "problems")
# Those that need no case.
FIRST_PARTS = PARTS[:3]


def differing(recorded: Any, committed: Any, names: Iterable[str]) -> dict[str, Any]:
    """What was recorded under the names where something else is committed."""
    return {name: recorded.get(name) for name in names if recorded.get(name) != committed.get(name)}


def recorded_now(parts: Any = PARTS) -> Any:
    return json.loads(json.dumps(record(parts)))


@pytest.mark.slow
def test_the_first_examples_are_those_of_the_application(real_database: None) -> None:
    now = recorded_now(FIRST_PARTS)
    assert len(now["operations"]) > 20
    for kind in KINDS:
        assert differing(now[kind], recorded_examples()[kind], now[kind]) == {}, HOW


@pytest.mark.exhaustive
def test_the_examples_are_those_of_the_application(real_database: None) -> None:
    now = recorded_now()
    for kind in KINDS:
        names = {**now[kind], **recorded_examples()[kind]}
        assert differing(now[kind], recorded_examples()[kind], names) == {}, HOW


def test_every_operation_is_recorded() -> None:
    messages = {"receiveChallenge", "receiveEvent", "receiveTest"}
    missing = described_operations().keys() - recorded_examples()["operations"].keys()
    assert missing == set(), "Add requests to registry/devserver/api_examples/, then run: python3 run.py docs"
    assert recorded_examples()["operations"].keys() - described_operations().keys() == messages


def test_the_people_of_the_examples_do_not_exist() -> None:
    addresses = re.findall(r"[\w.-]+@([\w.-]+)", EXAMPLES_FILE.read_text("utf-8"))
    assert len(addresses) > 20
    assert set(addresses) == {"example.org"}


def test_a_request_that_does_not_succeed_ends_the_recording(real_database: None) -> None:
    with fixed_surroundings() as traveller:
        recorder = Recorder(traveller)
        with pytest.raises(UnexpectedResponse, match="getNamespace: 404"):
            recorder.call("getNamespace", nid="unregistered")
        with pytest.raises(UnexpectedResponse, match="getRoot was not refused: 200"):
            recorder.refused("getRoot")


def test_a_time_of_the_clock_of_the_database_is_found() -> None:
    assert DATABASE_TIME.search(b'{"at":"2026-03-02T09:30:00.000001Z"}')
    assert not DATABASE_TIME.search(b'{"at":"2026-03-02T09:30:00Z"}')


def test_parameters_of_the_path_and_of_the_query_are_percent_encoded() -> None:
    parameters = {"number": 12, "from_": 1, "q": "a b"}
    assert address_of("/cases/{number}/", parameters) == "/cases/12/?from=1&q=a+b"
    assert address_of("/urns/{urn}/", {"urn": "urn:example:ä/b"}) == "/urns/urn:example:%C3%A4%2Fb/"


def test_a_database_that_could_not_be_created_is_not_dropped(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped: list[str] = []
    monkeypatch.setattr(connection.creation, "_create_test_db", lambda *_, **__: sys.exit(2))
    monkeypatch.setattr(connection.creation, "_destroy_test_db", lambda name, _: dropped.append(name))
    monkeypatch.setattr(connections, "close_all", lambda: None)
    with pytest.raises(SystemExit, match="2"), an_empty_database():
        raise AssertionError
    assert dropped == []


def test_a_real_database_server_is_refused(settings: Any) -> None:
    settings.IS_DEMONSTRATION = False
    with pytest.raises(CommandError, match="DATABASE_URL is set") as refusal:
        call_command("document_api")
    assert refusal.value.returncode == 2
