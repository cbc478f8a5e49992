"""Transitions match the matrix, by function and on the page; on the page, each person is tried in each state."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from registry.accounts.models import User
from registry.actions.declarations import ConditionNotMet
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.available import transitions_allowed_for
from registry.core.exceptions import NotPermitted, RegistryError
from tests.cases.workflow.matrix import (
    COLUMNS,
    EXPECTED,
    TABLES,
    TRANSITION_BY_NAME,
    a_case,
    has_role,
    rows,
    sample_body,
    the_cast,
)
from tests.support.factories import a_case_in_review


def make(transition: str, case: Case, by: User) -> Case:
    """Make a transition with the arguments of its example."""
    definition = TRANSITION_BY_NAME[transition]
    arguments = {each.member: each.argument for each in definition.parameters}
    sent = {arguments[name]: value for name, value in sample_body(definition, case).items()}
    if points := sent.get("action_points"):
        sent["action_points"] = [(point["section"], point["text"]) for point in points]
    return definition.function(case, by=by, **sent)


def outcome(transition: str, case: Case, by: User | AnonymousUser) -> type[RegistryError] | None:
    """The exception of an attempt, or None if the transition is made; it is rolled back."""
    before = transaction.savepoint()
    try:
        make(transition, case, by)  # type: ignore[arg-type]
    except RegistryError as refusal:
        return type(refusal)
    finally:
        transaction.savepoint_rollback(before)
    return None


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_a_row_for_every_transition(table: str) -> None:
    assert [*rows(TABLES[table])] == [*TRANSITION_BY_NAME]


@pytest.mark.parametrize("state", COLUMNS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.sampled(20)
def test_every_person_can_make_exactly_the_transitions_of_the_matrix(
    table: str, state: str, registrant: User, expert: User, administrator: User
) -> None:
    """Where a transition is open, everyone tries it; elsewhere, those with its role and, as another each time, one without."""
    case = a_case(table, state, registrant, expert, administrator)
    cast = the_cast(case, registrant)
    wrong = []
    for number, (transition, (role, cells)) in enumerate(rows(TABLES[table]).items(), COLUMNS.index(state)):
        allowed = [name for name in cast if has_role(name, role)]
        others = [name for name in cast if name not in allowed]
        is_open = cells[state] == "yes"
        for name in (*allowed, *(others if is_open else [others[number % len(others)]])):
            expected = EXPECTED[cells[state]] if name in allowed else NotPermitted
            if (got := outcome(transition, case, cast[name])) is not expected:
                wrong.append(f"{name} / {transition}: expected {expected}, got {got}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("state", COLUMNS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.sampled(20)
def test_a_page_offers_exactly_the_permitted_transitions(
    table: str, state: str, registrant: User, expert: User, administrator: User
) -> None:
    case = a_case(table, state, registrant, expert, administrator)
    for name, person in the_cast(case, registrant).items():
        granted = [
            transition
            for transition, (role, cells) in rows(TABLES[table]).items()
            if has_role(name, role) and cells[state] == "yes"
        ]
        assert [transition.name for transition in transitions_allowed_for(person, case)] == granted, name


def test_a_second_appeal_is_refused(registrant: User, expert: User, liaison: User) -> None:
    case = a_case_in_review(by=registrant)
    functions.decline(case, by=expert, round_number=1, reason="Not needed.")
    functions.appeal(case, by=registrant, reason="It is.")
    declined = functions.direct(case, by=liaison, is_approved=False, reference="Minutes")
    assert declined.state == State.DECLINED
    assert outcome("appeal", declined, registrant) is ConditionNotMet
