"""A copy of the registry: a file, and then the events after it with the records that they name."""

import json
from datetime import datetime
from random import Random
from typing import Any

import pytest
from django.test import Client

from registry.accounts.erasure import erase_person
from registry.accounts.models import RoleName, User
from registry.accounts.personal_data import find_person
from registry.audit_log.models import Event
from registry.cases.comments import comment
from registry.cases.corrections import correct
from registry.custody.actions.contact import change_contact
from registry.namespaces.actions.registrants import REGISTRANT_EVENTS
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from tests.api.events.random_changes import RandomChanges
from tests.cases.transitions.rounds import a_revision_in_review
from tests.support.factories import a_case_in_review, a_namespace, a_person

V1 = "/api/v1/"
# Follow from other cases, so that no event of the case itself changes them.
DERIVED = {"competing_cases"}


class Copy:
    """The namespaces and cases of a registry, as a client keeps them."""

    def __init__(self, client: Client) -> None:
        self.client = client
        file = client.get(f"{V1}files/urn-namespaces.jsonl")
        self.position = int(file["Log-Position"])
        lines = map(json.loads, file.getvalue().splitlines())
        self.namespaces = {line["nid"]: from_line(line) for line in lines}
        self.cases = {case["number"]: self._case(case["links"]["self"]) for case in self._pages("cases/")}

    def follow(self) -> None:
        """Read the events after the position, a page at a time, and once again what the events of the page name."""
        page: dict[str, Any] = {"has_more": True}
        while page["has_more"]:
            page = self._get(f"{V1}events/?since={self.position}&page_size=50")
            links = {link for event in page["results"] for link in event["links"].items()}
            for name, address in sorted(links):
                self._read_again(name, address)
            for nid in {event["nid"] for event in page["results"] if event.get("verb") in REGISTRANT_EVENTS}:
                for case in self._pages(f"cases/?nid={nid}&is_open=true"):
                    self._read_again("case", case["links"]["self"])
            self.position = page["last"]

    def _read_again(self, name: str, address: str) -> None:
        if name == "namespace":
            found = from_resource(self._get(address))
            self.namespaces[found["nid"]] = found
        elif name == "case":
            case = self._case(address)
            self.cases[case["number"]] = case

    def _case(self, address: str) -> dict[str, Any]:
        case = self._get(address)
        comments = self._get(case["links"]["comments"])["results"]
        reviews = self._get(case["links"]["reviews"])["results"]
        kept = {name: value for name, value in case.items() if name not in DERIVED}
        return kept | {"comments": comments, "reviews": reviews}

    def _pages(self, path: str) -> Any:
        page = self._get(f"{V1}{path}")
        yield from page["results"]
        while page["next"]:
            page = self._get(page["next"])
            yield from page["results"]

    def _get(self, address: str) -> Any:
        response = self.client.get(address)
        assert response.status_code == 200, (address, response.content)
        return response.json()


def from_line(line: dict[str, Any]) -> dict[str, Any]:
    """What a line of the file and the resource of the namespace have in common."""
    deprecation = line["deprecation"]
    *_, profile = [None, *line["versions_of_profile"]]
    content = profile and profile["content"]
    return {
        **{name: line[name] for name in ("nid", "kind", "number", "origin", "references")},
        **{name: line[name] for name in ("registered_on", "updated_on", "purpose", "template_url")},
        **{name: line[name] for name in ("registrant", "change_controller", "contact")},
        "changed_at": instant(line["changed_at"]),
        "deprecation": deprecation
        and (instant(deprecation["deprecated_at"]), deprecation["statement"], deprecation["successor"]),
        "versions": [each["version"] for each in line["versions"]],
        "profile": content and (profile["version"], content["title"]),
    }


