"""Members of organisations: invitations, parts, and the last representative."""

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.accounts.closing import SomethingLeftToDo, close_own_account
from registry.accounts.locks import AddressNotConfirmed
from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.core.reading import may_read
from registry.core.validators import InvalidAddress, TextMissing
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.organisations.actions import members
from registry.organisations.actions.organisations import create_organisation, describe_organisation
from registry.organisations.history import event_label, event_types, history_of, names_in_history
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.organisations.permissions import part_of
from registry.organisations.subjects import (
    AlreadyMember,
    InvalidOrganisation,
    InvitationNotOpen,
    InvitationPending,
    LastRepresentative,
    NotMember,
    SamePart,
)
from tests.organisations.conftest import join, membership_of
from tests.support.factories import a_person, a_template


def to_of(name: str) -> set[str]:
    return set(Message.objects.filter(name=name).values_list("to", flat=True))


def test_who_creates_an_organisation_represents_it(representative: User, arboretum: Organisation) -> None:
    assert part_of(representative, arboretum.pk) == MemberRole.REPRESENTATIVE
    (event,) = history_of(arboretum)
    assert (event.verb, event.actor, event.details) == (
        "create_organisation",
        representative,
        {"organisation": arboretum.pk},
    )
    assert to_of("create_organisation") == {representative.email}


def test_an_organisation_needs_a_name_and_a_web_address(participant: User) -> None:
    with pytest.raises(TextMissing):
        create_organisation(by=participant, name="  ")
    with pytest.raises(InvalidOrganisation, match="https://"):
        create_organisation(by=participant, name="Example Museum", homepage="example")
    assert not Organisation.objects.exists()


def test_an_account_without_a_confirmed_address_creates_none(db: None) -> None:
    with pytest.raises(AddressNotConfirmed):
        create_organisation(by=a_person(email="new@example.org", is_verified=False), name="Example Museum")


