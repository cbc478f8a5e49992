"""Invitations of co-editors: nothing changes for the invited person until they accept."""

from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.cases.models import Case, CoEditor, Invitation, State
from registry.cases.permissions import is_editor, is_expert
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import HasActed
from registry.cases.workflow.functions.people import (
    accept_invitation,
    decline_invitation,
    invite_co_editor,
    withdraw_invitation,
)
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from tests.api.client import TokenClient
from tests.cases.traces import check_record_holds, refused
from tests.mail.messages import delivered
from tests.support.browser import page, signed_in
from tests.support.databases import at_once, refusals
from tests.support.factories import a_case_in_review, a_draft, a_person


def test_an_expert_is_not_removed_from_a_case_by_an_invitation(registrant: User, expert: User) -> None:
    """The finding: the registrant made an expert a co-editor, who then could not decide."""
    case = a_case_in_review(by=registrant)
    invite_co_editor(case, by=registrant, email=expert.email)
    assert is_expert(expert, case)
    assert not is_editor(expert, case)
    assert Case.objects.waiting_for(RoleName.EXPERT, expert).filter(pk=case.pk).exists()
    decline_invitation(case, by=expert)
    case = functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    assert case.state == State.APPROVED
    invite_co_editor(case, by=registrant, email=expert.email)
    with refused(HasActed):
        accept_invitation(case, by=expert)


