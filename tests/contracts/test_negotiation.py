"""Every public address answers every Accept by one rule (`registry.core.http.negotiation`), and tells caches."""

import re
from typing import Any

import pytest
from django.test import Client

from registry.api.representations import DATA_OF_PAGES, PAGES_OF_DATA
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from tests.contracts.test_url_table import SAMPLES, Address, named_addresses
from tests.organisations.conftest import an_organisation
from tests.resolution.conftest import fixture_profile
from tests.support.factories import a_case_in_review, a_person, a_template, an_imported_namespace, describe

pytestmark = pytest.mark.django_db

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
# The values of Accept, and whether an error is a page with it: where programs are expected, and elsewhere.
ACCEPTS: dict[str | None, tuple[bool, bool]] = {
    None: (False, True),
    "": (False, True),
    "*/*": (False, True),
    BROWSER: (True, True),
    "text/html": (True, True),
    "text/html, application/json;q=0.9": (True, True),
    "application/json": (False, False),
    "application/json, text/html;q=0.9": (False, False),
    "application/ld+json": (False, True),
    "application/problem+json, */*;q=0.1": (False, False),
    "application/json;q=0, */*": (False, True),
    "text/html;q=0, */*": (False, False),
    "image/x-unknown": (False, True),
    "*/*;q=0": (False, True),
}
WITHOUT_PREFERENCE = (None, "", "*/*")
ALWAYS = (*WITHOUT_PREFERENCE, BROWSER, "application/json")
IN_TURN = [accept for accept in ACCEPTS if accept not in ALWAYS]
DATA, FOR_PROGRAMS = "/api/v1/", ("/api/", "/resolve/", "/uri-res/")
NAMED_FORMAT = re.compile(r"\.(?:json|jsonl|jsonld|txt|xml|yaml|html)$")
PUBLIC = [each for each in named_addresses() if each.is_declared]
WITH_COUNTERPART = [each for each in PUBLIC if each.name in DATA_OF_PAGES]


@pytest.fixture(autouse=True)
def isbn(db: None) -> Namespace:
    return describe(an_imported_namespace("isbn"), fixture_profile("isbn"))


@pytest.fixture
def shown() -> dict[str, object]:
    """What the addresses of a namespace, its organisation, and a case contain."""
    registrant = a_person(email="registrant@example.org")
    organisation = an_organisation(by=registrant)
    namespace = describe(register_formal(a_template(), registrant=organisation).namespace)
    case = a_case_in_review(by=registrant, namespace_identifier="example-oaks")
    return {**SAMPLES, "nid": namespace.nid, "pk": case.pk, "organisation": organisation.pk}


def got(client: Client, path: str, accept: str | None) -> Any:
    return client.get(path, headers={} if accept is None else {"accept": accept})


def named_data(page: Any) -> list[tuple[str, str]]:
    """The addresses in the API that the header Link names, and their media types."""
    return re.findall(r'<(/api/v1/[^>]*)>; rel="alternate"; type="([^"]+)"', page.get("Link", ""))


def media_type(response: Any) -> str:
    return str(response.get("Content-Type", "")).partition(";")[0]


def accepts_of(at: Address) -> list[str | None]:
    """All values where an address has data and a page, or redirects; elsewhere one rule decides, and some take turns."""
    if at.path.startswith(FOR_PROGRAMS[1:]) or {at.name} & (DATA_OF_PAGES.keys() | PAGES_OF_DATA.keys()):
        return [*ACCEPTS]
    return [*ALWAYS, *IN_TURN[PUBLIC.index(at) % 3 :: 3]]


def choice(response: Any) -> tuple[int, str, str]:
    return response.status_code, media_type(response), response.get("Location", "")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("at", PUBLIC, ids=lambda at: at.name)
def test_every_address_follows_the_rule(client: Client, at: Address) -> None:
    answers = {accept: got(client, at.path, accept) for accept in accepts_of(at)}
    for accept, answer in answers.items():
        assert answer.status_code != 406 or at.path.startswith(DATA), accept
        if answer.status_code >= 400:
            check_error(at, accept, answer)
        elif answer.status_code == 200:
            check_weights(at, accept, answer)
    assert len({choice(answers[accept]) for accept in WITHOUT_PREFERENCE}) == 1
    assert 406 not in {answers[accept].status_code for accept in (*WITHOUT_PREFERENCE, BROWSER)}
    if len({choice(each) for each in answers.values()}) > 1:
        for accept, answer in answers.items():
            assert "Accept" in answer.get("Vary", "").split(", "), accept


def check_error(at: Address, accept: str | None, answer: Any) -> None:
    """The error is a page or a problem, by the rule; some addresses for programs have errors in plain text or JSON."""
    for_programs, elsewhere = ACCEPTS[accept]
    is_page = for_programs if at.path.startswith(FOR_PROGRAMS) else elsewhere
    is_page = is_page and not at.path.startswith(DATA)
    if media_type(answer) in ("text/html", "application/problem+json"):
        assert (media_type(answer) == "text/html") == is_page, accept
        assert "Accept" in answer["Vary"].split(", "), accept


