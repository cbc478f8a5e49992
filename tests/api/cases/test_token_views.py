"""Cases by token: begun from nothing or from a namespace, checked, commented on, and told to each as they see them."""

from typing import Any

import pytest

from registry.accounts.models import Body, Scope, User
from registry.cases.models import Case, State
from registry.namespaces.models import Namespace
from registry.registration_template.formatting import format_template
from tests.api.client import TokenClient, check_problem
from tests.support.factories import a_draft, a_template


def test_a_case_is_begun_from_sections(token_client: TokenClient, registrant: User) -> None:
    sections = a_template().to_json()
    answer = token_client.post("cases/", {"kind": "formal", "sections": sections, "standards_action": True})
    assert answer.status_code == 201
    case = Case.objects.get()
    assert (case.registrant, case.state, case.draft_template) == (registrant, State.DRAFT, a_template())
    assert case.standards_action is True
    assert answer.headers["Location"].endswith(f"/api/v1/cases/{case.pk}/draft/")


def test_a_case_is_begun_from_a_template_and_says_how_it_was_read(token_client: TokenClient) -> None:
    text = "A word before.\n\n" + format_template(a_template())
    answer = token_client.post("cases/", {"kind": "informal", "template": text}).json()
    assert answer["reading"]["unplaced"][0]["text"] == "A word before."
    case = Case.objects.get()
    assert (case.kind, case.draft_template.namespace_identifier) == ("informal", "")
    assert case.draft_template.purpose == a_template().purpose


def test_the_fast_track_names_its_body(token_client: TokenClient) -> None:
    fast = {"kind": "formal", "procedure": "fast_track"}
    problem = check_problem(token_client.post("cases/", fast), 400, "invalid-fields")
    assert problem["errors"][0]["pointer"] == "#/body"
    answer = token_client.post("cases/", fast | {"body": "Example Standards Body"}).json()
    assert (answer["body"], answer["recognition"]) == ("Example Standards Body", "pending")


@pytest.mark.parametrize(
    ("wrong", "status", "kind"),
    [
        ({}, 400, "invalid-fields"),
        ({"kind": "formal\n"}, 400, "invalid-fields"),
        ({"kind": ["formal"]}, 400, "invalid-fields"),
        ({"kind": "f\u043ermal"}, 400, "invalid-fields"),
        ({"kind": "formal", "procedure": "slow"}, 400, "invalid-fields"),
        ({"kind": "formal", "procedure": "fast_track", "body": "x" * 201}, 400, "invalid-fields"),
        ({"kind": "formal", "procedure": "fast_track", "body": "a\x00"}, 400, "invalid-fields"),
        ({"kind": "formal", "procedure": "fast_track", "body": "a\ud800"}, 400, "invalid-fields"),
        ({"kind": "formal", "standards_action": "yes"}, 400, "invalid-fields"),
        ({"kind": "formal", "sections": []}, 400, "invalid-fields"),
        ({"kind": "formal", "sections": None}, 400, "invalid-fields"),
        ({"kind": "formal", "sections": {}, "template": "x"}, 400, "invalid-fields"),
        ({"kind": "formal", "state": "approved"}, 400, "invalid-fields"),
        ({"kind": "formal", "sections": {"nothing": "x"}}, 422, "sections-refused"),
        ({"kind": "formal", "sections": {"purpose": 1}}, 422, "sections-refused"),
        ({"kind": "formal", "sections": {"purpose": "a\x00"}}, 422, "sections-refused"),
        ({"kind": "formal", "sections": {"purpose": "a\ud800"}}, 422, "sections-refused"),
        ({"kind": "formal", "sections": {"purpose": "x" * 250_001}}, 422, "sections-refused"),
        ({"kind": "formal", "sections": {"registrant": "x"}}, 422, "sections-refused"),
        ({"kind": "formal", "sections": {"registrant": {"email": None}}}, 422, "sections-refused"),
        ({"kind": "formal", "sections": {"version": 10**30}}, 422, "sections-refused"),
        ({"kind": "formal", "template": "no template"}, 422, "template-unreadable"),
        ({"kind": "formal", "template": "a\x00"}, 422, "template-unreadable"),
    ],
)
def test_what_can_not_be_begun_leaves_nothing(
    token_client: TokenClient, wrong: dict[str, Any], status: int, kind: str
) -> None:
    check_problem(token_client.post("cases/", wrong), status, kind)
    assert not Case.objects.exists()
    assert not Body.objects.exists()


