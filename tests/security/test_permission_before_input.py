"""Permission is checked before input: a person without it gets the same 404 for every input.

The matrix of `tests/cases/workflow/matrix.py`, extended by bodies that are invalid, empty or malformed.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import pytest
from django.test import Client

from registry.accounts.models import Body, RoleName, User
from registry.cases.models import Case
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.declarations.reviews import VERDICTS
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS
from registry.review_desk.views import DECISION_BY_SLUG
from tests.api.client import TokenClient
from tests.cases.workflow.matrix import (
    COLUMNS,
    COMMUNITY,
    a_case,
    rows,
    sample_body,
    the_cast,
)
from tests.support.browser import page, signed_in
from tests.support.factories import a_body, a_case_in_review, a_person

T = TypeVar("T")
pytestmark = pytest.mark.django_db

# The person for each action, written by hand. There are no invitations.
OWNERS = {name: role for name, (role, _) in rows(COMMUNITY).items()} | {
    "anticipate_standards_action": "expert",
    "require_two_experts": "expert",
    "dismiss_finding": "expert",
    "invite_co_editor": "registrant",
    "withdraw_invitation": "registrant",
    "remove_co_editor": "registrant",
    "accept_invitation": "",
    "decline_invitation": "",
}
OUTSIDERS = ("participant", "recused with every role", "expert", "administrator", "liaison")
NOISE = {
    "round": "x",
    "round_number": "x",
    "stamp": "-",
    "draft_stamp": "\x00",
    "email": "@",
    "person": "0",
    "reason": "r" * 9,
}
EVERY_BODY = "draft"  # the state in which all bodies are sent
BOUNDARY = "multipart/form-data; boundary=b"


def form_bodies(valid: dict[str, Any]) -> list[dict[str, Any]]:
    """Keyword arguments of a POST: a valid form, an invalid one, none, and forms that can't be read."""
    fields = {name: "yes" if value is True else str(value) for name, value in valid.items()}
    return [
        {"data": fields},
        {"data": NOISE},
        {"data": {}},
        {"data": {"more": "1", "insert": "1", "take": "purpose", "submit": "1"}},
        {"data": b"--b\r\nContent-Disposition: form-data\r\n\r\n", "content_type": BOUNDARY},
        {"data": b"{", "content_type": "application/json"},
    ]


def json_bodies(valid: dict[str, Any]) -> list[tuple[Any, str]]:
    """Bodies of an API request, with their media types."""
    json_type = "application/json"
    return [
        (valid, json_type),
        ({"colour": "red"}, json_type),
        ({}, json_type),
        ([], json_type),
        ("{", json_type),
        ("Dear registry,", "text/plain"),
        ("a=b", "application/x-www-form-urlencoded"),
    ]


def seen(answer: Any) -> tuple[int, str]:
    """Status and text of a response, without what differs between two requests."""
    text = re.sub(r'(csrfmiddlewaretoken" value|nonce|"csrf[^=]*)="[^"]*"', "", answer.text)
    return answer.status_code, text


def without_numbers(text: str, *numbers: int) -> str:
    """The text of a response, without these case numbers: as words, for 81 is also a part of 8141."""
    return re.sub(rf"\b(?:{'|'.join(map(str, numbers))})\b", "N", text)


def sent(bodies: list[T], turn: int | None) -> list[T]:
    """The bodies, or at a turn the valid one and another: one parser reads the bodies of every action, in every state."""
    return bodies if turn is None else [bodies[0], bodies[1 + turn % (len(bodies) - 1)]]


def different_pages(
    client: Client, path: str, valid: dict[str, Any], turn: int | None = None, **headers: str
) -> Iterator[str]:
    """The path, unless the page responds to all bodies with one and the same 404, or 403 at a conflict of interest."""
    answers = {seen(client.post(path, headers=headers, **body)) for body in sent(form_bodies(valid), turn)}
    if not {status for status, _ in answers} <= {403, 404} or len(answers) != 1:
        yield f"{path}: {sorted(status for status, _ in answers)}"


def different_resources(
    program: TokenClient, method: str, path: str, valid: dict[str, Any], turn: int | None = None
) -> Iterator[str]:
    answers = set()
    for body, media_type in sent(json_bodies(valid), turn):
        answer = program.ask(method, path, body, Content_Type=media_type)
        answers.add((answer.status_code, answer.json()["type"], answer.json()["detail"]))
    if {status for status, *_ in answers} != {404} or len(answers) != 1:
        yield f"{method} {path}: {sorted(answers)}"


def outsiders_of(action: CaseAction, cast: dict[str, Any]) -> Iterator[tuple[str, User]]:
    for name in OUTSIDERS:
        if action.name in OWNERS and OWNERS[action.name] != name:
            yield name, cast[name]


