"""Cases at the experts' desk, and ways to leave time behind."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from tests.support.factories import a_case_in_review, a_person, a_template, all_done

SignIn = Callable[[User], Client]


@pytest.fixture
def leader(db: None) -> User:
    return a_person(email="leader@example.org", roles=(RoleName.LEADER,))


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


@pytest.fixture
def signed_in(db: None) -> SignIn:
    def sign_in(person: User) -> Client:
        client = Client()
        client.force_login(person)
        return client

    return sign_in


def since(case: Case, days: float) -> Case:
    """The case as if it had come to its state so many days ago."""
    Case.objects.filter(pk=case.pk).update(state_since=timezone.now() - timedelta(days=days))
    return Case.objects.get(pk=case.pk)


def resubmitted(case: Case, *, expert: User, **changes: str) -> Case:
    """The case after a request for changes and a second round."""
    points = [("purpose", "Say who uses the names.")]
    case = functions.request_changes(
        case, by=expert, round_number=1, rationale="Nearly.", action_points=points
    )
    template = a_template(
        **(changes or {"purpose": "Names trees, for gardens on the Internet and anyone else."})
    )
    case = drafts.save_draft(case, template, by=case.registrant, stamp=case.draft_stamp)
    case = all_done(case)
    return functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)
