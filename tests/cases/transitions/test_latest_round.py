"""Verdicts apply to the latest round only; an expert who read an earlier one gets an error."""

import pytest

from registry.accounts.models import User
from registry.cases.workflow.declarations.definition import Transition
from registry.cases.workflow.declarations.reviews import ADVISE, APPROVE, DECLINE, FORWARD_REPORT
from registry.cases.workflow.exceptions import StaleRound
from tests.cases.traces import refused
from tests.cases.transitions.rounds import next_round


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", [-1, 0, 1, 3])
@pytest.mark.parametrize(
    ("transition", "place", "said"),
    [
        (ADVISE, "fast_track", "rationale"),
        (APPROVE, "in_review", "rationale"),
        (DECLINE, "in_review", "reason"),
        (FORWARD_REPORT, "anticipated", "report"),
    ],
)
def test_a_stale_round_is_rejected(
    transition: Transition, place: str, said: str, number: int, request: pytest.FixtureRequest, expert: User
) -> None:
    case = request.getfixturevalue(place)
    next_round(case)
    with refused(StaleRound, "round 2 is the latest"):
        transition.function(case, by=expert, round_number=number, **{said: "Well said."})
