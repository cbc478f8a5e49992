"""Transitions by token: the same transitions and refusals as on the pages, from the table of the matrix."""

from itertools import product
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from registry.accounts.models import User
from registry.api.cases.transitions import ACTION_VIEWS
from registry.api.framework.actions import request_serializer
from registry.cases.forms.actions import action_form
from registry.cases.models import Case
from registry.cases.workflow.declarations.parameters import ROUND_NUMBER
from registry.cases.workflow.declarations.transitions import ACTION_BY_SLUG, ALL_ACTIONS
from tests.api.client import TokenClient, check_problem
from tests.cases.workflow.matrix import (
    COLUMNS,
    FOR_THE_REGISTRANT,
    TABLES,
    TRANSITION_BY_NAME,
    a_case,
    place_of,
    rows,
    sample_body,
    the_cast,
)
from tests.support.factories import a_body, a_case_in_review, a_draft, add_co_editor, an_approved_case

ANSWERS = {"yes": (200, ""), "-": (409, "transition-not-allowed"), "if": (409, "condition-not-met")}


def outcome(token_client: TokenClient, transition: str, case: Case) -> tuple[int, str]:
    """The status and the problem type of an attempt, which is rolled back."""
    before = transaction.savepoint()
    answer = token_client.post(
        f"cases/{case.pk}/{transition.replace('_', '-')}/", sample_body(TRANSITION_BY_NAME[transition], case)
    )
    transaction.savepoint_rollback(before)
    kind = "" if answer.status_code == 200 else answer.json()["type"].rstrip("/").rpartition("/")[2]
    return answer.status_code, kind


