"""Pages of sub-namespaces: the list with its filter, one of them, the section of the namespace, and the import."""

import html
from urllib.parse import urlencode

import pytest
from defusedxml.ElementTree import fromstring
from django.test import Client

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.namespaces.models import Namespace
from registry.subnamespaces.importing import ListFormat
from registry.subnamespaces.models import ListVersion, SubNamespace
from registry.subnamespaces.views import PAGE
from tests.subnamespaces.conftest import LINES, Import
from tests.support.browser import signed_in

ATOM = "{http://www.w3.org/2005/Atom}"
NAMESPACE = "/namespaces/example-gardens/"
LIST = f"{NAMESPACE}subnamespaces/"
IMPORT = f"{LIST}import/"
BASIS = "The list of gardens, 2026-01-31."
SENT = {"document": LINES, "list_format": "jsonl", "basis": BASIS, "replaces": "0"}


def shown(client: Client, address: str, expected: int = 200, **query: str) -> str:
    answer = client.get(address, query)
    assert answer.status_code == expected, answer.text
    return html.unescape(answer.text)


def test_without_a_list_the_pages_name_the_levels(client: Client, gardens: Namespace) -> None:
    assert "A name begins with its garden. Nothing is listed yet." in shown(client, NAMESPACE)
    page = shown(client, LIST)
    for words in ("First: garden", "List of gardens", "as of 2026-01-31", "No list"):
        assert words in page, words
    assert "The list is complete" not in page


def test_the_list_is_shown_filtered_and_linked(client: Client, import_list: Import) -> None:
    import_list()
    assert "2 sub-namespaces are listed. A name begins with its garden." in shown(client, NAMESPACE)
    page = shown(client, LIST)
    assert "Gardens at Kew" in page
    assert "Board of Kew" in page
    assert BASIS in page
    for query, found in (
        ({"q": "KE"}, "kew"),
        ({"q": "park oak"}, "oak"),
        ({"q": "board"}, "kew"),
        ({"q": "oak", "status": "active"}, "oak"),
    ):
        page = shown(client, LIST, **query)
        other = {"kew": "oak", "oak": "kew"}[found]
        assert f"?prefix={found}" in page, query
        assert f"?prefix={other}" not in page, query
    assert "No matching sub-namespaces" in shown(client, LIST, q="elm")
    assert "No matching sub-namespaces" in shown(client, LIST, status="retired")
    assert client.get(LIST, {"status": "unknown"}).status_code == 400


def test_a_long_list_has_pages(client: Client, import_list: Import) -> None:
    import_list(LINES + "".join(f'{{"prefix": "g{n:03}", "title": "Garden {n}"}}\n' for n in range(PAGE)))
    page = shown(client, LIST)
    assert "?prefix=g099" in page
    assert "?prefix=kew" not in page
    assert "?after=g099" in page
    page = shown(client, LIST, after="g099")
    assert "?prefix=kew" in page
    assert "?prefix=g099" not in page
    assert "No more sub-namespaces" in shown(client, LIST, after="oak")


def test_one_names_its_holder_what_is_below_it_and_what_it_was(
    client: Client, import_list: Import, gardens: Namespace
) -> None:
    import_list(
        LINES + '{"prefix": "kew:north", "title": "The north"}\n{"prefix": "kewa", "title": "Kewa"}\n'
    )
    import_list(
        '{"prefix": "kew", "title": "Kew Gardens", "holder": "Board", "status": "retired", "successor": "oak"}'
    )
    page = shown(client, LIST, prefix="KEW")
    for words in ("Kew Gardens", "Board", "List of gardens, as of 2026-01-31", "The north", "Gardens at Kew"):
        assert words in page, words
    assert "Its successor is" in page
    assert "?prefix=oak" in page
    assert "?prefix=kewa" not in page
    row = SubNamespace.objects.get(key="kew:north")
    page = shown(client, row.get_absolute_url())
    assert "Kew Gardens" in page
    assert "No sub-namespaces below it are listed." in page


def test_an_unknown_prefix_names_near_ones(client: Client, import_list: Import) -> None:
    import_list()
    page = shown(client, LIST, 404, prefix="kaw")
    assert "has no sub-namespace “kaw”" in page
    assert "?prefix=kew" in page
    assert "?prefix=oak" not in page
    assert "?prefix=kew" in shown(client, LIST, 404, prefix="kew:south")
    for odd in ("/", "a b", "\0", "%", "x" * 5_000):
        assert client.get(LIST, {"prefix": odd}).status_code == 404
    assert client.get("/namespaces/example-none/subnamespaces/").status_code == 404


