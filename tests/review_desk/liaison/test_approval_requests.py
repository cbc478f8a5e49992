"""The liaison's desk: what the approval body is asked, and its answer with the reference."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import Recognition, User
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from tests.support.browser import fields_of, signed_in
from tests.support.factories import a_body, a_case_in_review

pytestmark = pytest.mark.django_db
DESK = "/desk/liaison/"


def reported(registrant: User, expert: User) -> Case:
    case = a_case_in_review(by=registrant)
    people.anticipate_standards_action(case, by=expert, anticipated=True, reason="Part of a standard.")
    return functions.forward_report(case, by=expert, round_number=1, report="Sound; we recommend it.")


def transition(case: Case, name: str) -> str:
    return f"/desk/cases/{case.pk}/{name}/"


def test_a_report_is_read_and_its_direction_recorded_on_one_page(
    registrant: User, expert: User, liaison: User
) -> None:
    case, client = reported(registrant, expert), signed_in(liaison)
    page = client.get(DESK)
    assert "Sound; we recommend it." in page.text
    assert "with the approval body for less than an hour" in page.text
    typed = fields_of(page, transition(case, "direct")) | {"is_approved": "yes", "reference": "Ballot 7"}
    answer = client.post(transition(case, "direct"), typed, follow=True)
    assert "The direction is recorded." in answer.text
    case.refresh_from_db()
    assert case.state == State.APPROVED


def test_a_direction_without_a_reference_keeps_what_was_typed(
    registrant: User, expert: User, liaison: User
) -> None:
    case = reported(registrant, expert)
    sent = {"round_number": "1", "is_approved": "no", "reference": "", "reason": "Too early."}
    answer = signed_in(liaison).post(transition(case, "direct"), sent)
    assert answer.status_code == 422
    field = answer.text.partition('name="reference"')[2].partition("</div>")[0]
    assert "Enter the reference to the decision" in field
    assert "Too early." in answer.text
    case.refresh_from_db()
    assert case.state == State.AWAITING_DIRECTION


def test_a_form_that_can_not_be_read_is_shown_again(registrant: User, expert: User, liaison: User) -> None:
    case = reported(registrant, expert)
    answer = signed_in(liaison).post(
        transition(case, "direct"), {"round_number": "1", "reference": "Ballot 8"}
    )
    assert answer.status_code == 422
    assert "Ballot 8" in answer.text


def test_an_appeal_is_shown_with_why_it_was_declined(registrant: User, expert: User, liaison: User) -> None:
    case = a_case_in_review(by=registrant)
    functions.decline(case, by=expert, round_number=1, reason="No lasting commitment.")
    functions.appeal(case, by=registrant, reason="Our statutes commit us.")
    text = signed_in(liaison).get(DESK).text
    assert "No lasting commitment." in text
    assert "Our statutes commit us." in text
    assert "Should the declined request be registered?" in text


@pytest.mark.parametrize(
    ("name", "recognition"),
    [("recognise", Recognition.RECOGNISED), ("refuse-recognition", Recognition.REFUSED)],
)
def test_a_pending_body_is_recognised_or_refused(
    name: str, recognition: Recognition, registrant: User, liaison: User
) -> None:
    case = a_case_in_review(by=registrant, body=a_body())
    client = signed_in(liaison)
    assert "Does Example Standards Body qualify for the fast track?" in client.get(DESK).text
    client.post(transition(case, name), {"reference": "Minutes, item 4"})
    case.refresh_from_db()
    assert case.recognition == recognition
    assert "No cases for the approval body" in client.get(DESK).text


def test_a_stale_decision_is_refused(registrant: User, expert: User, liaison: User) -> None:
    case = reported(registrant, expert)
    functions.direct(case, by=liaison, is_approved=True, reference="Ballot 7")
    sent = {"round_number": "1", "is_approved": "no", "reference": "Ballot 8"}
    answer = signed_in(liaison).post(transition(case, "direct"), sent)
    assert answer.status_code == 409
    assert "is no longer on this list" in answer.text
    assert "Ballot 8" in answer.text


@pytest.mark.exhaustive
def test_a_stale_decision_that_is_invalid_names_its_errors(
    registrant: User, expert: User, liaison: User
) -> None:
    case = reported(registrant, expert)
    functions.direct(case, by=liaison, is_approved=True, reference="Ballot 7")
    answer = signed_in(liaison).post(transition(case, "direct"), {"reference": "Ballot 8"})
    assert answer.status_code == 422
    assert "is no longer on this list" in answer.text
    assert "The form was not valid." in answer.text
    assert "This field is required." in answer.text
    assert "Correct the fields" not in answer.text  # none is shown


@pytest.mark.exhaustive
def test_the_number_of_queries_does_not_grow_with_cases(
    registrant: User, expert: User, liaison: User
) -> None:
    client, counts = signed_in(liaison), []
    for more in (1, 3):
        for _ in range(more):
            reported(registrant, expert)
            a_case_in_review(by=registrant, body=a_body(name=f"Body {Case.objects.count()}"))
        with CaptureQueriesContext(connection) as queries:
            assert client.get(DESK).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
