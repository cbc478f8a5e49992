"""An organisation with a member of each part, and people who are not members."""

import pytest

from registry.accounts.models import User
from registry.organisations.actions.members import accept_membership, invite_member
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import MemberRole, Membership, Organisation
from tests.support.factories import a_person


def an_organisation(*, by: User, name: str = "Example Arboretum") -> Organisation:
    return create_organisation(by=by, name=name, homepage="https://arboretum.example.org/")


def join(organisation: Organisation, person: User, part: str, *, by: User) -> Membership:
    return accept_membership(invite_member(organisation, by=by, email=person.email, part=part), by=person)


def membership_of(person: User) -> Membership:
    return Membership.objects.of(person).get()


@pytest.fixture
def representative(db: None) -> User:
    return a_person(email="representative@example.org")


@pytest.fixture
def arboretum(representative: User) -> Organisation:
    return an_organisation(by=representative)


@pytest.fixture
def second(arboretum: Organisation, representative: User) -> User:
    """A second representative."""
    person = a_person(email="second@example.org")
    join(arboretum, person, MemberRole.REPRESENTATIVE, by=representative)
    return person


@pytest.fixture
def editor(arboretum: Organisation, representative: User) -> User:
    person = a_person(email="editor@example.org")
    join(arboretum, person, MemberRole.EDITOR, by=representative)
    return person


@pytest.fixture
def contact(arboretum: Organisation, representative: User) -> User:
    person = a_person(email="contact@example.org")
    join(arboretum, person, MemberRole.CONTACT, by=representative)
    return person
