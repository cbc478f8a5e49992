"""withdraw: the registrant takes the request back; what was submitted stays readable."""

import pytest

from registry.accounts.models import User
from registry.mail.models import Message
from registry.registrations import actions, discussion
from registry.registrations.drafts import DraftClosed
from registry.registrations.models import Registration, State
from registry.registrations.workflow import MoveNotOpen
from registry.words import TooManyWords, UnkeepableCharacter
from tests.factories import a_case_in_review
from tests.registrations.moves.rounds import saved
from tests.registrations.traces import NO_WORDS, UNKEEPABLE, digest_of_round, one_event, refused


@pytest.mark.parametrize("place", ["in_review", "approved", "reported", "recognised"])
def test_an_open_case_ends_withdrawn(place: str, request: pytest.FixtureRequest, registrant: User) -> None:
    case: Registration = request.getfixturevalue(place)
    with one_event(
        verb="withdraw",
        by=registrant,
        case=case.pk,
        moved=(case.state, "withdrawn"),
        reason="Changed my mind.",
        text=digest_of_round(case, 1),
    ):
        withdrawn = actions.withdraw(case, by=registrant, reason=" Changed my mind.\n")
    assert withdrawn.state == State.WITHDRAWN


def test_a_draft_ends_unseen(draft: Registration, registrant: User) -> None:
    with one_event(verb="withdraw", by=registrant, case=draft.pk, moved=("draft", "withdrawn"), text=""):
        actions.withdraw(draft, by=registrant)
    assert not Message.objects.exists()
    assert not Registration.objects.public().filter(pk=draft.pk).exists()


@pytest.mark.parametrize("words", NO_WORDS[:6])
def test_it_need_not_say_why(words: str, in_review: Registration, registrant: User) -> None:
    assert actions.withdraw(in_review, by=registrant, reason=words).state == State.WITHDRAWN


@pytest.mark.parametrize("words", UNKEEPABLE)
def test_what_can_not_be_kept_is_refused(words: str, in_review: Registration, registrant: User) -> None:
    with refused(UnkeepableCharacter, "U+"):
        actions.withdraw(in_review, by=registrant, reason=words)


def test_too_many_words_are_refused(in_review: Registration, registrant: User) -> None:
    with refused(TooManyWords):
        actions.withdraw(in_review, by=registrant, reason="x" * 50_001)


def test_what_was_submitted_and_said_stays_and_nothing_is_added(
    in_review: Registration, registrant: User, participant: User
) -> None:
    said = discussion.comment(in_review, by=participant, round_number=1, text="A pity.")
    case = actions.withdraw(in_review, by=registrant)
    submission = case.submissions.get()
    assert submission.submission.purpose
    assert submission.comments.get() == said
    with refused(discussion.DiscussionClosed):
        discussion.comment(case, by=participant, round_number=1, text="A great pity.")
    with refused(DraftClosed):
        saved(case, purpose="Something else.")


def test_a_case_is_withdrawn_once_and_the_nid_is_free_again(
    in_review: Registration, registrant: User, participant: User
) -> None:
    actions.withdraw(in_review, by=registrant)
    with refused(MoveNotOpen):
        actions.withdraw(in_review, by=registrant)
    assert a_case_in_review(by=participant).requested_nid == "example-trees"
