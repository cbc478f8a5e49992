"""A draft and who writes it; and people whose accounts are committed, for threads and processes to see them."""

import pytest
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.registrations.models import Registration
from tests.browsing import signed_in
from tests.factories import a_draft, a_person


@pytest.fixture
def draft(registrant: User) -> Registration:
    return a_draft(by=registrant)


@pytest.fixture
def writer(registrant: User) -> Client:
    return signed_in(registrant)


def reread(case: Registration) -> Registration:
    return Registration.objects.get(pk=case.pk)


@pytest.fixture
def people(real_database: None) -> tuple[User, User, User]:
    """A registrant, an expert and an administrator."""
    return (
        a_person(email="registrant@example.org"),
        a_person(email="expert@example.org", roles=(RoleName.EXPERT,)),
        a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
    )
