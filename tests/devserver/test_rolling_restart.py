"""Two servers behind nginx, restarted one after the other under load: no request fails (docs/deployment/upgrades.md)."""

import http.client
import json
import signal
import ssl
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.cases.models import Case
from tests.support.proxies import nginx
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until

READERS, WRITERS = 3, 2
PATHS = ("/api/v1/namespaces/isbn/", "/namespaces/isbn/", "/api/v1/namespaces/?page_size=5", "/")
LIMITS = {"API_READS_A_MINUTE": "1000000", "API_WRITES_A_MINUTE": "1000000", "DRAFTS_AN_HOUR": "1000000"}
DEPLOYED = {
    "ALLOWED_HOSTS": "registry.example.org 127.0.0.1",
    "PUBLIC_ORIGIN": "https://registry.example.org",
    "TRUSTED_PROXY_COUNT": "1",
    "CLIENT_ADDRESS_HEADER": "Clientaddress",
}


class Load:
    """Clients that ask until they are stopped, and count the statuses of the responses."""

    def __init__(self, port: int, secret: str) -> None:
        self.port, self.secret = port, secret
        self.statuses = Counter[tuple[str, int | str]]()
        self._ended, self._lock = threading.Event(), threading.Lock()
        jobs = [self._read] * READERS + [self._write] * WRITERS
        self._threads = [threading.Thread(target=job, daemon=True) for job in jobs]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(60)

    def goes_on(self, responses: int) -> None:
        """Wait for more responses."""
        goal = self.statuses.total() + responses
        wait_until(lambda: self.statuses.total() >= goal, 120)

    def _read(self) -> None:
        while not self._ended.is_set():
            for path in PATHS:
                self._ask("GET", path)

    def _write(self) -> None:
        while not self._ended.is_set():
            self._ask("POST", "/api/v1/cases/", json.dumps({"kind": "informal"}))

    def _ask(self, method: str, path: str, body: str | None = None) -> None:
        trusting = ssl._create_unverified_context()
        client = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=trusting)
        headers = {"Host": "registry.example.org"}
        if body:
            headers |= {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        try:
            client.request(method, path, body, headers)
            status: int | str = client.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            status = repr(error)
        finally:
            client.close()
        with self._lock:
            self.statuses[method, status] += 1


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_no_request_fails_while_one_server_after_the_other_is_restarted(
    demonstration_database: None, tmp_path: Path
) -> None:
    _, secret = make_token(
        by=User.objects.get(email="registrant@example.org"), name="clients", scopes=list(Scope)
    )
    before, ports = Case.objects.count(), [a_free_port(), a_free_port()]
    with ExitStack() as running:
        servers = [running.enter_context(serving(port, **DEPLOYED, **LIMITS)) for port in ports]
        proxy = running.enter_context(nginx(tmp_path, *ports))
        with Load(proxy.port, secret) as load:
            load.goes_on(40)
            for port, server in zip(ports, servers, strict=True):
                proxy.take_out(port)
                server.send_signal(signal.SIGTERM)
                assert server.wait(timeout=60) == 0
                load.goes_on(20)  # by the other one
                running.enter_context(serving(port, **DEPLOYED, **LIMITS))
                proxy.take_out(0)
                load.goes_on(20)
        assert set(load.statuses) == {("GET", 200), ("POST", 201)}
    assert Case.objects.count() - before == load.statuses["POST", 201]
