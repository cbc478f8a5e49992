"""JSON bodies: limited before they are parsed, and repeated in messages only in part."""

import json
from itertools import product
from typing import Any

import pytest
from rest_framework.exceptions import ParseError

from registry.accounts.models import RoleName, User
from registry.api.framework import parsers
from registry.api.framework.parsers import MAX_DEPTH, MAX_VALUES, TooManyValues, check_structure
from registry.core.validators import MAX_LISTED, BodySize
from registry.namespaces.actions.registration import register_formal
from tests.api.client import TokenClient, check_problem
from tests.security.hostile_bodies import JSON_BODIES, TEXT_BODIES
from tests.support.factories import a_case_in_review, a_draft, a_person, a_profile, a_template

JSON = "application/json"
MAX_RESPONSE = 12_000
PARTS = 8  # of the hostile bodies; those of one part are sent to the same operations
LONG = "x" * 50_000


def a_profile_body(**names: Any) -> dict[str, Any]:
    """A profile whose rules are changed."""
    document = a_profile("example-plants").to_dict()
    document["names"] |= names
    return {"profile": document, "basis": "Syntax.", "replaces": 0}


# The structure


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[]", 2),
        ("[0]", 2),
        ("[0,0]", 3),
        ('{"a":0,"b":[0,{}]}', 6),
        ('["[{,"]', 2),
        (r'["\"[{,","\\"]', 3),
    ],
)
def test_values_are_counted_outside_of_texts(text: str, values: int) -> None:
    check_structure(text.encode(), values)
    with pytest.raises(TooManyValues):
        check_structure(text.encode(), values - 1)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_limited(opening: str, closing: str) -> None:
    def nested(depth: int) -> bytes:
        return (opening * depth + "0" + closing * depth).encode()

    check_structure(nested(MAX_DEPTH), MAX_VALUES)
    with pytest.raises(ParseError, match="nested"):
        check_structure(nested(MAX_DEPTH + 1), MAX_VALUES)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body", ['{"kind":"formal","kind":"formal"}', '{"sections":{"purpose":"","purpose":""}}']
)
def test_a_member_that_occurs_twice_is_refused(registrant: User, body: str) -> None:
    answer = TokenClient(registrant).ask("post", "cases/", body, Content_Type=JSON)
    check_problem(answer, 400, "unreadable-body", "contains a name twice")