def test_an_invited_expert_is_offered_the_answer_and_no_verdict(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    approve = reverse("review_desk:verdict", args=[case.pk, "approve"])
    assert approve in signed_in(expert).get(case.get_absolute_url()).text
    invite_co_editor(case, by=registrant, email=expert.email)
    shown = signed_in(expert).get(case.get_absolute_url()).text
    assert "decline first" in shown
    assert page("transition", case.pk, "decline-invitation") in shown
    assert approve not in shown
    assert "Your turn" not in shown
    decline_invitation(case, by=expert)
    assert approve in signed_in(expert).get(case.get_absolute_url()).text


def test_an_invitation_to_a_draft_gives_no_access(registrant: User, co_editor: User) -> None:
    case = a_draft(by=registrant, purpose="A hidden purpose.")
    invite_co_editor(case, by=registrant, email=co_editor.email)
    client, program = signed_in(co_editor), TokenClient(co_editor)
    for name in ("detail", "edit", "preview", "paste", "draft"):
        assert client.get(page(name, case.pk)).status_code == 404
    assert client.post(page("autosave", case.pk), {"stamp": "0"}).status_code == 404
    for path in ("draft", "transitions"):
        assert program.get(f"cases/{case.pk}/{path}/").status_code == 404
    shown = client.get(page("transition", case.pk, "accept-invitation"))
    assert shown.status_code == 200
    assert "A hidden purpose." not in shown.text
    refusal = program.post(f"cases/{case.pk}/decline-invitation/")
    assert refusal.status_code == 200
    assert "A hidden purpose." not in refusal.text
    assert refusal.json()["draft_stamp"] is None
    assert client.get(page("transition", case.pk, "accept-invitation")).status_code == 404


def test_the_invited_person_sees_and_accepts_or_declines_the_invitation(
    registrant: User, co_editor: User
) -> None:
    case = a_draft(by=registrant)
    invite_co_editor(case, by=registrant, email=co_editor.email)
    acceptance = page("transition", case.pk, "accept-invitation")
    told = Message.objects.get(name="invite_co_editor")
    assert told.to == co_editor.email
    assert acceptance in told.body
    client, program = signed_in(co_editor), TokenClient(co_editor)
    assert acceptance in client.get(page("mine")).text
    (invitation,) = program.get("account/").json()["invitations"]
    assert invitation["case"] == case.pk
    assert program.post(invitation["accept"].partition("/api/v1/")[2]).status_code == 200
    assert client.get(page("edit", case.pk)).status_code == 200
    assert program.get("account/").json()["invitations"] == []


def test_a_declined_invitation_to_a_draft_leads_to_the_own_page(registrant: User, co_editor: User) -> None:
    case = a_draft(by=registrant)
    invite_co_editor(case, by=registrant, email=co_editor.email)
    answer = signed_in(co_editor).post(page("transition", case.pk, "decline-invitation"), follow=True)
    assert answer.status_code == 200
    assert answer.request["PATH_INFO"] == page("mine")
    assert "You declined the invitation." in answer.text
    assert not Invitation.objects.exists()
    assert not CoEditor.objects.exists()


def test_an_invitation_does_not_tell_whether_there_is_an_account(registrant: User, participant: User) -> None:
    a_person(email="unverified@example.org", is_verified=False)
    a_person(email="gone@example.org", is_active=False)
    answers = set()
    for email in (participant.email, "unverified@example.org", "gone@example.org", "nobody@example.org"):
        case = a_draft(by=registrant)
        answer = TokenClient(registrant).post(f"cases/{case.pk}/invite-co-editor/", {"email": email})
        answers.add(
            (answer.status_code, answer.text.replace(f"/{case.pk}/", "/N/").replace(f":{case.pk},", ":N,"))
        )
    assert len({status for status, _ in answers}) == 1
    assert delivered("invite_co_editor") == [participant.email]


def test_an_invitation_is_for_the_owner_of_the_address_alone(registrant: User, participant: User) -> None:
    case = a_case_in_review(by=registrant)
    unverified = a_person(email="invited@example.org", is_verified=False)
    invite_co_editor(case, by=registrant, email="invited@example.org")
    for person in (unverified, participant):
        for answer in (accept_invitation, decline_invitation):
            with refused(NotPermitted):
                answer(case, by=person)
    assert (
        page("transition", case.pk, "accept-invitation") not in signed_in(unverified).get(page("mine")).text
    )


def test_an_accepted_invitation_is_used_up(registrant: User, co_editor: User) -> None:
    case = a_case_in_review(by=registrant)
    invite_co_editor(case, by=registrant, email=co_editor.email)
    accept_invitation(case, by=co_editor)
    for answer in (accept_invitation, decline_invitation):
        with refused(NotPermitted):
            answer(case, by=co_editor)


def test_the_database_takes_no_second_invitation_and_no_second_co_editor(
    registrant: User, co_editor: User
) -> None:
    case = a_case_in_review(by=registrant)
    Invitation.objects.create(case=case, invited_by=registrant, email="invited@example.org")
    with pytest.raises(IntegrityError, match="one_invitation_per_case_and_address"), transaction.atomic():
        Invitation.objects.create(case=case, invited_by=registrant, email="INVITED@example.org")
    CoEditor.objects.create(case=case, user=co_editor)
    with pytest.raises(IntegrityError, match="one_co_editor_per_case_and_user"), transaction.atomic():
        CoEditor.objects.create(case=case, user=co_editor)


# Many at once


@pytest.fixture
def invited(real_database: None) -> tuple[Case, User, User]:
    """A public case with an invitation, its registrant, and the invited person."""
    registrant = a_person(email="registrant@example.org")
    person = a_person(email="co-editor@example.org")
    case = a_case_in_review(by=registrant)
    invite_co_editor(case, by=registrant, email=person.email)
    return case, registrant, person


def test_an_invitation_is_accepted_once(invited: tuple[Case, User, User]) -> None:
    case, _, person = invited
    answers = at_once([partial(accept_invitation, case, by=person)] * 8)
    assert [type(error) for error in refusals(answers)] == [NotPermitted] * 7
    assert CoEditor.objects.count() == 1
    assert Event.objects.filter(verb="accept_invitation").count() == 1
    check_record_holds()


def test_an_invitation_is_accepted_or_withdrawn(invited: tuple[Case, User, User]) -> None:
    case, registrant, person = invited
    answers = at_once(
        [
            partial(accept_invitation, case, by=person),
            partial(withdraw_invitation, case, by=registrant, email=person.email),
            partial(decline_invitation, case, by=person),
        ]
    )
    assert len(refusals(answers)) == 2
    verbs = list(Event.objects.filter(verb__endswith="_invitation").values_list("verb", flat=True))
    assert len(verbs) == 1
    assert CoEditor.objects.exists() == (verbs == ["accept_invitation"])
    assert not Invitation.objects.exists()
    check_record_holds()
