"""The page of all services: their health, the filter, and its empty states."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from registry.namespaces.models import Namespace
from registry.resolution.health import views
from registry.resolution.health.checking import Outcome
from registry.resolution.health.recording import record_checks
from tests.resolution.health.results import results
from tests.support.services import a_service, with_services

pytestmark = pytest.mark.django_db
START = datetime(2026, 1, 1, tzinfo=UTC)
HISTORIES = {"fresh": "", "working": "w", "shaky": "wfff", "broken": "w" + "f" * 16}
STATES = {"fresh": "unknown", "working": "works", "shaky": "degraded", "broken": "down"}


def with_history(nid: str, history: str) -> Namespace:
    namespace = with_services(nid, a_service(title=f"Catalogue of {nid}"))
    for day, letter in enumerate(history):
        outcome = Outcome.WORKS if letter == "w" else Outcome.FAILS
        record_checks(results(namespace, outcome, detail=f"It {outcome}."), now=START + timedelta(days=day))
    return namespace


@pytest.fixture
def all_states() -> None:
    for nid, history in HISTORIES.items():
        with_history(nid, history)


def shown(client: Client, query: str = "", status: int = 200) -> str:
    response = client.get(f"/services/{query}")
    assert response.status_code == status
    return response.content.decode()


def nids(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><a class="nid" href="/namespaces/([^/]+)/">', page)


def test_every_service_is_listed_with_its_health(client: Client, all_states: None) -> None:
    page = shown(client)
    assert nids(page) == ["broken", "fresh", "shaky", "working"]
    for nid, state in STATES.items():
        row = page.split(f"Catalogue of {nid}")[1].split("</tr>")[0]
        assert f"badge-{state}" in row
        assert "trees.example" in row
    broken = page.split("Catalogue of broken")[1].split("</tr>")[0]
    assert "2026-01-02" in broken, "since when it fails"
    assert "2026-01-17" in broken, "when it was checked last"
    assert "It fails." in broken
    assert "down, not checked since 2026-01-17" in broken, "a state that no longer counts"
    assert "none" in page.split("Catalogue of fresh")[1].split("</tr>")[0]


@pytest.mark.parametrize(("nid", "state"), STATES.items())
@pytest.mark.sampled(4)
def test_the_filter_shows_one_state(client: Client, all_states: None, nid: str, state: str) -> None:
    page = shown(client, f"?state={state}")
    assert nids(page) == [nid]
    assert f'<option value="{state}" selected>' in page


def test_an_unknown_state_is_refused_and_the_list_stays(client: Client, all_states: None) -> None:
    page = shown(client, "?state=odd", status=400)
    assert "Select a valid choice. odd is not one of the available choices." in page
    assert len(nids(page)) == 4


def test_the_states_are_counted(client: Client, all_states: None) -> None:
    counts = re.findall(r"<dt>([^<]+)</dt><dd>(\d+)</dd>", shown(client))
    assert counts == [("unknown", "1"), ("works", "1"), ("failing", "1"), ("down", "1")]


def test_empty_lists_say_why(client: Client) -> None:
    assert "No services yet" in shown(client)
    with_history("working", "w")
    assert "No matching services" in shown(client, "?state=down")
    assert "No more services" in shown(client, "?after=zzz.1")


def test_pages_follow_each_other(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "PAGE_SIZE", 3)
    services = [a_service(kind=kind) for kind in ("I2C", "I2L")]
    for nid in ("aaa", "bbb", "ccc"):
        with_services(nid, *services)
    query, seen = "", list[str]()
    while True:
        page = shown(client, query)
        seen += nids(page)
        following = re.search(r'href="(\?after=[^"]+)">Next page', page)
        if not following:
            break
        query = following[1]
    assert seen == ["aaa", "aaa", "bbb", "bbb", "ccc", "ccc"]


def test_a_key_that_is_none_is_the_beginning(client: Client, all_states: None) -> None:
    for key in ("odd", "aaa", "aaa.x", "%00.1", "..1", "aaa.99999999999999999999"):
        assert len(nids(shown(client, f"?after={key}"))) == 4


def test_the_page_says_whether_services_are_checked(client: Client, settings: Any) -> None:
    settings.CHECK_SERVICES = True
    assert "requests examples of each service every day" in shown(client)
    settings.CHECK_SERVICES = False
    assert "Daily checks are switched off" in shown(client)


def test_texts_of_servers_and_profiles_are_escaped(client: Client) -> None:
    namespace = with_services("trees", a_service(title="<b>Trees</b>"))
    for day in range(3):
        found = results(namespace, Outcome.FAILS, detail="<script>alert(1)</script>")
        record_checks(found, now=START + timedelta(days=day))
    page = shown(client)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "<b>Trees" not in page


def test_the_list_takes_the_same_number_of_queries_for_more_services(
    client: Client, django_assert_num_queries: Any
) -> None:
    for number in range(20):
        with_services(f"tree-{number}", a_service())
    with django_assert_num_queries(2):
        shown(client)
