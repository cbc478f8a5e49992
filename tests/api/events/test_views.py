"""`events/`: the registry's changes in order, without a gap, and nothing that concerns few."""

import json
from collections.abc import Callable
from string import Formatter
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.accounts.roles import grant_role
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases.comments import comment
from registry.cases.workflow import functions
from registry.core import pagination
from registry.events.events import DETAILS, EventSerializer
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace
from registry.resolution.actions import confirm_host, withdraw_host
from tests.resolution.conftest import a_namespace_with, a_profile_with, a_service
from tests.support.databases import at_once, refusals
from tests.support.factories import (
    a_case_in_review,
    a_draft,
    a_namespace,
    a_person,
    add_co_editor,
)

EVENTS = "/api/v1/events/"


def since(client: Client, number: int = 0, **more: str) -> Any:
    response = client.get(EVENTS, {"since": str(number), **more})
    assert response.status_code == 200, response.content
    return response.json()


def test_event_numbers_have_no_gaps(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    body = since(client)
    assert [each["number"] for each in body["results"]] == list(range(1, Event.objects.count() + 1))
    assert body["last"] == Event.objects.count()
    verbs = [each["verb"] for each in body["results"] if each["is_public"]]
    assert verbs == ["submit", "approve", "assign"]
    assigned = body["results"][-1]
    assert (assigned["nid"], assigned["to_state"]) == ("example-trees", "registered")
    assert client.get(assigned["links"]["namespace"]).status_code == 200
    assert client.get(assigned["links"]["case"]).status_code == 200


@pytest.mark.parametrize("member", ["reason", "details"])
def test_a_page_of_long_events_ends_early(
    member: str, client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their leaves have the same texts once more."""
    monkeypatch.setattr(pagination, "MAX_PAGE_TEXT", 5_000)
    texts: dict[str, Any] = (
        {"details": {"message": "x" * 3_000}} if member == "details" else {"reason": "x" * 3_000}
    )
    with transaction.atomic():
        log.append_all(Event(verb="import", nid="example-trees", **texts) for _ in range(5))
    body = since(client, fields="leaf,reason")
    assert [each["number"] for each in body["results"]] == [1, 2]
    assert body["has_more"]
    assert len(json.dumps(body)) < 4 * 5_000
    assert [each["number"] for each in since(client, body["last"], fields="leaf")["results"]] == [3, 4]


def test_successive_requests_return_each_event_once(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    body, seen = since(client, page_size="1"), list[int]()
    while body["results"]:
        seen += [each["number"] for each in body["results"]]
        body = client.get(body["next"]).json()
    assert seen == list(range(1, Event.objects.count() + 1))
    assert not body["has_more"]
    assert body["last"] == seen[-1]
    a_case_in_review(by=registrant, namespace_identifier="hedges")
    (later,) = client.get(body["next"]).json()["results"]
    assert (later["number"], later["verb"]) == (seen[-1] + 1, "submit")


def test_the_next_link_requires_more_events(client: Client, expert: User, liaison: User) -> None:
    first = client.get(EVENTS, {"page_size": "1"})
    assert first["Link"].startswith(f'<{first.json()["next"]}>; rel="next"')
    assert 'rel="next"' not in client.get(EVENTS)["Link"]


def test_leaves_are_sent_on_request_alone(client: Client, expert: User) -> None:
    """Programs that were written before there were leaves compare all members that they get."""
    all_but_leaves = set(EventSerializer().fields) - {"leaf", "actor_salt"}
    assert {frozenset(each) for each in since(client)["results"]} == {frozenset(all_but_leaves)}
    asked = since(client, fields="leaf,actor_salt")["results"]
    assert {frozenset(each) for each in asked} == {frozenset(["number", "leaf", "actor_salt"])}


def test_a_private_event_has_its_number_and_its_leaf_only(
    client: Client, registrant: User, co_editor: User, administrator: User
) -> None:
    grant_role(registrant, RoleName.EXPERT, by=administrator, reason="Knows trees well.")
    draft = a_draft(by=registrant, namespace_identifier="secret-garden")
    functions.withdraw(draft, by=registrant, reason="A secret reason.")
    body = since(client, fields=",".join(EventSerializer().fields))
    assert [each["is_public"] for each in body["results"]] == [False] * Event.objects.count()
    for each in body["results"]:
        known = {"number", "is_public", "links", "leaf"}
        assert {value for name, value in each.items() if name not in known} == {None}
        leaf = json.loads(each["leaf"])
        assert leaf.keys() == {"format", "number", "previous", "is_public", "hidden"}
        assert leaf["hidden"].keys() == {"event"}
    words = client.get(EVENTS).content.decode()
    assert "secret" not in words
    assert "Knows trees" not in words


def test_private_events_stay_private_after_submission(client: Client, registrant: User) -> None:
    draft = a_draft(by=registrant)
    with transaction.atomic():
        log.append("invite_co_editor", by=registrant, case=draft.pk, nid="example-trees")
    before = since(client)["results"]
    functions.submit(draft, by=registrant, draft_stamp=draft.draft_stamp)
    after = since(client)["results"]
    assert after[: len(before)] == before
    assert after[-1]["verb"] == "submit"
    of_case = client.get(f"/api/v1/cases/{draft.pk}/events/").json()["results"]
    assert of_case == [after[-1]]


def test_events_contain_no_personal_data(
    client: Client, registrant: User, co_editor: User, trees: Namespace, administrator: User
) -> None:
    case = a_case_in_review(by=registrant, namespace_identifier="hedges")
    add_co_editor(case, by=registrant, user=co_editor)
    offer_transfer(trees, by=registrant, to="somebody@example.org")
    for each in since(client)["results"]:
        assert not {"person", "former", "co_editors", "recused"} & set(each["details"] or {})
    assert "@" not in client.get(EVENTS).content.decode()


def test_a_deprecation_event_has_statement_and_successor(
    client: Client, trees: Namespace, isbn: Namespace, administrator: User
) -> None:
    deprecate(trees, by=administrator, statement="Use another namespace.", successor=isbn)
    event = since(client)["results"][-1]
    assert (event["verb"], event["nid"], event["reason"]) == (
        "deprecate",
        "example-trees",
        "Use another namespace.",
    )
    assert event["details"] == {"successor": "isbn"}


def test_the_event_of_a_reply_leads_to_it(client: Client, registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    first = comment(case, by=expert, round_number=1, section="purpose", text="Which trees?")
    reply = comment(case, by=registrant, round_number=1, text="All trees.", reply_to=first.pk)
    *_, asked, answered = since(client)["results"]
    assert (asked["verb"], asked["details"]) == (
        "comment",
        {"round": 1, "comment": first.pk, "section": "purpose"},
    )
    assert answered["details"]["reply_to"] == first.pk
    (found,) = client.get(answered["links"]["comments"]).json()["results"]
    assert (found["number"], found["text"], found["reply_to"]) == (reply.pk, "All trees.", first.pk)


@pytest.mark.parametrize("value", ["-1", "01", "1 ", "1\n", "x", "", "٣", "9" * 30, "1e3"])
def test_an_invalid_number_is_a_400(client: Client, db: None, value: str) -> None:
    response = client.get(EVENTS, {"since": value})
    assert response.status_code == 400
    assert response.json()["errors"][0]["parameter"] == "since"


def test_a_number_beyond_the_last_is_refused(client: Client, expert: User) -> None:
    last = Event.objects.count()
    assert since(client, last)["last"] == last
    for number in (last + 1, 10**18 - 1):
        response = client.get(EVENTS, {"since": str(number)})
        problem = response.json()
        assert (response.status_code, problem["last"]) == (409, last)
        assert problem["type"].endswith("/problems/log-behind/")


def test_the_head_is_the_newest_event(client: Client, registrant: User) -> None:
    a_case_in_review(by=registrant)
    head = client.get(f"{EVENTS}head/").json()
    event = Event.objects.last()
    assert event is not None
    assert (head["number"], head["digest"]) == (event.number, event.digest)
    (read,) = since(client, head["number"] - 1)["results"]
    assert {name: read[name] for name in head} == head
    assert since(client, head["number"])["results"] == []


def test_the_head_of_an_empty_log(client: Client, db: None) -> None:
    assert client.get(f"{EVENTS}head/").json() == {"number": 0, "digest": "0" * 64, "at": None}


def test_events_are_filtered_by_namespace_case_and_type(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    trees = a_namespace(by=registrant, expert=expert, administrator=administrator)
    hedges = a_case_in_review(by=registrant, namespace_identifier="hedges")
    deprecate(trees, by=administrator, statement="Use another namespace.")
    everything = since(client)
    public = [each for each in everything["results"] if each["is_public"]]
    for name, value in (
        ("nid", "example-trees"),
        ("case", hedges.pk),
        ("verb", "submit"),
        ("verb", "deprecate"),
    ):
        body = since(client, **{name: str(value)})
        assert body["results"] == [each for each in public if each[name] == value]
        assert body["results"]
        assert (body["has_more"], body["last"]) == (False, everything["last"])
    both = since(client, nid="EXAMPLE-TREES", verb="deprecate")["results"]
    assert [each["verb"] for each in both] == ["deprecate"]


def test_the_details_say_what_the_history_of_a_namespace_says(client: Client, administrator: User) -> None:
    trees = a_namespace_with(a_profile_with(a_service()))
    confirm_host(trees, by=administrator, host="trees.example", basis="administrator", evidence="Checked.")
    withdraw_host(trees, by=administrator, host="trees.example", reason="The domain was sold.")
    details = {each["verb"]: each["details"] for each in since(client)["results"]}
    assert details["confirm_host"] == {"host": "trees.example", "basis": "administrator"}
    assert details["withdraw_host"] == {"host": "trees.example"}
    assert "services" in details["set_profile"]["changed"]


def test_the_details_that_labels_name_are_public() -> None:
    named = {
        name for each in event_types().values() for _, name, *_ in Formatter().parse(str(each.past)) if name
    }
    assert named <= set(DETAILS)


def test_a_filtered_list_is_read_in_pages(client: Client, registrant: User) -> None:
    numbers = [a_case_in_review(by=registrant, namespace_identifier=f"hedges-{n}").pk for n in range(3)]
    body, seen = since(client, page_size="1", verb="submit"), list[int]()
    while body["results"]:
        assert body["last"] >= body["results"][-1]["number"]
        seen += [each["case"] for each in body["results"]]
        body = client.get(body["next"]).json()
    assert seen == numbers


def test_a_filter_reveals_no_private_event(client: Client, registrant: User) -> None:
    draft = a_draft(by=registrant, namespace_identifier="secret-garden")
    functions.withdraw(draft, by=registrant, reason="A secret reason.")
    assert Event.objects.filter(verb="withdraw", case_number=draft.pk).exists()
    for filters in ({"case": str(draft.pk)}, {"verb": "withdraw"}, {"nid": "secret-garden"}):
        assert since(client, **filters)["results"] == []


@pytest.mark.parametrize(
    "filters", [{"nid": "a b"}, {"case": "x"}, {"verb": "grant_role"}, {"verb": "no_such"}]
)
def test_an_invalid_filter_is_a_400(client: Client, db: None, filters: dict[str, str]) -> None:
    response = client.get(EVENTS, filters)
    assert response.status_code == 400
    assert response.json()["errors"][0]["parameter"] in filters


def test_a_conditional_request_without_new_events_is_a_304(client: Client, expert: User) -> None:
    known = client.get(EVENTS)["ETag"]
    assert client.get(EVENTS, headers={"if-none-match": known}).status_code == 304
    a_person(email="liaison@example.org", roles=(RoleName.LIAISON,))
    assert client.get(EVENTS, headers={"if-none-match": known}).status_code == 200


def test_a_mirror_misses_no_event_during_concurrent_writes(real_database: None) -> None:
    writers, each = 6, 15
    person = a_person(email="registrant@example.org")

    def write() -> None:
        for _ in range(each):
            with transaction.atomic():
                log.append("deprecate", by=person, nid="example-trees", reason="Again.")

    def mirror() -> list[int]:
        client, seen, last = Client(), list[int](), 0
        while len(seen) < writers * each:
            body = client.get(EVENTS, {"since": str(last), "page_size": "7"}).json()
            seen += [event["number"] for event in body["results"]]
            last = body["last"]
        return seen

    jobs: list[Callable[[], Any]] = [*[write] * writers, mirror, mirror]
    answers = at_once(jobs)
    assert refusals(answers) == []
    for seen in answers[-2:]:
        assert seen == list(range(1, writers * each + 1))