def check_weights(at: Address, accept: str | None, answer: Any) -> None:
    """A format with the weight 0 is sent only if there is no other one."""
    if accept == "text/html;q=0, */*":
        assert media_type(answer) != "text/html" or not named_data(answer)
    if accept == "application/json;q=0, */*" and not NAMED_FORMAT.search(at.path):
        assert media_type(answer) != "application/json" or not at.path.startswith(DATA)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("at", WITH_COUNTERPART, ids=lambda at: at.name)
def test_a_page_leads_to_its_data_in_each_format(
    client: Client, at: Address, shown: dict[str, object]
) -> None:
    query = "?urn=urn%3Aisbn%3A0451450523" if at.name == "urns:check" else ""
    kept = shown | {"pk": shown["organisation"]} if at.name == "organisations:detail" else shown
    path = at.with_values({each: kept[each] for each in at.parameters}) + query
    links = named_data(got(client, path, "*/*"))
    assert links
    for address, accept in links:
        answer = got(client, path, accept)
        assert (answer.status_code, answer["Location"]) == (303, address)
        assert (answer["Access-Control-Allow-Origin"], "Accept" in answer["Vary"]) == ("*", True)
        data = got(client, address, accept)
        assert (data.status_code, media_type(data), address.endswith(query)) == (200, accept, True)


@pytest.mark.parametrize(
    ("query", "passed_on"),
    [
        ("namespaces/?q=%C3%A9&kind=&sort=", "namespaces/?q=%C3%A9"),
        ("namespaces/?kind=formal&kind=informal", "namespaces/?kind=informal"),
        ("namespaces/?utm_source=", "namespaces/"),
        ("cases/?kind=formal&after=", "cases/?kind=formal"),
        ("urns/?urn=urn:isbn:a%2Bb", "urns/?urn=urn%3Aisbn%3Aa%2Bb"),
    ],
)
def test_the_query_is_part_of_the_address_of_the_data(client: Client, query: str, passed_on: str) -> None:
    address = f"{DATA}{passed_on}"
    assert (address, "application/json") in named_data(got(client, f"/{query}", BROWSER))
    answer = got(client, f"/{query}", "application/json")
    assert (answer.status_code, answer["Location"]) == (303, address)
    assert got(client, address, None).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/?q=x",
        "/namespaces/?sort=nid",
        "/namespaces/?grammar=yes",
        "/namespaces/?utm_source=example",
        "/namespaces/isbn/?utm_source=example",
        "/cases/?state=open",
        "/cases/?after=0.1",
        "/urns/",
        "/audit-log/?after=1",
    ],
)
def test_a_query_that_the_data_do_not_have_leads_nowhere(client: Client, path: str) -> None:
    for accept in (BROWSER, "application/json"):
        page = got(client, path, accept)
        assert (choice(page), named_data(page)) == ((200, "text/html", ""), [])
        assert "Accept" in page["Vary"].split(", ")


def test_a_page_takes_no_query_of_the_data(client: Client) -> None:
    answer = got(client, "/api/v1/problems/?fields=title", BROWSER)
    assert choice(answer) == (200, "application/json", "")
    assert 'rel="alternate"' not in answer["Link"]


def test_a_long_address_is_not_in_a_header(client: Client) -> None:
    path = f"/urns/?urn=urn:isbn:{'a' * 1_000}"
    assert named_data(got(client, path, BROWSER)) == []
    assert got(client, path, "application/json").status_code == 303


def test_every_counterpart_is_public() -> None:
    names = {each.name for each in PUBLIC}
    for table in (DATA_OF_PAGES, PAGES_OF_DATA):
        assert {*table, *(other.name for other in table.values())} <= names


def test_a_cached_page_is_not_sent_to_a_program(client: Client) -> None:
    """The cache of pages lies behind the choice, so that its key needs no Accept."""
    pages = [got(client, "/namespaces/isbn/", accept) for accept in (BROWSER, None)]
    assert {each.content for each in pages} == {pages[0].content}
    for accept, data in (
        ("application/json", "application/json"),
        ("application/ld+json, */*;q=0.1", "application/ld+json"),
    ):
        answer = client.get("/namespaces/isbn/", headers={"accept": accept}, follow=True)
        assert answer.redirect_chain == [("/api/v1/namespaces/isbn/", 303)]
        assert media_type(answer) == data
    again = got(client, "/namespaces/isbn/", BROWSER)
    assert (again.content, "Accept" in again["Vary"]) == (pages[0].content, True)


def test_a_page_without_data_of_its_own_answers_every_client(client: Client) -> None:
    for accept in ACCEPTS:
        assert choice(got(client, "/guide/", accept)) == (200, "text/html", "")


def test_other_methods_are_not_redirected(client: Client) -> None:
    answer = client.post("/namespaces/isbn/", headers={"accept": "application/json"})
    assert (answer.status_code, media_type(answer)) == (405, "application/problem+json")
    assert answer["Allow"] == "GET, HEAD"
