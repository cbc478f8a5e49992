"""Transitions match the matrix, by function and on the page; on the page, each person is tried in each state."""

from collections.abc import Iterator

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
    COMMUNITY,
    EXPECTED,
    TABLES,
    TRANSITION_BY_NAME,
    a_case,
    has_role,
    put_down,
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


Cast = dict[str, User | AnonymousUser]
# Kinds of cases whose rows are those of another one.
LIKE_OTHERS = {"informal", "revision", "revision of an organisation"}
# Those in which one case that was submitted is put down.
SUBMITTED = [state for state in COLUMNS if state not in {"draft", "registered"}]


def scenes(
    table: str, registrant: User, expert: User, administrator: User
) -> Iterator[tuple[str, Case, Cast]]:
    """A case of the table in each state, with its cast."""
    for states in (["draft"], ["registered"], SUBMITTED):
        before = transaction.savepoint()
        case = a_case(table, states[0], registrant, expert, administrator)
        cast = the_cast(case, registrant)
        for state in states:
            yield state, put_down(case, table, state, case.body), cast
        transaction.savepoint_rollback(before)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(table, marks=pytest.mark.soak) if table in LIKE_OTHERS else table
        for table in sorted(TABLES, key=LIKE_OTHERS.__contains__)
    ],
)
@pytest.mark.sampled(9)
def test_every_person_can_make_exactly_the_transitions_of_the_matrix(
    table: str, registrant: User, expert: User, administrator: User
) -> None:
    wrong = []
    for state, case, cast in scenes(table, registrant, expert, administrator):
        wrong += [f"{state}: {each}" for each in wrongly_made(table, state, case, cast)]
        for name, person in cast.items():
            granted = [
                transition
                for transition, (role, cells) in rows(TABLES[table]).items()
                if has_role(name, role) and cells[state] == "yes"
            ]
            if (offered := [each.name for each in transitions_allowed_for(person, case)]) != granted:
                wrong.append(f"{state}: {name} is offered {offered}, expected {granted}")
    assert not wrong, "\n".join(wrong)


def wrongly_made(table: str, state: str, case: Case, cast: Cast) -> Iterator[str]:
    """Where a transition is open, everyone tries it; elsewhere, those with its role and, as another each time, one without.

    In which states it is closed does not depend on the table: one shows that.
    """
    for number, (transition, (role, cells)) in enumerate(rows(TABLES[table]).items(), COLUMNS.index(state)):
        if cells[state] == "-" == rows(COMMUNITY)[transition][1][state] and table != "community":
            continue
        allowed = [name for name in cast if has_role(name, role)]
        others = [name for name in cast if name not in allowed]
        is_open = cells[state] == "yes"
        for name in (*allowed, *(others if is_open else [others[number % len(others)]])):
            expected = EXPECTED[cells[state]] if name in allowed else NotPermitted
            if (got := outcome(transition, case, cast[name])) is not expected:
                yield f"{name} / {transition}: expected {expected}, got {got}"


def test_a_second_appeal_is_refused(registrant: User, expert: User, liaison: User) -> None:
    case = a_case_in_review(by=registrant)
    functions.decline(case, by=expert, round_number=1, reason="Not needed.")
    functions.appeal(case, by=registrant, reason="It is.")
    declined = functions.direct(case, by=liaison, is_approved=False, reference="Minutes")
    assert declined.state == State.DECLINED
    assert outcome("appeal", declined, registrant) is ConditionNotMet
