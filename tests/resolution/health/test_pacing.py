"""Pacing: one request at a time to each host, with a pause after it."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest

from registry.resolution.health.checking import Pacer

PAUSE = 0.1


def test_requests_to_one_host_take_turns_with_a_pause_between_them() -> None:
    pacer, turns = Pacer(PAUSE), list[tuple[float, float]]()

    def take_a_turn(_: int) -> None:
        with pacer.turn("trees.example"):
            began = time.monotonic()
            time.sleep(0.02)
            turns.append((began, time.monotonic()))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(take_a_turn, range(4)))
    for (_, ended), (began, _) in pairwise(turns):
        assert began - ended >= PAUSE * 0.9


def test_other_hosts_do_not_wait() -> None:
    pacer, both = Pacer(30), Barrier(2, timeout=5)

    def meet(host: str) -> None:
        with pacer.turn(host):
            both.wait(60)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(meet, ["trees.example", "other.example"]))


def test_a_failed_request_ends_its_turn() -> None:
    pacer = Pacer(0)
    with pytest.raises(OSError, match="no"), pacer.turn("trees.example"):
        raise OSError("no")
    with pacer.turn("trees.example"):
        pass
