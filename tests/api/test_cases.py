"""Cases by token: begun from nothing or from a namespace, checked, commented on, and told to each as they see them."""

from typing import Any

import pytest

from registry.accounts.models import Body, Scope, User
from registry.appendix_a.formatting import format_text
from registry.namespaces.models import Namespace
from registry.registrations.models import Registration, State
from tests.api.asking import Program, check_problem
from tests.factories import a_draft, a_submission


def test_a_case_is_begun_from_sections(program: Program, registrant: User) -> None:
    sections = a_submission().to_json()
    answer = program.post(
        "registrations/", {"kind": "formal", "sections": sections, "standards_action": True}
    )
    assert answer.status_code == 201
    case = Registration.objects.get()
    assert (case.registrant, case.state, case.content) == (registrant, State.DRAFT, a_submission())
    assert case.standards_action is True
    assert answer.headers["Location"].endswith(f"/api/v1/registrations/{case.pk}/draft/")


def test_a_case_is_begun_from_a_template_and_says_how_it_was_read(program: Program) -> None:
    text = "A word before.\n\n" + format_text(a_submission())
    answer = program.post("registrations/", {"kind": "informal", "template": text}).json()
    assert answer["reading"]["unplaced"][0]["text"] == "A word before."
    case = Registration.objects.get()
    assert (case.kind, case.content.namespace_identifier) == ("informal", "")
    assert case.content.purpose == a_submission().purpose


def test_the_fast_track_names_its_body(program: Program) -> None:
    fast = {"kind": "formal", "procedure": "fast_track"}
    problem = check_problem(program.post("registrations/", fast), 400, "invalid-fields")
    assert problem["errors"][0]["pointer"] == "#/body"
    answer = program.post("registrations/", fast | {"body": "Example Standards Body"}).json()
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
    program: Program, wrong: dict[str, Any], status: int, kind: str
) -> None:
    check_problem(program.post("registrations/", wrong), status, kind)
    assert not Registration.objects.exists()
    assert not Body.objects.exists()


def test_a_check_changes_nothing(program: Program, case: Registration) -> None:
    path, before = f"registrations/{case.pk}/check/", Registration.objects.values().get()
    assert program.post(path).json()["is_ready"] is True
    sent = program.post(path, {"sections": {"purpose": "Names trees."}}).json()
    assert sent["is_ready"] is False
    assert {"section", "severity", "code", "message", "reference"} == set(sent["findings"][0])
    text = program.post(path, format_text(a_submission(purpose="")))
    assert [each["section"] for each in text.json()["findings"] if each["severity"] == "blocking"] == [
        "purpose"
    ]
    assert Registration.objects.values().get() == before


def test_rivals_are_named(program: Program, case: Registration, participant: User) -> None:
    from tests.factories import a_case_in_review

    other = a_case_in_review(by=participant)
    (rival,) = program.post(f"registrations/{case.pk}/check/").json()["rivals"]
    assert (rival["number"], rival["nid"]) == (other.pk, "example-trees")


def test_a_submission_refused_holds_its_findings(program: Program, registrant: User) -> None:
    case = a_draft(by=registrant, purpose="", syntax="")
    answer = program.post(f"registrations/{case.pk}/submit/", {"draft_stamp": 0})
    problem = check_problem(answer, 422, "submission-incomplete")
    assert {each["section"] for each in problem["findings"]} >= {"purpose", "syntax"}


def test_a_comment_is_kept_and_answered_with_its_place(participant: User, registrant: User) -> None:
    from tests.factories import a_case_in_review

    case = a_case_in_review(by=registrant)
    path = f"registrations/{case.pk}/comments/"
    said = Program(participant).post(path, {"round_number": 1, "section": "purpose", "text": "Which trees?"})
    assert said.status_code == 201
    assert said.json()["html"].endswith(f"/registrations/{case.pk}/#comment-{said.json()['number']}")
    for wrong, kind in (
        ({"round_number": 2, "text": "x"}, "comment-refused"),
        ({"round_number": 1, "text": "x", "section": "nothing"}, "comment-refused"),
        ({"round_number": 1, "text": " "}, "words-missing"),
        ({"round_number": 1, "text": "x" * 20_001}, "too-many-words"),
    ):
        check_problem(Program(participant).post(path, wrong), 422, kind)


def test_a_revision_is_begun_by_the_registrant_alone(
    trees: Namespace, registrant: User, participant: User
) -> None:
    answer = Program(registrant).post("namespaces/EXAMPLE-TREES/revise/")
    assert answer.status_code == 201
    assert (answer.json()["is_revision"], answer.json()["subject"]) == (True, "revision of example-trees")
    check_problem(Program(participant).post("namespaces/example-trees/revise/"), 404, "not-found")
    check_problem(Program(registrant).post("namespaces/nobody/revise/"), 404, "namespace-unknown")


def test_a_case_tells_each_what_they_may_do_in_it_now(
    program: Program, case: Registration, expert: User
) -> None:
    path = f"registrations/{case.pk}/moves/"
    own = program.get(path).json()
    assert set(own["moves"]) == {"submit", "withdraw", "add_co_editor"}
    assert own["draft_stamp"] == 0
    check_problem(Program(expert).get(path), 404, "not-found")
    assert program.post(own["moves"]["submit"].partition("8000")[2], {"draft_stamp": 0}).status_code == 200
    theirs = Program(expert).get(path).json()
    assert {"approve", "decline", "request_changes"} <= set(theirs["moves"])
    assert (theirs["draft_stamp"], theirs["links"]["draft"]) == (None, None)


def test_mine_shows_what_is_ones_own(program: Program, case: Registration, participant: User) -> None:
    assert [each["number"] for each in program.get("mine/").json()["drafts"]] == [case.pk]
    theirs = Program(participant, Scope.READ).get("mine/").json()
    assert (theirs["drafts"], theirs["cases"], theirs["waiting"]) == ([], [], {"registrant": []})
