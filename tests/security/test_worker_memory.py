"""The memory of a web worker that receives hostile bodies, measured on a server as deployed."""

import http.client
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import Client

from registry.accounts.models import Scope
from registry.accounts.tokens import make_token
from registry.core.http.request_validation import FORM_TYPE
from registry.core.validators import BodySize
from registry.environment import ALLOCATORS
from tests.security.hostile_bodies import FILE, FORM_BODIES, JSON_BODIES, LONGEST_TEXTS, TEXT_BODIES, file_of
from tests.support.factories import a_draft, a_person
from tests.support.servers import a_free_port, serving

MAX_MEMORY = 220_000_000  # an idle worker has about 125 MB of it
AT_ONCE = 16
JSON = "application/json"
CSRF_TOKEN = "a" * 32
UNLIMITED = {
    "API_READS_A_MINUTE": "1000000",
    "API_WRITES_A_MINUTE": "1000000",
    "DRAFTS_AN_HOUR": "1000000",
    "SAVES_AN_HOUR": "1000000",
}


@dataclass
class Worker:
    """A server with one worker process, and an editor of a draft with a session and a token."""

    port: int
    process: int
    draft: int
    session: str
    token: str
    statuses: dict[str, int] = field(default_factory=dict)

    def send(self, method: str, path: str, body: bytes, media_type: str) -> int:
        """Send a request as the editor; return the status, 0 if the connection was closed before the response."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        origin = f"http://127.0.0.1:{self.port}"
        headers = {"Content-Type": media_type, "Origin": origin, "If-Match": "*"}
        if path.startswith("/api/"):
            headers["Authorization"] = f"Bearer {self.token}"
        else:
            cookies = {settings.SESSION_COOKIE_NAME: self.session, settings.CSRF_COOKIE_NAME: CSRF_TOKEN}
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
            headers["X-CSRFToken"] = CSRF_TOKEN
        try:
            client.request(method, path, body, headers)
            response = client.getresponse()
            response.read()
        except ConnectionError:
            return 0
        finally:
            client.close()
        return response.status

    def peak(self) -> int:
        """The most memory that the worker has had, in octets."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) * 1024

    def forget_peak(self) -> None:
        Path(f"/proc/{self.process}/clear_refs").write_text("5")


def worker_of(server: int) -> int:
    """The process that answers requests: the child of the server with most memory."""

    def memory(process: int) -> int:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1])

    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return max(map(int, children), key=memory)


@pytest.fixture
def worker(real_database: None) -> Iterator[Worker]:
    editor = a_person(email="registrant@example.org")
    client = Client()
    client.force_login(editor)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    draft = a_draft(by=editor).pk
    _, secret = make_token(by=editor, name="Example", scopes=tuple(Scope))
    port = a_free_port()
    with serving(port, threads=None, **ALLOCATORS, **UNLIMITED) as server:
        yield Worker(port, worker_of(server.pid), draft, session, secret)


Request = tuple[str, str, bytes, str]


def requests_to(worker: Worker) -> Iterator[tuple[str, Request]]:
    """The corpus: each hostile body, to each kind of address that parses it, as long as it may be there."""
    api, pages = f"/api/v1/cases/{worker.draft}", f"/cases/{worker.draft}"
    # Those with bodies of one kind and size take turns.
    operations = (
        (("POST", "/api/v1/cases/", BodySize.TEMPLATE),),
        (("PUT", f"{api}/draft/", BodySize.TEMPLATE), ("PATCH", f"{api}/draft/", BodySize.TEMPLATE)),
        (("POST", f"{api}/check/", BodySize.TEMPLATE),),
        (("POST", f"{api}/comments/", BodySize.TEXTS), ("POST", f"{api}/withdraw/", BodySize.TEXTS)),
        (("POST", "/api/v1/urns/check/", BodySize.URNS),),
        (("POST", "/api/v1/urns/compare/", BodySize.SMALL),),
    )
    for turn, (name, body) in enumerate(JSON_BODIES.items()):
        for alike in operations:
            method, path, limit = alike[turn % len(alike)]
            yield f"{name} as JSON to {method} {path}", (method, path, body(limit), JSON)
    for name, body in TEXT_BODIES.items():
        for (method, path, limit), *_ in (operations[1], operations[2], operations[4]):
            yield f"{name} as text to {path}", (method, path, body(limit), "text/plain")
    forms = (
        (f"{pages}/edit/", f"{pages}/edit/autosave/"),
        (f"{pages}/paste/", "/cases/new/"),
        ("/accounts/login/",),
    )
    for alike in forms:
        turns = cycle(alike)
        for (name, body), path in zip(FORM_BODIES.items(), turns, strict=False):
            yield f"{name} as a form to {path}", ("POST", path, body(BodySize.TEMPLATE), FORM_TYPE)
        for (name, text), path in zip(LONGEST_TEXTS.items(), turns, strict=False):
            fields = {
                "stamp": "0",
                "kind": "formal",
                "procedure": "community",
                "purpose": text,
                "template": text,
            }
            fields |= {"template": ""} if "edit" in path else {"purpose": ""}
            yield f"{name} in a field to {path}", ("POST", path, urlencode(fields).encode(), FORM_TYPE)
        for length, path in zip((BodySize.SMALL // 2, BodySize.TEMPLATE, 30_000_000), turns, strict=False):
            yield f"a file of {length:,} octets to {path}", ("POST", path, file_of(length), FILE)


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_a_worker_stays_below_its_limit(worker: Worker) -> None:
    peaks: dict[str, int] = {}
    for name, request in requests_to(worker):
        worker.forget_peak()
        status = worker.send(*request)
        assert status < 500, f"{name}: {status}"
        peaks[name] = worker.peak()
    largest = sorted(peaks, key=lambda name: -peaks[name])[:10]
    report = [f"{peaks[name] / 1e6:.0f} MB: {name}" for name in largest]
    print("\n".join(report))
    assert peaks[largest[0]] < MAX_MEMORY, "\n".join(report)


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_a_worker_stays_below_its_limit_with_many_large_bodies_at_once(worker: Worker) -> None:
    text = urlencode({"stamp": "0", "purpose": LONGEST_TEXTS["quotation marks"]}).encode()
    draft = f"/cases/{worker.draft}/edit/"
    sections = JSON_BODIES["a long section"](BodySize.TEMPLATE)
    several: list[Request] = [
        ("POST", draft, text, FORM_TYPE),
        ("PUT", f"/api/v1/cases/{worker.draft}/draft/", sections, JSON),
        ("POST", "/api/v1/urns/check/", JSON_BODIES["a long text"](BodySize.URNS), JSON),
        ("POST", "/cases/new/", FORM_BODIES["percent signs"](BodySize.TEMPLATE), FORM_TYPE),
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [pool.submit(worker.send, *several[number % len(several)]) for number in range(4 * AT_ONCE)]
    statuses = {job.result(240) for job in jobs}
    assert statuses <= {0, 200, 400, 413, 422, 503}
    assert worker.peak() < MAX_MEMORY, f"{worker.peak() / 1e6:.0f} MB"
