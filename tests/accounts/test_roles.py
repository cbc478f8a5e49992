"""Roles: granted and withdrawn only by administrators, with events; withdrawn roles give no permissions."""

from functools import partial

import pytest
from django.db import transaction
from django.db.models import ProtectedError

from registry.accounts.models import Role, RoleName, User
from registry.accounts.roles import grant_role, withdraw_role
from registry.audit_log.log import verified
from registry.audit_log.models import Event
from registry.cases.models import State
from registry.cases.workflow import functions
from registry.core.exceptions import NotPermitted
from registry.core.validators import UnstorableCharacter
from tests.cases.traces import one_event
from tests.support.databases import at_once, refusals
from tests.support.factories import a_case_in_review, a_person


@pytest.mark.parametrize("role", RoleName)
def test_a_grant_and_its_withdrawal_are_events(
    role: RoleName, administrator: User, participant: User
) -> None:
    said = {"by": administrator, "case": None, "nid": "", "moved": ("", ""), "text": ""}
    details = {"person": participant.pk, "role": role.value}
    with one_event(verb="grant_role", **said, reason="Elected.", details=details):
        grant_role(participant, role, by=administrator, reason=" Elected. ")
    assert participant.roles == {role}
    with one_event(verb="withdraw_role", **said, reason="Term ended.", details=details):
        withdraw_role(participant, role, by=administrator, reason="Term ended.")
    assert participant.roles == frozenset()
    assert not Role.objects.filter(user=participant).exists()


def test_a_user_with_a_role_cannot_be_deleted(participant: User) -> None:
    role = Role.objects.create(user=participant, name=RoleName.EXPERT)
    with pytest.raises(ProtectedError):
        participant.delete()
    assert list(participant.granted_roles.all()) == [role]


def test_an_action_without_effect_writes_no_event(administrator: User, expert: User) -> None:
    before = Event.objects.count()
    grant_role(expert, RoleName.EXPERT, by=administrator, reason="Elected.")
    withdraw_role(expert, RoleName.LIAISON, by=administrator, reason="Never held.")
    assert Event.objects.count() == before


def test_only_administrators_grant_and_withdraw(
    registrant: User, expert: User, liaison: User, participant: User
) -> None:
    before = Event.objects.count()
    for person in (registrant, expert, liaison, participant):
        with pytest.raises(NotPermitted):
            grant_role(person, RoleName.ADMINISTRATOR, by=person)
        with pytest.raises(NotPermitted):
            withdraw_role(expert, RoleName.EXPERT, by=person, reason="Because.")
    assert Event.objects.count() == before
    assert expert.roles == {RoleName.EXPERT}


def test_the_installation_grants_the_first_role(participant: User) -> None:
    grant_role(participant, RoleName.ADMINISTRATOR, by=None)
    assert Event.objects.get().actor is None


def test_an_unstorable_reason_is_rejected(administrator: User, expert: User, participant: User) -> None:
    with pytest.raises(UnstorableCharacter), transaction.atomic():
        grant_role(participant, RoleName.EXPERT, by=administrator, reason="x\x00")
    with pytest.raises(UnstorableCharacter), transaction.atomic():
        withdraw_role(expert, RoleName.EXPERT, by=administrator, reason="x\x00")
    assert expert.granted_roles.exists()
    assert not participant.granted_roles.exists()


# Roles are read once for each request; actions read them again.


def test_a_role_withdrawn_between_page_and_action_gives_no_permission(
    registrant: User, expert: User, administrator: User
) -> None:
    case = a_case_in_review(by=registrant)
    on_the_page = User.objects.get(pk=expert.pk)
    assert on_the_page.roles == {RoleName.EXPERT}
    withdraw_role(expert, RoleName.EXPERT, by=administrator, reason="Term ended.")
    assert on_the_page.roles == {RoleName.EXPERT}  # as the page had read it
    with pytest.raises(NotPermitted):
        functions.approve(case, by=on_the_page, round_number=1, rationale="Sound.")
    case.refresh_from_db()
    assert case.state == State.IN_REVIEW


def test_a_role_granted_after_the_page_gives_permission(
    registrant: User, participant: User, administrator: User
) -> None:
    case = a_case_in_review(by=registrant)
    on_the_page = User.objects.get(pk=participant.pk)
    assert on_the_page.roles == frozenset()
    grant_role(participant, RoleName.EXPERT, by=administrator, reason="Elected.")
    approved = functions.approve(case, by=on_the_page, round_number=1, rationale="Sound.")
    assert approved.state == State.APPROVED


def test_an_administrator_who_lost_the_role_grants_nothing(administrator: User, participant: User) -> None:
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    on_the_page = User.objects.get(pk=administrator.pk)
    assert on_the_page.roles
    withdraw_role(administrator, RoleName.ADMINISTRATOR, by=other, reason="Left.")
    with pytest.raises(NotPermitted):
        grant_role(participant, RoleName.LIAISON, by=on_the_page)


def test_of_two_administrators_who_withdraw_each_others_role_one_is_left(real_database: None) -> None:
    one, two = (
        a_person(email=f"{name}@example.org", roles=(RoleName.ADMINISTRATOR,)) for name in ("one", "two")
    )
    answers = at_once(
        [
            partial(withdraw_role, one, RoleName.ADMINISTRATOR, by=two, reason="Enough."),
            partial(withdraw_role, two, RoleName.ADMINISTRATOR, by=one, reason="Enough."),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [NotPermitted]
    assert Role.objects.count() == 1


@pytest.mark.exhaustive
def test_no_event_follows_the_withdrawal_of_the_role_it_needs(real_database: None) -> None:
    registrant = a_person(email="registrant@example.org")
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    for number in range(8):
        expert = a_person(email=f"expert-{number}@example.org", roles=(RoleName.EXPERT,))
        case = a_case_in_review(by=registrant, purpose=f"Trees {number}.")
        at_once(
            [
                partial(functions.approve, case, by=expert, round_number=1, rationale="Sound."),
                partial(withdraw_role, expert, RoleName.EXPERT, by=administrator, reason="Term ended."),
            ]
        )
        withdrawn = Event.objects.get(verb="withdraw_role", details__person=expert.pk)
        assert not Event.objects.filter(actor=expert, number__gt=withdrawn.number).exists()
    assert sum(1 for _ in verified()) == Event.objects.count()
