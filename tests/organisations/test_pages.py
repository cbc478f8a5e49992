"""The pages of organisations: create, invite, respond, change, leave, move namespaces, and begin a case."""

import html
import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.custody.models import NamespaceClaim
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Kind, Namespace
from registry.organisations.actions.members import (
    ACCEPT_MEMBERSHIP,
    LEAVE_ORGANISATION,
    REMOVE_MEMBER,
    WITHDRAW_INVITATION,
    invite_member,
)
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.organisations.permissions import part_of
from tests.organisations.conftest import membership_of
from tests.support.browser import signed_in
from tests.support.factories import a_person, a_template, an_imported_namespace

pytestmark = pytest.mark.django_db


def text_of(client: Client, path: str, status: int = 200) -> str:
    page = client.get(path)
    assert page.status_code == status
    return html.unescape(page.text)


def test_an_organisation_is_created_and_described(participant: User) -> None:
    client = signed_in(participant)
    assert "/organisations/" in text_of(client, "/account/")
    assert "/organisations/" in text_of(client, "/mine/")
    answer = client.post("/organisations/new/", {"name": "Example <Museum>", "homepage": ""}, follow=True)
    museum = Organisation.objects.get()
    assert "needs two representatives" in answer.text
    assert "<Museum>" not in answer.text
    typed = {"name": "Example Museum", "homepage": "https://museum.example.org/"}
    client.post(f"/organisations/{museum.pk}/edit/", typed)
    assert "https://museum.example.org/" in text_of(client, museum.get_absolute_url())
    assert "Example Museum" in text_of(client, "/organisations/")


def test_nothing_typed_is_lost(participant: User, arboretum: Organisation, representative: User) -> None:
    page = signed_in(participant).post("/organisations/new/", {"name": "Example Museum", "homepage": "ftp:"})
    assert page.status_code == 422
    assert "Example Museum" in page.text
    members = f"/organisations/{arboretum.pk}/members/"
    typed = {"email": representative.email, "part": "editor"}
    page = signed_in(representative).post(members, typed)
    assert page.status_code == 409
    assert representative.email in page.text


