"""`namespaces/{nid}/entries/` and what is below it."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import Scope, User
from registry.namespaces.models import Namespace
from registry.registers.actions.changes import change_entry
from registry.registers.actions.registers import register_entry
from registry.registers.models import Entry, Register
from tests.api.client import V1, TokenClient
from tests.organisations.conftest import an_organisation
from tests.registers.conftest import ASKED, BRANCH, a_deep_namespace, a_request

ENTRIES = "namespaces/example-trees/entries/"
NOBODY = {"kind": "none", "organisation": None, "name": None}


@pytest.fixture
def namespace(holder: User) -> Namespace:
    return a_deep_namespace(registrant=holder)


def test_an_entry_is_delegated_and_its_holder_runs_a_register(
    register: Register, holder: User, other: User, requester: User, client: Client
) -> None:
    giver, taker, asking = (TokenClient(each) for each in (holder, other, requester))
    made = giver.post("namespaces/example-trees/register/entries/", {"label": "kew", "title": "Kew Gardens"})
    at = f"{ENTRIES}{made.json()['number']}/"
    assert client.get(V1 + at).json() == made.json()
    assert made.json()["holder"] == NOBODY
    (found,) = client.get(f"{V1}{ENTRIES}?prefix=kew").json()["results"]
    assert found == made.json()
    assert client.get(f"{V1}{ENTRIES}?prefix=elm").status_code == 404

    offered = giver.post(f"{at}offers/", {"to": other.email})
    assert offered.status_code == 201
    offer = f"{at}offers/{offered.json()['number']}/"
    assert set(offered.json()["actions"]) == {"withdraw"}
    (seen,) = taker.get(f"{at}offers/").json()["results"]
    assert set(seen["actions"]) == {"accept", "decline"}
    assert [each["number"] for each in taker.get("account/").json()["entry_offers"]] == [seen["number"]]
    assert asking.get(f"{at}offers/").json()["results"] == []
    assert asking.post(f"{offer}accept/", {}).status_code == 404
    gardens = an_organisation(by=other, name="Royal Gardens")
    accepted = taker.post(f"{offer}accept/", {"organisation": gardens.pk})
    assert (accepted.json()["is_accepted"], accepted.json()["actions"]) == (True, {})
    held = {"kind": "organisation", "organisation": gardens.pk, "name": "Royal Gardens"}
    assert client.get(V1 + at).json()["holder"] == held

    assert client.get(f"{V1}{at}register/").status_code == 404
    assert giver.post(f"{at}register/", BRANCH).status_code == 404
    opened = taker.post(f"{at}register/", BRANCH)
    assert opened.status_code == 201
    assert opened.headers["Location"].endswith(f"{at}register/")
    public = client.get(f"{V1}{at}register/").json()
    assert (public["below"], public["holder"], public["policy"]) == ("kew", held, "expert_review")
    assert public["links"]["entries"].endswith("subnamespaces/?below=kew")
    assert client.get(f"{V1}namespaces/example-trees/register/").json()["below"] is None

    asked = asking.post(f"{at}register/requests/", ASKED | {"label": "rose"})
    assert (asked.json()["label"], asked.json()["prefix"]) == ("rose", "kew:rose")
    assert asked.json()["links"]["register"].endswith(f"{at}register/")
    # Requests have one address, whatever their register.
    at_request = f"namespaces/example-trees/register/requests/{asked.json()['number']}/"
    assert asked.headers["Location"].endswith(at_request)
    assert giver.get(at_request).status_code == 404
    assert [each["prefix"] for each in taker.get(f"{at}register/requests/").json()["results"]] == ["kew:rose"]
    assert taker.get("namespaces/example-trees/register/requests/").json()["results"] == []
    assert taker.post(f"{at_request}accept/", {"revision": 1}).json()["state"] == "accepted"
    (rose,) = client.get(f"{V1}{ENTRIES}?prefix=kew:rose").json()["results"]
    assert rose["holder"] == {"kind": "person", "organisation": None, "name": None}
    direct = taker.post(f"{at}register/entries/", {"label": "fern", "title": "Ferns"})
    assert direct.json()["prefix"] == "kew:fern"
    changed = taker.post(f"{at}register/change/", BRANCH | {"policy": "closed", "replaces": 1})
    assert (changed.json()["policy"], changed.json()["version"]) == ("closed", 2)
    events = client.get(f"{V1}namespaces/example-trees/events/").json()["results"]
    details = {each["verb"]: each["details"] for each in events}
    assert details["accept_entry"]["organisation"] == gardens.pk
    assert (details["open_branch"]["entry"], details["change_register"]["below"]) == ("kew", "kew")
    assert other.email not in str(events)


def test_offering_an_entry_needs_the_scope_manage(register: Register, holder: User) -> None:
    entry = register_entry(register, by=holder, label="kew", title="Kew Gardens")
    program = TokenClient(holder, Scope.READ, Scope.WRITE)
    assert program.post(f"{ENTRIES}{entry.pk}/offers/", {"to": "heir@example.org"}).status_code == 403


def test_a_namespace_with_several_registers_is_listed_once(
    register: Register, holder: User, client: Client
) -> None:
    kew = register_entry(register, by=holder, label="kew", title="Kew Gardens")
    assert TokenClient(holder).post(f"{ENTRIES}{kew.pk}/register/", BRANCH).status_code == 201
    (listed,) = client.get(f"{V1}namespaces/").json()["results"]
    one = client.get(f"{V1}namespaces/example-trees/").json()
    for each in (listed, one):
        assert each["links"]["register"].endswith("namespaces/example-trees/register/")


def test_the_list_of_entries_takes_the_same_queries_for_many(
    register: Register, holder: User, requester: User, client: Client
) -> None:
    counts = []
    for label in ("ash", "birch", "cedar"):
        a_request(register, by=requester, label=label)
        own = register_entry(register, by=holder, label=f"{label}-garden", title=label)
        said = {"title": label, "status": "deprecated", "successor": label}
        change_entry(own, by=holder, register_version=1, replaces=own.subnamespace.version, **said)
        with CaptureQueriesContext(connection) as queries:
            results = client.get(f"{V1}{ENTRIES}").json()["results"]
        assert len(results) == Entry.objects.count()
        counts.append(len(queries))
    assert counts[0] == counts[1] == counts[2]
