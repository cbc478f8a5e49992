"""Dismissing advice through the API: for experts only, like on the page, with a public result."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.models import Case, Dismissal
from tests.api.client import V1, TokenClient, check_problem
from tests.support.factories import a_case_in_review

FINDING = {"section": "resolution", "code": "placeholder"}
SENT = {"round": 1, "reason": "They ask a resolver to be named so.", **FINDING}


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant, resolution="It is a TODO.")


def address(case: Case) -> str:
    return f"cases/{case.pk}/dismiss-finding/"


def finding_of(client: Client, case: Case) -> Any:
    findings = client.get(f"{V1}cases/{case.pk}/rounds/1/").json()["findings"]
    (found,) = (each for each in findings if each["code"] == FINDING["code"])
    return found


def test_a_dismissed_finding_has_its_dismissal(client: Client, case: Case, expert: User) -> None:
    token_client = TokenClient(expert)
    assert finding_of(client, case)["dismissal"] is None
    offered = token_client.get(f"cases/{case.pk}/actions/").json()["actions"]["dismiss_finding"]
    answer = token_client.post(offered.removeprefix("http://localhost:8000"), SENT)
    assert (answer.status_code, answer.json()["state"]) == (200, "in_review")
    said = finding_of(client, case)["dismissal"]
    assert (said["round"], said["by"], said["reason"]) == (1, str(expert), SENT["reason"])


def test_a_dismissal_is_a_public_event(client: Client, case: Case, expert: User) -> None:
    TokenClient(expert).post(address(case), SENT)
    events = client.get(f"{V1}cases/{case.pk}/events/").json()["results"]
    told = next(each for each in events if each["verb"] == "dismiss_finding")
    assert (told["actor"], told["reason"]) == (str(expert), SENT["reason"])
    assert told["details"] == {"round": 1, **FINDING}
    assert client.get(f"{V1}events/?since={told['number'] - 1}").json()["results"] == [told]


def test_the_same_request_sent_again_with_its_key_has_no_second_effect(case: Case, expert: User) -> None:
    token_client = TokenClient(expert)
    answers = [token_client.post(address(case), SENT, Idempotency_Key='"a key"') for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 200]
    assert Dismissal.objects.count() == Event.objects.filter(verb="dismiss_finding").count() == 1
    check_problem(token_client.post(address(case), SENT), 409, "no-such-finding")


def test_findings_on_a_stale_round_cannot_be_dismissed(case: Case, expert: User) -> None:
    for other in (0, 2):
        check_problem(TokenClient(expert).post(address(case), SENT | {"round": other}), 409, "stale-round")
    assert not Dismissal.objects.exists()


@pytest.mark.parametrize("missing", ["round", "section", "code", "reason"])
def test_missing_fields_are_named(case: Case, expert: User, missing: str) -> None:
    sent = {name: value for name, value in SENT.items() if name != missing}
    problem = check_problem(TokenClient(expert).post(address(case), sent), 400, "invalid-fields")
    assert [each["pointer"] for each in problem["errors"]] == [f"#/{missing}"]
    assert not Dismissal.objects.exists()
