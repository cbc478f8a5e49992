"""Comments: by anyone signed in, on one round, kept as they were written."""

from functools import partial

import pytest
from django.db import IntegrityError
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.cases import comments
from registry.cases.models import Case, Comment, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import CommentRefused, DiscussionClosed, NothingToDiscuss
from registry.cases.workflow.functions import people
from registry.core.exceptions import NotPermitted
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from tests.cases.traces import refused
from tests.cases.transitions.rounds import next_round, saved
from tests.support.databases import at_once, refusals
from tests.support.factories import a_case_in_review, a_draft, a_namespace, a_person, put_in_state

UNFIT = ["a\x00b", "a\x1bb", "a\ud800b", "a\uffffb"]


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


@pytest.mark.parametrize("section", ["", "purpose", "resolution"])
def test_a_comment_is_kept_with_its_round_and_section(section: str, case: Case, participant: User) -> None:
    kept = comments.comment(case, by=participant, round_number=1, section=section, text=" And elms?\n")
    assert (kept.author, kept.round.number, kept.section, kept.text) == (
        participant,
        1,
        section,
        "And elms?",
    )


@pytest.mark.parametrize("number", [-1, 0, 2])
def test_an_unknown_round_cannot_be_commented_on(number: int, case: Case, participant: User) -> None:
    with refused(CommentRefused, "has no round"):
        comments.comment(case, by=participant, round_number=number, text="And elms?")


@pytest.mark.parametrize("section", ["purpose\n", "Purpose", "pürpose", "purpose" * 20])
def test_an_unknown_section_cannot_be_commented_on(section: str, case: Case, participant: User) -> None:
    with refused(CommentRefused, "not a section"):
        comments.comment(case, by=participant, round_number=1, section=section, text="And elms?")


@pytest.mark.parametrize("words", ["", " ", "\n\t", "\u00a0", "\u200b"])
def test_an_empty_comment_is_refused(words: str, case: Case, participant: User) -> None:
    with refused(TextMissing, "Enter the comment"):
        comments.comment(case, by=participant, round_number=1, text=words)


@pytest.mark.parametrize("words", UNFIT)
def test_unstorable_text_is_rejected(words: str, case: Case, participant: User) -> None:
    with refused(UnstorableCharacter):
        comments.comment(case, by=participant, round_number=1, text=words)


def test_a_comment_has_a_maximum_length(case: Case, participant: User) -> None:
    with refused(TextTooLong, "20,000"):
        comments.comment(case, by=participant, round_number=1, text="x" * 20_001)
    assert comments.comment(case, by=participant, round_number=1, text="x" * 20_000).pk


def test_a_draft_accepts_no_comments(registrant: User, participant: User) -> None:
    draft = a_draft(by=registrant)
    with refused(NotPermitted):
        comments.comment(draft, by=participant, round_number=1, text="And elms?")
    with refused(NothingToDiscuss):
        comments.comment(draft, by=registrant, round_number=1, text="And elms?")


def test_a_recused_person_can_comment(case: Case, expert: User) -> None:
    people.recuse(case, by=expert)
    assert comments.comment(case, by=expert, round_number=1, text="As a gardener: elms.").pk


def test_no_comment_is_lost_while_the_next_round_is_submitted(real_database: None) -> None:
    registrant = a_person(email="registrant@example.org")
    a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    case = a_case_in_review(by=registrant)
    for number in range(1, 4):
        case = saved(case, purpose=f"Trees, edition {number}.")
        elms, oaks = (
            partial(comments.comment, case, by=registrant, round_number=number, text=text)
            for text in ("And elms?", "And oaks?")
        )
        send = partial(functions.submit, case, by=registrant, draft_stamp=case.draft_stamp)
        assert refusals(at_once([elms, send, oaks])) == []
    assert Comment.objects.count() == 6
    assert next_round(case).rounds.count() == 5


def test_a_comment_sent_twice_at_once_is_kept_once(real_database: None) -> None:
    registrant = a_person(email="registrant@example.org")
    case = a_case_in_review(by=registrant)
    for number in range(5):
        text = f"And elms, {number}?"
        speak = partial(comments.comment, case, by=registrant, round_number=1, text=text)
        first, second = at_once([speak, speak])
        assert first == second == Comment.objects.get(text=text)


