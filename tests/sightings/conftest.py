"""A sighting that a participant reported."""

from typing import Any

import pytest

from registry.accounts.models import RoleName, User
from registry.sightings.actions import report_sighting
from registry.sightings.models import Sighting
from tests.support.factories import a_person

SEEN = {
    "nid": "weeds",
    "used_by": "Weed catalogue",
    "example": "urn:weeds:5",
    "source": "https://example.org/weeds",
}


@pytest.fixture
def reporter(db: None) -> User:
    return a_person(email="reporter@example.org")


@pytest.fixture
def other_administrator(db: None) -> User:
    return a_person(email="other@example.org", roles=(RoleName.ADMINISTRATOR,))


def a_sighting(*, by: User, **changes: Any) -> Sighting:
    return report_sighting(by=by, **SEEN | changes)


@pytest.fixture
def sighting(reporter: User) -> Sighting:
    return a_sighting(by=reporter)