def test_a_check_changes_nothing(token_client: TokenClient, case: Case) -> None:
    path, before = f"cases/{case.pk}/check/", Case.objects.values().get()
    assert token_client.post(path).json()["is_ready"] is True
    sent = token_client.post(path, {"sections": {"purpose": "Names trees."}}).json()
    assert sent["is_ready"] is False
    assert {"section", "severity", "code", "message", "reference"} == set(sent["findings"][0])
    text = token_client.post(path, format_template(a_template(purpose="")))
    assert [each["section"] for each in text.json()["findings"] if each["severity"] == "blocking"] == [
        "purpose"
    ]
    assert Case.objects.values().get() == before


def test_rivals_are_named(token_client: TokenClient, case: Case, participant: User) -> None:
    from tests.support.factories import a_case_in_review

    other = a_case_in_review(by=participant)
    (competing_case,) = token_client.post(f"cases/{case.pk}/check/").json()["competing_cases"]
    assert (competing_case["number"], competing_case["nid"]) == (other.pk, "example-trees")


def test_a_submission_refused_holds_its_findings(token_client: TokenClient, registrant: User) -> None:
    case = a_draft(by=registrant, purpose="", syntax="")
    answer = token_client.post(f"cases/{case.pk}/submit/", {"draft_stamp": 0})
    problem = check_problem(answer, 422, "submission-incomplete")
    assert {each["section"] for each in problem["findings"]} >= {"purpose", "syntax"}


def test_a_comment_is_kept_and_answered_with_its_place(participant: User, registrant: User) -> None:
    from tests.support.factories import a_case_in_review

    case = a_case_in_review(by=registrant)
    path = f"cases/{case.pk}/comments/"
    said = TokenClient(participant).post(
        path, {"round_number": 1, "section": "purpose", "text": "Which trees?"}
    )
    assert said.status_code == 201
    assert said.json()["html"].endswith(f"/cases/{case.pk}/#comment-{said.json()['number']}")
    for wrong, kind in (
        ({"round_number": 2, "text": "x"}, "comment-refused"),
        ({"round_number": 1, "text": "x", "section": "nothing"}, "comment-refused"),
        ({"round_number": 1, "text": " "}, "text-missing"),
        ({"round_number": 1, "text": "x" * 20_001}, "text-too-long"),
    ):
        check_problem(TokenClient(participant).post(path, wrong), 422, kind)


def test_a_revision_is_begun_by_the_registrant_alone(
    trees: Namespace, registrant: User, participant: User
) -> None:
    answer = TokenClient(registrant).post("namespaces/EXAMPLE-TREES/revise/")
    assert answer.status_code == 201
    assert (answer.json()["is_revision"], answer.json()["subject"]) == (True, "revision of example-trees")
    check_problem(TokenClient(participant).post("namespaces/example-trees/revise/"), 404, "not-found")
    check_problem(TokenClient(registrant).post("namespaces/nobody/revise/"), 404, "namespace-unknown")


def test_a_case_tells_each_what_they_may_do_in_it_now(
    token_client: TokenClient, case: Case, expert: User
) -> None:
    path = f"cases/{case.pk}/transitions/"
    own = token_client.get(path).json()
    assert set(own["transitions"]) == {"submit", "withdraw", "add_co_editor"}
    assert own["draft_stamp"] == 0
    check_problem(TokenClient(expert).get(path), 404, "not-found")
    assert (
        token_client.post(own["transitions"]["submit"].partition("8000")[2], {"draft_stamp": 0}).status_code
        == 200
    )
    theirs = TokenClient(expert).get(path).json()
    assert {"approve", "decline", "request_changes"} <= set(theirs["transitions"])
    assert (theirs["draft_stamp"], theirs["links"]["draft"]) == (None, None)


def test_mine_shows_what_is_ones_own(token_client: TokenClient, case: Case, participant: User) -> None:
    assert [each["number"] for each in token_client.get("account/").json()["drafts"]] == [case.pk]
    theirs = TokenClient(participant, Scope.READ).get("account/").json()
    assert (theirs["drafts"], theirs["cases"], theirs["waiting"]) == ([], [], {"registrant": []})
