"""Bodies: what the approval body said of them apart from a case, and whom it holds for."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import Body, Recognition, User
from registry.audit_log.models import Event
from registry.cases import bodies
from registry.cases.models import Procedure
from registry.cases.workflow import functions
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from tests.support.browser import signed_in
from tests.support.factories import a_body, a_case_in_review, a_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def body(registrant: User) -> Body:
    """A body that a public case names."""
    found = a_body()
    a_case_in_review(by=registrant, body=found)
    return found


def page(body: Body) -> str:
    return f"/desk/bodies/{body.pk}/"


def test_a_recognition_holds_for_later_cases_of_who_speaks_for_the_body(
    body: Body, registrant: User, participant: User, liaison: User
) -> None:
    sent = {"decision": "recognise_body", "reference": "Minutes, item 4", "representative": participant.email}
    answer = signed_in(liaison).post(page(body), sent, follow=True)
    assert "Recognised for the fast track, for cases submitted by its representatives." in answer.text
    nids = {"namespace_identifier": "example-oaks", "syntax": "Opaque."}
    body.refresh_from_db()
    assert a_case_in_review(by=participant, body=body, **nids).recognition == Recognition.RECOGNISED
    assert a_case_in_review(by=registrant, body=body, **nids).recognition == Recognition.PENDING
    event = Event.objects.get(verb="recognise_body")
    assert (event.actor, event.from_state, event.to_state) == (liaison, "pending", "recognised")
    assert event.details["reference"] == "Minutes, item 4"
    assert Message.objects.get(name="recognise_body").to == participant.email


def test_the_page_says_what_was_decided_in_each_case(body: Body, registrant: User, liaison: User) -> None:
    case = a_case_in_review(by=registrant, body=body)
    functions.refuse_recognition(case, by=liaison, reference="Ballot 3")
    text = signed_in(liaison).get(page(body)).text
    assert "<dd>Decided in each case</dd>" in text
    assert "fast track: refused" in text
    overview = signed_in(liaison).get("/desk/bodies/").text
    assert "decided in each case" in overview
    assert "not yet decided" not in overview


def test_a_refusal_sends_later_cases_to_the_community(body: Body, registrant: User, liaison: User) -> None:
    bodies.refuse_body(body, by=liaison, reference="Ballot 3")
    body.refresh_from_db()
    case = a_case_in_review(by=registrant, body=body, namespace_identifier="example-oaks", syntax="Opaque.")
    assert case.procedure == Procedure.COMMUNITY


def test_withdrawing_a_recognition_notifies_the_representative(
    body: Body, participant: User, liaison: User
) -> None:
    bodies.recognise_body(body, by=liaison, reference="Ballot 3", representative=participant)
    bodies.withdraw_recognition(body, by=liaison, reference="Ballot 4")
    body.refresh_from_db()
    assert body.recognition == Recognition.PENDING
    assert not body.representatives.exists()
    told = Message.objects.get(name="withdraw_recognition")
    assert told.to == participant.email
    assert "Ballot 4" in told.body


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"decision": "recognise_body", "reference": ""}, "Enter the reference to the decision"),
        ({"decision": "recognise_body", "reference": " \n"}, "Enter the reference to the decision"),
        ({"decision": "recognise_body", "reference": "x" * 501}, "at most 500 characters"),
        (
            {"decision": "withdraw_recognition", "reference": "Ballot"},
            "“not yet decided” is already recorded",
        ),
        ({"decision": "praise", "reference": "Minutes of the ballot"}, "Press one of the buttons"),
        ({"reference": "Minutes of the ballot"}, "Press one of the buttons"),
        (
            {"decision": "recognise_body", "reference": "B", "representative": "who@example.org"},
            "No account with a confirmed address",
        ),
    ],
)
def test_an_invalid_decision_keeps_its_input(
    sent: dict[str, str], words: str, body: Body, participant: User, liaison: User
) -> None:
    answer = signed_in(liaison).post(page(body), sent)
    assert answer.status_code in {409, 422}
    assert words in answer.text
    assert sent["reference"].strip() in answer.text
    body.refresh_from_db()
    assert body.recognition == Recognition.PENDING


def test_an_administrator_reads(body: Body, administrator: User) -> None:
    answer = signed_in(administrator).get(page(body))
    assert answer.status_code == 200
    assert '<form class="form" method="post"' not in answer.text


def test_a_representative_cannot_decide_on_their_body(liaison: User) -> None:
    own, spoken_for = a_body(name="Own"), a_body(name="Spoken for")
    a_case_in_review(by=liaison, body=own)
    spoken_for.representatives.add(liaison)
    for body in (own, spoken_for):
        with pytest.raises(NotPermitted):
            bodies.recognise_body(body, by=liaison, reference="Ballot")


def test_a_body_that_only_a_draft_names_is_not_listed(registrant: User, liaison: User) -> None:
    hidden = a_body(name="Secret Society")
    a_draft(by=registrant, body=hidden)
    client = signed_in(liaison)
    assert "Secret Society" not in client.get("/desk/bodies/").text
    assert client.get(page(hidden)).status_code == 404


def test_the_list_goes_on_by_key_and_costs_the_same(
    registrant: User, liaison: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.review_desk.liaison.views.PAGE_SIZE", 3)
    client, counts = signed_in(liaison), []
    for names in ("A", "BCDE"):
        for name in names:
            a_case_in_review(by=registrant, body=a_body(name=f"Body {name}"))
        with CaptureQueriesContext(connection) as queries:
            first = client.get("/desk/bodies/").text
        counts.append(len(queries))
    assert counts[0] + 1 == counts[1]  # a list of several pages is counted
    assert "Body C" in first
    assert "Body D" not in first
    key = first.partition("?after=")[2].partition('"')[0]
    later = client.get(f"/desk/bodies/?after={key}").text
    assert "Body D" in later
    assert "Body C" not in later
