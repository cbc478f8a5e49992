"""The registry on a port of loopback, with a database of the test's own, and Chromium to look at it; walks through all pages."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from typing import Any

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connections
from django.test.testcases import LiveServerThread
from playwright.sync_api import Browser, expect, sync_playwright

from tests.journeys.crawler import Walk, visit
from tests.support.databases import a_filled_database, a_fresh_database
from tests.support.missing import program

# How long to wait for what a page should show, in milliseconds: what comes at once when the machine is idle takes
# seconds on a busy one, and no test here asks how fast it came.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)

# A process that draws with the processor what a graphics card would takes a fifth of the time.
WITHOUT_GRAPHICS = ("--disable-gpu", "--disable-software-rasterizer", "--in-process-gpu")


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
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *WITHOUT_GRAPHICS])


@pytest.fixture(scope="session")
def visited_by(
    the_demonstration: str, django_db_blocker: Any
) -> Iterator[Callable[[tuple[str, ...]], AbstractContextManager[Walk]]]:
    """A context manager for the pages that people visit, and a database of its own as they left it.

    They visit the pages once: this takes a quarter of a minute for one person, and minutes for everyone.
    """
    with django_db_blocker.unblock(), ExitStack() as databases:

        @cache
        def visited_once(people: tuple[str, ...]) -> tuple[str, Walk]:
            walks = list[Walk]()
            fill = a_filled_database(lambda: walks.append(visit(people)), the_demonstration)
            return databases.enter_context(fill), walks[0]

        @contextmanager
        def visited(people: tuple[str, ...]) -> Iterator[Walk]:
            logging.disable(logging.WARNING)  # of every page that says no
            try:
                database, found = visited_once(people)
                with django_db_blocker.unblock(), a_fresh_database(database):
                    yield found
            finally:
                logging.disable(logging.NOTSET)

        yield visited
