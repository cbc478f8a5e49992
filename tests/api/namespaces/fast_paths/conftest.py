"""A stored lookup, in a database in which requests are counted."""

from collections.abc import Iterator

import pytest
from django.utils import timezone

from registry.namespaces.models import Kind, Namespace
from tests.api.namespaces.fast_paths.lookups import Lookup


@pytest.fixture(autouse=True)
def counted() -> None:
    """These tests have a database of their own, in which requests are counted."""


@pytest.fixture
def lookup(real_database: None) -> Iterator[Lookup]:
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, holder="Example Agency", changed_at=timezone.now())
    lookup = Lookup()
    assert lookup.answer().status == 200  # which is stored from now on
    lookup.reader.close()
    yield lookup
    lookup.reader.close()
