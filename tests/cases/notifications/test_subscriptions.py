"""Who is subscribed to a case: people who subscribed, and people who take part and did not unsubscribe."""

import pytest

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.audiences import subscribe, subscribed_by, subscribers_of, unsubscribe
from registry.cases.models import Case, CoEditor
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.core.exceptions import NotPermitted
from tests.cases.traces import refused
from tests.support.factories import a_case_in_review, a_draft, add_co_editor


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def subscribers(case: Case) -> set[User]:
    """Asked from both sides, which must agree."""
    found = set(subscribers_of(case))
    assert found == {person for person in User.objects.all() if case in subscribed_by(person)}
    return found


def test_participants_of_a_case_are_subscribed_automatically(
    case: Case, registrant: User, co_editor: User, participant: User, expert: User, liaison: User
) -> None:
    assert subscribers(case) == {registrant}
    add_co_editor(case, by=registrant, user=co_editor)
    comments.comment(case, by=participant, round_number=1, text="And elms?")
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    assert subscribers(case) == {registrant, co_editor, participant, expert}


def test_anyone_can_subscribe_unsubscribe_and_subscribe_again(case: Case, participant: User) -> None:
    for _ in range(2):
        subscribe(case, by=participant)
        subscribe(case, by=participant)
        assert participant in subscribers(case)
        unsubscribe(case, by=participant)
        unsubscribe(case, by=participant)
        assert participant not in subscribers(case)


def test_an_unsubscribed_person_is_not_subscribed_automatically(
    case: Case, registrant: User, participant: User
) -> None:
    for person in (registrant, participant):
        unsubscribe(case, by=person)
        comments.comment(case, by=person, round_number=1, text="And elms?")
    assert subscribers(case) == set()


def test_a_recused_person_is_subscribed_only_explicitly(case: Case, expert: User) -> None:
    comments.comment(case, by=expert, round_number=1, text="And elms?")
    people.recuse(case, by=expert)
    assert expert not in subscribers(case)
    subscribe(case, by=expert)
    assert expert in subscribers(case)


def test_a_former_co_editor_is_not_subscribed(case: Case, registrant: User, co_editor: User) -> None:
    CoEditor.objects.create(case=case, user=co_editor)
    people.remove_co_editor(case, by=registrant, email=co_editor.email)
    assert co_editor not in subscribers(case)


def test_subscriptions_are_per_case(case: Case, registrant: User, participant: User) -> None:
    other = a_case_in_review(by=registrant, namespace_identifier="example-hedges")
    subscribe(other, by=participant)
    unsubscribe(other, by=registrant)
    assert (subscribers(case), subscribers(other)) == ({registrant}, {participant})


def test_an_inactive_account_gets_no_mail(case: Case, participant: User) -> None:
    subscribe(case, by=participant)
    User.objects.filter(pk=participant.pk).update(is_active=False)
    assert participant not in subscribers_of(case)


def test_a_draft_has_no_subscribers(registrant: User, participant: User) -> None:
    draft = a_draft(by=registrant)
    for person in (registrant, participant):
        with refused(NotPermitted):
            subscribe(draft, by=person)
    assert not subscribed_by(registrant).exists()
