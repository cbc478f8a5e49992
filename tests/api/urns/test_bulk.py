"""`urns/check/` and `urns/compare/`: many URNs at once, and two held against each other."""

import gc
import json
import tracemalloc
from typing import Any

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.api.urns.bulk import MAX_URNS
from registry.core.validators import BodySize
from urnsyntax import InvalidURN, equivalent, is_urn

CHECK, COMPARE = "/api/v1/urns/check", "/api/v1/urns/compare"
TEXTS = [
    "urn:example:a",
    "urn:example:",
    "URN:ISBN:1?=q#f",
    "urn:isbn:1\n",
    "urn:isb٣:1",
    "",
    "urn:example:b\r",
]


def post(client: Client, address: str, body: Any, kind: str = "application/json", **headers: str) -> Any:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    # Without a body the client would not name its kind.
    return client.generic("POST", address, sent, kind, headers=headers, CONTENT_TYPE=kind)


def of_syntax(texts: list[str]) -> dict[str, Any]:
    return {"urns": texts, "level": "syntax"}


def checked(response: Any) -> Any:
    assert response.status_code == 200
    return json.loads(response.getvalue())


def test_every_text_is_checked_in_order(client: Client) -> None:
    answer = checked(post(client, CHECK, of_syntax(TEXTS)))
    assert [each["is_urn"] for each in answer["results"]] == [is_urn(text) for text in TEXTS]
    assert [each["number"] for each in answer["results"]] == [1, 2, 3, 4, 5, 6, 7]
    assert (answer["good"], answer["bad"]) == (2, 5)
    for text, each in zip(TEXTS, answer["results"], strict=True):
        if each["is_urn"]:
            assert set(each) == {"number", "is_urn"}
        else:
            fault = InvalidURN(text)
            assert each["urn"] == text
            assert (each["position"], each["rule"]) == (fault.position, fault.rule)
            assert (each["section"], each["document"]) == (fault.section, fault.document)
            assert each["reason"] == fault.reason


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_plain_text_has_one_urn_on_each_line(client: Client, db: None, end: bytes) -> None:
    answer = checked(post(client, CHECK, b"urn:example:a\nnone\r\nurn:example:b" + end, "text/plain"))
    assert [each["is_urn"] for each in answer["results"]] == [True, False, True]
    assert answer["results"][1]["urn"] == "none"


def test_octets_that_are_not_utf_8_are_not_a_urn(client: Client, db: None) -> None:
    answer = checked(post(client, CHECK, b"urn:example:\xff\nurn:example:a\n", "text/plain; charset=utf-8"))
    assert [each["is_urn"] for each in answer["results"]] == [False, True]
    assert answer["results"][0]["urn"] == "urn:example:\udcff"


@pytest.mark.parametrize(("body", "kind"), [(b"[]", "application/json"), (b"", "text/plain")])
def test_an_empty_list_is_valid(client: Client, db: None, body: bytes, kind: str) -> None:
    assert checked(post(client, CHECK, body, kind)) == {"results": [], "good": 0, "bad": 0, "unknown": 0}


def test_json_lines_have_the_same_content(client: Client) -> None:
    response = post(client, CHECK, of_syntax(TEXTS), accept="application/jsonl")
    assert response["Content-Type"] == "application/jsonl"
    lines = [json.loads(line) for line in response.getvalue().splitlines()]
    assert lines == checked(post(client, CHECK, of_syntax(TEXTS)))["results"]


