"""A case in each of the states from which transitions start."""

import pytest

from registry.accounts.models import Body, User
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from tests.support.factories import a_body, a_case_in_review, an_approved_case


@pytest.fixture
def in_review(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


@pytest.fixture
def approved(registrant: User, expert: User) -> Case:
    return an_approved_case(by=registrant, expert=expert)


@pytest.fixture
def declined(in_review: Case, expert: User) -> Case:
    return functions.decline(in_review, by=expert, round_number=1, reason="Not needed.")


@pytest.fixture
def anticipated(in_review: Case, expert: User) -> Case:
    """In review, with a standards action."""
    return people.anticipate_standards_action(
        in_review, by=expert, anticipated=True, reason="It is a draft standard."
    )


@pytest.fixture
def reported(anticipated: Case, expert: User) -> Case:
    """Awaiting direction."""
    return functions.forward_report(anticipated, by=expert, round_number=1, report="We support it.")


@pytest.fixture
def body(db: None) -> Body:
    return a_body()


@pytest.fixture
def fast_track(registrant: User, body: Body) -> Case:
    """In review for a body that is not recognised yet."""
    return a_case_in_review(by=registrant, body=body)


@pytest.fixture
def recognised(fast_track: Case, liaison: User) -> Case:
    return functions.recognise(fast_track, by=liaison, reference="Minutes, 2026-11-21")
