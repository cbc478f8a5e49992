"""Fixtures: servers on loopback under the names of services."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from registry.core.outgoing.https_requests import RequestLimits
from registry.resolution.health import checking
from tests.support.https_servers import (
    LOOPBACK,
    Authority,
    FakeDNS,
    Respond,
    Server,
    authority,
    dns,
    https_server,
    loopback_allowed,
)

__all__ = ["authority", "dns", "loopback_allowed"]

Serve = Callable[..., Server]


@pytest.fixture
def serve(authority: Authority, dns: FakeDNS, loopback_allowed: None) -> Iterator[Serve]:
    """Starts servers, each for a host with a valid certificate."""
    with ExitStack() as running:

        def start(respond: Respond, host: str = "trees.example", certificate: Path | None = None) -> Server:
            dns[host] = LOOPBACK
            certificate = certificate or authority.certificate(host)
            return running.enter_context(https_server(certificate, respond))

        yield start


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(checking, "LIMITS", RequestLimits(connect=1, wait=0.3, total=0.8))
    settings.SECONDS_BETWEEN_CHECKS = 0
