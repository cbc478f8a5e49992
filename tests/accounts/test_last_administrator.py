"""Granting and withdrawing roles: permissions, audit log, and protection of the last administrator."""

from functools import partial

import pytest

from registry.accounts.models import Role, RoleName, User
from registry.accounts.roles import LastAdministrator, grant_role, withdraw_role
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.core.validators import TextMissing
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person

ADMINISTRATOR, EXPERT = RoleName.ADMINISTRATOR, RoleName.EXPERT


def the_roles_of(person: User) -> set[str]:
    return set(Role.objects.filter(user=person).values_list("name", flat=True))


def test_administrators_grant_and_withdraw_roles_with_events(administrator: User, participant: User) -> None:
    grant_role(participant, EXPERT, by=administrator, reason="Knows trees.")
    assert the_roles_of(participant) == {EXPERT}
    withdraw_role(participant, EXPERT, by=administrator, reason="Retired.")
    assert the_roles_of(participant) == set()
    withdrawn, granted = Event.objects.order_by("-number")[:2]
    for event, verb, reason in (
        (granted, "grant_role", "Knows trees."),
        (withdrawn, "withdraw_role", "Retired."),
    ):
        assert (event.verb, event.actor, event.reason) == (verb, administrator, reason)
        assert event.details == {"person": participant.pk, "role": "expert"}


def test_granting_or_withdrawing_twice_is_one_event(administrator: User, participant: User) -> None:
    before = Event.objects.count()
    for _ in range(2):
        grant_role(participant, EXPERT, by=administrator, reason="Knows trees.")
    assert Event.objects.count() == before + 1
    for _ in range(2):
        withdraw_role(participant, EXPERT, by=administrator, reason="Retired.")
    assert Event.objects.count() == before + 2


@pytest.mark.parametrize("who", ["registrant", "expert", "liaison"])
def test_other_users_cannot_grant_or_withdraw_roles(
    who: str, administrator: User, participant: User, request: pytest.FixtureRequest
) -> None:
    person = request.getfixturevalue(who)
    with pytest.raises(NotPermitted):
        grant_role(person, ADMINISTRATOR, by=person, reason="Why not?")
    with pytest.raises(NotPermitted):
        withdraw_role(administrator, ADMINISTRATOR, by=person, reason="Why not?")
    assert the_roles_of(administrator) == {ADMINISTRATOR}


@pytest.mark.parametrize("reason", ["", " ", "\n", "\u00a0"])
def test_a_person_must_give_a_reason(administrator: User, participant: User, reason: str) -> None:
    with pytest.raises(TextMissing):
        grant_role(participant, EXPERT, by=administrator, reason=reason)
    with pytest.raises(TextMissing):
        withdraw_role(administrator, ADMINISTRATOR, by=administrator, reason=reason)


def test_the_last_administrator_stays_one_for_themselves_and_for_the_installation(
    administrator: User,
) -> None:
    for by in (administrator, None):
        with pytest.raises(LastAdministrator, match="Make another person an administrator first"):
            withdraw_role(administrator, ADMINISTRATOR, by=by, reason="Enough.")
    assert the_roles_of(administrator) == {ADMINISTRATOR}


def test_a_closed_account_does_not_count_as_the_other_administrator(administrator: User) -> None:
    closed = a_person(email="closed@example.org", roles=(ADMINISTRATOR,), is_active=False)
    with pytest.raises(LastAdministrator):
        withdraw_role(administrator, ADMINISTRATOR, by=administrator, reason="Enough.")
    withdraw_role(closed, ADMINISTRATOR, by=administrator, reason="The account is closed.")
    assert the_roles_of(closed) == set()


def test_of_two_administrators_one_may_go(administrator: User) -> None:
    other = a_person(email="other-administrator@example.org", roles=(ADMINISTRATOR,))
    withdraw_role(administrator, ADMINISTRATOR, by=administrator, reason="Enough.")
    with pytest.raises(LastAdministrator):
        withdraw_role(other, ADMINISTRATOR, by=other, reason="Me too.")


def test_who_lost_the_role_a_moment_ago_grants_nothing_any_more(
    administrator: User, participant: User
) -> None:
    other = a_person(email="other-administrator@example.org", roles=(ADMINISTRATOR,))
    assert ADMINISTRATOR in administrator.roles  # as a page that was opened before still believes
    withdraw_role(User.objects.get(pk=administrator.pk), ADMINISTRATOR, by=other, reason="Enough.")
    with pytest.raises(NotPermitted):
        grant_role(participant, EXPERT, by=administrator, reason="Quickly.")


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("real_database")
@pytest.mark.parametrize("is_mutual", [True, False], ids=["each the other's", "each their own"])
def test_when_all_administrators_go_at_once_one_remains(is_mutual: bool) -> None:
    people = [a_person(email=f"administrator-{n}@example.org", roles=(ADMINISTRATOR,)) for n in range(6)]
    actors = people[1:] + people[:1] if is_mutual else people
    answers = at_once(
        [
            partial(withdraw_role, person, ADMINISTRATOR, by=actor, reason="Enough.")
            for person, actor in zip(people, actors, strict=True)
        ]
    )
    remaining = Role.objects.filter(name=ADMINISTRATOR).count()
    assert remaining >= 1
    assert remaining == len(refusals(answers))
    assert {type(refusal) for refusal in refusals(answers)} <= {LastAdministrator, NotPermitted}
    assert Event.objects.filter(verb="withdraw_role").count() == 6 - remaining
