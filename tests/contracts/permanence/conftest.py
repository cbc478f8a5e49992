"""A namespace, among rows in every permanent table."""

from collections.abc import Iterator
from typing import Any

import pytest

from registry.namespaces.models import Namespace
from tests.contracts.permanence.rows import fill
from tests.support.databases import a_filled_database, rolled_back_in


@pytest.fixture(scope="session")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


@pytest.fixture
def registered(filled: str, django_db_blocker: Any) -> Iterator[Namespace]:
    """The namespace, among everything that is kept; what a test changes is rolled back."""
    with django_db_blocker.unblock(), rolled_back_in(filled):
        yield Namespace.objects.get()
