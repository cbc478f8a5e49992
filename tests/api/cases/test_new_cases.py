"""Creation of cases and revisions, and the actions open to a user."""

from typing import Any

import pytest

from registry.accounts.models import Body, User
from registry.cases.models import Case, State
from registry.namespaces.models import Namespace
from registry.registration_template.formatting import format_template
from tests.api.client import TokenClient, check_problem
from tests.support.factories import a_template


def test_a_case_can_be_created_from_sections(token_client: TokenClient, registrant: User) -> None:
    sections = a_template().to_json()
    answer = token_client.post("cases/", {"kind": "formal", "sections": sections, "standards_action": True})
    assert answer.status_code == 201
    case = Case.objects.get()
    assert (case.registrant, case.state, case.draft_template) == (registrant, State.DRAFT, a_template())
    assert case.standards_action is True
    assert answer.headers["Location"].endswith(f"/api/v1/cases/{case.pk}/draft/")


def test_a_case_can_be_created_from_plain_text(token_client: TokenClient) -> None:
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
def test_an_invalid_case_is_not_created(
    token_client: TokenClient, wrong: dict[str, Any], status: int, kind: str
) -> None:
    check_problem(token_client.post("cases/", wrong), status, kind)
    assert not Case.objects.exists()
    assert not Body.objects.exists()


def test_only_the_registrant_can_begin_a_revision(
    trees: Namespace, registrant: User, participant: User
) -> None:
    answer = TokenClient(registrant).post("namespaces/EXAMPLE-TREES/revise/")
    assert answer.status_code == 201
    assert (answer.json()["is_revision"], answer.json()["subject"]) == (True, "revision of example-trees")
    check_problem(TokenClient(participant).post("namespaces/example-trees/revise/"), 404, "not-found")
    check_problem(TokenClient(registrant).post("namespaces/nobody/revise/"), 404, "namespace-unknown")


def test_a_case_lists_the_actions_open_to_the_user(
    token_client: TokenClient, case: Case, expert: User
) -> None:
    path = f"cases/{case.pk}/actions/"
    own = token_client.get(path).json()
    assert set(own["actions"]) == {"submit", "withdraw", "invite_co_editor"}
    assert own["draft_stamp"] == 0
    check_problem(TokenClient(expert).get(path), 404, "not-found")
    assert (
        token_client.post(own["actions"]["submit"].partition("8000")[2], {"draft_stamp": 0}).status_code
        == 200
    )
    theirs = TokenClient(expert).get(path).json()
    assert {"approve", "decline", "request_changes"} <= set(theirs["actions"])
    assert (theirs["draft_stamp"], theirs["links"]["draft"]) == (None, None)
