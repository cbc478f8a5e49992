"""A web process does not load the code that sends requests to other hosts, until a person signs in with a provider."""

import subprocess
import sys

import pytest

SENDS = {"registry.core.outgoing", "registry.resolution.health.checking", "registry.webhooks.delivery"}


@pytest.mark.exhaustive
@pytest.mark.processes
def test_the_wsgi_application_does_not_load_the_code_that_sends_requests() -> None:
    code = "import sys, registry.wsgi; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240
    ).stdout
    modules = set(loaded.splitlines())
    assert {"registry.resolution.health.views", "registry.webhooks.tasks", "registry.api.urls"} <= modules
    assert {each for each in modules if each.startswith(tuple(SENDS))} == set()
