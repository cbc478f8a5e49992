"""Pages of sightings, and what other pages say of a NID that is in use without a registration."""

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import User
from registry.registration_template.nids.rules import MAX_LOOKALIKES
from registry.sightings.actions import confirm_sighting
from registry.sightings.models import Sighting, SightingState
from tests.sightings.conftest import SEEN, a_sighting
from tests.support.browser import post_form, signed_in
from tests.support.factories import an_imported_namespace


@pytest.fixture
def confirmed(sighting: Sighting, administrator: User) -> Sighting:
    return confirm_sighting(sighting, by=administrator, reason="The page shows it.")


def test_a_stranger_gets_404_for_a_report_that_is_not_confirmed(client: Client, sighting: Sighting) -> None:
    assert client.get(sighting.get_absolute_url()).status_code == 404
    assert "weeds" not in client.get("/sightings/").text
    assert "in use" not in client.get("/urns/?urn=urn:weeds:5").text
    assert "in use" not in client.get("/namespaces/weeds/").text


def test_a_person_reports_and_an_administrator_confirms(reporter: User, administrator: User) -> None:
    browser = signed_in(reporter)
    assert 'value="weeds"' in browser.get("/sightings/new/?nid=weeds").text
    answer = post_form(browser, "/sightings/new/", SEEN)
    sighting = Sighting.objects.get()
    assert answer.headers["Location"] == sighting.get_absolute_url()
    page = browser.get(sighting.get_absolute_url()).text
    assert "waits for a decision" in page
    assert "Confirm the sighting" not in page
    desk = signed_in(administrator)
    assert "Weed catalogue" in desk.get("/sightings/?state=reported").text
    post_form(desk, sighting.get_absolute_url(), {"decision": "confirm", "reason": "The page shows it."})
    assert Sighting.objects.public().get() == sighting


def test_the_page_says_that_it_is_no_registration(client: Client, confirmed: Sighting) -> None:
    page = client.get(confirmed.get_absolute_url()).text
    assert "is not registered" in page
    assert "This gives it no standing" in page
    assert 'href="/cases/new/?nid=weeds"' in page
    assert 'href="https://example.org/weeds" rel="nofollow ugc"' in page
    assert "The page shows it." not in page
    assert "reporter" not in page.lower()


@pytest.mark.parametrize("address", ["/nids/?nid=weeds", "/urns/?urn=urn:weeds:5", "/namespaces/weeds/"])
def test_everywhere_a_person_asks_they_are_told_of_the_use(
    client: Client, confirmed: Sighting, address: str
) -> None:
    page = client.get(address).text
    assert "Not registered, but in use." in page
    assert "Weed catalogue" in page
    assert f'href="{confirmed.get_absolute_url()}"' in page
    assert "/cases/new/?nid=weeds" in page


def test_a_name_that_is_no_nid_says_so(client: Client, reporter: User, administrator: User) -> None:
    eagle = a_sighting(by=reporter, nid="adsk.eagle", example="")
    confirm_sighting(eagle, by=administrator, reason="The page shows it.")
    for address in (
        eagle.get_absolute_url(),
        "/urns/?urn=urn:adsk.eagle:library:84",
        "/nids/?nid=adsk.eagle",
    ):
        page = client.get(address).text
        assert "It can’t be registered." in page, address
        assert page.count("is not allowed in a NID") == 1, address
    assert "not a NID" in client.get("/sightings/").text


def test_the_list_is_searched_and_paged(client: Client, reporter: User, administrator: User) -> None:
    for number in range(3):
        seen = a_sighting(by=reporter, nid=f"weeds-{number}", example="", used_by=f"Catalogue {number}")
        confirm_sighting(seen, by=administrator, reason="Read.")
    assert client.get("/sightings/?q=CATALOGUE+2").text.count('data-label="Used by"') == 1
    assert "No sighting has these words" in client.get("/sightings/?q=roses").text
    after = f"weeds-0.{Sighting.objects.earliest('pk').pk}"
    assert client.get(f"/sightings/?after={after}").text.count('data-label="Used by"') == 2
    assert client.get("/sightings/?state=reported").text.count('data-label="Used by"') == 3


def test_nothing_calls_a_nid_unregistered_once_it_is_registered(client: Client, confirmed: Sighting) -> None:
    client.get("/namespaces/weeds/")
    an_imported_namespace("weeds")
    assert Sighting.objects.filter(pk=confirmed.pk).confirmed().exists()
    page = client.get(confirmed.get_absolute_url()).text
    assert 'href="/namespaces/weeds/"' in page
    assert "A namespace has this identifier now." in page
    assert "not registered" not in page
    for address in ("/sightings/", "/nids/?nid=weeds", "/urns/?urn=urn:weeds:5", "/namespaces/weeds/"):
        assert "Weed catalogue" not in client.get(address).text
    assert "in use without a registration" not in client.get("/nids/?nid=weedz").text


def test_the_check_of_a_similar_nid_names_the_use(client: Client, confirmed: Sighting) -> None:
    page = client.get("/nids/?nid=weedz").text
    assert "which is in use without a registration: it differs in one character" in page


def test_many_uses_of_one_nid_do_not_hide_other_similar_ones(
    client: Client, confirmed: Sighting, reporter: User
) -> None:
    rows = [("weeds", f"Its manual, Section {number}") for number in range(MAX_LOOKALIKES)]
    for nid, source in [*rows, ("weedy", "Its manual")]:
        Sighting.objects.create(
            nid=nid, source=source, used_by="It", state=SightingState.CONFIRMED, decided_at=timezone.now()
        )
    page = client.get("/nids/?nid=weedz").text
    assert [page.count(f">{nid}</a>") for nid in ("weeds", "weedy")] == [1, 1]
