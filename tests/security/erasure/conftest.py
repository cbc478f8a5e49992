"""A registry that a person left, in a transaction that is rolled back, or committed."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.security.erasure import leaver
from tests.support.databases import a_filled_database, a_fresh_database, rolled_back_in


@pytest.fixture(scope="session")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(leaver.fill) as database:
        yield database


@pytest.fixture
def registry(filled: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rolled_back_in(filled):
        yield


@pytest.fixture
def committed_registry(filled: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), a_fresh_database(filled):
        yield
