"""Times of events, heads and proofs in a long log, in turn; printed as JSON with the time in which the log was filled.

python -m benchmarks.stored_log ROUNDS EVENTS
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django.setup()

from django.db import connection, transaction  # noqa: E402 - they need Django set up

from registry.audit_log import log  # noqa: E402
from registry.audit_log.heads import publish_head  # noqa: E402
from registry.audit_log.models import Event, SignedHead  # noqa: E402
from registry.audit_log.proofs import consistency_proof, proof_of  # noqa: E402
from registry.audit_log.publicity import public_events  # noqa: E402
from registry.audit_log.signed_notes import SigningKey  # noqa: E402
from registry.audit_log.signing_keys import default_name, write_key  # noqa: E402
from tests.support.factories import a_person  # noqa: E402

from .event_writer import DETAILS  # noqa: E402
from .former_events import append_former  # noqa: E402
from .log import FORMER  # noqa: E402
from .terminal import show_progress  # noqa: E402

STEP = 1_000  # events of a head
# Of the same in a round, of which the fastest counts: other programs have less influence.
EVENTS, HEADS, CALLS = 20, 3, 5
PROOFS = 20  # of different events in a round, of which the median counts
CASE = 1


def fill(events: int) -> float:
    """Write events, with a head of each thousand; return the seconds."""
    began = time.perf_counter()
    for written in range(0, events, STEP):
        if written % 50_000 == 0:
            show_progress(f"{written:,} of {events:,} events are written")
        add_events(written)
        publish_head()
    seconds = time.perf_counter() - began
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return seconds


@transaction.atomic
def add_events(written: int) -> None:
    """Write events of an import."""
    log.append_all(
        Event(verb="import", nid=f"example-{number}", text_digest=f"{number:064x}", details=DETAILS)
        for number in range(written, written + STEP)
    )


class MeasuredLog:
    """What is measured, by name, each with the seconds of a round."""

    def __init__(self) -> None:
        self.random = Random(8141)
        self.actor = a_person(email="administrator@example.org")
        with transaction.atomic():
            log.append(public_events().opening, by=self.actor, case=CASE)
        kinds: dict[str, dict[str, Any]] = {
            "event of a namespace": {"verb": "import", "nid": "example-trees", **DETAILS},
            "event of a case": {
                "verb": "comment",
                "case": CASE,
                "reason": "State how names are compared.",
                "round": 1,
            },
        }
        self.events = {
            name: partial(append, by=self.actor, **given)
            for kind, given in kinds.items()
            for name, append in ((kind, log.append), (f"{kind}{FORMER}", append_former))
        }
        sizes = list(SignedHead.objects.values_list("size", flat=True))
        self.oldest, self.newest = sizes[: len(sizes) // 100 or 1], sizes[-(len(sizes) // 100 or 1) :]

    def round(self) -> Iterator[tuple[str, float]]:
        """Yield the seconds of each."""
        yield from self._events()
        yield "head after 1,000 events", min(self._head() for _ in range(HEADS))
        with_events = {"any": [self.oldest[0], self.newest[-1]], "old": self.oldest, "new": self.newest}
        for which, sizes in with_events.items():
            numbers = [self.random.randint(sizes[0] - STEP + 1, sizes[-1]) for _ in range(PROOFS)]
            yield f"proof, {which} event", median_of([partial(proof_of, each) for each in numbers])
        last = SignedHead.objects.order_by("size").last()
        heads = SignedHead.objects.order_by("?")[:PROOFS]
        yield "proof of consistency", median_of([partial(consistency_proof, each, last) for each in heads])

    def _head(self) -> float:
        add_events(0)
        return timed(publish_head)

    def _events(self) -> Iterator[tuple[str, float]]:
        """The fastest of each kind, in turn, without their commit."""
        found: dict[str, list[float]] = {name: [] for name in self.events}
        for _ in range(EVENTS):
            for name, append in self.events.items():
                with transaction.atomic():
                    found[name].append(timed(append))
                    transaction.set_rollback(True)
        yield from ((name, min(seconds)) for name, seconds in found.items())


def timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def median_of(actions: list[Callable[[], object]]) -> float:
    return median(min(timed(action) for _ in range(CALLS)) for action in actions)


if __name__ == "__main__":
    rounds, events = map(int, sys.argv[1:])
    write_key(SigningKey.generate(default_name()), Path(os.environ["LOG_SIGNING_KEY"]))
    seconds = fill(events)
    measured = MeasuredLog()
    figures: dict[str, list[float]] = {}
    for number in range(rounds + 1):
        show_progress(f"round {number} of {rounds}")
        for name, each in measured.round():
            if number:  # the first one is a warm-up
                figures.setdefault(name, []).append(each)
    show_progress("")
    print(json.dumps({"fill": seconds, "rounds": figures}))
