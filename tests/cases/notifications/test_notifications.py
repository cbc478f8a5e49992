"""Who is notified of changes in a case: the registrant, the people who can act next, and the subscribers."""

from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.audit_log.personal_data import identities_of
from registry.cases import comments
from registry.cases.audiences import subscribe, unsubscribe
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.core.validators import TextMissing
from registry.mail.models import Message
from tests.cases.transitions.rounds import next_round, saved
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_person,
    a_template,
    add_co_editor,
    all_done,
    an_approved_case,
)
from tests.support.mails import recipients_of


def test_a_submission_notifies_editors_experts_and_the_list(
    registrant: User, co_editor: User, expert: User, other_expert: User, administrator: User, liaison: User
) -> None:
    case = a_draft(by=registrant)
    CoEditor.objects.create(case=case, user=co_editor)
    functions.submit(case, by=registrant, draft_stamp=0)
    assert recipients_of("submit") == {registrant.email, co_editor.email, expert.email, other_expert.email}
    posted = Message.objects.get(name="post_to_list")
    assert case.rounds.get().text.split("\n")[0] in posted.body


def test_an_expert_who_is_an_editor_gets_one_mail(registrant: User, expert: User) -> None:
    both = a_person(email="both@example.org", roles=(RoleName.EXPERT,))
    a_case_in_review(by=both)
    assert recipients_of("submit") == {both.email, expert.email}


def test_a_new_round_goes_back_to_the_experts_who_had_the_case(
    registrant: User, expert: User, other_expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    case = functions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say who benefits.")]
    )
    case = drafts.save_draft(case, a_template(purpose="Trees."), by=registrant, stamp=case.draft_stamp)
    case = all_done(case)
    Message.objects.all().delete()
    functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert recipients_of("submit") == {registrant.email, expert.email}


def test_a_fast_track_case_notifies_the_liaison(registrant: User, expert: User, liaison: User) -> None:
    a_case_in_review(by=registrant, body=a_body())
    assert recipients_of("submit") == {registrant.email, expert.email, liaison.email}


def test_a_withdrawal_notifies_those_who_were_to_act(
    registrant: User, expert: User, other_expert: User, administrator: User
) -> None:
    functions.withdraw(an_approved_case(by=registrant, expert=expert), by=registrant)
    assert recipients_of("withdraw") == {registrant.email, expert.email, administrator.email}


def test_withdrawing_a_draft_sends_no_mail(registrant: User, expert: User) -> None:
    functions.withdraw(a_draft(by=registrant), by=registrant)
    assert not Message.objects.exists()


def test_editors_of_competing_cases_are_notified_when_a_namespace_is_registered(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    first = an_approved_case(by=registrant, expert=expert)
    a_case_in_review(by=participant, purpose="Other trees.")
    a_case_in_review(by=participant, namespace_identifier="example-other")
    functions.assign(first, by=administrator)
    assert recipients_of("competing_case_registered") == {participant.email}


# What is asked while the record is held holds up every other writer.


MANY = 7


def cost(act: Callable[[], object]) -> tuple[int, int]:
    """How many queries an act takes, and how many of them while the record's head is locked."""
    with CaptureQueriesContext(connection) as queries:
        act()
    asked = [query["sql"] for query in queries]
    head = next(
        (at for at, sql in enumerate(asked) if "audit_log_chainhead" in sql and "FOR UPDATE" in sql), None
    )
    return len(asked), 0 if head is None else len(asked) - head


def with_many(case: Case) -> None:
    """Experts, watchers, co-editors and rivals of a case, as many of each."""
    for number in range(MANY):
        a_person(email=f"expert-{number}@example.org", roles=(RoleName.EXPERT,))
        person = a_person(email=f"person-{number}@example.org")
        subscribe(case, by=person)
        CoEditor.objects.create(case=case, user=a_person(email=f"editor-{number}@example.org"))
        competing_case = a_case_in_review(by=person)
        CoEditor.objects.create(case=competing_case, user=case.registrant)


def a_role_holder(*roles: RoleName) -> User:
    return a_person(email=f"{timezone.now().timestamp()}@example.org", roles=roles)


def submitted(case: Case) -> Callable[[], object]:
    case = saved(case, namespace_identifier="example-hedges", syntax=f"Opaque, {case.draft_stamp} digits.")
    back = saved(case, syntax=f"Opaque, {case.draft_stamp} letters; no components.")
    return partial(functions.submit, back, by=back.registrant, draft_stamp=back.draft_stamp)


ACTIONS_AND_THEIR_COST: list[tuple[str, Callable[[Case, User], Callable[[], object]]]] = [
    ("submit", lambda case, expert: submitted(case)),
    (
        "comment",
        lambda case, expert: partial(
            comments.comment, case, by=expert, round_number=1, text=f"And elms? {timezone.now()}"
        ),
    ),
    (
        "anticipate_standards_action",
        lambda case, expert: partial(
            people.anticipate_standards_action, case, by=expert, anticipated=True, reason="It is a draft."
        ),
    ),
    (
        "recuse",
        lambda case, expert: partial(people.recuse, case, by=a_role_holder(RoleName.EXPERT)),
    ),
    (
        "invite_co_editor",
        lambda case, expert: partial(
            people.invite_co_editor,
            case,
            by=User.objects.get(pk=case.registrant_id),
            email=a_role_holder().email,
        ),
    ),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "prepared"), ACTIONS_AND_THEIR_COST, ids=[name for name, _ in ACTIONS_AND_THEIR_COST]
)
@pytest.mark.sampled(6)
def test_recipients_are_queried_once_and_before_the_audit_log_is_locked(
    name: str,
    prepared: Callable[[Case, User], Callable[[], object]],
    registrant: User,
    expert: User,
    participant: User,
) -> None:
    case = a_case_in_review(by=registrant)
    for competing_case in (a_case_in_review(by=participant), case):
        CoEditor.objects.create(
            case=competing_case, user=a_person(email=f"editor-of-{competing_case.pk}@example.org")
        )
    with transaction.atomic():
        for each in (registrant, expert, participant):
            identities_of(actor=each.pk)  # the first event with a name writes it
    few = cost(prepared(case, expert))
    with_many(case)
    many = cost(prepared(case, expert))
    assert many == few
    assert many[1] <= 15
    mails = Message.objects.filter(name=name).count()
    # An invitation is mailed to the invited address alone.
    assert mails == 2 if name == "invite_co_editor" else mails > MANY