def test_equal_comments_of_other_authors_sections_or_times_are_kept(
    case: Case, participant: User, expert: User
) -> None:
    say = partial(comments.comment, case, by=participant, round_number=1, text="And elms?")
    kept = [say(), say(by=expert), say(section="purpose"), say(text="And oaks?"), say()]
    case = next_round(saved(case, purpose="Trees, another edition."))
    kept.append(say(round_number=2))
    assert len({comment.pk for comment in kept}) == Comment.objects.count() == 6
    assert say(round_number=2, text=" And elms?\n") == kept[-1]


# Threads


def test_a_reply_has_the_section_of_its_comment(case: Case, participant: User, registrant: User) -> None:
    asked = comments.comment(case, by=participant, round_number=1, section="purpose", text="And elms?")
    answer = comments.comment(
        case, by=registrant, round_number=1, section="syntax", text="Too.", reply_to=asked.pk
    )
    assert (answer.reply_to, answer.section) == (asked, "purpose")


def test_a_reply_in_a_later_round_continues_the_thread(case: Case, participant: User) -> None:
    asked = comments.comment(case, by=participant, round_number=1, text="And elms?")
    case = next_round(case)
    answer = comments.comment(
        case, by=case.registrant, round_number=2, text="Here they are.", reply_to=asked.pk
    )
    assert (answer.reply_to, answer.round.number) == (asked, 2)
    assert (asked.place, answer.place) == ("round 1, as a whole", "round 2, as a whole")


def test_a_reply_to_a_comment_of_another_case_is_refused(
    case: Case, registrant: User, participant: User
) -> None:
    other = a_case_in_review(by=registrant, namespace_identifier="example-hedges")
    elsewhere = comments.comment(other, by=participant, round_number=1, text="And elms?")
    for key in (elsewhere.pk, 0, -1, elsewhere.pk + 1):
        with refused(CommentRefused, "no such comment"):
            comments.comment(case, by=participant, round_number=1, text="Too.", reply_to=key)
    with pytest.raises(IntegrityError, match="can only reply to a comment of the same case"):
        Comment.objects.create(round=case.rounds.get(), author=participant, text="Too.", reply_to=elsewhere)


def test_a_comment_cannot_reply_to_itself_or_to_a_later_one(case: Case, participant: User) -> None:
    said = comments.comment(case, by=participant, round_number=1, text="And elms?")
    with pytest.raises(IntegrityError, match="reply_is_newer_than_comment"):
        Comment.objects.create(
            pk=said.pk - 1, round=said.round, author=participant, text="Too.", reply_to=said
        )


def test_equal_replies_to_two_comments_are_kept(case: Case, participant: User) -> None:
    asked = [comments.comment(case, by=participant, round_number=1, text=text) for text in ("One?", "Two?")]
    answers = [
        comments.comment(case, by=participant, round_number=1, text="Yes.", reply_to=each.pk)
        for each in (*asked, *asked)
    ]
    assert len({each.pk for each in answers}) == 2  # each was sent twice


# Where the process allows it


@pytest.mark.sampled(2)
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("is_appealed", [False, True])
def test_a_case_accepts_comments_while_it_is_open_or_can_be_appealed(
    state: State, is_appealed: bool, registrant: User, participant: User, expert: User, administrator: User
) -> None:
    if state == State.REGISTERED:
        case = a_namespace(by=registrant, expert=expert, administrator=administrator).cases.get()
    else:
        case = put_in_state(
            a_case_in_review(by=registrant), state, appealed_at=timezone.now() if is_appealed else None
        )
    is_closed = state in {State.REGISTERED, State.WITHDRAWN} or (state == State.DECLINED and is_appealed)
    assert bool(comments.why_closed(case)) == is_closed
    if is_closed:
        with refused(DiscussionClosed, "closed for comments"):
            comments.comment(case, by=participant, round_number=1, text="And elms?")
    else:
        assert comments.comment(case, by=participant, round_number=1, text="And elms?").pk
