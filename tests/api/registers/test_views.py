"""`namespaces/{nid}/register/` and what is below it."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from tests.api.client import V1, TokenClient
from tests.registers.conftest import ASKED, OPENED, a_described_namespace
from tests.support.factories import a_person

REGISTER = "namespaces/example-trees/register/"


@pytest.fixture
def holder(db: None) -> User:
    return a_person(email="holder@example.org")


@pytest.fixture
def namespace(holder: User) -> Namespace:
    return a_described_namespace(registrant=holder)


def test_a_register_from_opening_to_an_entry(client: Client, namespace: Namespace, holder: User) -> None:
    program, other = TokenClient(holder), TokenClient(a_person(email="requester@example.org"))
    stranger = TokenClient(a_person(email="stranger@example.org"))
    assert client.get(V1 + REGISTER).status_code == 404
    made = program.post(REGISTER, {**OPENED, "policy": "expert_review"})
    assert made.status_code == 201
    assert made.headers["Location"].endswith(REGISTER)
    public = client.get(V1 + REGISTER).json()
    assert (public["policy"], public["policy_section"], public["version"]) == ("expert_review", "4.5", 1)

    requested = other.post(f"{REGISTER}requests/", ASKED)
    assert requested.status_code == 201
    at = f"{REGISTER}requests/{requested.json()['number']}/"
    assert set(requested.json()["actions"]) == {"comment", "withdraw", "revise"}
    assert stranger.get(at).status_code == 404
    assert stranger.get(f"{REGISTER}requests/").json()["results"] == []
    (listed,) = program.get(f"{REGISTER}requests/?state=open").json()["results"]
    assert set(listed["actions"]) == {"comment", "accept", "ask", "refuse"}

    assert program.post(f"{at}ask/", {"text": "Where is it?"}).json()["state"] == "changes_requested"
    assert other.post(f"{at}comment/", {"text": "In London."}).status_code == 201
    seen = program.get(at).json()
    assert [each["text"] for each in seen["comments"]] == ["Where is it?", "In London."]
    assert program.post(f"{at}accept/", {"revision": 2}).status_code == 409
    assert program.post(f"{at}accept/", {"revision": 1}).json()["state"] == "accepted"
    entry = client.get(f"{V1}namespaces/example-trees/subnamespace/?prefix=kew").json()
    assert (entry["title"], entry["source"]) == (ASKED["title"], OPENED["title"])
    assert ASKED["contact"] not in str(entry)

    direct = program.post(f"{REGISTER}entries/", {"label": "elm", "title": "Elm Garden"})
    assert direct.json()["prefix"] == "elm"
    events = client.get(f"{V1}namespaces/example-trees/events/").json()["results"]
    public_events = {each["verb"]: each["details"] for each in events}
    assert {"open_register", "accept_request", "register_entry"} <= public_events.keys()
    assert "request_entry" not in public_events
    assert "request" not in public_events["accept_request"]


def test_the_list_of_requests_takes_the_same_queries_for_many(namespace: Namespace, holder: User) -> None:
    program, other = TokenClient(holder), TokenClient(a_person(email="requester@example.org"))
    program.post(REGISTER, {**OPENED, "policy": "expert_review"})
    counts = []
    program.get(f"{REGISTER}requests/")  # which notes that the token was used
    for label in ("ash", "birch", "cedar"):
        other.post(f"{REGISTER}requests/", ASKED | {"label": label})
        with CaptureQueriesContext(connection) as queries:
            assert len(program.get(f"{REGISTER}requests/").json()["results"]) == len(counts) + 1
        counts.append(len(queries))
    assert len(set(counts)) == 1, counts
