"""appeal: the registrant asks the approval body to look at a declined case, once."""

import pytest

from registry.accounts.models import User
from registry.actions.declarations import ConditionNotMet
from registry.cases import comments
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import DiscussionClosed, TransitionNotAllowed
from registry.mail.models import Message
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round


def test_the_case_waits_for_the_approval_body_and_the_liaison_is_notified(
    declined: Case, registrant: User, liaison: User
) -> None:
    with one_event(
        verb="appeal",
        by=registrant,
        case=declined.pk,
        moved=("declined", "awaiting_direction"),
        reason="It is needed.",
        text=digest_of_round(declined, 1),
    ):
        case = functions.appeal(declined, by=registrant, reason="It is needed.")
    assert case.state == State.AWAITING_DIRECTION
    assert case.appealed_at is not None
    assert liaison.email in Message.objects.filter(name="appeal").values_list("to", flat=True)


def test_a_second_appeal_is_refused_while_one_is_pending(declined: Case, registrant: User) -> None:
    functions.appeal(declined, by=registrant, reason="It is needed.")
    with refused(TransitionNotAllowed):
        functions.appeal(declined, by=registrant, reason="It really is.")


def test_the_direction_after_an_appeal_is_final(declined: Case, registrant: User, liaison: User) -> None:
    functions.appeal(declined, by=registrant, reason="It is needed.")
    case = functions.direct(declined, by=liaison, is_approved=False, reference="Minutes 7")
    assert case.state == State.DECLINED
    with refused(ConditionNotMet, "already appealed"):
        functions.appeal(case, by=registrant, reason="It really is.")


def test_the_approval_body_gets_no_appeal_against_its_own_decision(
    reported: Case, registrant: User, liaison: User
) -> None:
    case = functions.direct(reported, by=liaison, is_approved=False, reference="Minutes 7")
    with refused(ConditionNotMet, "itself declined"):
        functions.appeal(case, by=registrant, reason="It is needed.")
    with pytest.raises(DiscussionClosed):
        comments.comment(case, by=registrant, round_number=1, text="It is needed.")


def test_a_case_is_appealed_once_however_it_went_on(
    declined: Case, registrant: User, liaison: User, administrator: User, expert: User
) -> None:
    functions.appeal(declined, by=registrant, reason="It is needed.")
    functions.direct(declined, by=liaison, is_approved=True, reference="Minutes 7")
    functions.return_to_registrant(declined, by=administrator, reason="The address is wrong.")
    case = next_round(declined)
    case = functions.decline(case, by=expert, round_number=2, reason="Now it names other things.")
    with refused(ConditionNotMet, "already appealed"):
        functions.appeal(case, by=registrant, reason="Again.")
