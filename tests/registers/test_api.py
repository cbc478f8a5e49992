"""`namespaces/{nid}/register/` and what is below it."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from tests.api.client import V1, TokenClient
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import ASKED, OPENED, a_described_namespace
from tests.support.factories import a_person

REGISTER = "namespaces/example-trees/register/"


def test_a_register_from_opening_to_an_entry(client: Client, namespace: Namespace, holder: User) -> None:
    program, other = TokenClient(holder), TokenClient(a_person(email="requester@example.org"))
    stranger = TokenClient(a_person(email="stranger@example.org"))
    assert client.get(V1 + REGISTER).status_code == 404
    assert links_of(client) == [None, None]
    made = program.post(REGISTER, {**OPENED, "policy": "expert_review"})
    assert made.status_code == 201
    assert made.headers["Location"].endswith(REGISTER)
    assert links_of(client) == [made.headers["Location"]] * 2
    public = client.get(V1 + REGISTER).json()
    assert (public["policy"], public["policy_section"], public["version"]) == ("expert_review", "4.5", 1)

    requested = other.post(f"{REGISTER}requests/", ASKED)
    assert requested.status_code == 201
    at = f"{REGISTER}requests/{requested.json()['number']}/"
    assert requested.json()["register_version"] == ASKED["register_version"]
    assert set(requested.json()["actions"]) == {"comments", "withdraw", "revise"}
    assert stranger.get(at).status_code == 404
    assert stranger.get(f"{REGISTER}requests/").json()["results"] == []
    (listed,) = program.get(f"{REGISTER}requests/?state=open").json()["results"]
    assert set(listed["actions"]) == {"comments", "accept", "ask", "refuse"}

    asked = program.post(f"{at}ask/", {"text": "Where is it?", "revision": 1})
    assert (asked.json()["state"], asked.json()["version"]) == ("changes_requested", 2)
    assert other.post(f"{at}comments/", {"text": "In London."}).status_code == 201
    comments = program.get(at).json()["links"]["comments"]
    first = program.get(f"{comments}?page_size=1").json()
    assert ([each["text"] for each in first["results"]], first["has_more"]) == (["Where is it?"], True)
    assert [each["text"] for each in program.get(comments).json()["results"]] == [
        "Where is it?",
        "In London.",
    ]
    assert stranger.get(comments).status_code == 404
    assert other.post(f"{at}revise/", ASKED | {"revision": 1}).status_code == 409
    assert other.post(f"{at}revise/", ASKED | {"revision": 2}).json()["state"] == "open"
    assert program.post(f"{at}accept/", {"revision": 2}).status_code == 409
    assert program.post(f"{at}accept/", {"revision": 3}).json()["state"] == "accepted"
    entry = client.get(f"{V1}namespaces/example-trees/subnamespace/?prefix=kew").json()
    assert (entry["title"], entry["source"]) == (ASKED["title"], "Register of urn:example-trees")
    assert ASKED["contact"] not in str(entry)

    direct = program.post(f"{REGISTER}entries/", {"label": "elm", "title": "Elm Garden"})
    assert direct.json()["prefix"] == "elm"
    events = client.get(f"{V1}namespaces/example-trees/events/").json()["results"]
    public_events = {each["verb"]: each["details"] for each in events}
    assert {"open_register", "accept_request", "register_entry"} <= public_events.keys()
    assert "request_entry" not in public_events
    assert "request" not in public_events["accept_request"]


def links_of(client: Client) -> list[str | None]:
    """The link to the register in the list of namespaces, and in the namespace itself."""
    (listed,) = client.get(f"{V1}namespaces/").json()["results"]
    one = client.get(f"{V1}namespaces/example-trees/").json()
    return [each["links"]["register"] for each in (listed, one)]


def test_the_list_of_requests_takes_the_same_queries_for_many(holder: User) -> None:
    reviewer = a_person(email="reviewer@example.org")
    arboretum = an_organisation(by=holder)
    join(arboretum, reviewer, "contact", by=holder)
    a_described_namespace(registrant=arboretum)
    programs = {each: TokenClient(each) for each in (holder, reviewer)}
    other = TokenClient(a_person(email="requester@example.org"))
    programs[holder].post(REGISTER, {**OPENED, "policy": "expert_review"})
    programs[holder].post(f"{REGISTER}name-reviewer/", {"email": reviewer.email})
    counts = []
    for program in (*programs.values(), other):
        program.get(f"{REGISTER}requests/")  # which notes that the token was used
    for number, label in enumerate(("ash", "birch", "cedar"), 1):
        other.post(f"{REGISTER}requests/", ASKED | {"label": label})
        # They do not decide on it, and are told who does.
        programs[reviewer].post(f"{REGISTER}requests/", ASKED | {"label": f"{label}-garden"})
        counts.append([])
        for program in (*programs.values(), other):
            with CaptureQueriesContext(connection) as queries:
                results = program.get(f"{REGISTER}requests/").json()["results"]
            assert len(results) == (number if program is other else 2 * number)
            assert "comments" in results[0]["actions"]
            counts[-1].append(len(queries))
    assert counts[0] == counts[1] == counts[2]
