"""No one decides on what is offered to them, and no one gains by what they decided: neither before nor after the decision."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from registry.accounts.models import Body, RoleName, User
from registry.cases import bodies
from registry.cases.models import Case, State
from registry.cases.permissions import is_expert
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import decline_invitation, invite_co_editor
from registry.core.exceptions import ConflictOfInterest
from registry.custody.actions.claims import announce_claim, approve_claim, claim_namespace, decline_claim
from registry.custody.models import NamespaceClaim
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import (
    accept_transfer,
    decline_transfer,
    move_to_organisation,
    offer_transfer,
)
from registry.namespaces.models import Namespace
from registry.organisations.actions.members import (
    accept_membership,
    decline_membership,
    invite_member,
)
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.gains import BARRED_FOR
from registry.organisations.models import MemberRole, Organisation
from registry.registers.actions.entries import accept_entry, decline_entry, offer_entry
from registry.registers.actions.registers import open_register, register_entry
from registry.registers.actions.requests import accept_request, request_entry
from registry.registers.models import Register
from tests.api.client import TokenClient
from tests.cases.traces import refused
from tests.support.browser import page, signed_in
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_namespace,
    a_person,
    a_profile,
    a_template,
    an_imported_namespace,
    put_in_state,
)

pytestmark = pytest.mark.django_db
REASON = "The domain has the code."


@pytest.fixture
def claimant(db: None) -> User:
    return a_person(email="claimant@example.org")


@pytest.fixture
def agency(claimant: User) -> Organisation:
    return create_organisation(by=claimant, name="Example Agency")


@pytest.fixture
def nbn(db: None) -> Namespace:
    return an_imported_namespace("nbn")


@pytest.fixture
def claim(nbn: Namespace, agency: Organisation, claimant: User) -> NamespaceClaim:
    return claim_namespace(nbn, by=claimant, ground="domain", statement="We run it.", organisation=agency)


def invite(organisation: Organisation, person: User, *, by: User) -> object:
    return invite_member(organisation, by=by, email=person.email, part=MemberRole.EDITOR)


# Before the decision


def test_an_invited_administrator_declines_before_deciding_on_the_claim(
    claim: NamespaceClaim, agency: Organisation, claimant: User, administrator: User
) -> None:
    """The attack: an organisation invites the administrator, who approves its claim alone, and joins afterwards."""
    invitation = invite(agency, administrator, by=claimant)
    for decide in (approve_claim, announce_claim, decline_claim):
        with refused(ConflictOfInterest, "decline first"):
            decide(claim, by=administrator, reason=REASON)
    shown = signed_in(administrator).get(claim.get_absolute_url()).text
    assert "decline first" in shown
    assert "We run it." in shown  # an invitation hides nothing
    assert "Approve the claim" not in shown
    answer = TokenClient(administrator).post(f"claims/{claim.pk}/approve/", {"reason": REASON})
    assert answer.status_code == 403
    decline_membership(invitation, by=administrator)
    assert approve_claim(claim, by=administrator, reason=REASON).status == "approved"


def test_repeated_invitations_do_not_keep_an_administrator_from_deciding(
    claim: NamespaceClaim, agency: Organisation, claimant: User, administrator: User
) -> None:
    decline_membership(invite(agency, administrator, by=claimant), by=administrator)
    invite(agency, administrator, by=claimant)
    approve_claim(claim, by=administrator, reason=REASON)


def test_an_administrator_to_whom_the_namespace_is_offered_declines_first(
    nbn: Namespace, claimant: User, administrator: User
) -> None:
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    claim = claim_namespace(nbn, by=claimant, ground="domain", statement="We run it.")
    offer = offer_transfer(nbn, by=other, to=administrator.email)
    with refused(ConflictOfInterest, "is offered to you"):
        decline_claim(claim, by=administrator, reason=REASON)
    decline_transfer(offer, by=administrator)
    decline_claim(claim, by=administrator, reason=REASON)


@pytest.mark.exhaustive
def test_an_invited_expert_declines_before_deciding_and_stays_in_the_case(
    registrant: User, expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    invite_co_editor(case, by=registrant, email=expert.email)
    assert is_expert(expert, case)  # a registrant removes no expert from a case
    assert Case.objects.waiting_for(RoleName.EXPERT, expert).filter(pk=case.pk).exists()
    with refused(ConflictOfInterest, "invited to edit it: decline first"):
        functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    for address in (page("detail", case.pk), reverse("review_desk:review", args=[case.pk])):
        assert "decline first" in signed_in(expert).get(address).text
    decline_invitation(case, by=expert)
    invite_co_editor(case, by=registrant, email=expert.email)
    assert functions.approve(case, by=expert, round_number=1, rationale="Sound.").state == State.APPROVED


def a_case_of(organisation: Organisation, *, by: User) -> Case:
    case = a_case_in_review(by=by)
    Case.objects.filter(pk=case.pk).update(organisation=organisation)
    return Case.objects.get(pk=case.pk)


def test_an_expert_invited_to_the_organisation_declines_before_deciding(
    agency: Organisation, claimant: User, expert: User
) -> None:
    case = a_case_of(agency, by=claimant)
    invitation = invite(agency, expert, by=claimant)
    with refused(ConflictOfInterest, "member of its organisation: decline first"):
        functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    decline_membership(invitation, by=expert)
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")


# After the decision


@pytest.mark.exhaustive
def test_who_approved_a_claim_does_not_join_the_organisation_for_a_year(
    claim: NamespaceClaim, agency: Organisation, claimant: User, administrator: User
) -> None:
    approve_claim(claim, by=administrator, reason=REASON)
    invitation = invite(agency, administrator, by=claimant)
    with refused(ConflictOfInterest, "decided on “nbn”"):
        accept_membership(invitation, by=administrator)
    shown = signed_in(administrator).get(f"/organisations/{agency.pk}/invitations/{invitation.pk}/").text
    assert "decided on “nbn”" in shown
    with time_machine.travel(timezone.now() + BARRED_FOR + timedelta(hours=1)):
        accept_membership(
            invite(create_organisation(by=claimant, name="Grove"), administrator, by=claimant),
            by=administrator,
        )
        type(invitation).objects.update(expires_at=timezone.now() + timedelta(days=1))
        accept_membership(invitation, by=administrator)


def test_a_registry_of_one_person_lifts_the_rule(
    claim: NamespaceClaim,
    agency: Organisation,
    claimant: User,
    administrator: User,
    settings: Any,
) -> None:
    approve_claim(claim, by=administrator, reason=REASON)
    settings.SEPARATE_DUTIES = False
    accept_membership(invite(agency, administrator, by=claimant), by=administrator)


def test_who_approved_a_closed_case_does_not_join_its_organisation(
    agency: Organisation, claimant: User, expert: User
) -> None:
    case = a_case_of(agency, by=claimant)
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    put_in_state(case, State.DECLINED)
    invitation = invite(agency, expert, by=claimant)
    with refused(ConflictOfInterest, "decided on"):
        accept_membership(invitation, by=expert)


def test_who_declined_a_closed_case_joins(agency: Organisation, claimant: User, expert: User) -> None:
    case = a_case_of(agency, by=claimant)
    functions.decline(case, by=expert, round_number=1, reason="It is too vague.")
    accept_membership(invite(agency, expert, by=claimant), by=expert)


def test_who_approved_a_claim_does_not_get_the_namespace(
    nbn: Namespace, claimant: User, administrator: User
) -> None:
    claim = claim_namespace(nbn, by=claimant, ground="domain", statement="We run it.")
    approve_claim(claim, by=administrator, reason=REASON)
    nbn.refresh_from_db()
    offer = offer_transfer(nbn, by=claimant, to=administrator.email)
    with refused(ConflictOfInterest, "decided on “nbn”"):
        accept_transfer(offer, by=administrator)
    with refused(ConflictOfInterest, "decided on “nbn”"):
        claim_namespace(nbn, by=administrator, ground="domain", statement="It is mine.")


def test_an_organisation_of_who_decided_does_not_get_the_namespace(
    nbn: Namespace, claimant: User, administrator: User
) -> None:
    """By an offer that another member accepts, and by a move."""
    colleague = a_person(email="colleague@example.org")
    club = create_organisation(by=administrator, name="Example Club")
    for person in (colleague, claimant):
        accept_membership(
            invite_member(club, by=administrator, email=person.email, part=MemberRole.REPRESENTATIVE),
            by=person,
        )
    claim = claim_namespace(nbn, by=claimant, ground="domain", statement="We run it.")
    approve_claim(claim, by=administrator, reason=REASON)
    nbn.refresh_from_db()
    with refused(ConflictOfInterest, "decided on “nbn”"):
        move_to_organisation(club, by=claimant, namespaces=[nbn])
    offer = offer_transfer(nbn, by=claimant, to=colleague.email)
    with refused(ConflictOfInterest, "decided on “nbn”"):
        accept_transfer(offer, by=colleague, organisation=club)
    accept_transfer(offer, by=colleague)


def test_who_registered_a_namespace_does_not_get_it(
    registrant: User, expert: User, administrator: User
) -> None:
    trees = a_namespace(by=registrant, expert=expert, administrator=administrator)
    for person in (expert, administrator):
        offer = offer_transfer(trees, by=registrant, to=person.email)
        with refused(ConflictOfInterest, "decided on"):
            accept_transfer(offer, by=person)
        decline_transfer(offer, by=person)


def test_who_registered_a_namespace_accepts_no_entry_of_it(
    registrant: User, expert: User, administrator: User
) -> None:
    register = a_register(by=registrant, expert=expert, administrator=administrator, policy="first_come")
    entry = register_entry(register, by=registrant, label="12", title="Botanical Garden")
    for person in (expert, administrator):
        offer = offer_entry(entry, by=registrant, to=person.email)
        with refused(ConflictOfInterest, "decided on"):
            accept_entry(offer, by=person)
        decline_entry(offer, by=person)


def a_register(*, by: User, expert: User, administrator: User, policy: str) -> Register:
    trees = a_namespace(by=by, expert=expert, administrator=administrator)
    profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
    set_profile(trees, by=None, profile=profile, basis="Syntax.", replaces=0)
    return open_register(trees, by=by, policy=policy, title="Gardens")


ASKED: dict[str, Any] = {
    "label": "12",
    "title": "Garden",
    "contact": "gardener@example.org",
    "register_version": 1,
}


@pytest.mark.parametrize("policy", ["first_come", "expert_review", "specification"])
def test_who_registered_a_namespace_requests_no_entry_of_it(
    policy: str, registrant: User, participant: User, expert: User, administrator: User
) -> None:
    register = a_register(by=registrant, expert=expert, administrator=administrator, policy=policy)
    asked = ASKED | {"reference": "RFC 8126"}
    for person in (expert, administrator):
        with refused(ConflictOfInterest, "decided on"):
            request_entry(register, by=person, **asked)
        for address in ("", "request/"):
            shown = signed_in(person).get(f"{register.get_absolute_url()}{address}").text
            assert "can&#x27;t gain by it before" in shown
    assert "Request an entry" not in signed_in(expert).get(register.get_absolute_url()).text
    assert request_entry(register, by=participant, **asked).requested_by == participant


def test_who_decided_after_a_request_gets_no_entry_by_it(
    registrant: User, expert: User, administrator: User, settings: Any
) -> None:
    register = a_register(by=registrant, expert=expert, administrator=administrator, policy="expert_review")
    settings.SEPARATE_DUTIES = False
    request = request_entry(register, by=expert, **ASKED)
    settings.SEPARATE_DUTIES = True
    with refused(ConflictOfInterest, "decided on"):
        accept_request(request, by=registrant, revision=1)


def test_who_registered_a_namespace_does_not_join_who_holds_an_entry_of_it(
    registrant: User, claimant: User, agency: Organisation, expert: User, administrator: User
) -> None:
    register = a_register(by=registrant, expert=expert, administrator=administrator, policy="hierarchical")
    entry = register_entry(register, by=registrant, label="12", title="Botanical Garden")
    offer = offer_entry(entry, by=registrant, to=claimant.email)
    accept_entry(offer, by=claimant, organisation=agency)
    invitation = invite(agency, expert, by=claimant)
    with refused(ConflictOfInterest, "decided on"):
        accept_membership(invitation, by=expert)


def test_who_announced_a_claim_does_not_join_the_organisation(
    agency: Organisation, claimant: User, registrant: User, administrator: User
) -> None:
    """The claim itself is approved by another administrator."""
    oaks = register_formal(a_template(namespace_identifier="example-oaks"), registrant=registrant).namespace
    claim = claim_namespace(oaks, by=claimant, ground="domain", statement="We run it.", organisation=agency)
    announce_claim(claim, by=administrator, reason=REASON)
    Namespace.objects.filter(pk=oaks.pk).update(registrant=None, organisation=agency)
    invitation = invite(agency, administrator, by=claimant)
    with refused(ConflictOfInterest, "decided on “example-oaks”"):
        accept_membership(invitation, by=administrator)


def test_a_recovery_does_not_make_who_decided_a_representative(
    claim: NamespaceClaim, agency: Organisation, administrator: User
) -> None:
    from registry.organisations.actions.members import restore_representative

    approve_claim(claim, by=administrator, reason=REASON)
    with refused(ConflictOfInterest, "decided on “nbn”"):
        restore_representative(agency, administrator)


def test_who_recognised_a_body_does_not_represent_it(liaison: User) -> None:
    body = Body.objects.get(pk=a_body().pk)
    other = a_person(email="other-liaison@example.org", roles=(RoleName.LIAISON,))
    body = bodies.recognise_body(body, by=liaison, reference="Minutes of 2026-11-01")
    with refused(bodies.OwnBenefit, "recognised the body"):
        bodies.recognise_body(body, by=other, reference="Minutes of 2026-11-02", representative=liaison)


def test_an_offer_to_a_stranger_is_accepted_as_before(registrant: User, participant: User) -> None:
    trees = register_formal(a_template(), registrant=registrant).namespace
    accept_transfer(offer_transfer(trees, by=registrant, to=participant.email), by=participant)


def test_who_recognised_a_body_does_not_represent_it_by_a_case_of_their_own(liaison: User) -> None:
    body = Body.objects.get(pk=a_body().pk)
    other = a_person(email="other-liaison@example.org", roles=(RoleName.LIAISON,))
    body = bodies.recognise_body(body, by=liaison, reference="Minutes of 2026-11-01")
    case = a_case_in_review(by=liaison, body=body)
    with refused(bodies.OwnBenefit, "for this case alone"):
        functions.recognise(case, by=other, reference="Minutes of 2026-11-02", for_later_cases=True)
    assert not body.representatives.exists()
    functions.recognise(case, by=other, reference="Minutes of 2026-11-02")
