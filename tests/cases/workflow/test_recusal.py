"""Recusal: a recused person can't act in the case, in any present or future role."""

import pytest
from django.db import IntegrityError

from registry.accounts.models import RoleName, User
from registry.accounts.roles import grant_role
from registry.cases.models import Case, Recusal, State
from registry.cases.workflow import functions
from registry.cases.workflow.available import transitions_allowed_for
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.cases.workflow.functions import people
from registry.core.exceptions import NotPermitted
from registry.core.validators import UnstorableCharacter
from registry.mail.models import Message
from tests.cases.traces import one_event, refused
from tests.support.databases import in_sql
from tests.support.factories import a_case_in_review, a_draft


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def test_a_recusal_is_kept_and_recorded(case: Case, expert: User) -> None:
    with one_event(
        verb="recuse", by=expert, case=case.pk, moved=("", ""), reason="A friend's case.", text=""
    ):
        assert people.recuse(case, by=expert, reason=" A friend's case. ") == case
    recusal = case.recusals.get()
    assert (recusal.user, recusal.case, recusal.reason) == (expert, case, "A friend's case.")


def test_a_role_granted_later_changes_nothing(case: Case, expert: User, administrator: User) -> None:
    people.recuse(case, by=expert)
    for role in RoleName:
        grant_role(expert, role, by=administrator, reason="Elected.")
    assert transitions_allowed_for(expert, case) == []


def test_a_recusal_is_from_one_case_alone(case: Case, registrant: User, expert: User) -> None:
    other = a_case_in_review(by=registrant, namespace_identifier="example-other")
    people.recuse(case, by=expert)
    assert functions.approve(other, by=expert, round_number=1, rationale="Sound.").state == State.APPROVED


def test_what_was_decided_before_the_recusal_stays_decided(
    case: Case, expert: User, administrator: User
) -> None:
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    people.recuse(case, by=expert, reason="I learned who pays for it.")
    assert Case.objects.get(pk=case.pk).state == State.APPROVED
    assert case.rounds.get().reviews.get().expert == expert
    returned = functions.return_to_registrant(case, by=administrator, reason="Look at it again.")
    assert returned.state == State.CHANGES_REQUESTED


def test_a_recused_person_gets_no_mail(case: Case, expert: User, other_expert: User) -> None:
    people.recuse(case, by=expert)
    Message.objects.all().delete()
    functions.withdraw(case, by=case.registrant)
    told = set(Message.objects.values_list("to", flat=True))
    assert other_expert.email in told
    assert expert.email not in told


def test_recusal_from_an_invisible_draft_is_refused(registrant: User, expert: User) -> None:
    draft = a_draft(by=registrant)
    with refused(NotPermitted):
        people.recuse(draft, by=expert)


def test_recusal_from_a_closed_case_is_refused(case: Case, expert: User) -> None:
    functions.withdraw(case, by=case.registrant)
    with refused(TransitionNotAllowed):
        people.recuse(case, by=expert)


def test_an_unstorable_reason_is_rejected(case: Case, expert: User) -> None:
    with refused(UnstorableCharacter):
        people.recuse(case, by=expert, reason="A friend's\x00")


@pytest.mark.parametrize("statement", ["DELETE FROM", "TRUNCATE", "UPDATE"])
def test_a_recusal_is_permanent(statement: str, case: Case, expert: User) -> None:
    people.recuse(case, by=expert)
    table = Recusal._meta.db_table
    rest = " SET reason = ''" if statement == "UPDATE" else ""
    with pytest.raises(IntegrityError, match="refused: rows of"):
        in_sql(f"{statement} {table}{rest}")
    assert Recusal.objects.count() == 1
