"""Internal notes, and what people with a conflict of interest are told."""

import pytest

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.cases.models import Case
from registry.cases.workflow.functions import people
from registry.mail.models import Message
from registry.review_desk.models import StaffNote
from tests.review_desk.conftest import SignIn
from tests.support.factories import a_case_in_review, a_draft, a_person


def notes(case: Case) -> str:
    return f"/desk/cases/{case.pk}/notes/"


def test_staff_share_notes_that_nobody_else_sees(
    case: Case,
    expert: User,
    administrator: User,
    registrant: User,
    participant: User,
    signed_in: SignIn,
) -> None:
    events, mails = Event.objects.count(), Message.objects.count()
    answer = signed_in(expert).post(notes(case), {"text": "Ask IANA about the old list."})
    assert answer.status_code == 302
    assert (Event.objects.count(), Message.objects.count()) == (events, mails)
    assert "Ask IANA about the old list." in signed_in(administrator).get(notes(case)).text
    assert "Ask IANA about the old list." in signed_in(expert).get(f"/desk/cases/{case.pk}/").text
    for person in (registrant, participant):
        assert "Ask IANA" not in signed_in(person).get(case.get_absolute_url()).text
    assert StaffNote.objects.count() == 1


def test_a_note_needs_a_text_and_a_public_case(
    case: Case, registrant: User, expert: User, signed_in: SignIn
) -> None:
    client = signed_in(expert)
    assert client.post(notes(case), {"text": " "}).status_code == 422
    assert client.get(notes(a_draft(by=registrant, namespace_identifier="example-birds"))).status_code == 404
    assert not StaffNote.objects.exists()


def test_an_expert_is_told_of_their_conflict_of_interest(expert: User, signed_in: SignIn) -> None:
    own = a_case_in_review(by=expert)
    for page in ("", "verdict/approve/"):
        answer = signed_in(expert).get(f"/desk/cases/{own.pk}/{page}")
        assert answer.status_code == 403
        assert "because you are its registrant" in answer.text


def test_a_recused_expert_is_told_why_they_cannot_review(case: Case, expert: User, signed_in: SignIn) -> None:
    people.recuse(case, by=expert)
    answer = signed_in(expert).get(f"/desk/cases/{case.pk}/")
    assert answer.status_code == 403
    assert "because you recused yourself from it" in answer.text


@pytest.mark.parametrize("role", [RoleName.ADMINISTRATOR, RoleName.LIAISON])
def test_others_still_do_not_find_the_page(role: RoleName, signed_in: SignIn, db: None) -> None:
    person = a_person(email="other-role@example.org", roles=(role,))
    own = a_case_in_review(by=person)
    assert signed_in(person).get(f"/desk/cases/{own.pk}/").status_code == 404
