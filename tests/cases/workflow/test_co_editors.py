"""Co-editors: invited and removed by the registrant, on the record once the case is public."""

from collections.abc import Callable
from functools import partial

import pytest
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.accounts.roles import grant_role
from registry.actions.declarations import ConditionNotMet
from registry.audit_log.models import Event
from registry.cases.audiences import subscribers_of
from registry.cases.drafts import drafts
from registry.cases.findings import findings_of
from registry.cases.models import Case, CoEditor, Invitation
from registry.cases.permissions import is_editor, is_expert
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import (
    AlreadyAnEditor,
    AlreadyInvited,
    HasActed,
    NotAnEditor,
    TransitionNotAllowed,
)
from registry.cases.workflow.functions import people
from registry.cases.workflow.functions.people import (
    accept_invitation,
    decline_invitation,
    invite_co_editor,
    remove_co_editor,
    withdraw_invitation,
)
from registry.core.exceptions import NotPermitted
from registry.registration_template.checks.findings import Severity
from tests.cases.traces import one_event, refused
from tests.support.browser import page, signed_in
from tests.support.factories import a_case_in_review, a_person, add_co_editor


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
        functions.submit(written, by=co_editor, draft_stamp=written.draft_stamp)


def test_co_editors_of_a_draft_are_not_public(draft: Case, registrant: User, co_editor: User) -> None:
    before = Event.objects.count()
    add_co_editor(draft, by=registrant, user=co_editor)
    remove_co_editor(draft, by=registrant, email=co_editor.email)
    assert Event.objects.count() == before


def test_co_editors_of_a_public_case_are_in_the_audit_log(
    case: Case, registrant: User, co_editor: User
) -> None:
    said = {"by": registrant, "case": case.pk, "moved": ("", ""), "text": ""}
    with one_event(verb="invite_co_editor", **said):
        invite_co_editor(case, by=registrant, email=co_editor.email)
    with one_event(verb="accept_invitation", **said | {"by": co_editor}):
        accept_invitation(case, by=co_editor)
    with one_event(verb="remove_co_editor", **said, details={"person": co_editor.pk, "recused": False}):
        remove_co_editor(case, by=registrant, email=co_editor.email)
    assert not CoEditor.objects.exists()


def test_a_declined_and_a_withdrawn_invitation_are_in_the_audit_log(
    case: Case, registrant: User, co_editor: User
) -> None:
    said = {"case": case.pk, "moved": ("", ""), "text": ""}
    for verb, by, answer in (
        ("decline_invitation", co_editor, partial(decline_invitation, case, by=co_editor)),
        (
            "withdraw_invitation",
            registrant,
            partial(withdraw_invitation, case, by=registrant, email=co_editor.email),
        ),
    ):
        invite_co_editor(case, by=registrant, email=co_editor.email)
        with one_event(verb=verb, by=by, **said):
            answer()
        assert not Invitation.objects.exists()
        with refused(NotPermitted):
            accept_invitation(case, by=co_editor)
    assert co_editor not in subscribers_of(case)


def test_a_second_invitation_of_the_same_person_is_refused(
    case: Case, registrant: User, co_editor: User, participant: User
) -> None:
    add_co_editor(case, by=registrant, user=co_editor)
    for editor in (registrant, co_editor):
        with refused(AlreadyAnEditor):
            invite_co_editor(case, by=registrant, email=editor.email.upper())
    invite_co_editor(case, by=registrant, email=participant.email)
    with refused(AlreadyInvited):
        invite_co_editor(case, by=registrant, email=participant.email.upper())


def test_a_co_editor_leaves_and_can_not_send_others_away(
    case: Case, registrant: User, co_editor: User, participant: User
) -> None:
    for person in (co_editor, participant):
        add_co_editor(case, by=registrant, user=person)
    with refused(NotPermitted):
        remove_co_editor(case, by=co_editor, email=participant.email)
    remove_co_editor(case, by=co_editor, email=co_editor.email)
    assert not is_editor(co_editor, case)
    assert is_editor(participant, case)


def test_only_a_co_editor_can_be_removed(
    case: Case, registrant: User, co_editor: User, participant: User
) -> None:
    with refused(ConditionNotMet, "no co-editors"):
        remove_co_editor(case, by=registrant, email=co_editor.email)
    add_co_editor(case, by=registrant, user=co_editor)
    for other in (participant, registrant):
        with refused(NotAnEditor):
            remove_co_editor(case, by=registrant, email=other.email)


def test_a_removed_co_editors_page_saves_nothing(case: Case, registrant: User, co_editor: User) -> None:
    add_co_editor(case, by=registrant, user=co_editor)
    remove_co_editor(case, by=registrant, email=co_editor.email)
    with refused(NotPermitted):
        drafts.save_draft(case, case.draft_template, by=co_editor, stamp=case.draft_stamp)


def test_an_expert_who_was_made_co_editor_and_wrote_nothing_leaves_and_is_free(
    case: Case, registrant: User, expert: User
) -> None:
    add_co_editor(case, by=registrant, user=expert)
    remove_co_editor(case, by=expert, email=expert.email)
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
        remove_co_editor(case, by=registrant, email=expert.email)
    assert not is_expert(expert, case)


