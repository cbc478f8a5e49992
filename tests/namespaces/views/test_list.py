"""/namespaces/: the list, its search and its pages."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.namespaces.models import Kind, Namespace
from tests.support.factories import an_imported_namespace, describe

pytestmark = pytest.mark.django_db

DjangoAssertNumQueries = Any


def known_by_record(nid: str, **fields: Any) -> Namespace:
    number = int(nid.removeprefix("urn-")) if nid.startswith("urn-") else None
    kind = Kind.INFORMAL if number else Kind.FORMAL
    return an_imported_namespace(nid, kind=kind, number=number, **fields)


def nids_on(client: Client, address: str) -> list[str]:
    response = client.get(address)
    assert response.status_code == 200
    page = response.context["page"]
    return [namespace.nid for namespace in (*filter(None, [page.exact]), *page.rows)]


def test_an_empty_registry_shows_a_text_and_how_to_start(client: Client) -> None:
    response = client.get("/namespaces/")
    assertContains(response, "No namespace is registered yet")
    assertContains(response, "/cases/new/")


def test_namespaces_are_listed_in_the_order_of_their_nids(client: Client) -> None:
    for nid in ("uuid", "isbn", "urn-7", "3gpp", "urn-10"):
        known_by_record(nid)
    assert nids_on(client, "/namespaces/") == ["3gpp", "isbn", "urn-10", "urn-7", "uuid"]


def test_an_imported_namespace_shows_its_references(client: Client) -> None:
    known_by_record(
        "uuid",
        references=[{"type": "rfc", "target": "https://www.rfc-editor.org/rfc/rfc9562", "label": "RFC9562"}],
    )
    assertContains(client.get("/namespaces/"), "RFC 9562")


@pytest.mark.parametrize(
    "query",
    ["q=WEATHER", "q=wxn", "q=Stations+example", "q=example&kind=formal", "q=+wxn+", "kind=formal&q=buoys"],
)
def test_every_word_is_looked_for_in_nid_holder_and_purpose(client: Client, query: str) -> None:
    known_by_record("wxn", holder="Example Weather Network", purpose="Names stations and buoys.")
    known_by_record("isbn", holder="Another Agency", purpose="Names books.")
    assert nids_on(client, f"/namespaces/?{query}") == ["wxn"]


def test_the_kind_can_be_chosen(client: Client) -> None:
    known_by_record("isbn")
    known_by_record("urn-1")
    assert nids_on(client, "/namespaces/?kind=informal") == ["urn-1"]


@pytest.mark.parametrize("words", ["nothing-like-it", "isbn uuid", "%", "_", "\\", "'", "''", "ı", "☃"])
def test_a_search_without_results_shows_a_text(client: Client, words: str) -> None:
    known_by_record("isbn", holder="Example Agency")
    response = client.get("/namespaces/", {"q": words, "kind": "informal"})
    assertContains(response, "All namespaces")
    assert response.context["page"].rows == []


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"q": "a\0"}, "Null characters are not allowed."),
        ({"q": "x" * 201}, "at most 200 characters"),
        ({"kind": "special"}, "special is not one of the available choices."),
        ({"kind": "formal\n"}, "is not one of the available choices."),
        ({"after": "x" * 44}, "contains a NID that is not valid"),
        ({"after": "\0"}, "contains a NID that is not valid"),
    ],
)
def test_an_invalid_search_is_rejected_at_its_field(
    client: Client, query: dict[str, str], sentence: str
) -> None:
    assertContains(client.get("/namespaces/", query), sentence, status_code=400)


def test_pages_have_a_hundred_entries_and_continue_after_the_last(client: Client) -> None:
    for number in range(1, 106):
        known_by_record(f"urn-{number}")
    in_order = sorted(f"urn-{number}" for number in range(1, 106))
    assert nids_on(client, "/namespaces/") == in_order[:100]
    assertContains(
        client.get("/namespaces/?kind=informal"), f'href="?kind=informal&amp;after={in_order[99]}"'
    )
    assert nids_on(client, f"/namespaces/?after={in_order[99]}") == in_order[100:]
    assertNotContains(client.get(f"/namespaces/?after={in_order[99]}"), "Next page")


def test_pages_say_where_they_are_in_the_list(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 206):
        known_by_record(f"urn-{number}", holder="Trees")
    known_by_record("isbn")
    first, second = "?kind=informal", f"?kind=informal&after={in_order_of_nids(205)[99]}"
    assert place_on(client, first) == "1–100 of 205"
    assert place_on(client, second) == "101–200 of 205"
    assert place_on(client, f"?kind=informal&after={in_order_of_nids(205)[199]}") == "201–205 of 205"
    assert place_on(client, "?q=trees").startswith("1–50 of 200")
    assert place_on(client, "?q=isbn") == "Exact match"
    monkeypatch.setattr("registry.core.pagination.MOST_COUNTED", 150)
    assert place_on(client, first) == "1–100 of more than 150"
    assert place_on(client, second) == "101–200 of more than 150"
    monkeypatch.setattr("registry.core.pagination.MOST_COUNTED", 50)
    assert place_on(client, second) == "100 after the first 50"


def in_order_of_nids(how_many: int) -> list[str]:
    return sorted(f"urn-{number}" for number in range(1, how_many + 1))


def place_on(client: Client, query: str) -> str:
    page = client.get(f"/namespaces/{query}").content.decode()
    found = re.search(r'<p class="result-count[^>]*>(.*?)</p>', page, re.DOTALL)
    assert found
    return found[1].strip()


def test_a_page_past_the_end_links_to_the_first_page(client: Client) -> None:
    known_by_record("isbn")
    assertContains(client.get("/namespaces/?after=zzz"), "No more namespaces")


def test_user_text_is_escaped(client: Client) -> None:
    known_by_record("wxn", holder="<b>Bold</b>", purpose="<script>alert(1)</script>")
    response = client.get("/namespaces/", {"q": "<script>"})
    assertContains(response, "&lt;script&gt;alert(1)&lt;/script&gt;")
    assertNotContains(response, "<script>")
    assertNotContains(response, "<b>Bold")


@pytest.mark.parametrize("address", ["/namespaces/", "/namespaces/?q=trees", "/namespaces/?q=urn-1"])
def test_titles_and_summaries_of_profiles_are_listed(client: Client, address: str) -> None:
    summary = " ".join(["word"] * 40)
    describe(known_by_record("urn-1", holder="An agency"), title="Trees & more", summary=summary)
    response = client.get(address)
    assertContains(response, "<strong>Trees &amp; more</strong>")
    assertContains(response, " ".join(["word"] * 24) + " …</div>")
    assertNotContains(response, "An agency")


def test_profiles_are_not_read_in_full(client: Client) -> None:
    describe(known_by_record("urn-1"))
    (row,) = client.get("/namespaces/").context["page"].rows
    assert (row.title, row.summary) == ("Trees of gardens", "Every tree has a name.")
    assert "profile" not in row._state.fields_cache


@pytest.mark.parametrize("how_many", [1, 100])
def test_the_list_needs_a_query_another_one_for_profiles_and_one_for_changes(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, how_many: int
) -> None:
    for number in range(1, how_many + 1):
        known_by_record(f"urn-{number}")
    with django_assert_num_queries(2):
        client.get("/namespaces/")
    for namespace in Namespace.objects.all()[:5]:
        describe(namespace)
    with django_assert_num_queries(3):
        client.get("/namespaces/")


def test_a_list_is_only_read(client: Client) -> None:
    assert client.post("/namespaces/").status_code == 405
