"""Recognition of bodies: no liaison decides what they, or people they work with, gain by."""

import pytest

from registry.accounts.models import Body, RoleName, User
from registry.cases import bodies
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.core.exceptions import NotPermitted
from tests.cases.traces import refused
from tests.support.browser import page, signed_in
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_person,
    add_co_editor,
    put_in_state,
)


@pytest.fixture
def body(db: None) -> Body:
    return a_body()


@pytest.fixture
def case(registrant: User, body: Body) -> Case:
    """A case that asks for the fast track."""
    return a_case_in_review(by=registrant, body=body)


def check_liaison_decides_nothing(case: Case, liaison: User) -> None:
    for decide in (functions.recognise, functions.refuse_recognition):
        with refused(NotPermitted):
            decide(case, by=liaison, reference="Minutes 7")
    with refused(NotPermitted):
        functions.recognise(case, by=liaison, reference="Minutes 7", for_later_cases=True)
    assert not Case.objects.waiting_for(RoleName.LIAISON, liaison).filter(pk=case.pk).exists()
    assert signed_in(liaison).get(page("transition", case.pk, "recognise")).status_code == 404
    waiting = put_in_state(case, "awaiting_direction")  # type: ignore[arg-type]
    with refused(NotPermitted):
        functions.direct(waiting, by=liaison, is_approved=True, reference="Minutes 7")


def test_a_liaison_does_not_make_themselves_the_representative(body: Body, case: Case, liaison: User) -> None:
    with refused(bodies.OwnBenefit):
        bodies.recognise_body(body, by=liaison, reference="Ballot 3", representative=liaison)
    sent = {"decision": "recognise_body", "reference": "Ballot 3", "representative": liaison.email}
    answer = signed_in(liaison).post(f"/desk/bodies/{body.pk}/", sent)
    assert answer.status_code == 409
    assert "Another liaison must record this decision, or another person" in answer.text
    assert "Ballot 3" in answer.text
    assert not body.representatives.exists()


def test_a_liaison_does_not_make_a_colleague_the_representative(
    body: Body, case: Case, participant: User, liaison: User
) -> None:
    a_body(name="Another").representatives.add(liaison, participant)
    with refused(bodies.OwnBenefit):
        bodies.recognise_body(body, by=liaison, reference="Ballot 3", representative=participant)


def test_a_liaison_does_not_make_a_co_editor_the_representative(
    body: Body, case: Case, participant: User, liaison: User
) -> None:
    add_co_editor(a_draft(by=participant), by=participant, user=liaison)
    with refused(bodies.OwnBenefit):
        bodies.recognise_body(body, by=liaison, reference="Ballot 3", representative=participant)


def test_a_representative_decides_nothing_for_the_body(case: Case, body: Body, liaison: User) -> None:
    body.representatives.add(liaison)
    with refused(NotPermitted):
        bodies.recognise_body(body, by=liaison, reference="Ballot 3")
    check_liaison_decides_nothing(case, liaison)


def test_a_co_representative_decides_nothing(case: Case, registrant: User, liaison: User) -> None:
    """Both represent another body; the case names this one."""
    a_body(name="Another").representatives.add(liaison, registrant)
    check_liaison_decides_nothing(case, liaison)


@pytest.mark.parametrize("is_registrant", [True, False])
def test_a_person_who_edits_a_case_with_the_registrant_decides_nothing(
    case: Case, registrant: User, liaison: User, is_registrant: bool
) -> None:
    owner, other = (liaison, registrant) if is_registrant else (registrant, liaison)
    add_co_editor(a_draft(by=owner), by=owner, user=other)
    check_liaison_decides_nothing(case, liaison)


@pytest.mark.exhaustive
def test_a_person_who_edits_a_case_with_a_co_editor_decides_nothing(
    case: Case, registrant: User, participant: User, liaison: User
) -> None:
    add_co_editor(case, by=registrant, user=participant)
    add_co_editor(a_draft(by=participant), by=participant, user=liaison)
    check_liaison_decides_nothing(case, liaison)


def test_a_person_who_edits_a_case_with_a_representative_decides_nothing(
    case: Case, body: Body, participant: User, liaison: User
) -> None:
    body.representatives.add(participant)
    add_co_editor(a_draft(by=participant), by=participant, user=liaison)
    with refused(NotPermitted):
        bodies.recognise_body(body, by=liaison, reference="Ballot 3")
    check_liaison_decides_nothing(case, liaison)


def test_a_person_with_another_case_of_the_body_decides_nothing(
    case: Case, body: Body, liaison: User
) -> None:
    a_case_in_review(by=liaison, body=body, namespace_identifier="example-other", syntax="Opaque.")
    with refused(NotPermitted):
        bodies.recognise_body(body, by=liaison, reference="Ballot 3")
    check_liaison_decides_nothing(case, liaison)


@pytest.mark.parametrize("role", [RoleName.EXPERT, RoleName.ADMINISTRATOR])
def test_a_representative_has_no_role_in_cases_of_the_body(case: Case, body: Body, role: RoleName) -> None:
    person = a_person(email="member@example.org", roles=(role,))
    state = {RoleName.EXPERT: "in_review", RoleName.ADMINISTRATOR: "approved"}[role]
    waiting = put_in_state(case, state)  # type: ignore[arg-type]
    assert Case.objects.waiting_for(role, person).filter(pk=case.pk).exists()
    body.representatives.add(person)
    assert not Case.objects.waiting_for(role, person).filter(pk=case.pk).exists()
    with refused(NotPermitted):
        if role == RoleName.EXPERT:
            functions.advise(waiting, by=person, round_number=1, rationale="Sound.")
        else:
            functions.assign(waiting, by=person)


def test_another_liaison_decides(case: Case, body: Body, registrant: User, liaison: User) -> None:
    colleague = a_person(email="other-liaison@example.org", roles=(RoleName.LIAISON,))
    body.representatives.add(colleague)
    assert Case.objects.waiting_for(RoleName.LIAISON, liaison).filter(pk=case.pk).exists()
    functions.recognise(case, by=liaison, reference="Minutes 7", for_later_cases=True)
    assert set(body.representatives.all()) == {colleague, registrant}
