"""A load that keeps what was acknowledged: comments by the API, lookups, and heads of the audit log."""

import http.client
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.waiting import wait_until

PAUSE = 0.05  # seconds between two requests of a client
LOOKUP = "/api/v1/namespaces/isbn/"
PATIENCE = 300  # seconds


@dataclass(frozen=True)
class Write:
    """An acknowledged comment: the number of its event, and when the response came."""

    web: int
    comment: int
    text: str
    sequence: int
    at: float


@dataclass
class Load:
    """Clients of some web processes. `writes` and `heads` are what they were told; `statuses` counts the responses."""

    ports: list[int]
    secret: str
    case: int
    writes: list[Write] = field(default_factory=list)
    heads: dict[int, str] = field(default_factory=dict)
    forks: int = 0
    stale: int = 0
    statuses: Counter[tuple[str, int | str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._ended, self._lock = threading.Event(), threading.Lock()
        jobs: list[Callable[[int], None]] = [self._write, self._look_up, self._read_head, self._read_position]
        self._threads = [
            threading.Thread(target=self._repeat, args=(job, web), daemon=True)
            for job in jobs
            for web in range(len(self.ports))
        ]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(60)

    def goes_on(self, count: int = 5) -> None:
        """Wait until each web process has acknowledged more writes."""
        before = len(self.writes)
        wait_until(lambda: all(n >= count for n in self._by_web(self.writes[before:]).values()), PATIENCE)

    def longest_pause(self, since: float) -> float:
        """The most seconds for which a web process acknowledged no write."""
        pauses = []
        for web in range(len(self.ports)):
            times = [write.at for write in self.writes if write.web == web]
            later = [at for at in times if at > since]
            before = max((at for at in times if at <= since), default=since)
            pauses += [after - at for at, after in zip([before, *later], later, strict=False)]
        return max(pauses)

    def _by_web(self, writes: list[Write]) -> dict[int, int]:
        return {web: sum(write.web == web for write in writes) for web in range(len(self.ports))}

    def _repeat(self, job: Callable[[int], None], web: int) -> None:
        while not self._ended.wait(PAUSE):
            job(web)

    def _write(self, web: int) -> None:
        """Comment, and repeat an attempt with the same key until it is acknowledged."""
        text = f"Which trees are meant? {uuid.uuid4()}"
        body = json.dumps({"round": 1, "text": text})
        headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json", "Idempotency-Key": text[-36:]}  # fmt: skip
        while True:
            status, answer, sequence = self._ask(
                web, "write", "POST", f"/api/v1/cases/{self.case}/comments/", body, headers
            )
            if status == 201:
                self.writes.append(Write(web, answer["number"], text, int(sequence), time.monotonic()))
                return
            if self._ended.wait(PAUSE):
                return

    def _look_up(self, web: int) -> None:
        self._ask(web, "lookup", "GET", LOOKUP)

    def _read_head(self, web: int) -> None:
        status, answer, _ = self._ask(web, "head", "GET", "/api/v1/events/head/")
        if status == 200:
            with self._lock:
                known = self.heads.setdefault(answer["number"], answer["digest"])
                self.forks += known != answer["digest"]

    def _read_position(self, web: int) -> None:
        """Read with the number of the last acknowledged event, which the response must take into account."""
        wanted = max((write.sequence for write in self.writes[-10:]), default=0)
        status, answer, _ = self._ask(
            web, "position", "GET", "/api/v1/audit-log/", headers={"Registry-Sequence": str(wanted)}
        )
        if status == 200:
            with self._lock:
                self.stale += answer["events"] < wanted

    def _ask(
        self, web: int, kind: str, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int | str, Any, str]:  # fmt: skip
        client = http.client.HTTPConnection("127.0.0.1", self.ports[web], timeout=60)
        answer, sequence, status = None, "", 0
        try:
            client.request(method, path, body, {"Host": "localhost"} | (headers or {}))
            response = client.getresponse()
            status, sequence = response.status, response.headers.get("Registry-Sequence", "")
            answer = json.loads(response.read()) if status < 300 else None
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        finally:
            client.close()
        with self._lock:
            self.statuses[kind, status] += 1
        return status, answer, sequence
