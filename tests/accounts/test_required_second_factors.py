"""Roles that decide need a second factor: they are suspended without it, everywhere, and its owner is led to add one."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.closing import close_account
from registry.accounts.models import Role, RoleName, Scope, User
from registry.accounts.roles import grant_role
from registry.accounts.second_factors.policy import note_first_sign_in
from registry.audit_log.models import Event
from registry.cases.audiences import able_to_act
from registry.cases.models import State
from registry.cases.workflow import functions
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from tests.accounts.test_second_factors import with_app
from tests.api.client import TokenClient, check_problem
from tests.support.browser import signed_in
from tests.support.factories import a_case_in_review, a_person

pytestmark = pytest.mark.django_db
DAYS = 14
RATIONALE = "Sound, and useful to every garden."


@pytest.fixture(autouse=True)
def required(settings: Any) -> None:
    settings.REQUIRE_SECOND_FACTOR, settings.SECOND_FACTOR_DAYS = True, DAYS


def with_role_since(days: int, person: User) -> User:
    """The person as if roles were granted, and first used to sign in, `days` ago."""
    then = timezone.now() - timedelta(days=days)
    Role.objects.filter(user=person).update(granted_at=then, signed_in_at=then)
    return User.objects.get(pk=person.pk)


def suspended(person: User) -> User:
    return with_role_since(DAYS + 1, person)


def test_at_first_the_person_reads_from_when_the_role_is_suspended(expert: User) -> None:
    person = with_role_since(DAYS - 1, expert)
    page = signed_in(person).get("/desk/")
    assertContains(page, "your role needs a passkey or an authenticator app")
    assertContains(page, "/accounts/2fa/passkeys/add/?next=%2Fdesk%2F")


def test_then_the_pages_of_the_role_lead_to_a_second_factor(expert: User) -> None:
    client = signed_in(suspended(expert))
    page = client.get("/desk/?q=a")
    assertContains(page, "You can’t act in your role until", status_code=403)
    assertContains(page, 'href="/accounts/2fa/passkeys/add/?next=%2Fdesk%2F%3Fq%3Da"', status_code=403)
    assertNotContains(client.get("/mine/"), "As designated expert")


def test_nothing_is_decided_and_nothing_typed_is_lost(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    fields = {"rationale": RATIONALE, "round_number": "1"}
    answer = signed_in(suspended(expert)).post(
        f"/cases/{case.pk}/approve/", fields, headers={"Origin": "http://testserver"}
    )
    assertContains(answer, RATIONALE, status_code=403)
    case.refresh_from_db()
    assert case.state == State.IN_REVIEW


@pytest.mark.parametrize("role", [RoleName.EXPERT, RoleName.ADMINISTRATOR, RoleName.LIAISON])
def test_each_role_that_decides_is_suspended(role: RoleName) -> None:
    person = suspended(a_person(email="staff@example.org", roles=(role,)))
    assert (person.roles, person.suspended_roles) == (frozenset(), {role})
    with_app(person)
    assert User.objects.get(pk=person.pk).roles == {role}


def test_a_leader_decides_nothing_and_is_not_suspended() -> None:
    assert suspended(a_person(email="leader@example.org", roles=(RoleName.LEADER,))).roles == {"leader"}


def test_recovery_codes_alone_are_no_second_factor(expert: User) -> None:
    person = suspended(expert)
    RecoveryCodes.activate(person)
    assert person.suspended_roles == {RoleName.EXPERT}


def test_without_the_requirement_no_role_is_suspended(expert: User, settings: Any) -> None:
    settings.REQUIRE_SECOND_FACTOR = False
    person = suspended(expert)
    assert person.roles == {RoleName.EXPERT}
    assertNotContains(signed_in(person).get("/desk/"), "passkey or an authenticator app")


def test_the_days_begin_with_the_first_sign_in_after_the_grant(expert: User) -> None:
    Role.objects.update(granted_at=timezone.now() - timedelta(days=DAYS + 1), signed_in_at=None)
    assert User.objects.get(pk=expert.pk).suspended_roles == {RoleName.EXPERT}
    note_first_sign_in(user=expert)
    first = Role.objects.get().signed_in_at
    assert User.objects.get(pk=expert.pk).roles == {RoleName.EXPERT}
    note_first_sign_in(user=expert)
    assert Role.objects.get().signed_in_at == first


def test_the_action_itself_is_refused(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    with pytest.raises(NotPermitted):
        functions.approve(case, by=suspended(expert), round_number=1, rationale=RATIONALE)


def test_a_suspended_administrator_grants_no_role(administrator: User, participant: User) -> None:
    with pytest.raises(NotPermitted):
        grant_role(participant, RoleName.EXPERT, by=suspended(administrator), reason="Chosen.")


def test_a_token_does_not_decide_and_the_problem_says_what_to_do(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    client = TokenClient(suspended(expert), Scope.READ, Scope.DECIDE)
    problem = check_problem(
        client.post(f"cases/{case.pk}/approve/", {"round": 1, "rationale": RATIONALE}),
        403,
        "second-factor-missing",
    )
    assert problem["add"].endswith("/accounts/2fa/passkeys/add/")
    assert client.get("account/").status_code == 200
    with_app(expert)
    assert client.post(f"cases/{case.pk}/approve/", {"round": 1, "rationale": RATIONALE}).status_code == 200


def test_a_suspended_expert_is_mailed(registrant: User, expert: User) -> None:
    suspended(expert)
    assert able_to_act(a_case_in_review(by=registrant)) == [expert]


def test_closing_an_account_withdraws_suspended_roles(expert: User) -> None:
    close_account(suspended(expert), by=None, reason="Left.")
    assert not Role.objects.exists()


def test_a_person_who_lost_everything_is_helped_and_everyone_learns_of_it(
    expert: User, administrator: User
) -> None:
    person = suspended(expert)
    with_app(person)
    call_command("remove_second_factors", person.email, reason="Lost the telephone.", stdout=StringIO())
    assert not Authenticator.objects.exists()
    assert User.objects.get(pk=person.pk).suspended_roles == {RoleName.EXPERT}
    event = Event.objects.get(verb="remove_second_factors")
    assert (event.reason, event.details["person"]) == ("Lost the telephone.", person.pk)
    mails = Message.objects.filter(name="remove_second_factors")
    assert {mail.to for mail in mails} == {person.email, administrator.email}
    assert "Lost the telephone." in mails[0].body
    with pytest.raises(CommandError, match="no passkey"):
        call_command("remove_second_factors", person.email, reason="Again.")
