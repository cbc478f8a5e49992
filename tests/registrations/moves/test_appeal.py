"""appeal: the registrant asks the approval body to look at a declined case, once."""

from registry.accounts.models import User
from registry.mail.models import Message
from registry.registrations import actions
from registry.registrations.models import Registration, State
from registry.registrations.workflow import ConditionNotMet, MoveNotOpen
from tests.registrations.moves.rounds import next_round
from tests.registrations.traces import digest_of_round, one_event, refused


def test_the_case_waits_for_the_approval_body_who_is_told(
    declined: Registration, registrant: User, liaison: User
) -> None:
    with one_event(
        verb="appeal",
        by=registrant,
        case=declined.pk,
        moved=("declined", "awaiting_direction"),
        reason="It is needed.",
        text=digest_of_round(declined, 1),
    ):
        case = actions.appeal(declined, by=registrant, reason="It is needed.")
    assert case.state == State.AWAITING_DIRECTION
    assert case.appealed_at is not None
    assert liaison.email in Message.objects.filter(name="appeal").values_list("to", flat=True)


def test_a_waiting_appeal_takes_no_other(declined: Registration, registrant: User) -> None:
    actions.appeal(declined, by=registrant, reason="It is needed.")
    with refused(MoveNotOpen):
        actions.appeal(declined, by=registrant, reason="It really is.")


def test_the_direction_after_an_appeal_is_final(
    declined: Registration, registrant: User, liaison: User
) -> None:
    actions.appeal(declined, by=registrant, reason="It is needed.")
    case = actions.direct(declined, by=liaison, is_approved=False, reference="Minutes 7")
    assert case.state == State.DECLINED
    with refused(ConditionNotMet, "appealed once"):
        actions.appeal(case, by=registrant, reason="It really is.")


def test_a_case_is_appealed_once_however_it_went_on(
    declined: Registration, registrant: User, liaison: User, administrator: User, expert: User
) -> None:
    actions.appeal(declined, by=registrant, reason="It is needed.")
    actions.direct(declined, by=liaison, is_approved=True, reference="Minutes 7")
    actions.return_to_registrant(declined, by=administrator, reason="The address is wrong.")
    case = next_round(declined)
    case = actions.decline(case, by=expert, round_number=2, reason="Now it names other things.")
    with refused(ConditionNotMet, "appealed once"):
        actions.appeal(case, by=registrant, reason="Again.")
