"""withdraw: the registrant takes the request back; what was submitted stays readable."""

import pytest

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.models import Case, CoEditor, Invitation, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import DiscussionClosed, TransitionNotAllowed
from registry.core.exceptions import NotPermitted
from registry.core.validators import TextTooLong, UnstorableCharacter
from registry.mail.models import Message
from tests.cases.traces import NO_WORDS, UNSTORABLE, digest_of_round, one_event, refused
from tests.cases.transitions.rounds import saved
from tests.support.factories import a_case_in_review


@pytest.mark.parametrize("place", ["in_review", "approved", "reported", "recognised"])
def test_an_open_case_ends_withdrawn(place: str, request: pytest.FixtureRequest, registrant: User) -> None:
    case: Case = request.getfixturevalue(place)
    with one_event(
        verb="withdraw",
        by=registrant,
        case=case.pk,
        moved=(case.state, "withdrawn"),
        reason="Changed my mind.",
        text=digest_of_round(case, 1),
    ):
        withdrawn = functions.withdraw(case, by=registrant, reason=" Changed my mind.\n")
    assert withdrawn.state == State.WITHDRAWN


def test_a_withdrawn_draft_stays_private(draft: Case, registrant: User) -> None:
    with one_event(verb="withdraw", by=registrant, case=draft.pk, moved=("draft", "withdrawn"), text=""):
        functions.withdraw(draft, by=registrant)
    assert not Message.objects.exists()
    assert not Case.objects.public().filter(pk=draft.pk).exists()


@pytest.mark.parametrize("words", NO_WORDS[:6])
def test_the_reason_is_optional(words: str, in_review: Case, registrant: User) -> None:
    assert functions.withdraw(in_review, by=registrant, reason=words).state == State.WITHDRAWN


@pytest.mark.parametrize("words", UNSTORABLE)
def test_unstorable_text_is_rejected(words: str, in_review: Case, registrant: User) -> None:
    with refused(UnstorableCharacter, "U+"):
        functions.withdraw(in_review, by=registrant, reason=words)


def test_too_long_text_is_rejected(in_review: Case, registrant: User) -> None:
    with refused(TextTooLong):
        functions.withdraw(in_review, by=registrant, reason="x" * 50_001)


def test_rounds_and_comments_stay_and_none_can_be_added(
    in_review: Case, registrant: User, participant: User
) -> None:
    said = comments.comment(in_review, by=participant, round_number=1, text="A pity.")
    case = functions.withdraw(in_review, by=registrant)
    round_ = case.rounds.get()
    assert round_.template.purpose
    assert round_.comments.get() == said
    with refused(DiscussionClosed):
        comments.comment(case, by=participant, round_number=1, text="A great pity.")
    with refused(DraftClosed):
        saved(case, purpose="Something else.")


def test_a_case_is_withdrawn_once_and_the_nid_is_free_again(
    in_review: Case, registrant: User, participant: User
) -> None:
    functions.withdraw(in_review, by=registrant)
    with refused(TransitionNotAllowed):
        functions.withdraw(in_review, by=registrant)
    assert a_case_in_review(by=participant).requested_nid == "example-trees"


def test_a_deleted_draft_loses_its_text_and_its_invitations(draft: Case, registrant: User) -> None:
    Invitation.objects.create(case=draft, invited_by=registrant, email="friend@example.org")
    with one_event(verb="withdraw", by=registrant, case=draft.pk, moved=("draft", "withdrawn"), text=""):
        functions.delete_draft(draft, by=registrant)
    deleted = Case.objects.get(pk=draft.pk)
    assert (deleted.state, deleted.draft, deleted.requested_nid) == (State.WITHDRAWN, {}, "")
    assert not Invitation.objects.exists()


def test_a_withdrawn_draft_can_still_be_deleted(draft: Case, registrant: User) -> None:
    functions.withdraw(draft, by=registrant)
    functions.delete_draft(draft, by=registrant)
    assert Case.objects.get(pk=draft.pk).draft == {}


def test_only_the_registrant_deletes_and_only_what_was_never_submitted(
    draft: Case, in_review: Case, registrant: User, co_editor: User
) -> None:
    with refused(DraftClosed, "was submitted, so its text is public"):
        functions.delete_draft(in_review, by=registrant)
    CoEditor.objects.create(case=draft, user=co_editor)
    with pytest.raises(NotPermitted):
        functions.delete_draft(draft, by=co_editor)
    assert Case.objects.get(pk=draft.pk).draft
