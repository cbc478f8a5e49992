"""A case in each of the places from which the moves start."""

import pytest

from registry.accounts.models import Body, User
from registry.registrations import actions, acts
from registry.registrations.models import Registration
from tests.factories import a_body, a_case_in_review, an_approved_case


@pytest.fixture
def in_review(registrant: User) -> Registration:
    return a_case_in_review(by=registrant)


@pytest.fixture
def approved(registrant: User, expert: User) -> Registration:
    return an_approved_case(by=registrant, expert=expert)


@pytest.fixture
def declined(in_review: Registration, expert: User) -> Registration:
    return actions.decline(in_review, by=expert, round_number=1, reason="Not needed.")


@pytest.fixture
def anticipated(in_review: Registration, expert: User) -> Registration:
    """In review, with a standards action."""
    return acts.anticipate_standards_action(
        in_review, by=expert, anticipated=True, reason="It is a draft standard."
    )


@pytest.fixture
def reported(anticipated: Registration, expert: User) -> Registration:
    """Awaiting direction."""
    return actions.forward_report(anticipated, by=expert, round_number=1, report="We support it.")


@pytest.fixture
def body(db: None) -> Body:
    return a_body()


@pytest.fixture
def fast_track(registrant: User, body: Body) -> Registration:
    """In review for a body that is not recognised yet."""
    return a_case_in_review(by=registrant, body=body)


@pytest.fixture
def recognised(fast_track: Registration, liaison: User) -> Registration:
    return actions.recognise(fast_track, by=liaison, reference="Minutes, 2026-11-21")
