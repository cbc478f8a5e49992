"""GET /api/v1/urns/{urn}: what a URN is made of."""

from urllib.parse import quote, urlsplit

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from registry.accounts.models import User
from registry.core.validators import shortened
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.models import Namespace
from urnsyntax import URN, is_urn


def encoded(urn: str) -> str:
    return f"/api/v1/urns/{quote(urn, safe='')}"


def test_a_urn_of_a_registered_namespace(client: Client, isbn: Namespace) -> None:
    response = client.get("/api/v1/urns/urn:isbn:0451450523")
    assert response.status_code == 200
    assert response.json() == {
        "urn": "urn:isbn:0451450523",
        "nid": "isbn",
        "nss": "0451450523",
        "r_component": None,
        "q_component": None,
        "f_component": None,
        "assigned_name": "urn:isbn:0451450523",
        "normalized": "urn:isbn:0451450523",
        "displayed": "urn:isbn:0451450523",
        "notes": [],
        "namespace": {
            "nid": "isbn",
            "status": "registered",
            "reason": "“isbn” has been registered since 2001-01. A NID is never reused.",
            "section": "5.1 (1)",
            "sightings": [],
            "is_registered": True,
            "is_deprecated": False,
            "url": "http://localhost:8000/api/v1/namespaces/isbn/",
            "html": "http://localhost:8000/namespaces/isbn/",
        },
        "judgement": None,
        "did_you_mean": [],
        "services": [],
        "links": {
            "self": "http://localhost:8000/api/v1/urns/urn:isbn:0451450523",
            "nid": "http://localhost:8000/api/v1/nids/isbn/",
        },
    }


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/urns/urn%3Aisbn%3A0451450523",
        "/api/v1/urns/?urn=urn:isbn:0451450523",
        "/api/v1/urns?urn=urn%3Aisbn%3A0451450523",
    ],
)
def test_a_urn_may_be_plain_encoded_or_a_parameter(client: Client, isbn: Namespace, address: str) -> None:
    assert client.get(address).content == client.get("/api/v1/urns/urn:isbn:0451450523").content


def test_all_components_are_separated(client: Client, db: None) -> None:
    body = client.get(encoded("URN:Example:a%2fb/c?+r=1?=q?x#f/?")).json()
    assert body["urn"] == "URN:Example:a%2fb/c?+r=1?=q?x#f/?"
    assert (body["nid"], body["nss"]) == ("Example", "a%2fb/c")
    assert (body["r_component"], body["q_component"], body["f_component"]) == ("r=1", "q?x", "f/?")
    assert body["assigned_name"] == "URN:Example:a%2fb/c"
    assert body["normalized"] == "urn:example:a%2Fb/c"
    assert [note["section"] for note in body["notes"]] == ["2.3.1"]


def test_an_empty_f_component_is_not_an_absent_one(client: Client, db: None) -> None:
    assert client.get(encoded("urn:example:a#")).json()["f_component"] == ""
    assert client.get(encoded("urn:example:a")).json()["f_component"] is None


@pytest.mark.parametrize(
    ("address", "urn"),
    [
        ("/api/v1/urns/urn:example:1/406/47452/2", "urn:example:1/406/47452/2"),
        ("/api/v1/urns/urn:example:1%2F406%2F47452%2F2", "urn:example:1/406/47452/2"),
        ("/api/v1/urns/urn:example:a%252Fb", "urn:example:a%2Fb"),
        ("/api/v1/urns/?urn=urn:example:a%252Fb", "urn:example:a%2Fb"),
    ],
)
def test_slashes_are_plain_or_encoded(client: Client, address: str, urn: str, db: None) -> None:
    assert client.get(address).json()["urn"] == urn


@pytest.mark.parametrize(
    "urn",
    ["urn:example:a/../b", "urn:example:a/", "urn:example:%2F?=a/b?#c", "urn:example:+&=a;b"],
)
def test_a_link_to_itself_leads_to_the_same_urn(client: Client, urn: str, db: None) -> None:
    body = client.get("/api/v1/urns/", {"urn": urn}).json()
    assert client.get(body["links"]["self"]).json() == body
    assert ".." not in urlsplit(body["links"]["self"]).path.split("/")


