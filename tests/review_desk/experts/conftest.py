"""A case with a finding."""

import pytest

from registry.accounts.models import User
from registry.cases.models import Case
from tests.support.factories import a_case_in_review


@pytest.fixture
def advised(registrant: User) -> Case:
    """A case with a finding that is advice: its identifier looks like that of another case."""
    a_case_in_review(by=registrant, namespace_identifier="example-tree")
    return a_case_in_review(by=registrant)
