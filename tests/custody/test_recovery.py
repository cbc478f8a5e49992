"""Recovery of an organisation without reachable representatives: evidence, a notice, time to object, two administrators."""

import html

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.audit_log.verification import verify
from registry.cases.drafts import drafts
from registry.cases.workflow import functions
from registry.core.exceptions import ConflictOfInterest, NotPermitted
from registry.custody.actions.claims import (
    APPROVE_CLAIM,
    announce_claim,
    approve_claim,
    claim_namespace,
    object_to_claim,
    recover_organisation,
)
from registry.custody.actions.contact import change_contact
from registry.custody.evidence import places_naming
from registry.custody.exceptions import NotYetApprovable
from registry.custody.links import objection_path
from registry.custody.models import ClaimStatus, NamespaceClaim
from registry.domains.actions import add_domain
from registry.domains.checks import Outcome, record_check
from registry.domains.models import Method
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer, release_namespace
from registry.namespaces.models import Kind, Namespace
from registry.organisations.actions.members import end_membership
from registry.organisations.history import event_label, history_of, names_in_history
from registry.organisations.models import MemberRole, Membership, Organisation
from registry.organisations.permissions import part_of
from tests.api.client import TokenClient
from tests.cases.traces import refused
from tests.custody.test_claims import let_time_pass
from tests.mail.messages import check_plain
from tests.organisations.conftest import an_organisation, join
from tests.support.browser import signed_in
from tests.support.factories import a_person, a_template
from tests.support.mails import recipients_of


@pytest.fixture
def representative(db: None) -> User:
    return a_person(email="representative@example.org")


@pytest.fixture
def arboretum(representative: User) -> Organisation:
    return an_organisation(by=representative)


@pytest.fixture
def trees(arboretum: Organisation) -> Namespace:
    return register_formal(a_template(), registrant=arboretum).namespace


@pytest.fixture
def oaks(trees: Namespace, arboretum: Organisation) -> Namespace:
    """Another namespace of the organisation."""
    return register_formal(a_template(namespace_identifier="example-oaks"), registrant=arboretum).namespace


def a_recovery(namespace: Namespace, *, by: User) -> NamespaceClaim:
    return recover_organisation(namespace, by=by, ground="domain", statement="I work there.")


@pytest.fixture
def recovery(trees: Namespace, claimant: User) -> NamespaceClaim:
    return a_recovery(trees, by=claimant)


@pytest.fixture
def announced(recovery: NamespaceClaim, administrator: User) -> NamespaceClaim:
    return announce_claim(recovery, by=administrator, reason="Mails bounce.")


def test_a_recovery_makes_the_claimant_a_representative_after_30_days_and_a_second_administrator(
    recovery: NamespaceClaim,
    arboretum: Organisation,
    claimant: User,
    administrator: User,
    other_administrator: User,
) -> None:
    faults = verify().faults  # of the namespace, which was registered without a case
    with refused(NotYetApprovable, "Announce the claim first"):
        approve_claim(recovery, by=administrator, reason="Proved.")
    announced = announce_claim(recovery, by=administrator, reason="Mails bounce.")
    with refused(NotYetApprovable, "can object until"):
        approve_claim(announced, by=other_administrator, reason="No answer.")
    due = let_time_pass(announced)
    with refused(NotYetApprovable, "Another administrator"):
        approve_claim(due, by=administrator, reason="No answer.")
    assert part_of(claimant, arboretum.pk) is None
    approve_claim(due, by=other_administrator, reason="No answer.")
    assert part_of(claimant, arboretum.pk) == MemberRole.REPRESENTATIVE
    namespace = Namespace.objects.get(nid="example-trees")
    assert namespace.organisation == arboretum
    assert drafts.start_revision(namespace, by=claimant).organisation == arboretum
    assert verify().faults == faults


def test_the_event_is_in_the_histories_of_the_namespace_and_the_organisation(
    client: Client,
    announced: NamespaceClaim,
    arboretum: Organisation,
    claimant: User,
    other_administrator: User,
) -> None:
    approve_claim(let_time_pass(announced), by=other_administrator, reason="No answer.")
    event = Event.objects.get(verb="restore_representative")
    assert (event.actor, event.nid, event.reason) == (other_administrator, "example-trees", "No answer.")
    assert event.details == {"claim": announced.pk, "organisation": arboretum.pk, "person": claimant.pk}
    assert history_of(arboretum)[0] == event
    assert event_label(event, names_in_history(arboretum)).startswith("Made Claimant a representative")
    text = html.unescape(client.get("/namespaces/example-trees/").text)
    assert "Claim approved: the organisation has another representative" in text


