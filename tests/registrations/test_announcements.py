"""Who is told of a move: the editors always, and whoever can act next."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import RoleName, User
from registry.mail.models import Message
from registry.registrations import actions, drafts
from registry.registrations.models import CoEditor
from tests.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_person,
    a_submission,
    all_done,
    an_approved_case,
)


def told(verb: str) -> set[str]:
    return set(Message.objects.filter(name=verb).values_list("to", flat=True))


def test_a_submission_is_told_to_its_editors_and_to_the_experts_and_posted_to_the_list(
    registrant: User, co_editor: User, expert: User, other_expert: User, administrator: User, liaison: User
) -> None:
    case = a_draft(by=registrant)
    CoEditor.objects.create(registration=case, user=co_editor)
    actions.submit(case, by=registrant, draft_stamp=0)
    assert told("submit") == {registrant.email, co_editor.email, expert.email, other_expert.email}
    posted = Message.objects.get(name="post_to_list")
    assert case.submissions.get().text.split("\n")[0] in posted.body


def test_an_expert_who_is_an_editor_is_told_once_and_as_an_editor(registrant: User, expert: User) -> None:
    both = a_person(email="both@example.org", roles=(RoleName.EXPERT,))
    a_case_in_review(by=both)
    assert told("submit") == {both.email, expert.email}


def test_a_new_round_goes_back_to_the_experts_who_had_the_case(
    registrant: User, expert: User, other_expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    case = actions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say who benefits.")]
    )
    case = drafts.save_draft(case, a_submission(purpose="Trees."), by=registrant, stamp=case.draft_stamp)
    case = all_done(case)
    Message.objects.all().delete()
    actions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert told("submit") == {registrant.email, expert.email}


def test_a_fast_track_case_is_told_to_the_liaison_who_recognises_the_body(
    registrant: User, expert: User, liaison: User
) -> None:
    a_case_in_review(by=registrant, body=a_body())
    assert told("submit") == {registrant.email, expert.email, liaison.email}


def test_a_withdrawal_is_told_to_those_whose_turn_it_was(
    registrant: User, expert: User, administrator: User
) -> None:
    actions.withdraw(an_approved_case(by=registrant, expert=expert), by=registrant)
    assert told("withdraw") == {registrant.email, administrator.email}


def test_a_draft_is_withdrawn_without_a_word(registrant: User, expert: User) -> None:
    actions.withdraw(a_draft(by=registrant), by=registrant)
    assert not Message.objects.exists()


def test_the_rivals_for_a_nid_are_told_who_got_it(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    first = an_approved_case(by=registrant, expert=expert)
    a_case_in_review(by=participant, purpose="Other trees.")
    a_case_in_review(by=participant, namespace_identifier="example-other")
    actions.assign(first, by=administrator)
    assert told("rival_registered") == {participant.email}


def test_who_is_told_is_asked_once_however_many_hold_a_role_and_before_the_record_is_held(
    registrant: User,
) -> None:
    def queries_of_a_submission() -> tuple[int, int]:
        case = a_draft(by=registrant)
        with CaptureQueriesContext(connection) as queries:
            actions.submit(case, by=registrant, draft_stamp=0)
        asked = [query["sql"] for query in queries]
        head = next(at for at, sql in enumerate(asked) if "record_head" in sql and "FOR UPDATE" in sql)
        return len(asked), len(asked) - head

    a_person(email="expert-0@example.org", roles=(RoleName.EXPERT,))
    few = queries_of_a_submission()
    for number in range(1, 21):
        a_person(email=f"expert-{number}@example.org", roles=(RoleName.EXPERT,))
    many = queries_of_a_submission()
    assert many == few
    assert many[1] <= 15, "what is asked while the record is held holds up every other writer"
