"""Claims of an imported namespace, and of one whose registrant may have vanished."""

import pytest

from registry.accounts.models import RoleName, User
from registry.custody.actions.claims import announce_claim, claim_namespace
from registry.custody.models import NamespaceClaim
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from tests.support.factories import a_person, a_template, an_imported_namespace


@pytest.fixture
def claimant(db: None) -> User:
    return a_person(email="claimant@example.org")


@pytest.fixture
def other_administrator(db: None) -> User:
    return a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))


@pytest.fixture
def isbn(db: None) -> Namespace:
    return an_imported_namespace("isbn")


@pytest.fixture
def trees(registrant: User) -> Namespace:
    return register_formal(a_template(), registrant=registrant).namespace


def a_claim(namespace: Namespace, *, by: User, statement: str = "I work there.") -> NamespaceClaim:
    return claim_namespace(namespace, by=by, ground="domain", statement=statement)


@pytest.fixture
def claim(isbn: Namespace, claimant: User) -> NamespaceClaim:
    """Of a namespace without a registrant."""
    return a_claim(isbn, by=claimant)


@pytest.fixture
def announced(trees: Namespace, claimant: User, administrator: User) -> NamespaceClaim:
    """Of a namespace with a registrant."""
    return announce_claim(a_claim(trees, by=claimant), by=administrator, reason="Mails bounce.")
