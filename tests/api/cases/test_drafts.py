"""Drafts by token: begun, read, written as JSON or as a template, never over words that were not seen."""

from typing import Any

import pytest

from registry.accounts.models import User
from registry.api.cases.drafts import merge_patch
from registry.cases.drafts import drafts
from registry.cases.models import Case, State
from registry.core.validators import BodySize
from registry.registration_template.formatting import format_template
from tests.api.client import V1, TokenClient, check_problem
from tests.support.factories import a_template, add_co_editor, put_in_state


def address(case: Case) -> str:
    return f"cases/{case.pk}/draft/"


def test_a_draft_as_json_and_as_plain_text(token_client: TokenClient, case: Case) -> None:
    as_json = token_client.get(address(case))
    assert as_json.json()["sections"] == drafts.complete_template(case, case.draft_template).to_json()
    as_text = token_client.get(address(case), Accept="text/plain")
    assert as_text.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert as_text.content.decode() == format_template(drafts.complete_template(case, case.draft_template))
    assert as_json.headers["ETag"] != as_text.headers["ETag"]
    assert as_json.headers["Vary"] == "Accept, Authorization"
    again = token_client.get(address(case), If_None_Match=as_json.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")


def test_head_and_options_of_a_draft(token_client: TokenClient, case: Case) -> None:
    head = token_client.ask("head", address(case))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["ETag"] == token_client.get(address(case)).headers["ETag"]
    options = token_client.client.options(V1 + address(case))
    assert options.status_code == 200
    assert options.headers["Allow"] == "GET, PUT, PATCH, HEAD, OPTIONS"
    assert "If-Match" in options.headers["Access-Control-Allow-Headers"]
    submit = f"cases/{case.pk}/submit/"
    assert token_client.client.options(V1 + submit).headers["Allow"] == "POST, OPTIONS"
    for method in ("get", "head", "put", "patch", "delete"):
        answer = token_client.ask(method, submit)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST, OPTIONS")


def test_a_draft_is_for_its_editors_alone(
    case: Case, registrant: User, participant: User, administrator: User, co_editor: User
) -> None:
    for other in (participant, administrator):
        check_problem(TokenClient(other).get(address(case)), 404, "not-found", "There is no case")
        check_problem(TokenClient(other).put(address(case), {"sections": {}}, If_Match="*"), 404, "not-found")
    add_co_editor(case, by=registrant, user=co_editor)
    assert TokenClient(co_editor).get(address(case)).status_code == 200
    put_in_state(case, State.CHANGES_REQUESTED)


def test_the_response_to_get_can_be_put(token_client: TokenClient, case: Case) -> None:
    read = token_client.get(address(case))
    written = token_client.put(address(case), read.json(), If_Match=read.headers["ETag"])
    assert written.status_code == 200, written.text
    assert written.json()["sections"] == read.json()["sections"]
    assert written.headers["ETag"] == token_client.get(address(case)).headers["ETag"] != read.headers["ETag"]


def test_sections_that_are_left_out_of_a_put_are_empty(token_client: TokenClient, case: Case) -> None:
    etag = token_client.get(address(case)).headers["ETag"]
    body = {"sections": {"purpose": "Trees."}, "standards_action": True}
    answer = token_client.put(address(case), body, If_Match=etag).json()
    assert (answer["sections"]["purpose"], answer["sections"]["syntax"]) == ("Trees.", "")
    assert answer["standards_action"] is True


def test_a_template_can_be_put(token_client: TokenClient, case: Case) -> None:
    etag = token_client.get(address(case), Accept="text/plain").headers["ETag"]
    text = format_template(a_template(purpose="Names trees — and shrubs."))
    answer = token_client.put(address(case), text, If_Match=etag)
    assert answer.json()["sections"]["purpose"] == "Names trees — and shrubs."
    assert answer.json()["reading"] == {
        "form": "8141",
        "unplaced": [],
        "left_out": 0,
        "remarks": [],
        "changes": [],
    }


def test_what_was_undone_in_a_text_is_listed(token_client: TokenClient, case: Case) -> None:
    text = "".join(f"> {line}\n" for line in format_template(a_template()).split("\n"))
    answer = token_client.put(address(case), text, If_Match="*").json()
    assert answer["sections"]["purpose"] == a_template().purpose
    [change] = answer["reading"]["changes"]
    assert (change["kind"], change["lines"][:2], change["is_certain"]) == ("quoting", [1, 2], True)
    checked = token_client.post(f"cases/{case.pk}/check/", text).json()
    assert [each["kind"] for each in checked["reading"]["changes"]] == ["quoting"]
    sections = a_template().to_json() | {"purpose": "Names trees.\n\n-- \nRobin"}
    kept = token_client.put(address(case), {"sections": sections}, If_Match="*").json()
    assert kept["sections"]["purpose"] == "Names trees.\n\n--\nRobin"
    found = token_client.post(f"cases/{case.pk}/check/").json()["findings"]
    assert "signature" in {each["code"] for each in found}


@pytest.mark.parametrize("content_type", ["application/json", "application/merge-patch+json"])
def test_a_patch_changes_what_it_names(token_client: TokenClient, case: Case, content_type: str) -> None:
    etag = token_client.get(address(case)).headers["ETag"]
    patch = {
        "sections": {"purpose": "Trees.", "resolution": None, "registrant": {"phone": "+1", "address": None}}
    }
    answer = token_client.patch(address(case), patch, If_Match=etag, Content_Type=content_type)
    assert answer.status_code == 200, answer.text
    sections, before = answer.json()["sections"], a_template().to_json()
    assert (sections["purpose"], sections["resolution"]) == ("Trees.", "")
    assert sections["registrant"] == before["registrant"] | {"phone": "+1", "address": ""}
    assert sections["syntax"] == before["syntax"]


def test_reading_a_draft_with_a_stale_if_match_is_a_412(token_client: TokenClient, case: Case) -> None:
    etag = token_client.get(address(case)).headers["ETag"]
    assert token_client.get(address(case), If_Match=etag).status_code == 200
    check_problem(token_client.get(address(case), If_Match='"99.00000000"'), 412, "stale-precondition")


def test_an_edit_without_if_match_is_a_428(token_client: TokenClient, case: Case) -> None:
    for method in ("put", "patch"):
        answer = token_client.ask(method, address(case), {"sections": {}})
        check_problem(answer, 428, "if-match-missing", "If-Match")
    assert Case.objects.get().draft_template == case.draft_template


@pytest.mark.parametrize(
    "if_match",
    ['"99.00000000"', "W/{etag}", "{etag}x", "nonsense", '"0"', '""', '"\u0660.00000000"'],
)
def test_an_edit_of_another_draft_is_a_412(token_client: TokenClient, case: Case, if_match: str) -> None:
    etag = token_client.get(address(case)).headers["ETag"]
    header = if_match.format(etag=etag)
    check_problem(token_client.put(address(case), {"sections": {}}, If_Match=header), 412, "draft-changed")
    assert Case.objects.get().draft_template == case.draft_template


def test_a_412_shows_what_is_there_and_what_would_change(
    token_client: TokenClient, case: Case, registrant: User, co_editor: User
) -> None:
    add_co_editor(case, by=registrant, user=co_editor)
    old = token_client.get(address(case)).headers["ETag"]
    theirs = TokenClient(co_editor).patch(address(case), {"sections": {"purpose": "Theirs."}}, If_Match=old)
    assert theirs.status_code == 200
    mine = {"sections": a_template(purpose="Mine.").to_json()}
    problem = check_problem(token_client.put(address(case), mine, If_Match=old), 412, "draft-changed")
    assert problem["current"]["sections"]["purpose"] == "Theirs."
    assert problem["current"]["etag"] == theirs.headers["ETag"]
    (changed,) = problem["difference"]
    assert changed["section"] == "purpose"
    assert [(each["before"], each["after"]) for each in changed["lines"]] == [("Theirs.", ""), ("", "Mine.")]
    again = token_client.put(address(case), mine, If_Match=problem["current"]["etag"])
    assert again.json()["sections"]["purpose"] == "Mine."


def test_if_match_accepts_a_list_and_a_wildcard(token_client: TokenClient, case: Case) -> None:
    etag = token_client.get(address(case)).headers["ETag"]
    body = {"sections": {"purpose": "Trees."}}
    assert token_client.put(address(case), body, If_Match=f'"7.00000000", {etag}').status_code == 200
    assert token_client.put(address(case), body, If_Match="*").status_code == 200


def test_a_draft_of_a_closed_case_is_not_written(token_client: TokenClient, case: Case) -> None:
    put_in_state(case, State.WITHDRAWN)
    answer = token_client.put(address(case), {"sections": {}}, If_Match="*")
    check_problem(answer, 409, "draft-closed")


@pytest.mark.parametrize(
    ("method", "content_type"),
    [
        ("put", "application/xml"),
        ("put", "multipart/form-data; boundary=x"),
        ("put", "application/x-www-form-urlencoded"),
        ("put", "application/merge-patch+json"),
        ("patch", "text/plain"),
        ("patch", "application/json-patch+json"),
        ("post", "text/plain"),
    ],
)
def test_an_unsupported_media_type_is_a_415(
    token_client: TokenClient, case: Case, method: str, content_type: str
) -> None:
    path = address(case) if method != "post" else "cases/"
    answer = token_client.ask(method, path, "x", Content_Type=content_type, If_Match="*")
    check_problem(answer, 415, "unsupported-media-type")


@pytest.mark.parametrize(
    "octets",
    [
        b"{",
        b"",
        b"[" * 200_000,
        b'{"sections": ' + b"[" * 60 + b"]" * 60 + b"}",
        b'{"kind": NaN}',
        b'{"kind": "formal"} x',
        b'{"kind": "\xff"}',
        b'\xff\xfe{"kind"',
        b'{"kind": "formal", "kind": "informal"}',
    ],
)
def test_a_body_that_is_not_json_is_a_400(token_client: TokenClient, octets: bytes) -> None:
    headers = {"Authorization": f"Bearer {token_client.secret}"}
    answer = token_client.client.generic(
        "POST", f"{V1}cases/", octets, content_type="application/json", headers=headers
    )
    check_problem(answer, 400, "invalid-fields" if not octets else "unreadable-body")


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"point": "1"}, "point"),
        ({"point": 1.5}, "point"),
        ({"outcome": "perhaps"}, "outcome"),
        ({"text": 1}, "text"),
        ({"because": ""}, "because"),
    ],
)
def test_replies_to_action_points_are_not_converted(
    token_client: TokenClient, case: Case, wrong: dict[str, Any], where: str
) -> None:
    body = {"sections": {}, "replies": [{"point": 1, "outcome": "done"} | wrong]}
    problem = check_problem(token_client.patch(address(case), body, If_Match="*"), 400, "invalid-fields")
    assert [each["pointer"] for each in problem["errors"]] == [f"#/replies/0/{where}"]


