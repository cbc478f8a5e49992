"""No answer outside of the description: generated requests for every operation, good ones and bad ones.

The short form runs a fixed choice of them; the long one thousands that nobody has seen (`-m soak`).
"""

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest
from django.db import transaction
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.generation.meta import TestPhase

from registry.wsgi import application
from tests.api.exploring import (
    Explorer,
    described,
    its_type_is_described,
    operation_of,
)
from tests.api.grants import UNLIMITED, Scene, a_still_scene
from tests.invariants import check_registry_is_whole

SCHEMA = described()
OPERATIONS = [operation.ok().definition.raw["operationId"] for operation in SCHEMA.get_all_operations()]
WITH_HUNDREDS = {"begin", "check", "write_draft", "change_draft"}
REPEATABLE: dict[str, Any] = {
    "derandomize": True,
    "database": None,
    "deadline": None,
    "phases": [Phase.explicit, Phase.generate],
    "suppress_health_check": list(HealthCheck),
}
UNFORESEEN: dict[str, Any] = REPEATABLE | {"derandomize": False}


@pytest.fixture(autouse=True)
def counted() -> None:
    """These tests share a database, in which requests are counted."""


@pytest.fixture(scope="module")
def scene(the_test_database: None, django_db_blocker: Any) -> Iterator[Scene]:
    with django_db_blocker.unblock(), a_still_scene() as scene:
        yield scene


@pytest.fixture
def explorer(scene: Scene) -> Iterator[Explorer]:
    """Whatever is asked in a test, something of it is granted."""
    explorer = Explorer(scene)
    yield explorer
    assert explorer.not_granted(*explorer.answered) == []


@SCHEMA.parametrize()
@settings(max_examples=6, **REPEATABLE)
def test_no_answer_is_outside_of_the_description(case: Case, explorer: Explorer) -> None:
    if is_left_out(case):
        return
    with transaction.atomic():
        explorer.ask(case)
        transaction.set_rollback(True)


def is_left_out(case: Case) -> bool:
    """Where there are hundreds of scenarios that are much alike, the long form alone goes through them all."""
    is_one_of_many = case.meta.phase.name == TestPhase.COVERAGE and operation_of(case) in WITH_HUNDREDS
    return is_one_of_many and crc32(repr(case.body).encode()) % 5 > 0


@pytest.mark.soak
@SCHEMA.parametrize()
@settings(max_examples=50, **UNFORESEEN)
def test_no_answer_to_any_scenario_is_outside_of_it(case: Case, explorer: Explorer) -> None:
    with transaction.atomic():
        explorer.ask(case)
        transaction.set_rollback(True)


def test_whoever_follows_the_links_stays_inside_of_it(scene: Scene) -> None:
    with transaction.atomic():
        follow_the_links(Explorer(scene), max_examples=20, stateful_step_count=8, **REPEATABLE)
        transaction.set_rollback(True)


@pytest.mark.soak
@pytest.mark.usefixtures("real_database")
def test_thousands_of_requests_leave_the_registry_whole() -> None:
    """Everything is committed, and the next request finds it so."""
    with override_settings(**UNLIMITED):
        explorer = Explorer(Scene())
        for operation in SCHEMA.get_all_operations():
            ask_generated(explorer, operation.ok(), max_examples=60, **UNFORESEEN)
        follow_the_links(explorer, max_examples=400, stateful_step_count=20, **UNFORESEEN)
        print(explorer.report())
        assert explorer.asked >= 5000
        assert explorer.not_granted(*OPERATIONS) == []
        check_registry_is_whole()
    application.application.reader.close()


def ask_generated(explorer: Explorer, operation: Any, **how: Any) -> None:
    """Requests of which the description says that they are good, and such of which it says that they are bad."""
    good_and_bad = st.one_of([operation.as_strategy(generation_mode=mode) for mode in GenerationMode])

    @settings(**how)
    @given(case=good_and_bad)
    def ask(case: Case) -> None:
        explorer.ask(case)

    ask()


def follow_the_links(explorer: Explorer, **how: Any) -> None:
    """One request after another, each with what the answer before said."""

    # The machine carries URNs on, and would leave their “%” plain in a path.
    class Following(SCHEMA.exclude(operation_id="urn").as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: Case) -> dict[str, Any]:
            return {"headers": explorer.bend(case)}

        def validate_response(self, response: Any, case: Case, **sent: Any) -> None:
            explorer.count(response, case)
            checks = [its_type_is_described]
            case.validate_response(response, additional_checks=checks, recorder=self.recorder, **sent)

    Following.run(settings=settings(**how))
