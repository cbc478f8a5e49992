"""Checks of drafts."""

from registry.accounts.models import User
from registry.cases.models import Case
from registry.registration_template.formatting import format_template
from tests.api.client import TokenClient, check_problem
from tests.support.factories import a_case_in_review, a_draft, a_template


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


def test_a_check_lists_competing_cases(token_client: TokenClient, case: Case, participant: User) -> None:
    other = a_case_in_review(by=participant)
    (competing_case,) = token_client.post(f"cases/{case.pk}/check/").json()["competing_cases"]
    assert (competing_case["number"], competing_case["nid"]) == (other.pk, "example-trees")


def test_a_rejected_submission_contains_the_findings(token_client: TokenClient, registrant: User) -> None:
    case = a_draft(by=registrant, purpose="", syntax="")
    answer = token_client.post(f"cases/{case.pk}/submit/", {"draft_stamp": 0})
    problem = check_problem(answer, 422, "submission-incomplete")
    assert {each["section"] for each in problem["findings"]} >= {"purpose", "syntax"}