MALFORMED = [
    ("urn:isbn:1\n", 10, "NSS", "2.2"),
    ("urn:ísbn:1", 4, "NID", "2.1"),
    ("urn:isb٣:1", 7, "NID", "2.1"),
    ("urn:example:é", 12, "NSS", "2.2"),
    ("urn::a", 4, "NID", "2.1"),
    ("urn:example:", 12, "NSS", "2.2"),
    ("urn:example:a?=", 15, "q-component", "2.3.2"),
    ("urn:example:a?+", 15, "r-component", "2.3.1"),
    ("urn:example:a?b", 13, "rq-components", "2"),
    ("urn:example:a b", 13, "NSS", "2.2"),
    ("urn:example:a%2", 13, "pct-encoded", "2.2"),
    ("urn:example:a\0", 13, "NSS", "2.2"),
    ("urn:" + "a" * 33 + ":b", 36, "NID", "2.1"),
    ("isbn:1", 0, "assigned-name", "2"),
    ("urn:example:" + "a" * 10_000 + "|", 10_012, "NSS", "2.2"),
    (" urn:example:a", 0, "assigned-name", "2"),
]


@pytest.mark.parametrize(
    ("text", "position", "rule", "section"), MALFORMED, ids=lambda value: ascii(value)[:40]
)
@pytest.mark.parametrize("by_parameter", [False, True])
def test_a_malformed_urn_is_a_400_that_points_at_the_character(
    client: Client, text: str, position: int, rule: str, section: str, by_parameter: bool
) -> None:
    response = client.get("/api/v1/urns/", {"urn": text}) if by_parameter else client.get(encoded(text))
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["type"].endswith("/problems/urn-malformed/")
    assert problem["urn"] == shortened(text, 1_000)
    assert (problem["position"], problem["rule"], problem["section"]) == (position, rule, section)
    _, pointer = problem["pointed"].splitlines()
    assert pointer.strip() == f"^ {problem['reason']}"
    assert problem["reason"] in problem["detail"]


def test_a_decoded_character_hints_at_the_percent_sign(client: Client) -> None:
    plain = client.get("/api/v1/urns/urn:example:%D0%B0123,z456")
    assert plain.status_code == 400
    assert "“%25”" in plain.json()["detail"]


@pytest.mark.parametrize("query", ["?+r", "?=q", "?+r?=q"])
def test_a_question_mark_left_plain_is_not_silently_cut_off(client: Client, query: str) -> None:
    response = client.get(f"/api/v1/urns/urn:example:a{query}")
    assert response.status_code == 400
    assert "“%3F”" in response.json()["detail"]


@pytest.mark.parametrize(
    "query", ["", "?urn=", "?urn=urn:example:a&urn=urn:example:b", "?urn=%FF", "?nid=isbn"]
)
def test_a_parameter_that_is_not_a_urn_is_a_400(client: Client, query: str) -> None:
    response = client.get(f"/api/v1/urns/{query}")
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("urn", "status"),
    [("urn:nobody:1", "free"), ("urn:x-local:1", "unregistrable"), ("urn:urn-99:1", "unregistrable")],
)
def test_a_urn_of_no_namespace_is_still_a_urn(client: Client, urn: str, status: str, db: None) -> None:
    response = client.get(encoded(urn))
    assert response.status_code == 200
    namespace = response.json()["namespace"]
    assert (namespace["is_registered"], namespace["status"], namespace["url"]) == (False, status, None)


def test_a_deprecated_namespace_is_marked(client: Client, isbn: Namespace, administrator: User) -> None:
    deprecate(isbn, by=administrator, statement="No more.")
    namespace = client.get(encoded("urn:isbn:1")).json()["namespace"]
    assert (namespace["is_registered"], namespace["is_deprecated"]) == (True, True)


@pytest.mark.parametrize(("urn", "queries"), [("urn:isbn:1", 1), ("urn:nobody:1", 5)])
def test_a_urn_takes_few_queries(
    client: Client, isbn: Namespace, urn: str, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(queries):
        assert client.get(encoded(urn)).status_code == 200


@pytest.mark.exhaustive
@settings(max_examples=150)
@given(
    text=st.one_of(
        st.text(st.characters(codec="utf-8"), max_size=30),
        st.text(alphabet="urn:ab-/?+=#%2f1é\n", max_size=20).map("urn:example:{}".format),
        st.from_regex(r"urn:[a-z]{2,4}:[a-z/%25]{1,6}(\?\+r)?(\?=q/)?(#f?)?", fullmatch=True),
    )
)
def test_the_parts_equal_those_of_the_library(client: Client, text: str, db: None) -> None:
    answers = [client.get("/api/v1/urns/", {"urn": text})]
    if text:
        answers.append(client.get(encoded(text)))
    for answer in answers:
        assert answer.json()["urn"] == text
        if is_urn(text):
            urn = URN.parse(text)
            assert answer.status_code == 200
            assert answer.json()["normalized"] == str(urn.normalized())
        else:
            assert answer.status_code == 400
            assert 0 <= answer.json()["position"] <= len(text)
