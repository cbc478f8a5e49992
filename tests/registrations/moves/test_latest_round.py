"""A verdict is given on the latest round alone: whoever looked at another one is told."""

import pytest

from registry.accounts.models import User
from registry.registrations import actions
from registry.registrations.actions import RoundOvertaken
from tests.registrations.moves.rounds import next_round
from tests.registrations.traces import refused


@pytest.mark.parametrize("number", [-1, 0, 1, 3])
@pytest.mark.parametrize(
    ("move", "place", "said"),
    [
        ("advise", "fast_track", "rationale"),
        ("approve", "in_review", "rationale"),
        ("decline", "in_review", "reason"),
        ("forward_report", "anticipated", "report"),
    ],
)
def test_another_round_than_the_latest_is_not_judged(
    move: str, place: str, said: str, number: int, request: pytest.FixtureRequest, expert: User
) -> None:
    case = request.getfixturevalue(place)
    next_round(case)
    with refused(RoundOvertaken, "round 2 is the latest"):
        getattr(actions, move)(case, by=expert, round_number=number, **{said: "Well said."})
