"""The registry on a port of loopback, with a database of the test's own, and Chromium to look at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connections
from django.test.testcases import LiveServerThread
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support.missing import program

# How long to wait for what a page should show, in milliseconds: what comes at once when the machine is idle takes
# seconds on a busy one, and no test here asks how fast it came.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)


@pytest.fixture
def address(real_database: None) -> Iterator[str]:
    """Where the registry answers, without a slash at the end."""
    server = LiveServerThread("127.0.0.1", StaticFilesHandler)
    server.daemon = True
    server.start()
    server.is_ready.wait(60)
    if server.error:
        raise server.error
    yield f"http://127.0.0.1:{server.port}"
    server.terminate()


@pytest.fixture(scope="module")
def started_chromium(the_test_database: None, django_db_blocker: Any) -> Iterator[Browser]:
    """One browser for all tests of a module; each of them opens contexts of its own."""
    with pytest.MonkeyPatch.context() as environment, django_db_blocker.unblock():
        # Playwright runs an event loop in this thread, where the test also asks the database.
        environment.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        # Beside a running event loop Django keeps connections of their own: neither those from before it nor those
        # from within it stay open beyond it.
        connections.close_all()
        with a_browser() as browser:
            yield browser
            browser.close()
            connections.close_all()


@pytest.fixture
def chromium(started_chromium: Browser, address: str) -> Iterator[Browser]:
    yield started_chromium
    for context in started_chromium.contexts:
        context.close()


@contextmanager
def a_browser() -> Iterator[Browser]:
    path = program("chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