def test_brackets_in_texts_are_not_nested() -> None:
    check_structure(json.dumps(["[" * 1000, "\\", '"' + "{" * 1000]).encode(), MAX_VALUES)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["open arrays", "nested objects", "numbers", "members", "empty texts", "objects"]
)
def test_json_with_too_many_values_or_levels_is_not_parsed(
    registrant: User, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the body was parsed")

    program = TokenClient(registrant)
    monkeypatch.setattr(parsers.json, "loads", fail)
    body = JSON_BODIES[name](BodySize.TEMPLATE).decode()
    assert program.client.post(
        "/api/v1/cases/", body, content_type=JSON, headers={"Authorization": f"Bearer {program.secret}"}
    ).status_code in {400, 413}


# The responses


@pytest.fixture
def operations(registrant: User, settings: Any) -> list[tuple[TokenClient, str, str, int]]:
    """An operation of each kind that reads a body: who may call it, its method, address and limit."""
    settings.API_READS_A_MINUTE = settings.API_WRITES_A_MINUTE = 1_000_000
    everyone = a_person(email="everyone@example.org", roles=(RoleName.EXPERT, RoleName.ADMINISTRATOR))
    mine, other = TokenClient(registrant), TokenClient(everyone)
    draft = f"cases/{a_draft(by=registrant).pk}"
    case = f"cases/{a_case_in_review(by=registrant, namespace_identifier='example-hedges').pk}"
    namespace = f"namespaces/{register_formal(a_template(namespace_identifier='example-plants'), registrant=registrant).namespace.nid}"
    return [
        (mine, "post", "cases/", BodySize.TEMPLATE),
        (mine, "put", f"{draft}/draft/", BodySize.TEMPLATE),
        (mine, "patch", f"{draft}/draft/", BodySize.TEMPLATE),
        (mine, "post", f"{draft}/check/", BodySize.TEMPLATE),
        (mine, "post", f"{draft}/submit/", BodySize.TEXTS),
        (mine, "post", f"{case}/comments/", BodySize.TEXTS),
        (other, "post", f"{case}/request-changes/", BodySize.TEXTS),
        (other, "post", f"{namespace}/deprecate/", BodySize.TEXTS),
        (other, "post", f"{namespace}/profile/", BodySize.TEXTS),
        (mine, "post", f"{namespace}/transfers/", BodySize.SMALL),
        (other, "post", f"{namespace}/claims/", BodySize.TEXTS),
        (mine, "post", f"{namespace}/revise/", BodySize.SMALL),
        (mine, "post", "urns/compare/", BodySize.SMALL),
    ]


@pytest.mark.sampled(PARTS)
@pytest.mark.django_db
@pytest.mark.parametrize("part", range(PARTS))
def test_a_hostile_body_gets_a_short_problem(operations: Any, part: int) -> None:
    for name, (program, method, path, limit) in product(list(JSON_BODIES)[part::PARTS], operations):
        body = JSON_BODIES[name](limit)
        headers = {"Authorization": f"Bearer {program.secret}", "If-Match": "*"}
        answer = program.client.generic(method.upper(), f"/api/v1/{path}", body, JSON, headers=headers)
        assert answer.status_code in {400, 413, 422}, (name, path, answer.status_code, answer.content[:500])
        assert len(answer.content) < MAX_RESPONSE, (name, path, answer.content[:2000])


@pytest.mark.django_db
@pytest.mark.parametrize("name", TEXT_BODIES)
def test_a_hostile_text_gets_a_short_problem(operations: Any, name: str) -> None:
    for program, method, path, limit in (operations[1], operations[3]):
        headers = {"Authorization": f"Bearer {program.secret}", "If-Match": "*"}
        body = TEXT_BODIES[name](limit)
        answer = program.client.generic(
            method.upper(), f"/api/v1/{path}", body, "text/plain", headers=headers
        )
        assert answer.status_code == 422, (path, answer.status_code, answer.content[:500])
        assert len(answer.content) < MAX_RESPONSE, path


@pytest.mark.django_db
@pytest.mark.parametrize(("count", "left_out"), [(MAX_LISTED, 0), (MAX_LISTED + 1, 1), (1_500, 1_490)])
def test_the_first_ten_unknown_members_are_reported(registrant: User, count: int, left_out: int) -> None:
    body = {f"member-{number}": 0 for number in range(count)}
    problem = check_problem(TokenClient(registrant).post("cases/", body), 400, "invalid-fields")
    assert [each["pointer"] for each in problem["errors"]] == [f"#/member-{n}" for n in range(MAX_LISTED)]
    assert ("leaves out" in problem["detail"]) == bool(left_out)
    if left_out:
        assert f"leaves out {left_out:,} others" in problem["detail"]


@pytest.mark.django_db
def test_the_first_ten_unknown_sections_are_reported(registrant: User) -> None:
    sections = {f"section-{number:03}": "" for number in range(500)}
    problem = check_problem(
        TokenClient(registrant).post("cases/", {"kind": "formal", "sections": sections}),
        422,
        "sections-refused",
    )
    assert "section-009 and 490 others." in problem["detail"]
    assert "section-010" not in problem["detail"]


@pytest.mark.django_db
def test_the_first_ten_unknown_parameters_are_reported(registrant: User) -> None:
    query = "&".join(f"p{number}=1" for number in range(900))
    problem = check_problem(TokenClient(registrant).get(f"namespaces/?{query}"), 400, "invalid-parameter")
    assert len(problem["errors"]) == MAX_LISTED
    assert problem["detail"].endswith(" and 890 others")


@pytest.mark.sampled(3)
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("cases/", {LONG: 0}),
        ("cases/", {"kind": LONG}),
        ("cases/", {"kind": "formal", "procedure": LONG}),
        ("cases/", {"kind": "formal", "sections": {LONG: ""}}),
        ("cases/", {"kind": "formal", "sections": {"registrant": {LONG: ""}}}),
        ("cases/", {"kind": "formal", "template": LONG}),
        ("cases/", {"kind": "formal", "procedure": "fast_track", "body": LONG}),
        ("cases/{draft}/check/", {LONG: 0}),
        ("cases/{case}/comments/", {"round": 1, "section": LONG, "text": "Why?"}),
        ("cases/{case}/request-changes/", {"round": 1, "rationale": "", "action_points": [{"section": LONG, "text": "x"}]}),
        ("cases/{case}/dismiss-finding/", {"round": 1, "section": LONG, "code": LONG, "reason": "x"}),
        ("cases/{draft}/invite-co-editor/", {"email": LONG + "@example.org"}),
        ("cases/{draft}/remove-co-editor/", {"email": LONG + "@example.org"}),
        ("namespaces/{nid}/deprecate/", {"statement": "Closed.", "successor": LONG}),
        ("namespaces/{nid}/profile/", {"basis": "Syntax.", "replaces": 0, "profile": {LONG: LONG}}),
        ("namespaces/{nid}/profile/", a_profile_body(pattern=LONG)),
        ("namespaces/{nid}/profile/", a_profile_body(pattern="(" * 1_999)),
        ("namespaces/{nid}/profile/", a_profile_body(unstated=LONG)),
        ("namespaces/{nid}/profile/", a_profile_body(ignored_characters=LONG)),
        ("namespaces/{nid}/profile/", a_profile_body(examples=[{"urn": f"urn:example-plants:{LONG[:1_900]}"}])),
        ("namespaces/{nid}/transfers/", {"to": LONG + "@example.org"}),
        ("namespaces/{nid}/claims/", {"ground": LONG, "statement": "I work there."}),
        ("namespaces/{nid}/claims/", {"ground": "domain", "statement": "I work there.", "links": [LONG]}),
        ("urns/compare/", {"first": LONG, "second": "urn:example:a"}),
        (f"cases/{LONG[:20_000]}/comments/", {}),
        (f"namespaces/{LONG[:20_000]}/revise/", {}),
        (f"namespaces/{{nid}}/transfers/{LONG[:20_000]}/accept/", {}),
    ],
    ids=range(27),
)  # fmt: skip
def test_a_long_text_is_repeated_in_part(registrant: User, path: str, body: dict[str, Any]) -> None:
    everyone = a_person(email="everyone@example.org", roles=(RoleName.EXPERT, RoleName.ADMINISTRATOR))
    draft = a_draft(by=registrant)
    case = a_case_in_review(by=registrant, namespace_identifier="example-hedges")
    namespace = register_formal(
        a_template(namespace_identifier="example-plants"), registrant=registrant
    ).namespace
    path = path.format(draft=draft.pk, case=case.pk, nid=namespace.nid)
    is_decision = any(
        part in path for part in ("request-changes", "dismiss", "deprecate", "profile", "claims")
    )
    answer = TokenClient(everyone if is_decision else registrant).post(path, body)
    problem = json.loads(answer.content)
    assert answer.status_code in {400, 404, 409, 422}, problem
    repeated = {**problem, "instance": ""}  # the address, whose length the server limits
    assert len(json.dumps(repeated)) < 3_000


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("digits", "message"),
    [("9" * 101, "more than 100 digits"), ("-" + "9" * 5_000, "more than 100 digits"), ("9" * 100, "")],
    ids=["101", "5,000", "100"],
)
def test_a_number_with_many_digits_is_not_read(registrant: User, digits: str, message: str) -> None:
    program = TokenClient(registrant)
    answer = program.ask("post", "cases/", f'{{"kind": {digits}}}', Content_Type=JSON)
    problem = check_problem(answer, 400, "unreadable-body" if message else "invalid-fields", message)
    assert "sys." not in problem["detail"]


