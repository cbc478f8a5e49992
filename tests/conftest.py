"""The cast: a few people, each an ordinary account with the roles that the name says."""

import pytest

from registry.accounts.models import RoleName, User
from tests.factories import a_person


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
