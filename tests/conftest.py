"""Fixtures: accounts with the roles in their names, and databases."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from registry.accounts.models import RoleName, User
from tests.support import static_files
from tests.support.databases import a_copy_of_the_test_database
from tests.support.factories import a_person


def pytest_configure() -> None:
    # Password hashing is slow by design, and a test creates a dozen accounts.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    static_files.use_source_files()


@pytest.fixture
def registrant(db: None) -> User:
    return a_person(email="registrant@example.org")


@pytest.fixture
def co_editor(db: None) -> User:
    return a_person(email="co-editor@example.org")


@pytest.fixture
def participant(db: None) -> User:
    return a_person(email="participant@example.org")


@pytest.fixture
def expert(db: None) -> User:
    return a_person(email="expert@example.org", roles=(RoleName.EXPERT,))


@pytest.fixture
def other_expert(db: None) -> User:
    return a_person(email="other-expert@example.org", roles=(RoleName.EXPERT,))


@pytest.fixture
def administrator(db: None) -> User:
    return a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))


@pytest.fixture
def liaison(db: None) -> User:
    return a_person(email="liaison@example.org", roles=(RoleName.LIAISON,))


@pytest.fixture(scope="session")
def the_test_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Create the test database, also if no selected test uses `db`."""
    name, creation = connection.settings_dict["NAME"], connection.creation
    if name == creation._get_test_db_name():
        yield
        return
    with django_db_blocker.unblock():
        creation.create_test_db(verbosity=0, autoclobber=True)
    yield
    with django_db_blocker.unblock():
        creation.destroy_test_db(name, verbosity=0)


@pytest.fixture
def real_database(the_test_database: None, django_db_blocker: Any) -> Iterator[None]:
    """Use a separate database, where transactions commit and are visible to threads; replaces `db`."""
    with django_db_blocker.unblock(), a_copy_of_the_test_database():
        yield