# Templates


@pytest.mark.django_db
def test_the_first_unplaced_lines_are_listed(registrant: User) -> None:
    lines = "\n".join(f"Line {number} {'x' * 1_000}" for number in range(400))
    text = f"{lines}\nNamespace Identifier: example-pasted\nPurpose:\n  Names things.\n"
    answer = TokenClient(registrant).post("cases/", {"kind": "formal", "template": text})
    assert answer.status_code == 201
    reading = answer.json()["reading"]
    assert (len(reading["unplaced"]), reading["left_out"]) == (300, 100)
    assert max(len(each["text"]) for each in reading["unplaced"]) == 501
    assert reading["unplaced"][0]["text"].startswith("Line 0 ")


@pytest.mark.django_db
def test_the_first_findings_on_examples_are_listed(registrant: User) -> None:
    other = " ".join(f"urn:nid-{number}:a" for number in range(3_000))
    malformed = " ".join(f"urn:a{number}:%" for number in range(3_000))
    draft = a_draft(by=registrant, syntax=a_template().syntax + f" {other} {malformed}")
    answer = TokenClient(registrant).post(f"cases/{draft.pk}/check/")
    findings = answer.json()["findings"]
    severities = [each["severity"] for each in findings if each["code"].startswith("example-")]
    assert {each: severities.count(each) for each in set(severities)} == {"blocking": 20, "advice": 20}
    assert not answer.json()["is_ready"]
