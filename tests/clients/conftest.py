"""A running registry with the demonstration data, and the Python client."""

from collections.abc import Iterator
from typing import Any

import pytest
from urnregistry import Registry

from tests.support.databases import a_fresh_database
from tests.support.servers import a_free_port, serving


@pytest.fixture(scope="module")
def url(the_demonstration: str, django_db_blocker: Any) -> Iterator[str]:
    """The address of a server, for tests that only read."""
    with django_db_blocker.unblock(), a_fresh_database(the_demonstration):
        port = a_free_port()
        with serving(port, API_READS_A_MINUTE="100000"):
            yield f"http://127.0.0.1:{port}"


@pytest.fixture
def registry(url: str) -> Iterator[Registry]:
    with Registry(url) as registry:
        yield registry