def test_a_later_role_does_not_apply_where_the_person_wrote(
    case: Case, registrant: User, participant: User
) -> None:
    add_co_editor(case, by=registrant, user=participant)
    drafts.save_draft(case, case.draft_template, by=participant, stamp=case.draft_stamp)
    remove_co_editor(case, by=participant, email=participant.email)
    grant_role(participant, RoleName.EXPERT, by=None)
    assert not is_expert(participant, case)


def ask_for_changes(case: Case, expert: User) -> None:
    points = [("purpose", "Say who benefits.")]
    functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)


def approve_as_the_first_of_two(case: Case, expert: User) -> None:
    other = a_person(email="other@example.org", roles=(RoleName.EXPERT,))
    people.require_two_experts(case, by=other, required=True, reason="It is large.")
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")


def anticipate_a_standard(case: Case, expert: User) -> None:
    people.anticipate_standards_action(case, by=expert, anticipated=True, reason="It is a draft standard.")


def set_advice_aside(case: Case, expert: User) -> None:
    advice = next(each for each in findings_of(case) if each.severity == Severity.ADVICE)
    which = {"section": advice.section, "code": advice.code}
    people.dismiss_finding(case, by=expert, round_number=1, reason="It is clear.", **which)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "act", [ask_for_changes, approve_as_the_first_of_two, anticipate_a_standard, set_advice_aside]
)
def test_an_expert_who_acted_can_be_invited_but_not_accept(
    registrant: User, expert: User, act: Callable[[Case, User], None]
) -> None:
    case = a_case_in_review(by=registrant, namespace_identifier="fra")
    act(case, expert)
    invite_co_editor(case, by=registrant, email=expert.email)
    with refused(HasActed):
        accept_invitation(case, by=expert)
    assert is_expert(expert, case)


def test_a_recused_or_former_co_editor_can_be_added(
    case: Case, registrant: User, expert: User, co_editor: User
) -> None:
    people.recuse(case, by=expert)
    add_co_editor(case, by=registrant, user=co_editor)
    remove_co_editor(case, by=co_editor, email=co_editor.email)
    for person in (expert, co_editor):
        assert add_co_editor(case, by=registrant, user=person).co_editors.filter(user=person).exists()


def test_a_closed_case_takes_no_co_editors(case: Case, registrant: User, co_editor: User) -> None:
    functions.withdraw(case, by=registrant)
    with refused(TransitionNotAllowed):
        invite_co_editor(case, by=registrant, email=co_editor.email)


# The pages


@pytest.mark.exhaustive
def test_the_registrant_invites_and_removes_on_pages(case: Case, registrant: User, co_editor: User) -> None:
    who, invited = signed_in(registrant), signed_in(co_editor)
    answer = who.post(
        page("transition", case.pk, "invite-co-editor"), {"email": "CO-EDITOR@example.org"}, follow=True
    )
    assert "The invitation was recorded." in answer.text
    assert "CO-EDITOR@example.org" in answer.text
    assert "CO-EDITOR@example.org" not in invited.get(page("detail", case.pk)).text
    acceptance = page("transition", case.pk, "accept-invitation")
    assert acceptance in invited.get(page("mine")).text
    answer = invited.post(acceptance, follow=True)
    assert "You are a co-editor of this case." in answer.text
    assert "Accepted the invitation to be a co-editor" in answer.text
    removal = page("transition", case.pk, "remove-co-editor")
    assert str(co_editor) in who.get(removal).text
    answer = who.post(removal, {"person": co_editor.pk}, follow=True)
    assert "The co-editor was removed." in answer.text
    assert not CoEditor.objects.exists()


@pytest.mark.parametrize(
    "email",
    [
        "",
        "co-editor@example.org\n@",
        "co-editor",
        "x" * 300 + "@example.org",
    ],
)
def test_what_is_no_address_is_reported(email: str, case: Case, registrant: User) -> None:
    answer = signed_in(registrant).post(page("transition", case.pk, "invite-co-editor"), {"email": email})
    assert answer.status_code == 422
    assert not Invitation.objects.exists()


@pytest.mark.exhaustive
def test_an_invitation_is_withdrawn_on_its_page(case: Case, registrant: User) -> None:
    who, address = signed_in(registrant), page("transition", case.pk, "withdraw-invitation")
    invite_co_editor(case, by=registrant, email="invited@example.org")
    assert "invited@example.org" in who.get(address).text
    assert who.post(address, {"email": "other@example.org"}).status_code == 422
    assert (
        "The invitation was withdrawn."
        in who.post(address, {"email": "invited@example.org"}, follow=True).text
    )
    assert not Invitation.objects.exists()


def test_the_pages_are_for_editors(case: Case, participant: User, expert: User) -> None:
    for person in (participant, expert):
        for name in ("invite-co-editor", "withdraw-invitation", "accept-invitation", "remove-co-editor"):
            assert signed_in(person).get(page("transition", case.pk, name)).status_code == 404
    assert Client().get(page("transition", case.pk, "invite-co-editor")).status_code == 302