@pytest.mark.parametrize("state", COLUMNS)
@pytest.mark.exhaustive
def test_an_outsider_gets_one_response_to_every_body_of_an_action(
    state: str, registrant: User, expert: User, administrator: User, settings: Any
) -> None:
    settings.API_WRITES_A_MINUTE = 100_000
    case = a_case("community", state, registrant, expert, administrator)
    cast = the_cast(case, registrant)
    browsers = {name: signed_in(cast[name]) for name in OUTSIDERS}  # type: ignore[arg-type]
    programs = {name: TokenClient(cast[name]) for name in OUTSIDERS}  # type: ignore[arg-type]
    wrong: list[str] = []
    for action in ALL_ACTIONS:
        valid = sample_body(action, case)
        paths = [page("transition", case.pk, action.slug)]
        if action.slug in DECISION_BY_SLUG:
            paths.append(f"/desk/cases/{case.pk}/{action.slug}/")
        if action.name in VERDICTS:
            paths.append(f"/desk/cases/{case.pk}/verdict/{action.slug}/")
        for number, (name, _) in enumerate(outsiders_of(action, cast)):
            # An eighth of all: each outsider of each action in one state.
            place, is_left_out = divmod(number + ALL_ACTIONS.index(action) + COLUMNS.index(state), 8)
            if is_left_out:
                continue
            turn = None if state == EVERY_BODY else place
            for path in paths:
                wrong += [f"{name}: {each}" for each in different_pages(browsers[name], path, valid, turn)]
            path = f"cases/{case.pk}/{action.slug}/"
            differing = different_resources(programs[name], "post", path, valid, turn)
            wrong += [f"{name}: {each}" for each in differing]
    assert not wrong, "\n".join(wrong)


@pytest.mark.sampled(8, 1)
@pytest.mark.parametrize("state", COLUMNS)
def test_an_outsider_gets_one_response_to_every_body_for_a_draft(
    state: str, registrant: User, expert: User, administrator: User
) -> None:
    case = a_case("community", state, registrant, expert, administrator)
    person = a_person(email="outsider@example.org", roles=tuple(RoleName))
    client, program = signed_in(person), TokenClient(person)
    valid = {"stamp": case.draft_stamp, "purpose": "Mine.", "template": "Purpose: mine"}
    wrong: list[str] = []
    turn = None if state == EVERY_BODY else COLUMNS.index(state)
    for name in ("edit", "autosave", "paste"):
        for headers in ({}, {"HX-Request": "true"}):
            wrong += different_pages(client, page(name, case.pk), valid, turn, **headers)
    for name in ("edit", "paste", "preview", "draft"):
        assert client.get(page(name, case.pk)).status_code == 404
    for method, path in (("put", "draft"), ("patch", "draft"), ("post", "check")):
        content = {"sections": {"purpose": "Mine."}}
        wrong += different_resources(program, method, f"cases/{case.pk}/{path}/", content, turn)
    assert not wrong, "\n".join(wrong)
    case.refresh_from_db()
    assert case.draft_template.purpose != "Mine."


def test_an_autosave_by_another_person_shows_nothing_of_the_draft(
    registrant: User, participant: User
) -> None:
    """The finding: an invalid form was answered with the state of the draft."""
    case = a_case_in_review(by=registrant)
    answer = signed_in(participant).post(
        page("autosave", case.pk), {"stamp": "x"}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 404
    assert "Draft-Answer" not in answer.headers


@pytest.mark.exhaustive
def test_only_a_liaison_who_may_decide_gets_errors_of_the_form_for_a_body(
    registrant: User, administrator: User, liaison: User
) -> None:
    body: Body = a_body()
    a_case_in_review(by=registrant, body=body)
    path, valid = f"/desk/bodies/{body.pk}/", {"decision": "recognise_body", "reference": "Ballot"}
    assert list(different_pages(signed_in(administrator), path, valid)) == []
    body.representatives.add(liaison)
    assert list(different_pages(signed_in(liaison), path, valid)) == []


def test_a_draft_is_one_404_for_those_who_do_not_edit_it(registrant: User, expert: User) -> None:
    from tests.support.factories import a_draft

    case: Case = a_draft(by=registrant)
    missing = case.pk + 1000
    client = signed_in(expert)
    for name in ("edit", "autosave", "paste"):
        there, nowhere = (seen(client.post(page(name, pk), NOISE)) for pk in (case.pk, missing))
        assert there[0] == nowhere[0] == 404
        numbers = (case.pk, missing)
        assert without_numbers(there[1], *numbers) == without_numbers(nowhere[1], *numbers)