def from_resource(body: dict[str, Any]) -> dict[str, Any]:
    deprecation, profile = body["deprecation"], body["profile"]
    successor = deprecation and deprecation["successor"] and deprecation["successor"]["nid"]
    same = ("nid", "kind", "number", "origin", "references", "registered_on", "updated_on", "purpose")
    return {
        **{name: body[name] for name in (*same, "template_url", "registrant")},
        "contact": body["contact"],
        # In the file, an organisation has the address of its page alone.
        "change_controller": without(body["change_controller"], "url"),
        "changed_at": instant(body["changed_at"]),
        "deprecation": deprecation
        and (instant(deprecation["deprecated_at"]), deprecation["statement"], successor),
        "versions": [each["version"] for each in body["versions"]],
        "profile": profile and (profile["version"], profile["title"]),
    }


def without(record: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
    return record and {key: value for key, value in record.items() if key != name}


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_correction_of_a_registration_reaches_the_copy_of_the_namespace(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    copy = Copy(client)
    assigned = Event.objects.get(verb="assign")
    correct(assigned, by=administrator, wrong="The version.", right="It is version 1.")
    copy.follow()
    assert copy.namespaces == Copy(client).namespaces


@pytest.mark.exhaustive
def test_a_transfer_reaches_the_copy_of_a_revision(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    heir = a_person(email="heir@example.org")
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    revision = a_revision_in_review(namespace, by=registrant)
    copy = Copy(client)
    status = copy.cases[revision.pk]["status"]
    accept_transfer(offer_transfer(namespace, by=registrant, to=heir.email), by=heir)
    copy.follow()
    assert copy.cases[revision.pk]["status"] != status
    assert copy.cases == Copy(client).cases


@pytest.mark.exhaustive
def test_an_erasure_reaches_the_copy(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    heir = a_person(email="heir@example.org")
    namespace = a_namespace(by=heir, expert=expert, administrator=administrator)
    contact = {"name": "Desk", "email": registrant.email, "reason": "We moved."}
    change_contact(namespace, by=heir, **contact)
    a_case_in_review(by=registrant, namespace_identifier="example-mosses")
    case = a_case_in_review(by=administrator, namespace_identifier="example-birds")
    comment(case, by=registrant, round_number=1, text="Which birds?")
    copy = Copy(client)
    erase_person(find_person(registrant.email), by=None, reason="Request of 2026-11-01.", with_texts=True)
    copy.follow()
    fresh = Copy(client)
    assert (copy.namespaces, copy.cases) == (fresh.namespaces, fresh.cases)
    assert fresh.namespaces["example-trees"]["contact"]["name"] is None
    assert f"erased account {registrant.pk}" in {each["registrant"] for each in fresh.cases.values()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [pytest.param(200, marks=pytest.mark.exhaustive), pytest.param(10_000, marks=pytest.mark.soak)],
)
def test_a_copy_that_is_kept_by_events_equals_a_new_one(
    client: Client, real_database: None, settings: Any, changes: int
) -> None:
    """Each change is committed: in one transaction, the database would keep every version of every row."""
    settings.API_READS_A_MINUTE = settings.POSTS_A_DAY = 10**6
    settings.ACTIONS_AN_HOUR = dict.fromkeys(settings.ACTIONS_AN_HOUR, 10**6)
    chance = Random(changes)
    owners = (a_person(email="registrant@example.org"), a_person(email="heir@example.org"))
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    administrators = (
        a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,)),
        a_person(email="second@example.org", roles=(RoleName.ADMINISTRATOR,)),
    )
    registry = RandomChanges(chance, owners=owners, expert=expert, administrators=administrators)
    registry.make(changes // 5)
    copy = Copy(client)
    made = changes // 5
    while made < changes:
        step = min(chance.randrange(1, 40), changes - made)
        registry.make(step)
        made += step
        copy.follow()
    fresh = Copy(client)
    assert copy.position == fresh.position == Event.objects.count()
    assert copy.namespaces == fresh.namespaces
    assert copy.cases == fresh.cases
    assert min(len(copy.namespaces), len(copy.cases)) > 5
    verbs = set(Event.objects.values_list("verb", flat=True))
    assert len(verbs) > 20
    assert verbs >= {"rename_organisation", "change_domains", "approve_claim", "change_contact"}