# Those who watch


def test_a_comment_notifies_subscribers_except_its_author(
    registrant: User, co_editor: User, participant: User, expert: User, other_expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    CoEditor.objects.create(case=case, user=co_editor)
    comments.comment(case, by=participant, round_number=1, text="And elms?")
    assert recipients_of("comment") == {registrant.email, co_editor.email}
    comments.comment(case, by=expert, round_number=1, text="Elms too.")
    assert recipients_of("comment") == {registrant.email, co_editor.email, participant.email}


def test_a_rejected_comment_sends_no_mail(registrant: User, participant: User) -> None:
    case = a_case_in_review(by=registrant)
    with pytest.raises(TextMissing):
        comments.comment(case, by=participant, round_number=1, text=" ")
    assert recipients_of("comment") == set()


def test_a_transition_notifies_subscribers(
    registrant: User, participant: User, expert: User, other_expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    subscribe(case, by=participant)
    functions.withdraw(case, by=registrant)
    assert recipients_of("withdraw") == {
        registrant.email,
        participant.email,
        expert.email,
        other_expert.email,
    }


def test_an_unsubscribed_person_is_notified_only_when_they_were_to_act(
    registrant: User, co_editor: User, participant: User, expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    CoEditor.objects.create(case=case, user=co_editor)
    for person in (registrant, co_editor, expert):
        unsubscribe(case, by=person)
    comments.comment(case, by=participant, round_number=1, text="And elms?")
    assert recipients_of("comment") == set()
    functions.withdraw(case, by=registrant)
    assert recipients_of("withdraw") == {registrant.email, participant.email, expert.email}


# What people do in a case without moving it


def test_a_new_co_editor_of_a_draft_is_mailed_to_the_other_editors(
    registrant: User, co_editor: User, participant: User, expert: User
) -> None:
    draft = a_draft(by=registrant)
    add_co_editor(draft, by=registrant, user=participant)
    add_co_editor(draft, by=registrant, user=co_editor)
    assert recipients_of("invite_co_editor") == {participant.email, co_editor.email}
    assert recipients_of("accept_invitation") == {registrant.email, participant.email}
    people.remove_co_editor(draft, by=participant, email=participant.email)
    assert recipients_of("remove_co_editor") == {registrant.email, co_editor.email}
    assert not any("unsubscribe/" in body for body in Message.objects.values_list("body", flat=True))


def test_a_new_co_editor_of_a_public_case_is_mailed_to_subscribers(
    registrant: User, co_editor: User, participant: User, expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    subscribe(case, by=participant)
    add_co_editor(case, by=registrant, user=co_editor)
    assert recipients_of("invite_co_editor") == {co_editor.email}
    assert recipients_of("accept_invitation") == {registrant.email, participant.email}
    people.remove_co_editor(case, by=registrant, email=co_editor.email)
    assert recipients_of("remove_co_editor") == {registrant.email, co_editor.email, participant.email}


def test_a_standards_action_notifies_registrant_and_experts(
    registrant: User, participant: User, expert: User, other_expert: User, liaison: User
) -> None:
    case = a_case_in_review(by=registrant)
    people.anticipate_standards_action(case, by=expert, anticipated=True, reason="It is a draft.")
    assert recipients_of("anticipate_standards_action") == {
        registrant.email,
        expert.email,
        other_expert.email,
    }


def test_a_recusal_notifies_registrant_and_remaining_experts(
    registrant: User, expert: User, other_expert: User, administrator: User
) -> None:
    people.recuse(a_case_in_review(by=registrant), by=expert)
    assert recipients_of("recuse") == {registrant.email, other_expert.email}


# Rivals


def test_a_competing_submission_notifies_the_earlier_registrant_once(
    registrant: User, participant: User, co_editor: User, expert: User
) -> None:
    first = a_case_in_review(by=registrant)
    CoEditor.objects.create(case=first, user=co_editor)
    assert recipients_of("competing_case_submitted") == set()
    second = a_case_in_review(by=participant, purpose="Other trees.")
    assert recipients_of("competing_case_submitted") == {registrant.email, co_editor.email}
    Message.objects.all().delete()
    next_round(second)
    a_case_in_review(by=participant, namespace_identifier="example-other")
    assert recipients_of("competing_case_submitted") == set()


def test_a_round_with_another_nid_can_become_a_competing_case(
    registrant: User, participant: User, expert: User
) -> None:
    a_case_in_review(by=registrant)
    other = a_case_in_review(by=participant, namespace_identifier="example-hedges")
    next_round(other, syntax="Opaque, without r-, q- and f-components.")
    assert recipients_of("competing_case_submitted") == {registrant.email}


def test_own_cases_are_not_reported_as_competing(registrant: User, expert: User) -> None:
    a_case_in_review(by=registrant)
    a_case_in_review(by=registrant)
    assert recipients_of("competing_case_submitted") == set()
