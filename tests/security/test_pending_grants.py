"""What a person grants, and what takes effect later, is worth as much as their authority when it is used.

Each kind of pending grant ends with each authority behind it: it is withdrawn, and it is refused if it were not.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts import grants
from registry.accounts.closing import close_account
from registry.accounts.models import PendingGrant, RoleName, Scope, Token, User
from registry.accounts.roles import withdraw_role
from registry.accounts.tokens import make_token, revoke_token
from registry.audit_log.models import Event
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor, Invitation
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import accept_invitation, invite_co_editor
from registry.core.exceptions import NotPermitted, RegistryError
from registry.custody.actions.claims import (
    APPROVE_CLAIM,
    announce_claim,
    approve_claim,
    claim_namespace,
)
from registry.custody.exceptions import NotYetApprovable
from registry.custody.models import ClaimStatus, NamespaceClaim
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import (
    TransferNotOpen,
    accept_transfer,
    move_to_organisation,
    offer_transfer,
)
from registry.namespaces.models import Kind, Transfer
from registry.organisations.actions.members import (
    accept_membership,
    change_part,
    end_membership,
    invite_member,
)
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.organisations.subjects import InvitationNotOpen
from registry.registers.actions.entries import accept_entry, offer_entry
from registry.registers.actions.registers import register_entry
from registry.registers.models import EntryOffer
from tests.accounts.test_closing_races import one_after_the_other
from tests.api.client import TokenClient, check_problem
from tests.cases.traces import check_record_holds
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.registers.conftest import a_described_namespace, a_register
from tests.support.browser import signed_in
from tests.support.factories import a_person, a_template, an_imported_namespace

EVIDENCE: dict[str, Any] = {"ground": "domain", "statement": "I manage the domain."}


@dataclass
class Scene:
    """An organisation with two representatives, and a person outside to whom the second one grants something."""

    first: User
    grantor: User
    outsider: User
    organisation: Organisation


def a_scene() -> Scene:
    first, grantor = a_person(email="first@example.org"), a_person(email="grantor@example.org")
    organisation = an_organisation(by=first)
    join(organisation, grantor, MemberRole.REPRESENTATIVE, by=first)
    return Scene(first, grantor, a_person(email="outsider@example.org"), organisation)


@pytest.fixture
def scene(db: None) -> Scene:
    return a_scene()


def a_case(scene: Scene) -> Case:
    return drafts.create_case(
        by=scene.first, kind=Kind.FORMAL, template=a_template(), organisation=scene.organisation
    )


def a_public_case(scene: Scene) -> Case:
    case = a_case(scene)
    return functions.submit(case, by=scene.first, draft_stamp=case.draft_stamp)


# A kind of grant: makes one, and returns how it is used.
def an_invitation_to_join(scene: Scene) -> Callable[[], object]:
    invitation = invite_member(
        scene.organisation, by=scene.grantor, email=scene.outsider.email, part=MemberRole.REPRESENTATIVE
    )
    return lambda: accept_membership(invitation, by=scene.outsider)


def an_invitation_to_edit(scene: Scene) -> Callable[[], object]:
    case = invite_co_editor(a_case(scene), by=scene.grantor, email=scene.outsider.email)
    return lambda: accept_invitation(case, by=scene.outsider)


def an_offer(scene: Scene) -> Callable[[], object]:
    trees = register_formal(a_template(), registrant=scene.organisation).namespace
    offer = offer_transfer(trees, by=scene.grantor, to=scene.outsider.email)
    return lambda: accept_transfer(offer, by=scene.outsider)


def an_offer_of_an_entry(scene: Scene) -> Callable[[], object]:
    register = a_register(a_described_namespace(registrant=scene.organisation), by=scene.first)
    entry = register_entry(register, by=scene.first, label="kew", title="Kew Gardens")
    offer = offer_entry(entry, by=scene.grantor, to=scene.outsider.email)
    return lambda: accept_entry(offer, by=scene.outsider)


def a_claim(scene: Scene) -> Callable[[], object]:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    isbn = an_imported_namespace("isbn")
    claim = claim_namespace(isbn, by=scene.grantor, organisation=scene.organisation, **EVIDENCE)
    return lambda: approve_claim(claim, by=administrator, reason="The site names them.")


KINDS = {
    MembershipInvitation: an_invitation_to_join,
    Invitation: an_invitation_to_edit,
    Transfer: an_offer,
    EntryOffer: an_offer_of_an_entry,
    NamespaceClaim: a_claim,
}


# An end of the authority behind a grant.
def removal(scene: Scene) -> None:
    end_membership(membership_of(scene.grantor), by=scene.first)


def leaving(scene: Scene) -> None:
    end_membership(membership_of(scene.grantor), by=scene.grantor)


def demotion(scene: Scene) -> None:
    change_part(membership_of(scene.grantor), by=scene.first, part=MemberRole.CONTACT)


def closing(scene: Scene) -> None:
    close_account(scene.grantor, by=None, reason="It was taken over.")


def revocation(scene: Scene) -> None:
    revoke_token(Token.objects.get(owner=scene.grantor), by=scene.grantor)


def a_new_password(scene: Scene) -> None:
    scene.grantor.set_password("another horse, another battery")
    scene.grantor.save()


def expiry(scene: Scene) -> None:
    Token.objects.filter(owner=scene.grantor).update(expires_at=timezone.now() - timedelta(seconds=1))
    grants.withdraw_grants_of_ended_tokens()


ENDS = (removal, leaving, demotion, closing, revocation, a_new_password, expiry)
End = Callable[[Scene], None]


def act_with_a_token(person: User) -> Token:
    person.acting_with, _ = make_token(by=person, name="Example", scopes=[Scope.MANAGE])
    return person.acting_with


def open_grants() -> list[PendingGrant]:
    return [grant for each in grants.GRANT_TYPES.values() for grant in each.pending()]


def test_every_pending_grant_declares_how_it_is_rechecked_and_is_tested() -> None:
    found = {model for model in apps.get_models() if issubclass(model, PendingGrant)}
    assert found == set(grants.GRANT_TYPES) == set(KINDS)


@pytest.mark.exhaustive
def test_every_process_knows_them() -> None:
    """Also a command that imports no page: it can revoke tokens and withdraw roles, which locks what apps declare."""
    code = (
        "from registry.accounts import erasure, grants;"
        "print(len(grants.GRANT_TYPES), {'CaseData', 'OrganisationData'} <= {type(each).__name__ for each in erasure._HOLDERS})"
    )
    command = [sys.executable, "-c", f"import django; django.setup(); {code}"]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == [str(len(KINDS)), "True"]


@pytest.mark.parametrize("make", KINDS.values())
def test_a_grant_takes_effect_and_remembers_who_made_it_and_how(
    scene: Scene, make: Callable[[Scene], Callable[[], object]]
) -> None:
    token = act_with_a_token(scene.grantor)
    use = make(scene)
    (grant,) = open_grants()
    assert (grant.grantor, grant.made_with) == (scene.grantor, token)
    use()
    assert open_grants() == []
    check_record_holds()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("make", KINDS.values())
def test_a_grant_is_withdrawn_with_the_authority_behind_it(
    scene: Scene, make: Callable[[Scene], Callable[[], object]], end: End
) -> None:
    act_with_a_token(scene.grantor)
    use = make(scene)
    (grant,) = open_grants()
    Message.objects.all().delete()
    end(scene)
    assert open_grants() == []
    withdrawals = [each for each in Message.objects.all() if each.name.startswith("withdraw")]
    invited = getattr(grant, "email", None)
    assert withdrawals
    assert invited is None or invited in {each.to for each in withdrawals}
    with pytest.raises(RegistryError):
        use()
    check_record_holds()


@pytest.mark.sampled(4, 2)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("make", KINDS.values())
def test_a_grant_that_was_not_withdrawn_is_refused_when_it_is_used(
    scene: Scene,
    make: Callable[[Scene], Callable[[], object]],
    end: End,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    act_with_a_token(scene.grantor)
    use = make(scene)
    for model, kind in list(grants.GRANT_TYPES.items()):
        none = model._default_manager.none()
        monkeypatch.setitem(grants.GRANT_TYPES, model, replace(kind, pending=lambda none=none: none))
    end(scene)
    with pytest.raises(RegistryError):
        use()


@pytest.mark.parametrize("end", [leaving, closing])
def test_what_others_granted_stays(scene: Scene, end: End) -> None:
    invite_member(scene.organisation, by=scene.first, email=scene.outsider.email, part=MemberRole.EDITOR)
    end(scene)
    assert len(open_grants()) == 1


def test_a_role_takes_its_offers_with_it(db: None) -> None:
    """An administrator offers what has no registrant, and loses the role."""
    administrators = [
        a_person(email=f"administrator-{n}@example.org", roles=(RoleName.ADMINISTRATOR,)) for n in (1, 2)
    ]
    heir = a_person(email="heir@example.org")
    offer = offer_transfer(an_imported_namespace("isbn"), by=administrators[0], to=heir.email)
    withdraw_role(administrators[0], RoleName.ADMINISTRATOR, by=administrators[1], reason="They left.")
    assert open_grants() == []
    assert Event.objects.get(verb="withdraw_transfer").actor is None
    with pytest.raises(TransferNotOpen):
        accept_transfer(offer, by=heir)


def test_an_announcement_is_worth_as_much_as_the_role_of_who_made_it(db: None) -> None:
    one, two, three = (
        a_person(email=f"administrator-{n}@example.org", roles=(RoleName.ADMINISTRATOR,)) for n in "123"
    )
    registrant, claimant = a_person(email="registrant@example.org"), a_person(email="claimant@example.org")
    trees = register_formal(a_template(), registrant=registrant).namespace
    with time_machine.travel(timezone.now() - timedelta(days=100)):
        claim = claim_namespace(trees, by=claimant, **EVIDENCE)
        announce_claim(claim, by=one, reason="The site names them.")
    withdraw_role(one, RoleName.ADMINISTRATOR, by=two, reason="They left.")
    assert not APPROVE_CLAIM.is_allowed_for(three, claim)
    with pytest.raises(NotYetApprovable, match="is no longer an administrator"):
        approve_claim(claim, by=three, reason="The site names them.")


def test_an_offer_ends_when_a_claim_gives_the_namespace_to_another_registrant(db: None) -> None:
    one, two = (a_person(email=f"{n}@example.org", roles=(RoleName.ADMINISTRATOR,)) for n in ("one", "two"))
    registrant, claimant = a_person(email="registrant@example.org"), a_person(email="claimant@example.org")
    trees = register_formal(a_template(), registrant=registrant).namespace
    with time_machine.travel(timezone.now() - timedelta(days=100)):
        claim = claim_namespace(trees, by=claimant, **EVIDENCE)
        announce_claim(claim, by=one, reason="The site names them.")
    offer_transfer(trees, by=registrant, to="accomplice@example.org")
    approve_claim(claim, by=two, reason="The site names them.")
    assert open_grants() == []
    assert NamespaceClaim.objects.get().status == ClaimStatus.APPROVED


def test_an_invitation_to_a_public_case_is_withdrawn_with_an_event_of_no_person(scene: Scene) -> None:
    case = invite_co_editor(a_public_case(scene), by=scene.grantor, email=scene.outsider.email)
    Message.objects.all().delete()
    removal(scene)
    event = Event.objects.get(verb="withdraw_invitation")
    assert (event.actor, event.case_number) == (None, case.pk)
    assert event.reason == "The person who made it may no longer invite co-editors."
    mail = Message.objects.get(name="withdraw_invitation")
    assert (mail.to, mail.event_number) == (scene.outsider.email, event.number)
    assert "was withdrawn." in mail.body
    assert event.reason in mail.body
    check_record_holds()


@pytest.mark.parametrize("make_case", [a_case, a_public_case])
def test_a_mail_gives_no_wrong_reason(scene: Scene, make_case: Callable[[Scene], Case]) -> None:
    act_with_a_token(scene.grantor)
    invite_co_editor(make_case(scene), by=scene.grantor, email=scene.outsider.email)
    revocation(scene)
    assert "may no longer invite" not in Message.objects.get(name="withdraw_invitation").body


def test_a_lapsed_invitation_does_not_prevent_another(scene: Scene) -> None:
    """Until the hourly job has withdrawn it: then it is withdrawn here, with an event and a mail."""
    act_with_a_token(scene.grantor)
    case = a_public_case(scene)
    values = {"email": scene.outsider.email}
    invite_co_editor(case, by=scene.grantor, **values)
    invite_member(scene.organisation, by=scene.grantor, part=MemberRole.EDITOR, **values)
    Token.objects.update(expires_at=timezone.now())
    Message.objects.all().delete()
    invite_co_editor(case, by=scene.first, **values)
    invite_member(scene.organisation, by=scene.first, part=MemberRole.EDITOR, **values)
    assert {each.grantor for each in open_grants()} == {scene.first}
    for verb in ("withdraw_invitation", "withdraw_membership_invitation"):
        assert Event.objects.get(verb=verb).reason.startswith("The token")
        assert Message.objects.filter(name=verb, to=scene.outsider.email).count() == 1
    check_record_holds()


def test_an_expired_invitation_is_replaced_without_an_event(scene: Scene) -> None:
    values = {"email": scene.outsider.email, "part": MemberRole.EDITOR}
    invite_member(scene.organisation, by=scene.grantor, **values)
    with time_machine.travel(timezone.now() + timedelta(days=400)):
        invite_member(scene.organisation, by=scene.first, **values)
    assert not Event.objects.filter(verb="withdraw_membership_invitation").exists()


def test_a_lapsed_offer_does_not_prevent_a_move(scene: Scene) -> None:
    """Until the hourly job has withdrawn it."""
    act_with_a_token(scene.grantor)
    trees = register_formal(a_template(), registrant=scene.grantor).namespace
    offer_transfer(trees, by=scene.grantor, to=scene.outsider.email)
    Token.objects.update(expires_at=timezone.now())
    scene.grantor.acting_with = None
    move_to_organisation(scene.organisation, by=scene.grantor, namespaces=[trees])
    assert Event.objects.get(verb="withdraw_transfer").actor is None
    assert open_grants() == []
    check_record_holds()


def an_invitation_by_each(scene: Scene) -> Case:
    """The outsider is invited by both representatives, the second one first, each to another address of theirs."""
    other = "outsider@example.net"
    EmailAddress.objects.create(user=scene.outsider, email=other, verified=True)
    case = invite_co_editor(a_case(scene), by=scene.grantor, email=scene.outsider.email)
    return invite_co_editor(case, by=scene.first, email=other)


def test_one_lapsed_invitation_does_not_refuse_another(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    case = an_invitation_by_each(scene)
    kind = replace(grants.GRANT_TYPES[Invitation], pending=Invitation.objects.none)
    monkeypatch.setitem(grants.GRANT_TYPES, Invitation, kind)
    removal(scene)
    assert Invitation.objects.count() == 2
    accept_invitation(case, by=scene.outsider)
    assert CoEditor.objects.get().user == scene.outsider
    assert not Invitation.objects.exists()


def test_all_who_invited_are_locked_at_once_and_in_order(scene: Scene) -> None:
    """Two people who accept invitations of the same people do not wait for each other."""
    case = an_invitation_by_each(scene)
    with CaptureQueriesContext(connection) as statements:
        accept_invitation(case, by=scene.outsider)
    first = next(each["sql"] for each in statements if "FOR NO KEY UPDATE" in each["sql"])
    locked = re.search(r'FROM "accounts_user" .* IN \(([\d, ]+)\) ORDER BY 1 ASC FOR NO KEY UPDATE$', first)
    assert locked
    keys = set(map(int, locked[1].split(", ")))
    assert keys == {scene.first.pk, scene.grantor.pk, scene.outsider.pk}


def test_nothing_is_granted_with_a_token_that_was_just_revoked(scene: Scene) -> None:
    token = act_with_a_token(scene.grantor)
    Token.objects.filter(pk=token.pk).update(revoked_at=timezone.now())
    for make in (an_invitation_to_join, an_invitation_to_edit, an_offer, a_claim):
        with transaction.atomic(), pytest.raises(NotPermitted, match="revoked"):
            make(scene)


# The attacks, over HTTP


def test_a_removed_representative_gets_the_organisation_back_by_no_invitation(scene: Scene) -> None:
    """The finding: the invitation was accepted (200), and the new representative removed the first one (204)."""
    path = f"organisations/{scene.organisation.pk}/invitations/"
    body = {"email": scene.outsider.email, "part": "representative"}
    sent = TokenClient(scene.grantor).post(path, body)
    removal(scene)
    program = TokenClient(scene.outsider)
    check_problem(program.post(f"{path}{sent.json()['number']}/accept/"), 404, "not-found")
    members = f"organisations/{scene.organisation.pk}/members/"
    check_problem(program.ask("delete", f"{members}{membership_of(scene.first).pk}/"), 404, "not-found")
    page = f"/organisations/{scene.organisation.pk}/invitations/{sent.json()['number']}/"
    assert signed_in(scene.outsider).post(page, {"decision": "accept"}).status_code == 404
    assert set(Membership.objects.representatives().values_list("user", flat=True)) == {scene.first.pk}


def test_a_removed_representative_reads_no_draft_by_an_invitation(scene: Scene) -> None:
    """The finding: the invitation was accepted, and the draft read (200)."""
    case = a_case(scene)
    path = f"cases/{case.pk}"
    assert (
        TokenClient(scene.grantor)
        .post(f"{path}/invite-co-editor/", {"email": scene.outsider.email})
        .status_code
        == 200
    )
    removal(scene)
    program = TokenClient(scene.outsider)
    check_problem(program.post(f"{path}/accept-invitation/"), 404, "not-found")
    check_problem(program.get(f"{path}/draft/"), 404, "not-found")
    assert not CoEditor.objects.exists()
    assert program.get("account/").json()["invitations"] == []


# At the same time


@pytest.mark.sampled(5)
@pytest.mark.usefixtures("real_database")
@pytest.mark.parametrize("end", [removal, revocation])
@pytest.mark.parametrize("make", KINDS.values())
def test_a_grant_is_not_used_while_its_authority_ends(
    make: Callable[[Scene], Callable[[], object]], end: End
) -> None:
    scene = a_scene()
    act_with_a_token(scene.grantor)
    use = make(scene)
    refusal = one_after_the_other(lambda: end(scene), use)
    assert isinstance(refusal, RegistryError), refusal
    assert open_grants() == []


@pytest.mark.usefixtures("real_database")
def test_nothing_is_granted_while_the_token_is_revoked() -> None:
    scene = a_scene()
    act_with_a_token(scene.grantor)
    refusal = one_after_the_other(lambda: revocation(scene), lambda: an_invitation_to_join(scene))
    assert isinstance(refusal, NotPermitted)
    assert open_grants() == []


@pytest.mark.usefixtures("real_database")
def test_an_invitation_that_replaces_a_lapsed_one_in_time_is_accepted() -> None:
    scene = a_scene()
    case = invite_co_editor(a_case(scene), by=scene.grantor, email=scene.outsider.email)
    # As with a second factor that is due: nothing withdraws it yet.
    Membership.objects.filter(user=scene.grantor).update(part=MemberRole.CONTACT)

    def another() -> None:
        invite_co_editor(case, by=scene.first, email=scene.outsider.email)

    one_after_the_other(another, lambda: accept_invitation(case, by=scene.outsider))
    assert CoEditor.objects.get().user == scene.outsider


@pytest.mark.usefixtures("real_database")
def test_what_is_used_first_is_not_withdrawn_afterwards() -> None:
    scene = a_scene()
    use = an_invitation_to_join(scene)
    one_after_the_other(use, lambda: removal(scene))
    assert Membership.objects.of(scene.outsider).exists()
    with pytest.raises(InvitationNotOpen):
        use()
