"""Concurrent changes of members, in threads: one succeeds, and the others get the reason."""

from functools import partial

import pytest

from registry.accounts.closing import SomethingLeftToDo, close_own_account
from registry.accounts.models import RoleName, User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.core.exceptions import ConflictOfInterest, NotPermitted
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Kind
from registry.organisations.actions.members import (
    accept_membership,
    decline_membership,
    end_membership,
    invite_member,
    withdraw_invitation,
)
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.organisations.subjects import InvitationNotOpen, LastRepresentative
from tests.accounts.test_closing_races import one_after_the_other
from tests.cases.traces import check_record_holds
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person, a_template

pytestmark = pytest.mark.usefixtures("real_database")


def a_case_of(organisation: Organisation, *, by: User) -> Case:
    return drafts.create_case(by=by, kind=Kind.FORMAL, template=a_template(), organisation=organisation)


def test_of_the_last_representatives_who_leave_at_once_one_stays() -> None:
    people = [a_person(email=f"representative-{number}@example.org") for number in range(6)]
    arboretum = an_organisation(by=people[0])
    for person in people[1:]:
        join(arboretum, person, MemberRole.REPRESENTATIVE, by=people[0])
    register_formal(a_template(), registrant=arboretum)
    answers = at_once([partial(end_membership, membership_of(person), by=person) for person in people])
    assert [type(error) for error in refusals(answers)] == [LastRepresentative]
    assert Membership.objects.representatives().count() == 1
    check_record_holds()


@pytest.mark.exhaustive
def test_of_the_last_representatives_who_close_their_accounts_at_once_one_stays() -> None:
    people = [a_person(email=f"representative-{number}@example.org") for number in range(6)]
    arboretum, grove = an_organisation(by=people[0]), an_organisation(by=people[0], name="Example Grove")
    for person in people[1:]:
        join(arboretum, person, MemberRole.REPRESENTATIVE, by=people[0])
        join(grove, person, MemberRole.REPRESENTATIVE, by=people[0])
    register_formal(a_template(), registrant=arboretum)
    answers = at_once([partial(close_own_account, person) for person in people])
    assert [type(error) for error in refusals(answers)] == [SomethingLeftToDo]
    [last] = Membership.objects.representatives().filter(organisation=arboretum)
    assert last.user.is_active
    check_record_holds()


def test_a_closed_account_becomes_no_member() -> None:
    representative, new = a_person(email="representative@example.org"), a_person(email="new@example.org")
    arboretum = an_organisation(by=representative)
    invitation = invite_member(arboretum, by=representative, email=new.email, part=MemberRole.EDITOR)
    at_once([partial(accept_membership, invitation, by=new), partial(close_own_account, new)])
    assert not Membership.objects.of(new).exists()
    with pytest.raises(NotPermitted, match="closed"):
        accept_membership(invitation, by=new)
    with pytest.raises(NotPermitted, match="closed"):
        create_organisation(by=new, name="Grove")
    check_record_holds()


def test_an_invitation_is_accepted_or_withdrawn() -> None:
    representative, new = a_person(email="representative@example.org"), a_person(email="new@example.org")
    arboretum = an_organisation(by=representative)
    invitation = invite_member(arboretum, by=representative, email=new.email, part=MemberRole.EDITOR)
    answers = at_once(
        [
            partial(accept_membership, invitation, by=new),
            partial(withdraw_invitation, invitation, by=representative),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [InvitationNotOpen]
    was_accepted = Membership.objects.of(new).exists()
    assert was_accepted == isinstance(answers[0], Membership)
    assert not MembershipInvitation.objects.exists()
    check_record_holds()


@pytest.mark.exhaustive
def test_an_expert_does_not_decide_and_join_the_organisation_of_the_case_at_once() -> None:
    representative = a_person(email="representative@example.org")
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    arboretum = an_organisation(by=representative)
    case = a_case_of(arboretum, by=representative)
    case = functions.submit(case, by=representative, draft_stamp=case.draft_stamp)
    # Who declined once is not held up by another invitation.
    decline_membership(
        invite_member(arboretum, by=representative, email=expert.email, part=MemberRole.CONTACT), by=expert
    )
    invitation = invite_member(arboretum, by=representative, email=expert.email, part=MemberRole.CONTACT)
    refusal = one_after_the_other(
        partial(functions.approve, case, by=expert, round_number=1, rationale="Fine."),
        partial(accept_membership, invitation, by=expert),
    )
    assert isinstance(refusal, ConflictOfInterest)
    assert not Membership.objects.of(expert).exists()


def test_a_representative_who_has_just_been_removed_submits_nothing() -> None:
    representative, second = (a_person(email=f"{who}@example.org") for who in ("representative", "second"))
    arboretum = an_organisation(by=representative)
    membership = join(arboretum, second, MemberRole.REPRESENTATIVE, by=representative)
    case = a_case_of(arboretum, by=representative)
    refusal = one_after_the_other(
        partial(end_membership, membership, by=representative),
        partial(functions.submit, case, by=second, draft_stamp=case.draft_stamp),
    )
    assert isinstance(refusal, NotPermitted)
    case.refresh_from_db()
    assert not case.is_public
