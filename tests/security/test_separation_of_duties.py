"""Separation of duties: two decisions that check each other are made by two people, and roles are granted by others."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from registry.accounts.models import Body, RoleName, User
from registry.accounts.roles import OwnRole, grant_role, withdraw_role
from registry.cases import bodies
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import SecondExpertNeeded
from registry.cases.workflow.functions import people
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from tests.cases.traces import refused
from tests.support.browser import page, signed_in
from tests.support.factories import a_body, a_case_in_review, a_person, put_in_state

pytestmark = pytest.mark.django_db
NOTICE = "The separation of duties is switched off"


@pytest.fixture
def everyone(db: None) -> User:
    """A person with every role."""
    return a_person(email="everyone@example.org", roles=tuple(RoleName))


# Roles


def test_no_one_grants_a_role_to_themselves(administrator: User) -> None:
    with refused(OwnRole):
        grant_role(administrator, RoleName.EXPERT, by=administrator, reason="I am needed.")
    sent = {"user": administrator.email, "role": "expert", "reason": "I am needed."}
    answer = signed_in(administrator).post("/people/grant-role/", sent)
    assert answer.status_code == 409
    assert "Ask another administrator." in answer.text
    assert "I am needed." in answer.text
    assert not administrator.granted_roles.filter(name=RoleName.EXPERT).exists()


def mailed(name: str) -> dict[str, str]:
    return dict(Message.objects.filter(name=name).values_list("to", "body"))


def test_every_grant_and_withdrawal_is_mailed_to_all_administrators(
    administrator: User, participant: User
) -> None:
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    a_person(email="gone@example.org", roles=(RoleName.ADMINISTRATOR,), is_active=False)
    grant_role(participant, RoleName.EXPERT, by=administrator, reason="Elected in May.")
    sent = mailed("grant_role")
    assert set(sent) == {administrator.email, other.email, participant.email}
    read = " ".join(sent[other.email].split())
    assert (
        "“Administrator” granted “Participant” (participant@example.org) the role “designated expert”."
        in read
    )
    assert "Elected in May." in read
    withdraw_role(participant, RoleName.EXPERT, by=administrator, reason="Term ended.")
    assert set(mailed("withdraw_role")) == set(sent)
    assert "Term ended." in mailed("withdraw_role")[other.email]
    assert all(Message.objects.values_list("event_number", flat=True))


def test_a_withdrawn_administrator_is_mailed_too(administrator: User) -> None:
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    withdraw_role(other, RoleName.ADMINISTRATOR, by=administrator, reason="Left.")
    assert set(mailed("withdraw_role")) == {administrator.email, other.email}


def test_a_role_granted_by_the_command_is_mailed(participant: User, administrator: User) -> None:
    call_command("grant_role", participant.email, "administrator")
    sent = mailed("grant_role")
    assert set(sent) == {participant.email, administrator.email}
    assert "A command on the server granted" in sent[administrator.email]


def test_a_change_without_effect_is_not_mailed(administrator: User, expert: User) -> None:
    grant_role(expert, RoleName.EXPERT, by=administrator, reason="Again.")
    withdraw_role(expert, RoleName.LIAISON, by=administrator, reason="Never held.")
    assert not Message.objects.exists()


# Cases


def approve(case: Case, by: User) -> Case:
    return functions.approve(case, by=by, round_number=1, rationale="Sound.")


def approve_as_first_of_two(case: Case, by: User) -> Case:
    second = a_person(email="second@example.org", roles=(RoleName.EXPERT,))
    case = people.require_two_experts(case, by=second, required=True, reason="It is large.")
    return approve(approve(case, by), second)


def direct_approval(case: Case, by: User) -> Case:
    waiting = put_in_state(case, State.AWAITING_DIRECTION)
    return functions.direct(waiting, by=by, is_approved=True, reference="Minutes 7")


def recognise(case: Case, by: User) -> Case:
    asking = put_in_state(case, State.IN_REVIEW, body=a_body(), procedure="fast_track")
    case = functions.recognise(asking, by=by, reference="Minutes 7")
    return functions.request_completion(case, by=case.registrant)


@pytest.mark.parametrize("decide", [approve, approve_as_first_of_two, direct_approval, recognise])
def test_a_person_who_approved_a_case_does_not_register_it(
    decide: Callable[[Case, User], Case], registrant: User, everyone: User, administrator: User
) -> None:
    case = decide(a_case_in_review(by=registrant), everyone)
    assert case.state == State.APPROVED
    with refused(NotPermitted):
        functions.assign(case, by=everyone)
    assert not Case.objects.waiting_for(RoleName.ADMINISTRATOR, everyone).filter(pk=case.pk).exists()
    assert signed_in(everyone).get(page("transition", case.pk, "assign")).status_code == 404
    assert functions.assign(case, by=administrator).state == State.REGISTERED


def recognise_outside(body: Body, representative: User, by: User) -> None:
    recognition = {"reference": "Minutes 7", "representative": representative}
    bodies.recognise_body(body, by=by, **recognition)


def recognise_in_an_earlier_case(body: Body, representative: User, by: User) -> None:
    earlier = a_case_in_review(by=representative, body=body, namespace_identifier="example-oaks", syntax="O.")
    functions.recognise(earlier, by=by, reference="Minutes 7", for_later_cases=True)


@pytest.mark.parametrize("decide", [recognise_outside, recognise_in_an_earlier_case])
def test_a_person_who_recognised_a_body_registers_none_of_its_fast_track_cases(
    decide: Callable[[Body, User, User], None], registrant: User, everyone: User, administrator: User
) -> None:
    """The way around: the recognition is recorded before there is a case, with an accomplice as representative."""
    body = a_body()
    decide(body, registrant, everyone)
    body.refresh_from_db()
    case = a_case_in_review(by=registrant, body=body)
    case = functions.request_completion(case, by=registrant)
    assert case.state == State.APPROVED
    with refused(NotPermitted):
        functions.assign(case, by=everyone)
    waiting = Case.objects.filter(pk=case.pk)
    assert not waiting.waiting_for(RoleName.ADMINISTRATOR, everyone).exists()
    assert waiting.waiting_for(RoleName.ADMINISTRATOR, administrator).exists()
    assert functions.assign(case, by=administrator).state == State.REGISTERED


def decline(case: Case, by: User) -> Case:
    return functions.decline(case, by=by, round_number=1, reason="Not unique.")


def decline_as_first_of_two(case: Case, by: User) -> Case:
    second = a_person(email="second@example.org", roles=(RoleName.EXPERT,))
    case = people.require_two_experts(case, by=second, required=True, reason="It is large.")
    return decline(decline(case, by), second)


@pytest.mark.parametrize("verdict", [approve, decline])
def test_the_second_of_two_experts_does_not_lower_the_requirement(
    verdict: Callable[[Case, User], Case], registrant: User, expert: User, other_expert: User
) -> None:
    """The way around: the second expert records that one is enough, and decides against the first."""
    case = people.require_two_experts(
        a_case_in_review(by=registrant), by=expert, required=True, reason="It is large."
    )
    case = verdict(case, expert)
    assert case.state == State.IN_REVIEW
    for person in (expert, other_expert):
        with refused(SecondExpertNeeded, "Expert has reviewed the round as the first of two experts"):
            people.require_two_experts(case, by=person, required=False, reason="It is plain.")
    leader = a_person(email="leader@example.org", roles=(RoleName.EXPERT, RoleName.LEADER))
    people.require_two_experts(case, by=leader, required=False, reason="It is plain.")


@pytest.mark.parametrize("decide", [decline, decline_as_first_of_two])
def test_a_person_who_declined_a_case_does_not_direct_its_appeal(
    decide: Callable[[Case, User], Case], registrant: User, everyone: User, liaison: User
) -> None:
    case = decide(a_case_in_review(by=registrant), everyone)
    case = functions.appeal(case, by=registrant, reason="The names are unique.")
    with refused(NotPermitted):
        functions.direct(case, by=everyone, is_approved=False, reference="Minutes 8")
    assert not Case.objects.waiting_for(RoleName.LIAISON, everyone).filter(pk=case.pk).exists()
    assert signed_in(everyone).get(page("transition", case.pk, "direct")).status_code == 404
    case = functions.direct(case, by=liaison, is_approved=True, reference="Minutes 8")
    assert case.state == State.APPROVED


def test_a_decision_in_another_case_does_not_matter(registrant: User, everyone: User, expert: User) -> None:
    approve(a_case_in_review(by=registrant), everyone)
    other = a_case_in_review(by=registrant, namespace_identifier="example-oaks", syntax="Opaque.")
    assert functions.assign(approve(other, expert), by=everyone).state == State.REGISTERED


# A registry with one person


def test_one_person_can_do_everything_if_the_duties_are_not_separate(
    registrant: User, everyone: User, settings: Any
) -> None:
    settings.SEPARATE_DUTIES = False
    withdraw_role(everyone, RoleName.EXPERT, by=everyone, reason="A mistake.")
    grant_role(everyone, RoleName.EXPERT, by=everyone, reason="There is no one else.")
    body = a_body()
    recognise_outside(body, registrant, everyone)
    body.refresh_from_db()
    quick = a_case_in_review(by=registrant, body=body, namespace_identifier="example-oaks", syntax="Opaque.")
    quick = functions.request_completion(quick, by=registrant)
    assert functions.assign(quick, by=everyone).state == State.REGISTERED
    case = a_case_in_review(by=registrant)
    case = functions.appeal(decline(case, everyone), by=registrant, reason="They are unique.")
    case = functions.direct(case, by=everyone, is_approved=True, reference="Minutes 8")
    assert functions.assign(case, by=everyone).state == State.REGISTERED


@pytest.mark.sampled(2)
@pytest.mark.parametrize("are_separate", [True, False])
def test_the_pages_of_decisions_say_that_the_duties_are_not_separate(
    registrant: User, expert: User, everyone: User, settings: Any, are_separate: bool
) -> None:
    settings.SEPARATE_DUTIES = are_separate
    asked = a_case_in_review(by=registrant)
    approved = approve(
        a_case_in_review(by=registrant, namespace_identifier="example-oaks", syntax="Opaque."), expert
    )
    client = signed_in(everyone)
    for address in (
        "/people/grant-role/",
        "/desk/assignments/",
        "/desk/liaison/",
        f"/desk/cases/{asked.pk}/verdict/approve/",
        page("transition", asked.pk, "approve"),
        page("transition", approved.pk, "assign"),
    ):
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert (NOTICE in answer.text) != are_separate, address
    own = signed_in(registrant).get(page("transition", asked.pk, "withdraw"))
    assert NOTICE not in own.text
