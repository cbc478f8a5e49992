"""`sightings/`, and what other resources say of a NID that is in use without a registration."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import Scope, User
from registry.sightings.actions import confirm_sighting
from registry.sightings.models import Sighting
from tests.api.client import TokenClient
from tests.sightings.conftest import SEEN, a_sighting
from tests.support.factories import a_person

V1 = "/api/v1/"
USE = {"used_by": "Weed catalogue", "example": "urn:weeds:5", "source": "https://example.org/weeds"}


@pytest.fixture
def reporter(db: None) -> User:
    return a_person(email="reporter@example.org")


@pytest.fixture
def sighting(reporter: User) -> Sighting:
    return a_sighting(by=reporter)


@pytest.fixture
def confirmed(sighting: Sighting, administrator: User) -> Sighting:
    return confirm_sighting(sighting, by=administrator, reason="The page shows it.")


def test_a_program_reports_and_another_confirms(reporter: User, administrator: User) -> None:
    program, other = TokenClient(reporter, *Scope), TokenClient(administrator, *Scope)
    made = program.post("sightings/", SEEN)
    assert made.status_code == 201
    number = made.json()["number"]
    assert made.headers["Location"].endswith(f"/sightings/{number}/")
    assert made.json()["actions"] == {}
    listed = other.get("account/sightings/?state=reported").json()["results"]
    assert [[*each["actions"]] for each in listed] == [["confirm", "decline"]]
    decided = other.post(f"sightings/{number}/confirm/", {"reason": "The page shows it."})
    assert (decided.status_code, decided.json()["state"]) == (200, "confirmed")
    again = other.post(f"sightings/{number}/decline/", {"reason": "Not."})
    assert (again.status_code, again.json()["title"]) == (409, "Already decided")
    (own,) = program.get("account/sightings/").json()["results"]
    assert own["reason"] == "The page shows it."


def test_a_stranger_gets_404_for_a_report_that_is_not_confirmed(
    client: Client, sighting: Sighting, reporter: User, registrant: User
) -> None:
    address = f"{V1}sightings/{sighting.pk}/"
    assert client.get(address).status_code == 404
    assert TokenClient(registrant, Scope.READ).get(f"sightings/{sighting.pk}/").status_code == 404
    own = TokenClient(reporter, Scope.READ).get(f"sightings/{sighting.pk}/")
    assert (own.status_code, own.headers["Cache-Control"]) == (200, "private, no-store")
    assert client.get(f"{V1}sightings/").json()["results"] == []
    assert client.get(f"{V1}nids/weeds/").json()["sightings"] == []


def test_every_resource_for_an_unregistered_nid_has_its_uses(client: Client, confirmed: Sighting) -> None:
    bulk: Any = {"data": {"nids": ["weeds", "roses"]}, "content_type": "application/json"}
    found = {
        "nid": client.get(f"{V1}nids/weeds/").json(),
        "urn": client.get(f"{V1}urns/urn:weeds:5").json()["namespace"],
        "namespace": client.get(f"{V1}namespaces/weeds/").json(),
        "lookup": client.post(f"{V1}namespaces/lookup/", **bulk).json()["results"][0]["unregistered"],
    }
    for name, answer in found.items():
        (use,) = answer["sightings"]
        assert use.items() >= USE.items(), name
        assert use["links"]["html"].endswith(confirmed.get_absolute_url()), name
    assert found["namespace"]["status"] == 404
    assert client.get(f"{V1}urns/urn:weeds:5").json()["judgement"] is None
    (resemblance,) = client.get(f"{V1}nids/weeds/").json()["resembles"]
    assert (resemblance["kind"], resemblance["name"]) == ("sighting", "weeds")
    (entry,) = client.get(f"{V1}sightings/?nid=WEEDS").json()["results"]
    assert (entry["nid"], entry["is_nid"], entry["state"]) == ("weeds", True, "confirmed")
    assert client.get(f"{V1}sightings/?nid=roses").json()["results"] == []


def test_many_urns_are_told_apart_and_none_conforms(client: Client, confirmed: Sighting) -> None:
    urns = ["urn:weeds:5", "urn:roses:5", "weeds"]
    sent = client.post(f"{V1}urns/check/", json.dumps(urns), content_type="application/json")
    answer = json.loads(b"".join(sent.streaming_content))  # type: ignore[attr-defined]
    flags = [(each["sighted"], each["registered"], each["conformant"]) for each in answer["results"]]
    assert flags == [(True, False, None), (False, False, None), (False, False, False)]


def test_what_is_in_use_is_not_resolved(client: Client, confirmed: Sighting) -> None:
    assert client.get("/resolve/urn:weeds:5").status_code == 404


@pytest.mark.parametrize("role", ["reporter", "administrator"])
def test_the_list_of_reports_takes_as_many_queries_for_many(
    request: pytest.FixtureRequest, sighting: Sighting, role: str
) -> None:
    reader = TokenClient(request.getfixturevalue(role), Scope.READ)
    reader.get("account/sightings/")  # which notes that the token was used
    counts = []
    for source in ("Its manual", "Its standard"):
        a_sighting(by=sighting.reported_by, source=source)  # type: ignore[arg-type]  # the reporter
        with CaptureQueriesContext(connection) as queries:
            assert len(reader.get("account/sightings/").json()["results"]) == len(counts) + 2
        counts.append(len(queries))
    assert counts[0] == counts[1]
