"""The metrics of webhooks, beside those of requests."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from registry.accounts.models import User
from registry.webhooks import actions
from registry.webhooks.delivery import take_turn
from tests.webhooks.conftest import Receiver, a_webhook, an_event

pytestmark = pytest.mark.django_db


@pytest.fixture
def figures(read_metrics: Callable[[], str]) -> Callable[[], dict[str, float]]:
    def read() -> dict[str, float]:
        found = re.findall(
            r'^registry_webhooks(?:\{state="(\w+)"\}|_(lag)_seconds) (\S+)$', read_metrics(), re.MULTILINE
        )
        return {state or lag: float(value) for state, lag, value in found}

    return read


def test_webhooks_are_counted_by_state_and_the_lag_grows_until_a_worker_runs(
    registrant: User, receiver: Receiver, figures: Callable[[], dict[str, float]]
) -> None:
    assert figures() == {"unconfirmed": 0, "active": 0, "failing": 0, "paused": 0, "lag": 0}
    active, failing, paused = (a_webhook(registrant, receiver.url) for _ in range(3))
    actions.register_webhook(by=registrant, url=receiver.url)
    actions.pause_webhook(paused, by=registrant)
    assert figures() == {"unconfirmed": 1, "active": 2, "failing": 0, "paused": 1, "lag": 0}
    an_event()
    with time_machine.travel(timezone.now() + timedelta(hours=1), tick=False):
        assert figures()["lag"] > 0
        receiver.replies = ["500 Oops"]
        take_turn(failing.pk)
        take_turn(active.pk)
        assert figures() == {"unconfirmed": 1, "active": 1, "failing": 1, "paused": 1, "lag": 0}
