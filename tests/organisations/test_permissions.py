"""What each part may do in the cases of an organisation, as a table that is written by hand, and what follows from parts.

The table of actions is in `tests/actions`.
"""

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
from registry.core.exceptions import ConflictOfInterest, NotPermitted
from registry.custody.actions.claims import (
    announce_claim,
    approve_claim,
    claim_namespace,
)
from registry.custody.permissions import may_object
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import (
    TransferNotOpen,
    accept_transfer,
    move_to_organisation,
    offer_transfer,
)
from registry.namespaces.models import Kind, Namespace
from registry.organisations.actions.members import change_part, end_membership
from registry.organisations.models import MemberRole, Organisation
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

# What a person attempts for the organisation, besides the actions on it.
FOR_THE_ORGANISATION: dict[str, tuple[Callable[[User, Organisation], object], str]] = {
    "see the members": (lambda by, own: get_own_organisation(by, own.pk), "yes yes yes no no"),
    "begin a case": (
        lambda by, own: drafts.create_case(by=by, kind=Kind.FORMAL, organisation=own),
        "yes yes no no no",
    ),
    "begin a revision": (
        lambda by, _: drafts.start_revision(Namespace.objects.get(nid="example-trees"), by=by),
        "yes yes no no no",
    ),
    "claim for it": (
        lambda by, own: claim_namespace(
            Namespace.objects.get(nid="isbn"),
            by=by,
            organisation=own,
            ground="domain",
            statement="It is ours.",
        ),
        "yes no no no no",
    ),
}


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


@pytest.mark.parametrize("name", FOR_THE_ORGANISATION)
def test_for_the_organisation(
    name: str, arboretum: Organisation, second: User, former: User, request: pytest.FixtureRequest
) -> None:
    register_formal(a_template(), registrant=arboretum)
    an_imported_namespace("isbn")
    people = {each: request.getfixturevalue(each) for each in PEOPLE}
    end_membership(membership_of(former), by=former)
    attempt, table = FOR_THE_ORGANISATION[name]
    assert {each: _is_done(attempt, person, arboretum) for each, person in people.items()} == answers(table)


def _is_done(attempt: Callable[[User, Organisation], object], person: User, own: Organisation) -> bool:
    with transaction.atomic():
        try:
            attempt(person, own)
        except NotPermitted:
            return False
        finally:
            transaction.set_rollback(True)
    return True


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
    with pytest.raises(ConflictOfInterest):
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