@pytest.mark.parametrize(
    ("table", "state"),
    [each for place, each in enumerate(product(TABLES, COLUMNS)) if (place + place // 8) % 2 == 0],
)
@pytest.mark.sampled(40)
def test_transitions_by_state_match_the_table(
    table: str, state: str, registrant: User, expert: User, administrator: User
) -> None:
    """By the people with the role of each transition; that others are refused is in tests/actions.

    Each state in every other table. Each that is open is tried, and each of the others in one table: functions are asked for all.
    """
    case = a_case(table, state, registrant, expert, administrator)
    cast, programs, wrong = the_cast(case, registrant), dict[str, TokenClient](), []
    for number, (transition, (role, cells)) in enumerate(
        rows(TABLES[table]).items(), [*TABLES].index(table) // 2
    ):
        if cells[state] != "yes" and number % 4:
            continue
        program = programs[role] = programs.get(role) or TokenClient(cast[role])  # type: ignore[arg-type]
        # Only its editors can see a draft, in every role.
        is_known = state != "draft" or role in FOR_THE_REGISTRANT
        expected = ANSWERS[cells[state]] if is_known else (404, "not-found")
        if (got := outcome(program, transition, case)) != expected:
            wrong.append(f"{role} / {transition}: expected {expected}, got {got}")
    assert not wrong, "\n".join(wrong)


def test_every_transition_has_its_address() -> None:
    everything = {transition.name for transition in ALL_ACTIONS}
    assert {slug.replace("-", "_") for slug in ACTION_VIEWS} == everything


def test_the_api_has_the_parameters_of_the_page(registrant: User) -> None:
    """A form may ask for less: what it shows anyway."""
    for slug, action in ACTION_BY_SLUG.items():
        form = action_form(action, case=a_draft(by=registrant), by=registrant)
        asked = {_member_of(each) for each in form.fields}
        sent = {field.source or key for key, field in request_serializer(action)().fields.items()}
        assert asked <= sent, slug
        assert sent - asked <= {"action_points"}, slug


def _member_of(field: str) -> str:
    """The member of the request body for a field of the page."""
    return "email" if field == "person" else "profile" if field.startswith("profile_") else field


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "transition", [action.name for action in ACTION_BY_SLUG.values() if ROUND_NUMBER in action.parameters]
)
def test_a_decision_names_its_round(
    transition: str, registrant: User, expert: User, administrator: User
) -> None:
    table, state, role = place_of(transition)
    case = a_case(table, state, registrant, expert, administrator)
    token_client = TokenClient(the_cast(case, registrant)[role])  # type: ignore[arg-type]
    address = f"cases/{case.pk}/{transition.replace('_', '-')}/"
    complete = sample_body(TRANSITION_BY_NAME[transition], case)
    missing = {name: value for name, value in complete.items() if name != "round"}
    problem = check_problem(token_client.post(address, missing), 400, "invalid-fields")
    assert problem["errors"][0]["pointer"] == "#/round"
    for other in (0, 2, 2**31 - 1):
        check_problem(token_client.post(address, complete | {"round": other}), 409, "stale-round")
    assert token_client.post(address, complete).status_code == 200


@pytest.mark.parametrize(
    ("sent", "pointer"),
    [
        ({"round": "1", "rationale": "x"}, "#/round"),
        ({"round": True, "rationale": "x"}, "#/round"),
        ({"round": 1.5, "rationale": "x"}, "#/round"),
        ({"round": 1e300, "rationale": "x"}, "#/round"),
        ({"round": -1, "rationale": "x"}, "#/round"),
        ({"round": 2**31, "rationale": "x"}, "#/round"),
        ({"round": None, "rationale": "x"}, "#/round"),
        ({"round": 1, "rationale": 1}, "#/rationale"),
        ({"round": 1, "rationale": None}, "#/rationale"),
        ({"round": 1, "rationale": ["x"]}, "#/rationale"),
        ({"round": 1}, "#/rationale"),
        ({"round": 1, "rationale": "x", "by": 1}, "#/by"),
        ([], "#"),
        ("a text", "#"),
        (None, "#"),
    ],
)
def test_an_invalid_body_is_a_400_with_pointers(
    registrant: User, expert: User, sent: Any, pointer: str
) -> None:
    case = a_case_in_review(by=registrant)
    token_client = TokenClient(expert)
    import json

    answer = token_client.ask(
        "post", f"cases/{case.pk}/approve/", json.dumps(sent), Content_Type="application/json"
    )
    assert [each["pointer"] for each in check_problem(answer, 400, "invalid-fields")["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("", "text-missing"),
        (" \n", "text-missing"),
        ("\u200b", "text-missing"),
        ("Sound.\x00", "unstorable-character"),
        ("So\ud800und.", "unstorable-character"),
        ("x" * 50_001, "text-too-long"),
    ],
)
def test_invalid_texts_are_rejected_by_the_action(
    registrant: User, expert: User, words: str, kind: str
) -> None:
    case = a_case_in_review(by=registrant)
    answer = TokenClient(expert).post(f"cases/{case.pk}/approve/", {"round": 1, "rationale": words})
    check_problem(answer, 422, kind)


@pytest.mark.parametrize(
    ("points", "status", "kind"),
    [
        ([], 422, "text-missing"),
        ([{"section": "nothing", "text": "x"}], 422, "unknown-section"),
        ([{"section": "purpose\n", "text": "x"}], 422, "unknown-section"),
        ([{"section": "purpose", "text": " "}], 422, "text-missing"),
        ([{"section": "purpose"}], 400, "invalid-fields"),
        (["purpose"], 400, "invalid-fields"),
        ("purpose", 400, "invalid-fields"),
        ([{"section": "purpose", "text": "x"}] * 61, 400, "invalid-fields"),
    ],
)
def test_action_points_name_a_section_and_what_to_change(
    registrant: User, expert: User, points: Any, status: int, kind: str
) -> None:
    case = a_case_in_review(by=registrant)
    answer = TokenClient(expert).post(
        f"cases/{case.pk}/request-changes/", {"round": 1, "action_points": points}
    )
    check_problem(answer, status, kind)


def test_a_draft_is_a_404_for_others(registrant: User, expert: User) -> None:
    from tests.support.factories import a_draft

    case = a_draft(by=registrant)
    hidden = TokenClient(expert).post(f"cases/{case.pk}/recuse/")
    missing = TokenClient(expert).post("cases/999999/recuse/")
    assert check_problem(hidden, 404, "not-found")["detail"] == f"There is no case {case.pk}."
    check_problem(missing, 404, "not-found")


@pytest.mark.parametrize("number", ["0", "-1", "x", "1\u0661", "9" * 40, "1%0A", "1.0", "%00"])
def test_an_unknown_case_is_a_404(registrant: User, number: str) -> None:
    check_problem(TokenClient(registrant).post(f"cases/{number}/withdraw/"), 404, "not-found")


def test_co_editors_are_named_by_their_address(registrant: User, co_editor: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    token_client, invited = TokenClient(registrant), TokenClient(co_editor)
    invite, accept, remove, withdraw = (
        f"cases/{case.pk}/{name}/"
        for name in ("invite-co-editor", "accept-invitation", "remove-co-editor", "withdraw-invitation")
    )
    check_problem(token_client.post(remove, {"email": co_editor.email}), 409, "condition-not-met")
    check_problem(token_client.post(withdraw, {"email": co_editor.email}), 409, "condition-not-met")
    check_problem(invited.post(accept), 404, "not-found")
    assert token_client.post(invite, {"email": "Co-Editor@EXAMPLE.org"}).status_code == 200
    check_problem(token_client.post(invite, {"email": co_editor.email}), 409, "already-invited")
    check_problem(token_client.post(withdraw, {"email": expert.email}), 409, "not-invited")
    assert token_client.post(withdraw, {"email": "CO-EDITOR@example.org"}).status_code == 200
    assert token_client.post(invite, {"email": co_editor.email}).status_code == 200
    assert invited.post(accept).status_code == 200
    check_problem(token_client.post(invite, {"email": co_editor.email}), 409, "already-an-editor")
    check_problem(token_client.post(remove, {"email": expert.email}), 409, "not-an-editor")
    check_problem(token_client.post(remove, {"email": "nobody@example.org"}), 409, "not-an-editor")
    token_client.post(invite, {"email": "invited@example.org"})
    for path in (remove, withdraw):
        for text, slug in (
            ("", "text-missing"),
            ("x", "invalid-address"),
            ("a\x00@example.org", "unstorable-character"),
            ("a@\ud800.org", "unstorable-character"),
        ):
            check_problem(token_client.post(path, {"email": text}), 422, slug)
        for value in (1, None):
            problem = check_problem(token_client.post(path, {"email": value}), 400, "invalid-fields")
            assert problem["errors"][0]["pointer"] == "#/email"
    assert token_client.post(remove, {"email": co_editor.email}).status_code == 200


@pytest.mark.parametrize(
    ("email", "status", "name"),
    [
        ("", 422, "text-missing"),
        (" \n", 422, "text-missing"),
        ("x", 422, "invalid-address"),
        ("a@b@example.org", 422, "invalid-address"),
        ("a@example.org\nBcc: b@example.org", 422, "invalid-address"),
        ("a\x00@example.org", 422, "unstorable-character"),
        ("a@\ud800.org", 422, "unstorable-character"),
        ("a" * 250 + "@example.org", 422, "text-too-long"),
        (1, 400, "invalid-fields"),
        (None, 400, "invalid-fields"),
    ],
)
def test_an_invitation_needs_an_address(registrant: User, email: object, status: int, name: str) -> None:
    case = a_draft(by=registrant)
    sent = TokenClient(registrant).post(f"cases/{case.pk}/invite-co-editor/", {"email": email})
    check_problem(sent, status, name)
    assert not case.invitations.exists()


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": '"leaving"'}])
def test_a_co_editor_who_leaves_a_draft_gets_it_in_the_response(
    registrant: User, co_editor: User, headers: dict[str, str]
) -> None:
    case = a_draft(by=registrant)
    add_co_editor(case, by=registrant, user=co_editor)
    token_client, path = TokenClient(co_editor), f"cases/{case.pk}/"
    left = token_client.post(f"{path}remove-co-editor/", {"email": co_editor.email}, **headers)
    assert (left.status_code, left.json()["number"], left.json()["actions"]) == (200, case.pk, {})
    assert not case.co_editors.exists()
    check_problem(token_client.get(f"{path}actions/"), 404, "not-found")


def test_experts_recuse_themselves_and_set_standards_action(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    token_client = TokenClient(expert)
    said = token_client.post(
        f"cases/{case.pk}/anticipate-standards-action/",
        {"anticipated": True, "reason": "A draft is."},
    ).json()
    assert said["standards_action"] is True
    assert set(said["actions"]) == {
        "request_changes",
        "forward_report",
        "decline",
        "anticipate_standards_action",
        "require_two_experts",
        "recuse",
        "dismiss_finding",
    }
    gone = token_client.post(f"cases/{case.pk}/recuse/").json()
    assert gone["actions"] == {}


def test_the_response_lists_the_next_transitions(registrant: User, expert: User, administrator: User) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    token_client = TokenClient(administrator)
    answer = token_client.post(f"cases/{case.pk}/return-to-registrant/", {"reason": "The address."}).json()
    assert answer["state"] == "changes_requested"
    own = TokenClient(registrant)
    checked = own.post(f"cases/{case.pk}/withdraw/").json()
    assert (checked["state"], checked["actions"]) == ("withdrawn", {})


def test_a_stale_draft_is_not_submitted(registrant: User) -> None:
    from registry.cases.drafts import drafts
    from tests.support.factories import a_draft, a_template

    case = a_draft(by=registrant)
    drafts.save_draft(case, a_template(purpose="Other trees."), by=registrant, stamp=0)
    answer = TokenClient(registrant).post(f"cases/{case.pk}/submit/", {"draft_stamp": 0})
    check_problem(answer, 409, "stale-draft")


def test_a_submission_on_the_fast_track_records_who_authorised_it(registrant: User, client: Client) -> None:
    case = a_draft(by=registrant, body=a_body())
    answer = TokenClient(registrant).post(f"cases/{case.pk}/submit/", {"draft_stamp": case.draft_stamp})
    assert answer.status_code == 200
    (event,) = client.get("/api/v1/events/?verb=submit").json()["results"]
    assert event["details"] == {"round": 1, "authorised_by": "Example Standards Body"}
    about = client.get("/api/v1/schema/", headers={"Accept": "application/json"}).json()
    operation = about["paths"]["/api/v1/cases/{number}/submit/"]["post"]
    assert "confirms that" in operation["description"]
    assert "the requesting body authorised the request" in operation["description"]