def test_reading_needs_no_content_length(token_client: TokenClient) -> None:
    headers = {"Authorization": f"Bearer {token_client.secret}", "Transfer-Encoding": "chunked"}
    assert token_client.client.get(f"{V1}account/", headers=headers).status_code == 200


def test_a_template_that_is_not_utf_8_is_a_400(token_client: TokenClient, case: Case) -> None:
    headers = {"Authorization": f"Bearer {token_client.secret}", "If-Match": "*"}
    answer = token_client.client.generic(
        "PUT", V1 + address(case), b"Namespace \xff", content_type="text/plain", headers=headers
    )
    check_problem(answer, 400, "unreadable-body", "Octet 10")


@pytest.mark.parametrize(
    ("path", "limit"), [("cases/", BodySize.TEMPLATE), ("namespaces/isbn/revise/", BodySize.SMALL)]
)
def test_a_body_that_is_too_long_is_a_413(token_client: TokenClient, path: str, limit: int) -> None:
    problem = check_problem(token_client.post(path, {"kind": "x" * limit}), 413, "body-too-long")
    assert (problem["limit"], problem["sent"]) == (limit, limit + len('{"kind": ""}'))


def test_a_body_without_its_length_is_a_411(token_client: TokenClient) -> None:
    headers = {"Authorization": f"Bearer {token_client.secret}", "Transfer-Encoding": "chunked"}
    answer = token_client.client.generic("POST", f"{V1}cases/", headers=headers)
    check_problem(answer, 411, "length-required")


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        # RFC 7396, Appendix A.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_merges(target: Any, patch: Any, result: Any) -> None:
    assert merge_patch(target, patch) == result
