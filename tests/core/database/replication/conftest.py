"""A primary with one namespace, its standby, and Django on both."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.support.factories import an_imported_namespace
from tests.support.replication import Server, a_folder_for_servers, a_primary, a_standby, django_on


@pytest.fixture
def folder() -> Iterator[Path]:
    with a_folder_for_servers() as folder:
        yield folder


@pytest.fixture
def primary(folder: Path, the_test_database: None, django_db_blocker: Any) -> Iterator[Server]:
    (folder / "a").mkdir()
    with (
        django_db_blocker.unblock(),
        a_primary(folder / "a", connection.settings_dict["NAME"]) as server,
        django_on(server),
    ):
        an_imported_namespace("isbn")
        yield server


@pytest.fixture
def standby(folder: Path, primary: Server) -> Iterator[Server]:
    with a_standby(folder / "b", primary) as server:
        yield server


@pytest.fixture
def both(primary: Server, standby: Server) -> Iterator[None]:
    """Django on the standby and the primary, in this order, as with two hosts in DATABASE_URL."""
    with django_on(standby, primary, target_session_attrs="read-write"):
        yield