def test_an_objection_of_a_representative_ends_the_recovery(
    announced: NamespaceClaim, arboretum: Organisation, claimant: User, representative: User
) -> None:
    with refused(NotPermitted):
        object_to_claim(announced, by=claimant)
    client = signed_in(representative)
    assert announced.get_absolute_url() in client.get("/mine/").text
    client.post(announced.get_absolute_url(), {"decision": "object"})
    announced.refresh_from_db()
    assert announced.status == ClaimStatus.OBJECTED
    assert not Membership.objects.of(claimant).exists()


def test_a_former_member_objects_with_the_mailed_link(announced: NamespaceClaim, claimant: User) -> None:
    path, client = objection_path(announced), Client()
    assert "asks to represent the organisation Example Arboretum" in client.get(path).text
    assert client.post(path).status_code == 302
    announced.refresh_from_db()
    assert announced.status == ClaimStatus.OBJECTED


def test_members_former_members_and_contacts_of_all_namespaces_are_notified(
    arboretum: Organisation,
    trees: Namespace,
    oaks: Namespace,
    representative: User,
    claimant: User,
    administrator: User,
    other_administrator: User,
) -> None:
    editor, former = (a_person(email=f"{which}@example.org") for which in ("editor", "former"))
    join(arboretum, editor, MemberRole.EDITOR, by=representative)
    end_membership(join(arboretum, former, MemberRole.CONTACT, by=representative), by=former)
    change_contact(oaks, by=representative, name="Desk", email="desk@example.org", reason="We moved.")
    registered = trees.revisions.get().template.registrant.email
    expected = {representative.email, editor.email, former.email, "desk@example.org", registered}
    claim = announce_claim(a_recovery(trees, by=claimant), by=administrator, reason="Mails bounce.")
    assert recipients_of("announce_claim_to_registrant") == expected
    for message in Message.objects.filter(name="announce_claim_to_registrant"):
        check_plain(message)
        assert "asks to represent the organisation “Example Arboretum”" in " ".join(message.body.split())
    approve_claim(let_time_pass(claim), by=other_administrator, reason="No answer.")
    assert recipients_of("restore_representative_to_registrant") == expected
    assert claimant.email in recipients_of("restore_representative")
    for message in Message.objects.filter(name__startswith="restore_representative"):
        check_plain(message)


def test_the_pages_of_the_organisation_and_of_all_its_namespaces_tell_of_it(
    client: Client,
    trees: Namespace,
    oaks: Namespace,
    arboretum: Organisation,
    claimant: User,
    administrator: User,
) -> None:
    paths = [each.get_absolute_url() for each in (trees, oaks, arboretum)]
    notice = "Another person asks to represent Example Arboretum"
    claim = a_recovery(trees, by=claimant)
    assert not any(notice in client.get(path).text for path in paths)
    announce_claim(claim, by=administrator, reason="Mails bounce.")
    for path in paths:
        text = client.get(path).text
        assert notice in text
        assert "Claimant" not in text


def test_an_organisation_is_recovered_on_pages(
    arboretum: Organisation, trees: Namespace, claimant: User, administrator: User, representative: User
) -> None:
    client, form = signed_in(claimant), "/namespaces/example-trees/recover/"
    for path in (arboretum.get_absolute_url(), trees.get_absolute_url()):
        assert form in client.get(path).text
        assert form not in signed_in(representative).get(path).text
    assert signed_in(representative).get(form).status_code == 404
    assert "Represent Example Arboretum" in client.get(form).text
    client.post(form, {"ground": "domain", "statement": "I work there.", "links": ""})
    claim = NamespaceClaim.objects.get()
    assert (claim.is_recovery, claim.organisation) == (True, arboretum)
    assert client.get(form)["Location"] == claim.get_absolute_url()
    desk = signed_in(administrator)
    assert "to represent Example Arboretum" in " ".join(desk.get("/desk/claims/").text.split())
    desk.post(claim.get_absolute_url(), {"decision": "announce", "reason": "Mails bounce."})
    assert "Claim to represent “Example Arboretum”" in desk.get(claim.get_absolute_url()).text


def test_a_member_with_another_part_is_made_representative(
    arboretum: Organisation,
    trees: Namespace,
    representative: User,
    claimant: User,
    administrator: User,
    other_administrator: User,
) -> None:
    join(arboretum, claimant, MemberRole.EDITOR, by=representative)
    claim = announce_claim(a_recovery(trees, by=claimant), by=administrator, reason="Mails bounce.")
    approve_claim(let_time_pass(claim), by=other_administrator, reason="No answer.")
    assert part_of(claimant, arboretum.pk) == MemberRole.REPRESENTATIVE


