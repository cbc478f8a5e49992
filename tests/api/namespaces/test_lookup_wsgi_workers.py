"""Two worker processes, rival writers and rival fillers: no response is stale, and none is half of a change."""

import hashlib
import http.client
import json
import random
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from django.db import transaction

from registry.namespaces.actions.registration import add_revision
from registry.namespaces.models import Kind, Namespace
from tests.namespaces.lookup.test_concurrent_updates import store_later
from tests.support.databases import at_once, refusals
from tests.support.factories import a_template
from tests.support.servers import a_free_port, serving

NIDS = ["changing-1", "changing-2"]
WORKERS = 2
MOST_VERSIONS = 30
PATIENCE = 60.0


@dataclass
class Race:
    """What was written and committed of each namespace, what was read, and what was stored."""

    port: int
    until: float
    figures: Path
    committed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NIDS, 0))
    full: int = 0
    unchanged: int = 0
    stored: int = 0
    overtaken: int = 0
    counting: Lock = field(default_factory=Lock)

    @property
    def is_over(self) -> bool:
        """Whether the time is up and enough was seen, which takes longer on a busy machine."""
        now = time.monotonic()
        return now > self.until and (self.is_enough or now > self.until + PATIENCE)

    @property
    def is_enough(self) -> bool:
        return (
            self.full > 10
            and self.unchanged > 10
            and self.stored > 0
            and self.overtaken > 0
            and min(self.committed.values()) > 1
            and self.workers_that_answered == WORKERS
        )

    @property
    def workers_that_answered(self) -> int:
        """Each process counts what it answers in a file of its own."""
        return sum(b'"api:namespace"' in each.read_bytes() for each in self.figures.glob("histogram_*.db"))

    def write(self, nid: str) -> None:
        """Change the namespace again and again; each time it says the next number in several places."""
        while not self.is_over:
            began = time.monotonic()
            with transaction.atomic():
                namespace = Namespace.objects.select_for_update().get(nid=nid)
                number = int(namespace.holder or 0) + 1
                if number <= MOST_VERSIONS:
                    add_revision(namespace, a_template(), version=number)
                Namespace.objects.filter(pk=namespace.pk).update(holder=str(number))
                Namespace.objects.filter(pk=namespace.pk).update(purpose=str(number))
            with self.counting:
                self.committed[nid] = max(number, self.committed[nid])
            # While a change is not committed, no response is stored: leave time for that.
            time.sleep(6 * random.random() * (time.monotonic() - began))

    def fill(self, nid: str) -> None:
        """Store responses as the workers do, but some time after reading the namespace."""
        while not self.is_over:
            is_stored = store_later(nid, random.random() / 50)
            with self.counting:
                self.stored += is_stored
                self.overtaken += not is_stored

    def read(self) -> None:
        """Look both up again and again, on new connections now and then, so that every worker is asked."""
        known: dict[str, tuple[str, int]] = {}
        while not self.is_over:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
                for nid in NIDS * 10:
                    self._look_up(connection, nid, known)

    def _look_up(
        self, connection: http.client.HTTPConnection, nid: str, known: dict[str, tuple[str, int]]
    ) -> None:
        etag, number = known.get(nid, ("", 0))
        committed = self.committed[nid]
        connection.request("GET", f"/api/v1/namespaces/{nid}", headers={"If-None-Match": etag})
        response = connection.getresponse()
        body = response.read()
        if response.status == 304:
            self.unchanged += 1
        else:
            assert response.status == 200
            self.full += 1
            etag, number = response.headers["ETag"], _number_in(body, response.headers["ETag"])
            known[nid] = etag, number
        assert number >= committed, f"{nid} was at {committed}, and {number} was answered ({response.status})"


def _number_in(body: bytes, etag: str) -> int:
    """The number that the whole of an answer says; AssertionError where its parts are of two changes."""
    answer: dict[str, Any] = json.loads(body)
    number = int(answer["registrant"] or 0)
    assert answer["purpose"] == answer["registrant"]
    versions = [each["version"] for each in answer["versions"]]
    assert versions == list(range(1, min(number, MOST_VERSIONS) + 1))
    assert answer["version"] == max([1, *versions])
    assert (answer["sections"] or {"version": 1})["version"] == answer["version"]
    assert etag == f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return number


@pytest.fixture(autouse=True)
def counted() -> None:
    """The server counts requests in the database that it shares with this test."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.soak)])
def test_workers_return_no_stale_or_partial_response(
    real_database: None, tmp_path: Path, seconds: int
) -> None:
    for nid in NIDS:
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    figures = tmp_path / "figures"
    figures.mkdir()
    port = a_free_port()
    with serving(port, workers=WORKERS, PROMETHEUS_MULTIPROC_DIR=str(figures)):
        race = Race(port, until=time.monotonic() + seconds, figures=figures)
        rivals: list[Callable[[], None]] = [
            partial(job, nid) for nid in NIDS for job in (race.write, race.write, race.fill)
        ]
        assert refusals(at_once([*rivals, *[race.read] * 4])) == []
        assert race.is_enough, race
