"""Who watches a case: whoever said so, and whoever has to do with it and did not stop."""

import pytest

from registry.accounts.models import User
from registry.errors import NotForYou
from registry.registrations import actions, acts, discussion, editors
from registry.registrations.models import CoEditor, Registration
from registry.registrations.watching import stop_watching, watch, watched_by, watchers_of
from tests.factories import a_case_in_review, a_draft
from tests.registrations.traces import refused


@pytest.fixture
def case(registrant: User) -> Registration:
    return a_case_in_review(by=registrant)


def watchers(case: Registration) -> set[User]:
    """Asked from both sides, which must agree."""
    found = set(watchers_of(case))
    assert found == {person for person in User.objects.all() if case in watched_by(person)}
    return found


def test_whoever_has_to_do_with_a_case_watches_it_by_themselves(
    case: Registration, registrant: User, co_editor: User, participant: User, expert: User, liaison: User
) -> None:
    assert watchers(case) == {registrant}
    editors.add_co_editor(case, by=registrant, user=co_editor)
    discussion.comment(case, by=participant, round_number=1, text="And elms?")
    actions.approve(case, by=expert, round_number=1, rationale="Sound.")
    assert watchers(case) == {registrant, co_editor, participant, expert}


def test_anyone_may_watch_and_stop_and_watch_again(case: Registration, participant: User) -> None:
    for _ in range(2):
        watch(case, by=participant)
        watch(case, by=participant)
        assert participant in watchers(case)
        stop_watching(case, by=participant)
        stop_watching(case, by=participant)
        assert participant not in watchers(case)


def test_whoever_stopped_does_not_watch_by_themselves_whatever_they_do(
    case: Registration, registrant: User, participant: User
) -> None:
    for person in (registrant, participant):
        stop_watching(case, by=person)
        discussion.comment(case, by=person, round_number=1, text="And elms?")
    assert watchers(case) == set()


def test_whoever_stepped_back_watches_only_if_they_say_so(case: Registration, expert: User) -> None:
    discussion.comment(case, by=expert, round_number=1, text="And elms?")
    acts.recuse(case, by=expert)
    assert expert not in watchers(case)
    watch(case, by=expert)
    assert expert in watchers(case)


def test_a_co_editor_who_left_watches_no_more(case: Registration, registrant: User, co_editor: User) -> None:
    CoEditor.objects.create(registration=case, user=co_editor)
    editors.remove_co_editor(case, by=registrant, user=co_editor)
    assert co_editor not in watchers(case)


def test_each_case_is_watched_by_itself(case: Registration, registrant: User, participant: User) -> None:
    other = a_case_in_review(by=registrant, namespace_identifier="example-hedges")
    watch(other, by=participant)
    stop_watching(other, by=registrant)
    assert (watchers(case), watchers(other)) == ({registrant}, {participant})


def test_an_account_that_is_not_used_any_more_gets_nothing(case: Registration, participant: User) -> None:
    watch(case, by=participant)
    User.objects.filter(pk=participant.pk).update(is_active=False)
    assert participant not in watchers_of(case)


def test_a_draft_is_watched_by_nobody(registrant: User, participant: User) -> None:
    draft = a_draft(by=registrant)
    for person in (registrant, participant):
        with refused(NotForYou):
            watch(draft, by=person)
    assert not watched_by(registrant).exists()