def test_a_person_is_invited_and_accepts(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    client, other = signed_in(representative), signed_in(participant)
    members = f"/organisations/{arboretum.pk}/members/"
    page = client.post(members, {"email": participant.email, "part": "representative"}, follow=True)
    assert participant.email in page.text
    invitation = MembershipInvitation.objects.get()
    address = f"/organisations/{arboretum.pk}/invitations/{invitation.pk}/"
    assert "Withdraw the invitation" in text_of(client, address)
    assert address in text_of(other, "/organisations/")
    assert "Accept" in text_of(other, address)
    assert text_of(other, members, 404)
    other.post(address, {"decision": "accept"})
    assert part_of(participant, arboretum.pk) == MemberRole.REPRESENTATIVE
    page = text_of(other, members)
    assert "needs two representatives" not in page
    assert "Became representative" in page


@pytest.mark.parametrize(("decision", "who"), [("decline", "participant"), ("withdraw", "representative")])
def test_an_invitation_ends(
    decision: str, who: str, arboretum: Organisation, participant: User, request: pytest.FixtureRequest
) -> None:
    by = arboretum.memberships.get().user
    invitation = invite_member(arboretum, by=by, email=participant.email, part="editor")
    client = signed_in(request.getfixturevalue(who))
    client.post(f"/organisations/{arboretum.pk}/invitations/{invitation.pk}/", {"decision": decision})
    assert not MembershipInvitation.objects.exists()
    assert part_of(participant, arboretum.pk) is None


def test_an_expired_invitation_is_only_withdrawn(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    invitation = invite_member(arboretum, by=representative, email=participant.email, part="editor")
    address, invited = f"/organisations/{arboretum.pk}/invitations/{invitation.pk}/", signed_in(participant)
    then = invitation.invited_at - timedelta(days=31)
    MembershipInvitation.objects.update(invited_at=then, expires_at=then + timedelta(days=30))
    page = text_of(invited, address)
    assert "The invitation has expired." in page
    assert 'name="decision"' not in page
    refused = invited.post(address, {"decision": "decline"})
    assert refused.status_code == 409
    assert "Ask a representative for another one" in refused.text
    assert WITHDRAW_INVITATION.effect in text_of(signed_in(representative), address)


def test_a_representative_changes_and_removes_a_member(
    arboretum: Organisation, representative: User, editor: User
) -> None:
    client, membership = signed_in(representative), membership_of(editor)
    address = f"/organisations/{arboretum.pk}/members/{membership.pk}/"
    assert address in text_of(client, f"/organisations/{arboretum.pk}/members/")
    client.post(address, {"part": "contact"})
    assert part_of(editor, arboretum.pk) == MemberRole.CONTACT
    assert signed_in(editor).post(address, {"part": "representative"}).status_code == 404
    assert REMOVE_MEMBER.effect in text_of(client, address)
    assert "The member was removed." in client.post(f"{address}end/", follow=True).text
    assert part_of(editor, arboretum.pk) is None
    assert text_of(client, address, 404)


def test_a_member_leaves_unless_they_are_the_last_representative(
    arboretum: Organisation, representative: User, editor: User
) -> None:
    register_formal(a_template(), registrant=arboretum)
    leave = f"/organisations/{arboretum.pk}/members/{membership_of(representative).pk}/end/"
    page = signed_in(representative).post(leave)
    assert page.status_code == 409
    assert "Invite another representative first" in page.text
    assert text_of(signed_in(editor), leave.removesuffix("end/"), 404)
    own = f"/organisations/{arboretum.pk}/members/{membership_of(editor).pk}/"
    for path in (own, f"{own}end/"):
        page = text_of(signed_in(editor), path)
        assert LEAVE_ORGANISATION.effect in page
        assert REMOVE_MEMBER.effect not in page
    answer = signed_in(editor).post(f"{own}end/", follow=True)
    assert "You left the organisation." in answer.text
    assert not Membership.objects.of(editor).exists()


def test_others_see_only_what_is_public(
    client: Client, arboretum: Organisation, representative: User, contact: User
) -> None:
    address = arboretum.get_absolute_url()
    assert text_of(client, address, 404)
    draft = drafts.create_case(
        by=representative, kind=Kind.FORMAL, template=a_template(), organisation=arboretum
    )
    assert text_of(client, address, 404)
    assert draft.get_absolute_url() in text_of(signed_in(contact), address)
    register_formal(a_template(namespace_identifier="example-oaks"), registrant=arboretum)
    page = text_of(client, address)
    assert "example-oaks" in page
    assert draft.get_absolute_url() not in page
    assert "Contact" not in page
    assert address in text_of(client, "/namespaces/example-oaks/")


def test_namespaces_move_to_an_organisation(arboretum: Organisation, representative: User) -> None:
    for nid in ("example-trees", "example-oaks"):
        register_formal(a_template(namespace_identifier=nid), registrant=representative)
    client, address = signed_in(representative), f"/organisations/{arboretum.pk}/namespaces/"
    assert address in text_of(client, arboretum.get_absolute_url())
    page = text_of(client, address)
    assert page.count("checked") == 2
    assert client.post(address, {}).status_code == 422
    client.post(address, {"namespaces": [Namespace.objects.get(nid="example-oaks").pk]})
    assert [each.nid for each in arboretum.namespaces.all()] == ["example-oaks"]
    assert "example-oaks" in text_of(client, "/mine/")


@pytest.mark.parametrize(
    ("who", "is_offered"), [("editor", True), ("contact", False), ("participant", False)]
)
def test_a_case_is_begun_for_an_organisation(
    who: str, is_offered: bool, arboretum: Organisation, request: pytest.FixtureRequest
) -> None:
    client = signed_in(request.getfixturevalue(who))
    assert ("Example Arboretum" in text_of(client, "/cases/new/")) == is_offered
    typed = {"kind": "formal", "procedure": "community", "template": "", "organisation": arboretum.pk}
    answer = client.post("/cases/new/", typed)
    assert answer.status_code == (302 if is_offered else 422)
    assert Case.objects.filter(organisation=arboretum).exists() == is_offered


def test_a_member_can_still_act_for_themselves(arboretum: Organisation, representative: User) -> None:
    client = signed_in(representative)
    page = client.get("/cases/new/").content.decode()
    choices = re.findall(
        r'<input type="radio" name="organisation" value="(\d*)"[^>]*?( checked)?>\s*([^<]+)<', page
    )
    assert choices == [("", " checked", "Myself"), (str(arboretum.pk), "", "Example Arboretum")]
    client.post(
        "/cases/new/", {"kind": "formal", "procedure": "community", "template": "", "organisation": ""}
    )
    assert Case.objects.get().organisation is None


def test_a_case_of_an_organisation_names_it(
    arboretum: Organisation, representative: User, contact: User, expert: User, administrator: User
) -> None:
    case = drafts.create_case(
        by=representative, kind=Kind.FORMAL, template=a_template(), organisation=arboretum
    )
    page = signed_in(contact).get(case.get_absolute_url())
    named = f'<a href="{arboretum.get_absolute_url()}">Example Arboretum</a>'
    assertContains(page, f"<dt>Change controller</dt><dd>{named}</dd>", html=True)
    assertContains(page, "<dt>Started by</dt><dd>Representative</dd>", html=True)
    assertNotContains(page, "<dt>Registrant</dt>", html=True)
    assert text_of(signed_in(contact), f"/cases/{case.pk}/edit/", 404)
    client = signed_in(representative)
    assert f"/cases/{case.pk}/delete/" in text_of(client, "/mine/")
    assert "The name of the organisation as registrant" in text_of(client, f"/cases/{case.pk}/submit/")
    case = functions.submit(case, by=representative, draft_stamp=case.draft_stamp)
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    desk = text_of(signed_in(administrator), "/desk/assignments/")
    assert "Change controller: Example Arboretum. Started by Representative." in desk


def test_an_offer_is_accepted_for_an_organisation(
    arboretum: Organisation, representative: User, registrant: User
) -> None:
    trees = register_formal(a_template(), registrant=registrant).namespace
    offer = offer_transfer(trees, by=registrant, to=representative.email)
    client = signed_in(representative)
    assert "Example Arboretum" in text_of(client, offer.get_absolute_url())
    client.post(offer.get_absolute_url(), {"decision": "accept", "organisation": arboretum.pk})
    trees.refresh_from_db()
    assert trees.organisation == arboretum


def test_a_namespace_is_claimed_for_an_organisation(
    arboretum: Organisation, representative: User, administrator: User
) -> None:
    an_imported_namespace("isbn")
    typed = {"ground": "domain", "statement": "It is ours.", "links": "", "organisation": arboretum.pk}
    signed_in(representative).post("/namespaces/isbn/claim/", typed)
    claim = NamespaceClaim.objects.get()
    assert claim.organisation == arboretum
    assert "Example Arboretum" in text_of(signed_in(administrator), claim.get_absolute_url())


def test_an_invitation_that_was_withdrawn_meanwhile_says_so(
    arboretum: Organisation, representative: User, participant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page of the invitation is gone, and its reason is not."""
    invitation = invite_member(arboretum, by=representative, email=participant.email, part="editor")
    accept = ACCEPT_MEMBERSHIP.function

    def accept_too_late(subject: MembershipInvitation, **arguments: object) -> object:
        MembershipInvitation.objects.all().delete()
        return accept(subject, **arguments)

    monkeypatch.setattr(ACCEPT_MEMBERSHIP, "function", accept_too_late)
    address = f"/organisations/{arboretum.pk}/invitations/{invitation.pk}/"
    answer = signed_in(participant).post(address, {"decision": "accept"})
    assert answer.status_code == 404
    assert "This invitation was already accepted, declined or withdrawn." in answer.text


def test_an_address_in_a_form_that_names_no_action_is_not_lost(
    arboretum: Organisation, representative: User
) -> None:
    typed = {"email": "new@example.org", "part": "editor", "decision": "unknown"}
    answer = signed_in(representative).post(f"/organisations/{arboretum.pk}/members/", typed)
    assert answer.status_code == 422
    assert "This text was not saved." in answer.text
    assert "new@example.org" in answer.text


def test_my_page_lists_invitations_to_every_confirmed_address(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    second = EmailAddress.objects.create(user=participant, email="Second@example.org")
    invitation = invite_member(
        arboretum, by=representative, email="second@EXAMPLE.org", part=MemberRole.EDITOR
    )
    address = f"/organisations/{arboretum.pk}/invitations/{invitation.pk}/"
    client = signed_in(participant)
    assert address not in text_of(client, "/mine/")
    assert text_of(client, address, 404)
    second.verified = True
    second.save()
    page = text_of(client, "/mine/")
    assert address in page
    assert "You have no tasks." not in page
    client.post(address, {"decision": "accept"})
    assert part_of(participant, arboretum.pk) == MemberRole.EDITOR


def test_an_invitation_is_found_after_signing_up(arboretum: Organisation, representative: User) -> None:
    invite_member(arboretum, by=representative, email="new@example.org", part=MemberRole.EDITOR)
    new = a_person(email="new@example.org", is_verified=False)
    client = signed_in(new)
    assert "Invitations to organisations" not in text_of(client, "/mine/")
    EmailAddress.objects.filter(user=new).update(verified=True)
    assert "invites you to Example Arboretum" in text_of(client, "/mine/")


def test_an_offer_to_another_confirmed_address_is_accepted(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    trees = register_formal(a_template(), registrant=arboretum).namespace
    EmailAddress.objects.create(user=participant, email="second@example.org", verified=True)
    offer = offer_transfer(trees, by=representative, to="second@example.org")
    client = signed_in(participant)
    assert "offered to you by" in " ".join(text_of(client, "/mine/").split())
    client.post(offer.get_absolute_url(), {"decision": "accept"})
    trees.refresh_from_db()
    assert trees.registrant == participant
