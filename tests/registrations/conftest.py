"""People whose accounts are committed, for tests in which threads and processes see them."""

import pytest

from registry.accounts.models import RoleName, User
from tests.factories import a_person


@pytest.fixture
def people(real_database: None) -> tuple[User, User, User]:
    """A registrant, an expert and an administrator."""
    return (
        a_person(email="registrant@example.org"),
        a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
        a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
    )