def test_an_invited_person_becomes_a_member_by_accepting(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    invitation = members.invite_member(
        arboretum, by=representative, email="PARTICIPANT@example.org", part="editor"
    )
    assert part_of(participant, arboretum.pk) is None
    members.accept_membership(invitation, by=participant)
    assert part_of(participant, arboretum.pk) == MemberRole.EDITOR
    assert not MembershipInvitation.objects.exists()
    assert to_of("accept_membership") == {representative.email, participant.email}
    assert [each.verb for each in history_of(arboretum)] == [
        "accept_membership",
        "invite_member",
        "create_organisation",
    ]


def test_an_invitation_names_an_address_that_may_belong_to_no_account(
    arboretum: Organisation, representative: User
) -> None:
    members.invite_member(arboretum, by=representative, email="new@example.org", part="contact")
    mail = Message.objects.get(name="invite_member", to="new@example.org")
    assert mail.needs_account
    assert "Example Arboretum" in mail.subject
    with pytest.raises(InvitationPending):
        members.invite_member(arboretum, by=representative, email="NEW@example.org", part="editor")


def test_a_person_without_a_confirmed_address_does_not_accept(
    arboretum: Organisation, representative: User
) -> None:
    invitation = members.invite_member(arboretum, by=representative, email="new@example.org", part="contact")
    new = a_person(email="new@example.org", is_verified=False)
    with pytest.raises(NotPermitted):
        members.accept_membership(invitation, by=new)


def test_a_declined_or_withdrawn_invitation_is_gone(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    for end, by in ((members.decline_membership, participant), (members.withdraw_invitation, representative)):
        invitation = members.invite_member(
            arboretum, by=representative, email=participant.email, part="editor"
        )
        end(invitation, by=by)
        with pytest.raises(InvitationNotOpen):
            members.accept_membership(invitation, by=participant)
    assert to_of("withdraw_membership_invitation") == {representative.email, participant.email}
    assert part_of(participant, arboretum.pk) is None


def test_an_expired_invitation_can_be_replaced_but_not_accepted(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    invitation = members.invite_member(arboretum, by=representative, email=participant.email, part="editor")
    before = timezone.now() - timedelta(days=31)
    MembershipInvitation.objects.update(invited_at=before, expires_at=before + timedelta(days=30))
    with pytest.raises(InvitationNotOpen, match="expired"):
        members.accept_membership(invitation, by=participant)
    assert not MembershipInvitation.objects.open().exists()
    join(arboretum, participant, "contact", by=representative)
    assert part_of(participant, arboretum.pk) == MemberRole.CONTACT


def test_members_are_not_invited_again(arboretum: Organisation, representative: User, editor: User) -> None:
    with pytest.raises(AlreadyMember):
        members.invite_member(arboretum, by=representative, email=editor.email, part="contact")


def test_wrong_input_is_refused(arboretum: Organisation, representative: User, editor: User) -> None:
    with pytest.raises(InvalidOrganisation, match="representative, editor, contact"):
        members.invite_member(arboretum, by=representative, email="new@example.org", part="owner")
    with pytest.raises(InvalidAddress):
        members.invite_member(arboretum, by=representative, email="new", part="editor")
    with pytest.raises(SamePart):
        members.change_part(membership_of(editor), by=representative, part="editor")


def test_a_part_can_be_changed(arboretum: Organisation, representative: User, editor: User) -> None:
    members.change_part(membership_of(editor), by=representative, part="representative")
    assert part_of(editor, arboretum.pk) == MemberRole.REPRESENTATIVE
    event = history_of(arboretum)[0]
    assert event_label(event, names_in_history(arboretum)) == "Changed the part of Editor to representative"
    assert to_of("change_part") == {representative.email, editor.email}


def test_members_leave_and_are_removed(
    arboretum: Organisation, representative: User, editor: User, contact: User
) -> None:
    members.end_membership(membership_of(editor), by=editor)
    removed = membership_of(contact)
    members.end_membership(removed, by=representative)
    assert part_of(editor, arboretum.pk) is part_of(contact, arboretum.pk) is None
    assert Membership.objects.exclude(ended_at=None).count() == 2
    assert to_of("leave_organisation") == {representative.email, editor.email}
    assert to_of("remove_member") == {representative.email, contact.email}
    with pytest.raises(NotMember):
        members.end_membership(removed, by=representative)


def test_a_former_member_can_join_again(arboretum: Organisation, representative: User, editor: User) -> None:
    members.end_membership(membership_of(editor), by=editor)
    join(arboretum, editor, "contact", by=representative)
    assert part_of(editor, arboretum.pk) == MemberRole.CONTACT


def test_the_last_representative_stays_while_the_organisation_has_something(
    arboretum: Organisation, representative: User, editor: User
) -> None:
    register_formal(a_template(), registrant=arboretum)
    last = membership_of(representative)
    with pytest.raises(LastRepresentative, match="Invite another representative"):
        members.end_membership(last, by=representative)
    with pytest.raises(LastRepresentative):
        members.change_part(last, by=representative, part="contact")
    with pytest.raises(SomethingLeftToDo, match="last representative"):
        close_own_account(representative)
    members.change_part(membership_of(editor), by=representative, part="representative")
    members.end_membership(last, by=representative)
    assert [each.user for each in arboretum.memberships.representatives()] == [editor]


def test_the_last_representative_leaves_an_empty_organisation(
    arboretum: Organisation, representative: User
) -> None:
    members.end_membership(membership_of(representative), by=representative)
    assert not arboretum.memberships.current().exists()


def test_a_closed_account_is_no_member(arboretum: Organisation, editor: User, representative: User) -> None:
    close_own_account(editor)
    assert part_of(editor, arboretum.pk) is None
    assert Event.objects.filter(verb="leave_organisation", details__person=editor.pk).exists()


def test_others_see_an_organisation_that_has_something_public(
    arboretum: Organisation, contact: User, participant: User
) -> None:
    assert may_read(contact, arboretum)
    assert not may_read(participant, arboretum)
    register_formal(a_template(), registrant=arboretum)
    assert may_read(participant, arboretum)


def test_events_have_the_declared_details(
    arboretum: Organisation, representative: User, second: User, editor: User, contact: User
) -> None:
    describe_organisation(arboretum, by=second, name="Arboretum of Exampletown")
    members.change_part(membership_of(editor), by=second, part="contact")
    members.end_membership(membership_of(contact), by=second)
    members.end_membership(membership_of(editor), by=editor)
    for end, by in ((members.decline_membership, contact), (members.withdraw_invitation, second)):
        end(members.invite_member(arboretum, by=second, email=contact.email, part="contact"), by=by)
    events = history_of(arboretum)
    # The events of domains are in tests/domains, and recoveries in tests/custody.
    others = {each for each in event_types() if each.endswith("_domain")} | {"restore_representative"}
    assert {each.verb for each in events} == event_types().keys() - others
    for event in events:
        assert set(event.details) == {each.name for each in event_types()[event.verb].details}
        assert event_label(event, names_in_history(arboretum))
