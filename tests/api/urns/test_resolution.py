"""The services of a URN in `urns/{urn}`, and `resolve/`: the addresses of many URNs at once."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.api.urns import checking
from registry.api.urns.bulk import MAX_URNS
from registry.namespaces.models import Namespace
from tests.api.schema_checks import check_response
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    confirm_all,
    fixture_profile,
)

RESOLVE = "/api/v1/resolve/"


@pytest.fixture
def ietf(administrator: User) -> Namespace:
    return confirm_all(a_namespace_with(fixture_profile("ietf")), by=administrator)


def posted(client: Client, urns: list[str], **headers: str) -> Any:
    return client.post(RESOLVE, json.dumps({"urns": urns}), "application/json", headers=headers)


def resolved(client: Client, urns: list[str]) -> Any:
    """The streamed body, compared with the description."""
    response = posted(client, urns)
    content = response.getvalue()
    answer = {name: getattr(response, name) for name in ("request", "status_code", "headers")}
    check_response("post", SimpleNamespace(**answer, content=content))
    return json.loads(content)


def test_the_services_of_a_urn_are_listed(client: Client, ietf: Namespace) -> None:
    response = client.get("/api/v1/urns/", {"urn": "urn:ietf:rfc:2648?+x=1"})
    check_response("get", response)
    services = response.json()["services"]
    assert [(each["kind"], each["priority"], each["host_confirmed"]) for each in services] == [
        ("I2R", 0, True), ("I2C", 1, True), ("I2C", 2, True),
    ]  # fmt: skip
    assert services[0] == {
        "kind": "I2R",
        "title": "Text of the RFC",
        "address": "https://www.rfc-editor.org/rfc/rfc2648",
        "host": "www.rfc-editor.org",
        "media_type": None,
        "language": "en",
        "priority": 0,
        "host_confirmed": True,
        "health": "unknown",
        "failing_since": None,
        "ignored_r_names": ["x"],
        "ignores_q_component": False,
    }


@pytest.mark.django_db
def test_an_unconfirmed_host_is_marked(client: Client) -> None:
    a_namespace_with(a_profile_with(a_service()))
    body = client.get("/api/v1/urns/urn:example-trees:12:4711").json()
    assert [each["host_confirmed"] for each in body["services"]] == [False]


@pytest.mark.parametrize("urn", ["urn:nobody:1", "urn:ietf:rfc:x", "urn:plain:1"])
def test_other_urns_have_no_services(client: Client, ietf: Namespace, urn: str) -> None:
    Namespace.objects.create(nid="plain", kind="formal")
    assert client.get(f"/api/v1/urns/{urn}").json()["services"] == []


def test_many_urns_are_resolved_in_order(client: Client, ietf: Namespace) -> None:
    a_namespace_with(a_profile_with(a_service()))
    urns = [
        "urn:ietf:rfc:2648", "URN:IETF:std:50", "urn:ietf:rfc:2648", "urn:ietf:rfc:x", "urn:nobody:1", "urn:",
        "urn:example-trees:12:4711",
    ]  # fmt: skip
    body = resolved(client, urns)
    assert [each["urn"] for each in body["results"]] == urns
    assert [each["address"] for each in body["results"]] == [
        "https://www.rfc-editor.org/rfc/rfc2648", "https://www.rfc-editor.org/info/std50",
        "https://www.rfc-editor.org/rfc/rfc2648", None, None, None, None,
    ]  # fmt: skip
    assert [each["kind"] for each in body["results"]] == ["I2R", "I2C", "I2R", None, None, None, None]
    assert [bool(each["reason"]) for each in body["results"]] == [False, False, False, True, True, True, True]
    assert body["results"][4]["reason"] == "The namespace “nobody” is not registered."
    assert "has not confirmed" in body["results"][6]["reason"]
    assert (body["resolved"], body["unresolved"]) == (3, 4)


def test_each_line_can_be_a_result(client: Client, ietf: Namespace) -> None:
    response = posted(client, ["urn:ietf:rfc:2648", "urn:nobody:1"], accept="application/jsonl")
    lines = b"".join(response.streaming_content).decode().splitlines()
    assert [json.loads(each)["kind"] for each in lines] == ["I2R", None]


def test_the_answer_is_that_of_the_page(client: Client, ietf: Namespace) -> None:
    urns = [each for service in fixture_profile("ietf").services for each in service.examples]
    for each in resolved(client, urns)["results"]:
        assert client.get(f"/resolve/{each['urn']}").get("Location") == each["address"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ("[]", 400, "invalid-fields"),
        ("{}", 400, "invalid-fields"),
        ('{"urns": "urn:a:b"}', 400, "invalid-fields"),
        ('{"urns": [1]}', 400, "invalid-fields"),
        ('{"urns": [], "level": "syntax"}', 400, "invalid-fields"),
        ("{", 400, "unreadable-body"),
        (json.dumps({"urns": ["urn:a:b"] * (MAX_URNS + 1)}), 413, "too-many-texts"),
    ],
)
def test_a_wrong_body_is_refused(client: Client, body: str, status: int, kind: str) -> None:
    response = client.post(RESOLVE, body, "application/json")
    check_response("post", response)
    assert (response.status_code, kind in response.json()["type"]) == (status, True)


def test_too_many_profiles_are_refused(
    client: Client, ietf: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "MAX_PROFILES", 0)
    response = posted(client, ["urn:ietf:rfc:2648"])
    check_response("post", response)
    assert response.status_code == 413


def test_many_urns_take_one_query(client: Client, ietf: Namespace, django_assert_num_queries: Any) -> None:
    resolved(client, ["urn:ietf:rfc:2648"])
    with django_assert_num_queries(1):
        resolved(client, [f"urn:ietf:rfc:{number}" for number in range(1, 500)])
