"""The page of results: where URNs and NIDs lead, what words find, and what is shown when they find nothing."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.cases.workflow import functions
from registry.namespaces import search as namespaces_search
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.search import SearchQuery, search_namespaces
from registry.search import results
from registry.search.results import search
from tests.support.factories import a_case_in_review, a_draft, describe
from urnsyntax.profiles.profile import SUBJECTS

pytestmark = pytest.mark.django_db


def a_known(nid: str, *, holder: str = "", purpose: str = "", **profile: Any) -> Namespace:
    """A namespace; with keys of a profile, one that has it."""
    namespace = Namespace.objects.create(nid=nid, kind=Kind.FORMAL, holder=holder, purpose=purpose)
    return describe(namespace, **profile) if profile else namespace


def nids(words: str) -> list[str]:
    return [each.namespace.nid for each in search(words).namespaces]


# URNs and NIDs


@pytest.mark.parametrize("typed", ["urn:isbn:0451450523", " URN:ISBN:0451450523\n", "urn:none:a?+b?=c#d"])
def test_a_urn_leads_to_its_page(client: Client, typed: str) -> None:
    response = client.get("/", {"q": typed})
    assert response.status_code == 302
    parts = urlsplit(response["Location"])
    assert (parts.path, parse_qs(parts.query)) == ("/urns/", {"urn": [typed.strip()]})


@pytest.mark.parametrize("typed", ["isbn", "ISBN", " Isbn ", "urn:isbn", "URN:isbn:"])
def test_a_registered_nid_leads_to_its_page(client: Client, typed: str) -> None:
    a_known("isbn")
    response = client.get("/", {"q": typed})
    assert (response.status_code, response["Location"]) == (302, "/namespaces/isbn/")


def test_only_a_whole_nid_leads_to_its_page(client: Client) -> None:
    a_known("isbn")
    for typed in ("isb", "isbn books", "urn-isbn"):
        assert client.get("/", {"q": typed}).status_code == 200


@pytest.mark.parametrize(
    "typed",
    ["“urn:trees:12:4711”", "urn: trees:12:4711", "trees:12:4711", "trees 12:4711", "url:trees:12:4711"],
)
def test_a_urn_that_was_probably_meant_comes_first(client: Client, typed: str) -> None:
    a_known("trees", title="Trees")
    page = client.get("/", {"q": typed})
    assertContains(page, "Did you mean")
    assertContains(page, 'href="/urns/?urn=urn%3Atrees%3A12%3A4711"')


def test_words_are_not_taken_for_a_urn(client: Client) -> None:
    a_known("trees", title="Trees", unstated="The registration states none.")
    assertNotContains(client.get("/", {"q": "trees forest"}), "Did you mean")


# Namespaces


def test_the_most_relevant_come_first() -> None:
    a_known("a-text", purpose="Names that a lighthouse has.")
    a_known("b-registrant", holder="Lighthouse Society")
    a_known("c-summary", summary="Each lighthouse has a name.")
    a_known("d-keyword", keywords=["sea", "lighthouse"])
    a_known("e-title", title="Names of lighthouses")
    a_known("f-lighthouse")
    assert nids("lighthouse") == [
        "e-title",
        "f-lighthouse",
        "d-keyword",
        "c-summary",
        "b-registrant",
        "a-text",
    ]
    assert nids("lighthouses") == nids("lighthouse")


def test_all_words_count_for_the_order() -> None:
    a_known("a-half", title="Lighthouses", summary="Each has a keeper.")
    a_known("b-whole", title="Keepers of lighthouses")
    assert nids("lighthouse keeper") == ["b-whole", "a-half"]
    assert nids("lighthouse keeper bridge") == ["b-whole", "a-half"]
    assert search("lighthouse keeper bridge").unknown == ["bridge"]


def test_a_word_for_a_subject_finds_its_namespaces_after_those_that_have_it() -> None:
    a_known("a-subject", subjects=["health"])
    a_known("b-other", subjects=["law"])
    a_known("c-summary", summary="Names of medical devices.")
    found = search("medical")
    assert [each.namespace.nid for each in found.namespaces] == ["c-summary", "a-subject"]
    assert [str(place.text) for place in found.namespaces[1].places] == ["health"]
    assert found.subjects == ["health"]


def test_each_result_says_where_it_has_the_words(client: Client) -> None:
    a_known(
        "trees", title="Trees", summary="Plants of gardens.", keywords=["forest", "oak <b>"],
        organisation="Arboretum", purpose="So that leaves can be cited.",
    )  # fmt: skip
    page = client.get("/", {"q": "tree plants oak arboretum cite"})
    for said in (
        "<mark>Trees</mark>",
        "urn:trees",
        "<mark>Plants</mark> of gardens.",
        "Keywords: <mark>oak</mark> &lt;b&gt;",
        "Organisation: <mark>Arboretum</mark>",
    ):
        assertContains(page, said)
    assertNotContains(page, "forest")


def test_a_namespace_without_profile_shows_the_words_in_their_surroundings(client: Client) -> None:
    a_known("trees", purpose=" ".join([*["before"] * 50, "lighthouse", *["after"] * 50]))
    page = client.get("/", {"q": "lighthouse"})
    assertContains(page, f"… {'before ' * 8}<mark>lighthouse</mark> {'after ' * 21}…")


def test_more_namespaces_than_fit_are_on_the_list(client: Client) -> None:
    for number in range(results.SHOWN + 1):
        a_known(f"things-{number}")
    page = client.get("/", {"q": "things"})
    assertContains(page, 'href="/namespaces/?q=things"')
    assert len(page.context["results"].namespaces) == results.SHOWN
    assert len(client.get("/namespaces/?q=things").context["page"].rows) == results.SHOWN + 1


@pytest.mark.exhaustive
def test_more_cases_than_fit_are_on_the_list_with_the_same_words(client: Client, registrant: User) -> None:
    for number in range(results.SHOWN + 1):
        a_case_in_review(by=registrant, namespace_identifier=f"things-{number}")
    page = client.get("/", {"q": "things"})
    assertContains(page, 'href="/cases/?state=open&amp;q=things"')


# Corrections


def test_a_word_that_a_filter_hides_is_neither_corrected_nor_unknown(client: Client) -> None:
    a_known("trees", title="Lighthouses")
    a_known("other", title="Lighthousez")
    Namespace.objects.create(nid="urn-7", kind=Kind.INFORMAL, number=7, purpose="Lighthousez.")
    page = client.get("/namespaces/", {"q": "lighthouses", "kind": "informal"})
    assertContains(page, "No namespace matches")
    assertNotContains(page, "Nothing has")


def test_only_words_that_find_nothing_are_corrected() -> None:
    a_known("trees", title="Lighthouse trees", summary="Oaks and bridges.")
    a_known("other", title="Lighthousd")
    assert nids("lighthousd") == ["other"]
    found = search("lighthouze brigdes")
    assert (found.words, [each.namespace.nid for each in found.namespaces]) == (
        "lighthouse bridges",
        ["trees"],
    )


def test_known_words_that_never_meet_are_not_corrected(client: Client) -> None:
    a_known("aaa", title="Lighthouses")
    a_known("bbb", title="Bridges")
    found = search("lighthouses bridges")
    assert [(each.namespace.nid, each.lacking) for each in found.namespaces] == [
        ("aaa", ("bridges",)),
        ("bbb", ("lighthouses",)),
    ]
    assert not found.corrections
    page = client.get("/", {"q": "lighthouses bridges snowdrift"})
    assertContains(page, "Without: lighthouses")
    assertNotContains(page, "snowdrift</p>")
    assertContains(page, "Nothing has “snowdrift”.")


@pytest.mark.parametrize("typed", ["oka", "3gpp4", "lighthoooose", "bxidxes", "zzzz", "&", "of"])
def test_short_words_numbers_and_two_errors_are_not_corrected(typed: str) -> None:
    a_known("trees", title="Oak lighthouse bridges of 3gpp3")
    found = search(typed)
    assert not found.corrections


def test_the_words_of_a_removed_profile_correct_nothing() -> None:
    trees = a_known("trees", title="Lighthouses")
    assert search("lighthoses").corrections
    set_profile(trees, by=None, profile=None, basis="Wrong.", replaces=1)
    assert search("lighthoses").is_empty


def test_stop_words_are_not_called_unknown(client: Client) -> None:
    a_known("offices")
    for path in ("/", "/namespaces/"):
        page = client.get(path, {"q": "the of and"})
        assertContains(page, 'href="/namespaces/offices/"')
        assertNotContains(page, "Nothing has")


# Queries


@pytest.mark.parametrize(("kind", "count"), [("", 6), ("informal", 8)])
def test_a_word_that_nothing_has_is_searched_for_again_only_with_a_filter(kind: str, count: int) -> None:
    with CaptureQueriesContext(connection) as queries:
        search_namespaces(SearchQuery("snowdrift nowhere", kind=kind), 10)
    assert sum("namespaces_found" in each["sql"] for each in queries) == count


def test_the_profiles_of_results_are_read_once() -> None:
    for number in range(3):
        a_known(f"things-{number}", title="Things")
    with CaptureQueriesContext(connection) as queries:
        assert len(search("things").namespaces) == 3
    read = [each["sql"] for each in queries if 'FROM "namespaces_profileversion"' in each["sql"]]
    assert len(read) == 1


@pytest.mark.parametrize("typed", ["lighthouze 1", "lighthouse 1", "nowhere 1"])
def test_urns_are_suggested_for_the_typed_text_only(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    a_known("trees", title="Lighthouse 1")
    texts: list[str] = []
    monkeypatch.setattr(namespaces_search, "suggestions_for", lambda text: texts.append(text) or ())
    assert bool(search(typed).unknown) == (typed == "nowhere 1")
    assert texts == [typed]


# Cases


def test_open_cases_are_found_by_nid_organisation_and_purpose(registrant: User) -> None:
    case = a_case_in_review(by=registrant, namespace_identifier="sea-marks", purpose="Names of lighthouses.")
    for words in ("sea-marks", "marks", "lighthouse", "lighth", "arboretum lighthouses"):
        assert [each.case for each in search(words).cases] == [case], words
    found = search("lighthouse bridge")
    assert ([each.case for each in found.cases], found.unknown) == ([case], ["bridge"])


def test_a_draft_is_found_by_nobody(registrant: User, client: Client) -> None:
    a_draft(by=registrant, purpose="Names of lighthouses.")
    client.force_login(registrant)
    assertContains(client.get("/", {"q": "lighthouses"}), "No results for “lighthouses”")


def test_a_closed_case_is_not_found(registrant: User) -> None:
    case = a_case_in_review(by=registrant, purpose="Names of lighthouses.")
    functions.withdraw(case, by=registrant, reason="No longer needed.")
    assert not search("lighthouses").cases


def test_the_latest_round_counts(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant, purpose="Names of lighthouses.")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO cases_round (case_id, number, content, profile, text, commitments, digest, submitted_by_id, submitted_at)"
            " SELECT case_id, 2, content || %s::jsonb, profile, text, commitments, digest, submitted_by_id, submitted_at"
            " FROM cases_round",
            ['{"purpose": "Names of bridges."}'],
        )
    assert not search("lighthouses").cases
    [found] = search("bridges").cases
    assert (found.case, found.purpose) == (case, "Names of <mark>bridges</mark>.")


# Nothing found, and wrong input


def test_an_empty_result_offers_subjects_and_the_check_of_a_nid(client: Client) -> None:
    page = client.get("/", {"q": "Weather-Stations"})
    assertContains(page, "No results for “Weather-Stations”")
    assertContains(page, 'href="/nids/?nid=weather-stations"')
    for subject in SUBJECTS:
        assertContains(page, f'href="/namespaces/?subject={subject}"')
    assertNotContains(client.get("/", {"q": "weather stations"}), "/nids/?nid=")


@pytest.mark.parametrize("typed", ["", "   "])
def test_an_empty_search_is_the_home_page(client: Client, typed: str) -> None:
    assertContains(client.get("/", {"q": typed}), "The registry of URN namespaces")


@pytest.mark.parametrize(
    ("typed", "said"),
    [("x" * 201, "at most 200 characters (it has 201)"), ("a\0b", "Null characters are not allowed.")],
)
def test_a_text_that_is_refused_stays_in_the_field(client: Client, typed: str, said: str) -> None:
    page = client.get("/", {"q": typed})
    assertContains(page, said, status_code=400)
    assertContains(page, "The search was not run.", status_code=400)
    assert f'value="{typed}"' in page.text


@pytest.mark.parametrize(
    "typed",
    [
        "'",
        "%",
        "\\",
        "a & !b | (c",
        "a:*",
        "<->",
        "'; DROP TABLE x; --",
        "☃",
        "\ud800x",
        "０",
        "<script>",
        "é" * 200,
    ],
)
def test_no_text_breaks_a_search(client: Client, typed: str) -> None:
    a_known("isbn")
    page = client.get("/", {"q": typed.encode("utf-8", "surrogatepass")})
    assert page.status_code == 200
    assert "<script>" not in page.text.partition("<main")[2]


# The field


@pytest.mark.parametrize("path", ["/guide/", "/namespaces/", "/nowhere/", "/?q=zzzz", "/accounts/login/"])
def test_every_page_has_the_field(client: Client, path: str) -> None:
    assert client.get(path).text.count('<form class="site-search" action="/" role="search"') == 1


def test_the_home_page_has_one_search(client: Client) -> None:
    page = client.get("/").text
    assert page.count('role="search"') == page.count('name="q"') == 1
