"""Co-editors: added and removed by the registrant, on the record once the case is public."""

from collections.abc import Callable

import pytest
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.accounts.services.roles import grant_role
from registry.audit_log.models import Event
from registry.cases.drafts import drafts
from registry.cases.findings import findings_of
from registry.cases.models import Case, CoEditor
from registry.cases.permissions import is_editor, is_expert
from registry.cases.workflow import actions, dismissals, transitions
from registry.cases.workflow.co_editors import add_co_editor, remove_co_editor
from registry.cases.workflow.exceptions import (
    AlreadyAnEditor,
    ConditionNotMet,
    HasActed,
    NotAnEditor,
    TransitionNotAllowed,
)
from registry.core.exceptions import NotPermitted
from registry.registration_template.checks.findings import Severity
from tests.cases.traces import one_event, refused
from tests.support.browser import page, signed_in
from tests.support.factories import a_case_in_review, a_person


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def test_a_co_editor_sees_and_writes_the_draft_and_submits_nothing(
    draft: Case, registrant: User, co_editor: User
) -> None:
    add_co_editor(draft, by=registrant, user=co_editor)
    assert Case.objects.visible_to(co_editor).filter(pk=draft.pk).exists()
    written = drafts.save_draft(draft, draft.draft_template, by=co_editor, stamp=0)
    with refused(NotPermitted):
        transitions.submit(written, by=co_editor, draft_stamp=written.draft_stamp)
    with refused(NotPermitted):
        transitions.withdraw(written, by=co_editor)


def test_a_drafts_co_editors_are_nobodys_business(draft: Case, registrant: User, co_editor: User) -> None:
    before = Event.objects.count()
    add_co_editor(draft, by=registrant, user=co_editor)
    remove_co_editor(draft, by=registrant, user=co_editor)
    assert Event.objects.count() == before


def test_a_public_cases_co_editors_are_on_the_record(case: Case, registrant: User, co_editor: User) -> None:
    said = {"by": registrant, "case": case.pk, "moved": ("", ""), "text": ""}
    with one_event(verb="add_co_editor", **said, details={"person": co_editor.pk}):
        add_co_editor(case, by=registrant, user=co_editor)
    with one_event(verb="remove_co_editor", **said, details={"person": co_editor.pk, "recused": False}):
        remove_co_editor(case, by=registrant, user=co_editor)
    assert not CoEditor.objects.exists()


def test_only_the_registrant_adds(case: Case, registrant: User, co_editor: User, participant: User) -> None:
    add_co_editor(case, by=registrant, user=co_editor)
    for other in (co_editor, participant):
        with refused(NotPermitted):
            add_co_editor(case, by=other, user=participant)


def test_nobody_is_added_twice(case: Case, registrant: User, co_editor: User) -> None:
    add_co_editor(case, by=registrant, user=co_editor)
    for editor in (registrant, co_editor):
        with refused(AlreadyAnEditor):
            add_co_editor(case, by=registrant, user=editor)


def test_a_co_editor_leaves_and_can_not_send_others_away(
    case: Case, registrant: User, co_editor: User, participant: User
) -> None:
    for person in (co_editor, participant):
        add_co_editor(case, by=registrant, user=person)
    with refused(NotPermitted):
        remove_co_editor(case, by=co_editor, user=participant)
    remove_co_editor(case, by=co_editor, user=co_editor)
    assert not is_editor(co_editor, case)
    assert is_editor(participant, case)


def test_a_stranger_removes_nobody(case: Case, registrant: User, co_editor: User, expert: User) -> None:
    add_co_editor(case, by=registrant, user=co_editor)
    with refused(NotPermitted):
        remove_co_editor(case, by=expert, user=co_editor)


def test_whoever_is_no_co_editor_is_not_removed(
    case: Case, registrant: User, co_editor: User, participant: User
) -> None:
    with refused(ConditionNotMet, "no co-editors"):
        remove_co_editor(case, by=registrant, user=co_editor)
    add_co_editor(case, by=registrant, user=co_editor)
    for other in (participant, registrant):
        with refused(NotAnEditor):
            remove_co_editor(case, by=registrant, user=other)


def test_a_removed_co_editors_page_saves_nothing(case: Case, registrant: User, co_editor: User) -> None:
    add_co_editor(case, by=registrant, user=co_editor)
    remove_co_editor(case, by=registrant, user=co_editor)
    with refused(NotPermitted):
        drafts.save_draft(case, case.draft_template, by=co_editor, stamp=case.draft_stamp)


def test_an_expert_who_is_co_editor_is_no_expert_there(case: Case, registrant: User, expert: User) -> None:
    add_co_editor(case, by=registrant, user=expert)
    with refused(NotPermitted):
        transitions.approve(case, by=expert, round_number=1, rationale="Sound.")


def test_an_expert_who_was_made_co_editor_and_wrote_nothing_leaves_and_is_free(
    case: Case, registrant: User, expert: User
) -> None:
    add_co_editor(case, by=registrant, user=expert)
    remove_co_editor(case, by=expert, user=expert)
    assert is_expert(expert, case)


