"""A verdict is given on the latest round alone: whoever looked at another one is told."""

import pytest

from registry.accounts.models import User
from registry.cases.workflow import transitions
from registry.cases.workflow.exceptions import StaleRound
from tests.cases.traces import refused
from tests.cases.transitions.rounds import next_round


@pytest.mark.parametrize("number", [-1, 0, 1, 3])
@pytest.mark.parametrize(
    ("transition", "place", "said"),
    [
        ("advise", "fast_track", "rationale"),
        ("approve", "in_review", "rationale"),
        ("decline", "in_review", "reason"),
        ("forward_report", "anticipated", "report"),
    ],
)
def test_another_round_than_the_latest_is_not_judged(
    transition: str, place: str, said: str, number: int, request: pytest.FixtureRequest, expert: User
) -> None:
    case = request.getfixturevalue(place)
    next_round(case)
    with refused(StaleRound, "round 2 is the latest"):
        getattr(transitions, transition)(case, by=expert, round_number=number, **{said: "Well said."})