def test_only_administrators_import(
    client: Client, gardens: Namespace, administrator: User, expert: User
) -> None:
    assert IMPORT in shown(signed_in(administrator), LIST)
    assert IMPORT not in shown(client, LIST)
    assert IMPORT not in shown(signed_in(expert), LIST)
    assert signed_in(expert).get(IMPORT).status_code == 404


def test_the_difference_is_shown_and_nothing_is_changed(
    import_list: Import, gardens: Namespace, administrator: User
) -> None:
    import_list()
    document = '{"prefix": "elm", "title": "Elm"}\n{"prefix": "kew", "title": "Kew <Gardens>"}\n'
    sent = {**SENT, "document": document, "basis": "", "retires_others": "on", "difference": "show"}
    answer = signed_in(administrator).post(IMPORT, sent)
    assert answer.status_code == 200
    page = html.unescape(answer.text)
    assert "1 would be added, 1 changed, 1 retired. Nothing is changed yet." in page
    assert "<del>Gardens at Kew</del> <ins>Kew <Gardens></ins>" in page
    assert document in page
    assert 'name="replaces" value="1"' in page
    assert ListVersion.objects.get().version == 1


def test_a_list_is_imported_and_is_in_the_history(
    client: Client, gardens: Namespace, administrator: User
) -> None:
    answer = signed_in(administrator).post(IMPORT, SENT)
    assert (answer.status_code, answer["Location"]) == (302, LIST)
    assert Event.objects.get(verb="import_subnamespaces").reason == BASIS
    page = shown(client, NAMESPACE)
    assert "Sub-namespaces: 2 added, 0 changed, 0 retired; version 1 of the list" in page


def test_feed_and_events_tell_of_an_import_and_lead_to_the_list(client: Client, import_list: Import) -> None:
    import_list()
    newest = fromstring(client.get(f"{NAMESPACE}feed.atom").content).find(f"{ATOM}entry")
    assert newest is not None
    line = "Sub-namespaces: 2 added, 0 changed, 0 retired; version 1 of the list"
    assert newest.findtext(f"{ATOM}title") == f"example-gardens: {line}"
    assert newest.findtext(f"{ATOM}summary") == BASIS
    assert [each.get("href") for each in newest.iter(f"{ATOM}link")] == [f"http://localhost:8000{LIST}"]
    *_, event = client.get("/api/v1/namespaces/example-gardens/events/").json()["results"]
    assert event["summary"] == line
    assert event["links"]["html"] == f"http://localhost:8000{LIST}"
    assert event["details"] == {"version": 1, "added": 2, "revised": 0, "retired": 0}
    (sent,) = (
        each for each in client.get("/api/v1/events/").json()["results"] if each["number"] == event["number"]
    )
    assert sent["links"] == event["links"]


@pytest.mark.parametrize("button", [{}, {"difference": "show"}])
def test_a_refused_list_stays_in_the_form(
    gardens: Namespace, administrator: User, button: dict[str, str]
) -> None:
    document = '{"prefix": "elm"}'
    answer = signed_in(administrator).post(IMPORT, {**SENT, "document": document, **button})
    assert answer.status_code == 422
    page = html.unescape(answer.text)
    assert "line 1" in page
    assert document in page
    assert BASIS in page


def test_a_list_that_was_compared_with_an_older_one_is_refused_once(
    import_list: Import, administrator: User
) -> None:
    import_list()
    browser, sent = signed_in(administrator), {**SENT, "document": '{"prefix": "elm", "title": "Elm"}'}
    answer = browser.post(IMPORT, sent)
    assert answer.status_code == 409
    page = html.unescape(answer.text)
    assert "version 1 of its list" in page
    assert "Elm" in page
    assert 'name="replaces" value="1"' in page


def test_csv_is_compared(gardens: Namespace, administrator: User) -> None:
    sent = {
        **SENT,
        "document": "prefix,title\nelm,Elm\nkew,Kew\noak,Oak\n",
        "list_format": ListFormat.CSV.value,
    }
    answer = signed_in(administrator).post(
        IMPORT, urlencode({**sent, "difference": "show"}), "application/x-www-form-urlencoded"
    )
    assert "3 would be added, 0 changed, 0 retired" in answer.text
