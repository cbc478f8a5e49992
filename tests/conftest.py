"""The cast: a few people, each an ordinary account with the roles that the name says."""

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
    # A password is hashed slowly on purpose; a test makes a dozen people.
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
    """The test database, also when no test that runs asks for `db`: pytest-django makes none then."""
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
    """Instead of `db`: a database of the test's own, where transactions commit and threads see it."""
    with django_db_blocker.unblock(), a_copy_of_the_test_database():
        yield
