"""A namespace that was registered here, and one that was imported."""

import pytest

from registry.accounts.models import User
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from tests.support.factories import a_template, an_imported_namespace


@pytest.fixture
def trees(registrant: User) -> Namespace:
    return register_formal(a_template(), registrant=registrant).namespace


@pytest.fixture
def plants(db: None) -> Namespace:
    return an_imported_namespace("plants")
