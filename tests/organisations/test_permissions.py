"""What each part may do in the cases and with the namespaces of an organisation, as a table that is written by hand."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from registry.accounts.models import Recognition, RoleName, User
from registry.accounts.roles import grant_role
from registry.cases import permissions as of_cases
from registry.cases.audiences import editors, holders
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import HasActed
from registry.core.exceptions import NotPermitted
from registry.custody.actions.claims import (
    announce_claim,
    approve_claim,
    claim_namespace,
    decline_claim,
    object_to_claim,
    withdraw_claim,
)
from registry.custody.models import NamespaceClaim
from registry.custody.permissions import may_change_contact, may_object
from registry.domains.actions import add_domain, remove_domain, request_check
from registry.namespaces import permissions as of_namespaces
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import (
    TransferNotOpen,
    accept_transfer,
    move_to_organisation,
    offer_transfer,
)
from registry.namespaces.models import Kind, Namespace
from registry.organisations.actions import members
from registry.organisations.actions.members import change_part, end_membership
from registry.organisations.actions.organisations import describe_organisation
from registry.organisations.models import MemberRole, Membership, Organisation
from registry.organisations.queries import get_own_organisation
from tests.custody.test_claims import let_time_pass
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.support.factories import a_body, a_person, a_template, an_imported_namespace

PEOPLE = ["second", "editor", "contact", "former", "participant"]
# The predicate | a representative, an editor, a contact, a former editor, a participant.
IN_A_CASE: dict[str, tuple[Callable[[User, Case], bool], str]] = {
    "registrant": (of_cases.is_registrant, "yes no no no no"),
    "editor": (of_cases.is_editor, "yes yes no no no"),
    "sees the draft": (lambda user, _: Case.objects.visible_to(user).exists(), "yes yes yes no no"),
    "edits the draft": (lambda user, _: Case.objects.edited_by(user).exists(), "yes yes no no no"),
    "waits": (lambda user, _: Case.objects.waiting_for_registrant(user).exists(), "no no no no no"),
    "gets mail": (lambda user, case: user in holders(case), "yes yes yes no no"),
    "is mailed as an editor": (lambda user, case: user in editors(case), "yes yes no no no"),
    "disinterested": (of_cases.is_disinterested, "no no no no yes"),
}
WITH_A_NAMESPACE: dict[str, tuple[Callable[[User, Namespace], bool], str]] = {
    "registrant": (of_namespaces.is_registrant, "yes no no no no"),
    "revise": (of_namespaces.may_revise, "yes yes no no no"),
    "offer": (of_namespaces.may_offer_transfer, "yes no no no no"),
    "contact": (may_change_contact, "yes no no no yes"),
    "administrate": (of_namespaces.is_administrator, "no no no yes yes"),
}

# The action of a person on the organisation, its domains, and claims for and against it.
FOR_THE_ORGANISATION: dict[str, tuple[Callable[[User, Organisation], object], str]] = {
    "see members": (lambda by, own: get_own_organisation(by, own.pk), "yes yes yes no no"),
    "describe": (lambda by, own: describe_organisation(own, by=by, name="Garden"), "yes no no no no"),
    "invite": (
        lambda by, own: members.invite_member(own, by=by, email="new@example.org", part="editor"),
        "yes no no no no",
    ),
    "withdraw an invitation": (
        lambda by, own: members.withdraw_invitation(own.invitations.get(), by=by),
        "yes no no no no",
    ),
    "accept the invitation of another": (
        lambda by, own: members.accept_membership(own.invitations.get(), by=by),
        "no no no no no",
    ),
    "change a part": (
        lambda by, own: members.change_part(first_member(own), by=by, part="contact"),
        "yes no no no no",
    ),
    "remove a member": (lambda by, own: end_membership(first_member(own), by=by), "yes no no no no"),
    "add a domain": (lambda by, own: add_domain(own, by=by, domain="new.example.org"), "yes no no no no"),
    "request a check": (lambda by, own: request_check(own.domains.get(), by=by), "yes no no no no"),
    "remove a domain": (lambda by, own: remove_domain(own.domains.get(), by=by), "yes no no no no"),
    "begin a case": (
        lambda by, own: drafts.create_case(by=by, kind=Kind.FORMAL, organisation=own),
        "yes yes no no no",
    ),
    "move a namespace": (
        lambda by, own: move_to_organisation(own, by=by, namespaces=[an_own_namespace(by)]),
        "yes no no no no",
    ),
    "claim for it": (lambda by, own: a_claim_by(by, "isbn", organisation=own), "yes no no no no"),
    "claim for themselves": (lambda by, own: a_claim_by(by, "isbn"), "yes yes yes yes yes"),
    "claim its namespace": (lambda by, own: a_claim_by(by, "example-elms"), "no yes yes yes yes"),
    "object to a claim": (
        lambda by, own: object_to_claim(NamespaceClaim.objects.get(status="announced"), by=by),
        "yes no no no no",
    ),
    "withdraw a claim of another": (
        lambda by, own: withdraw_claim(NamespaceClaim.objects.get(status="open"), by=by),
        "no no no no no",
    ),
    # With the role of an administrator.
    "decide on a claim for it": (
        lambda by, own: decline_claim(
            NamespaceClaim.objects.get(status="open"), by=as_administrator(by), reason="Not proved."
        ),
        "no no no yes yes",
    ),
}


def first_member(organisation: Organisation) -> Membership:
    return organisation.memberships.earliest("pk")


def an_own_namespace(person: User) -> Namespace:
    return register_formal(a_template(namespace_identifier="example-oaks"), registrant=person).namespace


def a_claim_by(person: User, nid: str, organisation: Organisation | None = None) -> NamespaceClaim:
    namespace = Namespace.objects.get(nid=nid)
    evidence = {"ground": "domain", "statement": "It is ours."}
    return claim_namespace(namespace, by=person, organisation=organisation, **evidence)


def as_administrator(person: User) -> User:
    grant_role(person, RoleName.ADMINISTRATOR, by=None)
    return User.objects.get(pk=person.pk)


@pytest.fixture
def former(arboretum: Organisation, representative: User) -> User:
    person = a_person(email="former@example.org")
    join(arboretum, person, MemberRole.EDITOR, by=representative)
    return person


@pytest.fixture
def draft(arboretum: Organisation, representative: User) -> Case:
    return drafts.create_case(
        by=representative, kind=Kind.FORMAL, template=a_template(), organisation=arboretum
    )


def answers(table: str) -> dict[str, bool]:
    return dict(zip(PEOPLE, (cell == "yes" for cell in table.split()), strict=True))


@pytest.mark.parametrize("name", IN_A_CASE)
def test_in_a_case(
    name: str, draft: Case, second: User, former: User, request: pytest.FixtureRequest
) -> None:
    people = {each: request.getfixturevalue(each) for each in PEOPLE}
    end_membership(membership_of(former), by=former)
    predicate, table = IN_A_CASE[name]
    assert {each: bool(predicate(person, draft)) for each, person in people.items()} == answers(table)


@pytest.mark.parametrize("name", WITH_A_NAMESPACE)
def test_with_a_namespace(
    name: str,
    arboretum: Organisation,
    second: User,
    former: User,
    administrator: User,
    request: pytest.FixtureRequest,
) -> None:
    trees = register_formal(a_template(), registrant=arboretum).namespace
    people = {each: request.getfixturevalue(each) for each in PEOPLE}
    end_membership(membership_of(former), by=former)
    predicate, table = WITH_A_NAMESPACE[name]
    if name in {"administrate", "contact"}:
        for each in people:
            if name == "administrate" or each == "participant":
                grant_role(people[each], RoleName.ADMINISTRATOR, by=None)
                people[each] = User.objects.get(pk=people[each].pk)
    got = {each: predicate(person, trees) for each, person in people.items()}
    assert got == answers(table)


@pytest.fixture
def busy(arboretum: Organisation, representative: User, former: User, administrator: User) -> Organisation:
    """The organisation with an invitation, a domain, a namespace that is claimed, and a claim of its own."""
    end_membership(membership_of(former), by=former)
    members.invite_member(arboretum, by=representative, email="invited@example.org", part="editor")
    add_domain(arboretum, by=representative, domain="arboretum.example.org")
    register_formal(a_template(namespace_identifier="example-elms"), registrant=arboretum)
    for nid in ("isbn", "issn"):
        an_imported_namespace(nid)
    claimant = a_person(email="claimant@example.org")
    announce_claim(a_claim_by(claimant, "example-elms"), by=administrator, reason="Mails bounce.")
    a_claim_by(representative, "issn", organisation=arboretum)
    return arboretum


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FOR_THE_ORGANISATION)
def test_for_the_organisation(
    name: str, busy: Organisation, second: User, request: pytest.FixtureRequest
) -> None:
    action, table = FOR_THE_ORGANISATION[name]
    got = {}
    for each in PEOPLE:
        before = transaction.savepoint()
        try:
            action(request.getfixturevalue(each), busy)
            got[each] = True
        except NotPermitted:
            got[each] = False
        transaction.savepoint_rollback(before)
    assert got == answers(table)


def test_strangers_have_no_part(draft: Case) -> None:
    nobody = AnonymousUser()
    assert not of_cases.is_registrant(nobody, draft)
    assert not of_cases.is_editor(nobody, draft)


def test_the_person_who_began_a_case_and_left_does_not_act_in_it(
    draft: Case, representative: User, second: User
) -> None:
    end_membership(membership_of(representative), by=representative)
    assert not of_cases.is_editor(representative, draft)
    assert not Case.objects.visible_to(representative).exists()
    assert of_cases.conflict_of_interest(representative, draft) == "you started it"
    # Another goes on.
    case = functions.submit(draft, by=second, draft_stamp=draft.draft_stamp)
    assert case.latest_round.submitted_by == second


def test_members_can_not_act_in_their_roles(
    draft: Case, arboretum: Organisation, second: User, contact: User, expert: User, administrator: User
) -> None:
    case = functions.submit(draft, by=second, draft_stamp=draft.draft_stamp)
    grant_role(contact, RoleName.EXPERT, by=None)
    contact = User.objects.get(pk=contact.pk)
    with pytest.raises(NotPermitted):
        functions.approve(case, by=contact, round_number=1, rationale="Ours.")
    assert case not in Case.objects.waiting_for(RoleName.EXPERT, contact)
    assert case in Case.objects.waiting_for(RoleName.EXPERT, expert)
    end_membership(membership_of(contact), by=contact)
    assert not of_cases.is_expert(contact, case)
    assert case not in Case.objects.waiting_for(RoleName.EXPERT, contact)


def test_who_acted_in_an_open_case_does_not_become_a_member(
    draft: Case, arboretum: Organisation, representative: User, expert: User
) -> None:
    case = functions.submit(draft, by=representative, draft_stamp=draft.draft_stamp)
    functions.approve(case, by=expert, round_number=1, rationale="Fine.")
    with pytest.raises(HasActed):
        join(arboretum, expert, MemberRole.CONTACT, by=representative)


def test_a_former_editor_can_join_again(
    draft: Case, arboretum: Organisation, representative: User, second: User
) -> None:
    functions.submit(draft, by=second, draft_stamp=draft.draft_stamp)
    end_membership(membership_of(second), by=second)
    join(arboretum, second, MemberRole.EDITOR, by=representative)


def test_the_organisation_gets_the_namespace(
    draft: Case, arboretum: Organisation, representative: User, expert: User, administrator: User
) -> None:
    case = functions.submit(draft, by=representative, draft_stamp=draft.draft_stamp)
    assert case in Case.objects.waiting_for(RoleName.EXPERT, expert)
    case = functions.approve(case, by=expert, round_number=1, rationale="Fine.")
    functions.assign(case, by=administrator)
    trees = Namespace.objects.get(nid="example-trees")
    assert (trees.registrant, trees.organisation) == (None, arboretum)
    assert trees.contact.confirmed_at


@pytest.mark.parametrize("who", ["contact", "participant"])
def test_only_representatives_and_editors_begin_cases(
    who: str, arboretum: Organisation, request: pytest.FixtureRequest
) -> None:
    with pytest.raises(NotPermitted):
        drafts.create_case(by=request.getfixturevalue(who), kind=Kind.FORMAL, organisation=arboretum)


def test_an_editor_begins_a_revision_that_a_representative_submits(
    arboretum: Organisation, editor: User, representative: User
) -> None:
    trees = register_formal(a_template(), registrant=arboretum).namespace
    case = drafts.start_revision(trees, by=editor)
    assert case.organisation == arboretum
    template = a_template(version=2, revision_information="The purpose is clearer.")
    case = drafts.save_draft(case, template, by=editor, stamp=case.draft_stamp)
    with pytest.raises(NotPermitted):
        functions.submit(case, by=editor, draft_stamp=case.draft_stamp)
    functions.submit(case, by=representative, draft_stamp=case.draft_stamp)


def test_a_namespace_moves_to_an_organisation_of_its_registrant(
    arboretum: Organisation, representative: User, editor: User, participant: User
) -> None:
    trees = register_formal(a_template(), registrant=representative).namespace
    with pytest.raises(NotPermitted):
        move_to_organisation(arboretum, by=participant, namespaces=[trees])
    move_to_organisation(arboretum, by=representative, namespaces=[trees])
    trees.refresh_from_db()
    assert trees.change_controller == arboretum
    other = register_formal(a_template(namespace_identifier="example-bushes"), registrant=editor).namespace
    with pytest.raises(NotPermitted):
        move_to_organisation(arboretum, by=editor, namespaces=[other])


def test_all_namespaces_of_a_person_move_at_once(arboretum: Organisation, representative: User) -> None:
    for nid in ("example-trees", "example-bushes"):
        register_formal(a_template(namespace_identifier=nid), registrant=representative)
    moved = move_to_organisation(arboretum, by=representative, namespaces=representative.namespaces.all())
    assert len(moved) == 2
    assert arboretum.namespaces.count() == 2


def test_a_representative_transfers_a_namespace_to_another_organisation(
    arboretum: Organisation, representative: User, second: User, participant: User
) -> None:
    trees = register_formal(a_template(), registrant=arboretum).namespace
    museum = an_organisation(by=participant, name="Example Museum")
    transfer = offer_transfer(trees, by=second, to=participant.email)
    with pytest.raises(NotPermitted):
        accept_transfer(transfer, by=participant, organisation=arboretum)
    accept_transfer(transfer, by=participant, organisation=museum)
    trees.refresh_from_db()
    assert (trees.registrant, trees.organisation) == (None, museum)


def test_an_offer_of_a_former_representative_is_not_accepted(
    arboretum: Organisation, representative: User, second: User, participant: User
) -> None:
    trees = register_formal(a_template(), registrant=arboretum).namespace
    transfer = offer_transfer(trees, by=second, to=participant.email)
    change_part(membership_of(second), by=representative, part=MemberRole.EDITOR)
    with pytest.raises(TransferNotOpen):
        accept_transfer(transfer, by=participant)


def test_a_claim_for_an_organisation(
    arboretum: Organisation, representative: User, contact: User, administrator: User
) -> None:
    isbn = an_imported_namespace("isbn")
    evidence = {"ground": "domain", "statement": "It is ours."}
    with pytest.raises(NotPermitted):
        claim_namespace(isbn, by=contact, organisation=arboretum, **evidence)
    claim = claim_namespace(isbn, by=representative, organisation=arboretum, **evidence)
    grant_role(contact, RoleName.ADMINISTRATOR, by=None)
    with pytest.raises(NotPermitted):
        approve_claim(claim, by=User.objects.get(pk=contact.pk), reason="Ours.")
    approve_claim(claim, by=administrator, reason="Proved.")
    isbn.refresh_from_db()
    assert isbn.change_controller == arboretum


def test_members_learn_of_a_claim_and_representatives_object(
    arboretum: Organisation, second: User, editor: User, participant: User, administrator: User
) -> None:
    trees = register_formal(a_template(), registrant=arboretum).namespace
    claim = claim_namespace(trees, by=participant, ground="other", statement="It is mine.")
    claim = announce_claim(claim, by=administrator, reason="Mails bounce.")
    assert may_object(second, claim)
    assert not may_object(editor, claim)
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    approve_claim(let_time_pass(claim), by=other, reason="No answer.")
    trees.refresh_from_db()
    assert trees.change_controller == participant


@pytest.mark.parametrize(("who", "is_recognised"), [("second", True), ("representative", False)])
def test_a_recognition_applies_to_the_representative_of_the_body_who_submits(
    who: str,
    is_recognised: bool,
    arboretum: Organisation,
    representative: User,
    second: User,
    request: pytest.FixtureRequest,
) -> None:
    body = a_body(recognition=Recognition.RECOGNISED)
    body.representatives.add(second)
    began = representative if is_recognised else second
    case = drafts.create_case(
        by=began, kind=Kind.FORMAL, template=a_template(), body=body, organisation=arboretum
    )
    case = functions.submit(case, by=request.getfixturevalue(who), draft_stamp=case.draft_stamp)
    assert (case.recognition == Recognition.RECOGNISED) == is_recognised