def test_a_person_who_decided_in_an_open_case_of_the_organisation_is_not_made_a_member(
    arboretum: Organisation,
    trees: Namespace,
    representative: User,
    expert: User,
    administrator: User,
    other_administrator: User,
) -> None:
    case = drafts.create_case(
        by=representative,
        kind=Kind.FORMAL,
        template=a_template(namespace_identifier="example-oaks"),
        organisation=arboretum,
    )
    case = functions.submit(case, by=representative, draft_stamp=case.draft_stamp)
    functions.approve(case, by=expert, round_number=1, rationale="Fine.")
    claim = announce_claim(a_recovery(trees, by=expert), by=administrator, reason="Mails bounce.")
    with refused(ConflictOfInterest, "decided on"):
        approve_claim(let_time_pass(claim), by=other_administrator, reason="No answer.")


def test_one_recovery_of_an_organisation_is_announced_at_a_time(
    announced: NamespaceClaim, oaks: Namespace, administrator: User
) -> None:
    rival = a_recovery(oaks, by=a_person(email="rival@example.org"))
    with refused(NotYetApprovable, "claim to represent “Example Arboretum” was already announced"):
        announce_claim(rival, by=administrator, reason="Mails bounce.")


def test_verified_domains_of_the_organisation_are_no_evidence_for_the_claimant(
    arboretum: Organisation, trees: Namespace, representative: User, claimant: User
) -> None:
    record_check(add_domain(arboretum, by=representative, domain="example.org"), Outcome(Method.DNS))
    references = [{"type": "uri", "target": "https://www.example.org/", "label": ""}]
    Namespace.objects.filter(pk=trees.pk).update(references=references)
    places = places_naming(a_recovery(Namespace.objects.get(pk=trees.pk), by=claimant))
    assert any("of an address of the claimant" in each for each in places)
    assert not any("verified" in each for each in places)


def test_a_transfer_stops_an_announced_recovery(
    announced: NamespaceClaim,
    trees: Namespace,
    representative: User,
    participant: User,
    other_administrator: User,
) -> None:
    accept_transfer(offer_transfer(trees, by=representative, to=participant.email), by=participant)
    with refused(NotYetApprovable, "another registrant"):
        approve_claim(let_time_pass(announced), by=other_administrator, reason="No answer.")


def test_a_recovery_of_a_former_organisation_of_the_namespace_is_not_announced(
    recovery: NamespaceClaim, trees: Namespace, representative: User, participant: User, administrator: User
) -> None:
    accept_transfer(offer_transfer(trees, by=representative, to=participant.email), by=participant)
    # The new registrant could neither object for the organisation, nor be the one who is asked.
    with refused(NotYetApprovable, "no longer belongs to the organisation"):
        announce_claim(recovery, by=administrator, reason="Mails bounce.")


def test_a_recovery_needs_the_announcement_also_if_the_namespace_is_released(
    recovery: NamespaceClaim, trees: Namespace, administrator: User
) -> None:
    release_namespace(trees, reason="The account is erased.")
    recovery = NamespaceClaim.objects.get(pk=recovery.pk)
    assert not APPROVE_CLAIM.is_allowed_for(administrator, recovery)
    with refused(NotYetApprovable, "Announce the claim first"):
        approve_claim(recovery, by=administrator, reason="Proved.")


def test_the_namespace_of_a_person_has_no_organisation_to_recover(claimant: User, registrant: User) -> None:
    oaks = register_formal(a_template(namespace_identifier="example-oaks"), registrant=registrant).namespace
    with refused(NotPermitted):
        a_recovery(oaks, by=claimant)
    assert signed_in(claimant).get("/namespaces/example-oaks/recover/").status_code == 404


@pytest.mark.parametrize("is_recovery", [True, False])
def test_members_of_the_holding_organisation_since_the_claim_do_not_decide_on_it(
    is_recovery: bool,
    arboretum: Organisation,
    trees: Namespace,
    representative: User,
    claimant: User,
    administrator: User,
) -> None:
    membership = join(arboretum, administrator, MemberRole.CONTACT, by=representative)
    make = recover_organisation if is_recovery else claim_namespace
    claim = make(trees, by=claimant, ground="other", statement="It is mine.")
    end_membership(membership, by=administrator)
    with refused(NotPermitted):
        announce_claim(claim, by=administrator, reason="Mails bounce.")
    assert not NamespaceClaim.objects.visible_to(administrator).exists()
    assert claim.get_absolute_url() not in signed_in(administrator).get("/desk/claims/").text
    assert administrator.email not in recipients_of("claim_namespace")


def test_an_organisation_is_recovered_by_the_api(
    trees: Namespace, claimant: User, representative: User
) -> None:
    body = {"ground": "other", "statement": "I work there.", "is_recovery": True}
    assert TokenClient(representative).post("namespaces/example-trees/claims/", body).status_code == 404
    answer = TokenClient(claimant).post("namespaces/example-trees/claims/", body)
    assert answer.status_code == 201
    assert answer.json()["is_recovery"] is True
    assert answer.json()["organisation"]["name"] == "Example Arboretum"