def test_the_response_is_streamed(client: Client) -> None:
    response = post(client, CHECK, of_syntax(["urn:example:a", "no"] * (MAX_URNS // 2)))
    assert response.streaming
    assert len(list(response.streaming_content)) > 5


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_more_than_ten_thousand_urns_are_413(client: Client, db: None, kind: str) -> None:
    def body(count: int) -> bytes:
        texts = ["urn:example:a"] * count
        return json.dumps(texts).encode() if kind == "application/json" else "\n".join(texts).encode()

    assert checked(post(client, CHECK, body(MAX_URNS), kind))["unknown"] == MAX_URNS
    response = post(client, CHECK, body(MAX_URNS + 1), kind)
    assert response.status_code == 413
    problem = response.json()
    assert problem["type"].endswith("/problems/too-many-texts/")
    assert (problem["limit"], problem["sent"]) == (MAX_URNS, MAX_URNS + 1)


@pytest.mark.parametrize(("address", "limit"), [(CHECK, BodySize.URNS), (COMPARE, BodySize.SMALL)])
def test_a_body_that_is_too_long_is_413(client: Client, address: str, limit: int) -> None:
    response = post(client, address, b" " * (limit - 2) + b"[]")
    assert response.status_code != 413
    response = post(client, address, b" " * (limit - 1) + b"[]")
    assert response.status_code == 413
    problem = response.json()
    assert problem["type"].endswith("/problems/body-too-long/")
    assert (problem["limit"], problem["sent"]) == (limit, limit + 1)


@pytest.mark.parametrize("address", [CHECK, COMPARE])
def test_a_chunked_body_is_411(client: Client, address: str) -> None:
    response = client.generic("POST", address, headers={"Transfer-Encoding": "chunked"})
    assert response.status_code == 411
    assert response.json()["type"].endswith("/problems/length-required/")


def test_a_body_far_beyond_the_limit_is_not_read(client: Client) -> None:
    response = post(client, CHECK, b"a" * (8 * 1024 * 1024 + 1), "text/plain")
    assert response.status_code == 413


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ("urn:example:a", "#"),
        (None, "#"),
        (1, "#"),
        ({}, "#/urns"),
        ({"urns": "urn:example:a"}, "#/urns"),
        ({"urns": [], "more": 1}, "#/urns"),
        (["urn:example:a", 1], "#/1"),
        ({"urns": [None]}, "#/urns/0"),
    ],
)
def test_an_invalid_body_is_a_400_with_pointers(client: Client, body: Any, pointer: str) -> None:
    response = post(client, CHECK, body)
    assert response.status_code == 400
    (error,) = response.json()["errors"]
    assert error["pointer"] == pointer


@pytest.mark.parametrize("address", [CHECK, COMPARE])
@pytest.mark.parametrize(
    "body",
    [b"", b"[", b'{"a":', b"\xff", b'["\xff"]', b"nan]", b"[" * 60_000],
    ids=lambda body: repr(body[:8]),
)
def test_a_body_that_cannot_be_read_is_a_400(client: Client, address: str, body: bytes) -> None:
    response = post(client, address, body)
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize("address", [CHECK, COMPARE])
@pytest.mark.parametrize("kind", ["application/xml", "multipart/form-data", "x", ""])
def test_an_unsupported_media_type_is_415(client: Client, address: str, kind: str) -> None:
    response = post(client, address, b"<urns/>", kind)
    assert response.status_code == 415
    assert response.json()["type"].endswith("/problems/unsupported-media-type/")


@pytest.mark.parametrize("address", [CHECK, COMPARE])
def test_bulk_operations_accept_post_only(client: Client, address: str) -> None:
    for method in ("GET", "PUT", "DELETE"):
        response = client.generic(method, address, b"[]", "application/json")
        assert (response.status_code, response["Allow"]) == (405, "POST, OPTIONS")
    permitted = client.options(address)
    assert permitted["Access-Control-Allow-Methods"] == "POST, OPTIONS"
    assert "Content-Type" in permitted["Access-Control-Allow-Headers"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
def test_bodies_are_released_without_garbage_collection(client: Client, db: None, kind: str) -> None:
    """A worker that waits for its collector would hold hundreds of bodies at once."""
    text = "urn:example:" + "a" * 10**6
    body = (text if kind == "text/plain" else json.dumps([text])).encode()

    def ask() -> None:
        response = client.post(CHECK, body, content_type=kind)
        assert response.status_code == 200
        b"".join(response.streaming_content)
        response.request.clear()  # what the client itself keeps

    ask()
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(20):
            ask()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert held < 5 * len(body)


COMPARED = [
    ("urn:example:a", "URN:EXAMPLE:a", True, None),
    ("urn:example:a%2c", "urn:example:a%2C?=q#f", True, None),
    ("urn:example:a", "urn:example:A", False, 12),
    ("urn:example:a", "urn:example:ab", False, 13),
    ("urn:example:a", "urn:other:a", False, 4),
]


@pytest.mark.parametrize(("first", "second", "are_equivalent", "position"), COMPARED)
def test_two_urns_are_compared_by_section_3(
    client: Client, first: str, second: str, are_equivalent: bool, position: int | None
) -> None:
    body = post(client, COMPARE, {"first": first, "second": second}).json()
    assert (body["are_equivalent"], body["position"]) == (are_equivalent, position)
    assert body["are_equivalent"] == equivalent(first, second)


@pytest.mark.parametrize("text", ["urn:example:", "urn:example:a\n", "urn:ex٣mple:a", "", "x" * 9000])
@pytest.mark.parametrize("name", ["first", "second"])
def test_comparing_an_invalid_urn_is_a_422_with_a_pointer(client: Client, name: str, text: str) -> None:
    body = {"first": "urn:example:a", "second": "urn:example:a"} | {name: text}
    response = post(client, COMPARE, body)
    assert response.status_code == 422
    problem = response.json()
    assert problem["type"].endswith("/problems/compared-urn-malformed/")
    assert (problem["pointer"], problem["position"]) == (f"#/{name}", InvalidURN(text).position)


@pytest.mark.parametrize(
    ("body", "pointers"),
    [({}, {"#/first", "#/second"}), ({"first": 1, "second": "urn:example:a"}, {"#/first"}), ([], {"#"})],
)
def test_fields_to_compare_that_are_missing_are_a_400(client: Client, body: Any, pointers: set[str]) -> None:
    response = post(client, COMPARE, body)
    assert response.status_code == 400
    assert {each["pointer"] for each in response.json()["errors"]} == pointers


@settings(max_examples=100)
@given(
    texts=st.lists(
        st.text(alphabet="urn:ab-/?+=#%2f\r\n\ud800é", max_size=12).map("urn:a{}".format), max_size=8
    )
)
def test_results_equal_those_of_the_library(client: Client, texts: list[str]) -> None:
    answer = checked(post(client, CHECK, of_syntax(texts)))
    assert [each["is_urn"] for each in answer["results"]] == [is_urn(text) for text in texts]
    assert [each["urn"] for each in answer["results"] if not each["is_urn"]] == [
        text for text in texts if not is_urn(text)
    ]


def test_the_suffix_selects_json_lines(client: Client) -> None:
    response = client.post("/api/v1/urns/check.jsonl", ["urn:example:a"], content_type="application/json")
    assert response["Content-Type"] == "application/jsonl"
    assert [json.loads(line)["urn"] for line in response.getvalue().splitlines()] == ["urn:example:a"]
    unknown = client.post("/api/v1/urns/check.xml", ["urn:example:a"], content_type="application/json")
    assert unknown.status_code == 404