def test_an_expert_who_wrote_in_the_case_decides_nothing_in_it_ever(
    case: Case, registrant: User, expert: User
) -> None:
    add_co_editor(case, by=registrant, user=expert)
    drafts.save_draft(case, case.draft_template, by=expert, stamp=case.draft_stamp)
    with one_event(
        verb="remove_co_editor",
        by=registrant,
        case=case.pk,
        moved=("", ""),
        text="",
        details={"person": expert.pk, "recused": True},
    ):
        remove_co_editor(case, by=registrant, user=expert)
    assert not is_expert(expert, case)


def test_whoever_wrote_and_gets_a_role_later_does_not_have_it_there(
    case: Case, registrant: User, participant: User
) -> None:
    add_co_editor(case, by=registrant, user=participant)
    drafts.save_draft(case, case.draft_template, by=participant, stamp=case.draft_stamp)
    remove_co_editor(case, by=participant, user=participant)
    grant_role(participant, RoleName.EXPERT, by=None)
    assert not is_expert(participant, case)


def ask_for_changes(case: Case, expert: User) -> None:
    points = [("purpose", "Say who benefits.")]
    transitions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)


def approve_as_the_first_of_two(case: Case, expert: User) -> None:
    other = a_person(email="other@example.org", roles=(RoleName.EXPERT,))
    actions.require_two_experts(case, by=other, required=True, reason="It is large.")
    transitions.approve(case, by=expert, round_number=1, rationale="Sound.")


def anticipate_a_standard(case: Case, expert: User) -> None:
    actions.anticipate_standards_action(case, by=expert, anticipated=True, reason="It is a draft standard.")


def set_advice_aside(case: Case, expert: User) -> None:
    advice = next(each for each in findings_of(case) if each.severity == Severity.ADVICE)
    which = {"section": advice.section, "code": advice.code}
    dismissals.dismiss_finding(case, by=expert, round_number=1, reason="It is clear.", **which)


@pytest.mark.parametrize(
    "act", [ask_for_changes, approve_as_the_first_of_two, anticipate_a_standard, set_advice_aside]
)
def test_no_registrant_silences_an_expert_by_making_them_a_co_editor(
    registrant: User, expert: User, act: Callable[[Case, User], None]
) -> None:
    case = a_case_in_review(by=registrant, namespace_identifier="fra")
    act(case, expert)
    with refused(HasActed):
        add_co_editor(case, by=registrant, user=expert)
    assert is_expert(expert, case)


def test_whoever_stepped_back_or_left_may_be_a_co_editor_again(
    case: Case, registrant: User, expert: User, co_editor: User
) -> None:
    actions.recuse(case, by=expert)
    add_co_editor(case, by=registrant, user=co_editor)
    remove_co_editor(case, by=co_editor, user=co_editor)
    for person in (expert, co_editor):
        assert add_co_editor(case, by=registrant, user=person).co_editors.filter(user=person).exists()


def test_a_closed_case_takes_no_co_editors(case: Case, registrant: User, co_editor: User) -> None:
    transitions.withdraw(case, by=registrant)
    with refused(TransitionNotAllowed):
        add_co_editor(case, by=registrant, user=co_editor)


# The pages


def test_the_registrant_adds_and_removes_on_pages(case: Case, registrant: User, co_editor: User) -> None:
    who = signed_in(registrant)
    answer = who.post(
        page("transition", case.pk, "add-co-editor"), {"email": "CO-EDITOR@example.org"}, follow=True
    )
    assert "The co-editor is added." in answer.text
    assert f"Added {co_editor} as a co-editor" in answer.text
    removal = page("transition", case.pk, "remove-co-editor")
    assert str(co_editor) in who.get(removal).text
    answer = who.post(removal, {"person": co_editor.pk}, follow=True)
    assert "The co-editor is removed." in answer.text
    assert not CoEditor.objects.exists()


@pytest.mark.parametrize(
    "email",
    [
        "",
        "nobody@example.org",
        "co-editor@example.org\n@",
        "co-editor",
        "cö-editor@example.org",
        "x" * 300 + "@example.org",
    ],
)
def test_an_address_without_an_account_is_said(
    email: str, case: Case, registrant: User, co_editor: User
) -> None:
    answer = signed_in(registrant).post(page("transition", case.pk, "add-co-editor"), {"email": email})
    assert answer.status_code == 422
    assert not CoEditor.objects.exists()


def test_the_pages_are_for_editors(case: Case, participant: User, expert: User) -> None:
    for person in (participant, expert):
        for name in ("add-co-editor", "remove-co-editor"):
            assert signed_in(person).get(page("transition", case.pk, name)).status_code == 404
    assert Client().get(page("transition", case.pk, "add-co-editor")).status_code == 302


def test_a_deactivated_account_is_not_added(case: Case, registrant: User) -> None:
    a_person(email="gone@example.org", is_active=False)
    answer = signed_in(registrant).post(
        page("transition", case.pk, "add-co-editor"), {"email": "gone@example.org"}
    )
    assert answer.status_code == 422
