"""GET /api/v1/namespaces/: filters, and pages by key."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.namespaces import search
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from tests.api.schema_checks import description
from tests.support.factories import a_profile, an_imported_namespace
from urnsyntax.profiles.profile import SUBJECTS

LIST = "/api/v1/namespaces/"


def nids(client: Client, **parameters: str) -> list[str]:
    response = client.get(LIST, parameters)
    assert response.status_code == 200, response.content
    return [each["nid"] for each in response.json()["results"]]


def pages(client: Client, address: str) -> Iterator[dict[str, Any]]:
    while True:
        response = client.get(address)
        page = response.json()
        yield page
        if not page["has_more"]:
            assert page["next"] is None
            assert 'rel="next"' not in response["Link"]
            return
        address = page["next"]
        assert response["Link"].startswith(f'<{address}>; rel="next"')


def test_the_list_is_ordered_by_nid_and_complete(client: Client, db: None) -> None:
    for nid in ("uuid", "3gpp", "isbn", "ab0", "a-b"):
        an_imported_namespace(nid=nid)
    body = client.get(LIST).json()
    assert [each["nid"] for each in body["results"]] == ["3gpp", "a-b", "ab0", "isbn", "uuid"]
    assert (body["has_more"], body["next"]) == (False, None)


def test_an_entry_is_the_namespace_without_its_text(client: Client, trees: Namespace) -> None:
    [entry] = client.get(LIST).json()["results"]
    detail = client.get(entry["links"]["self"]).json()
    assert entry.items() <= detail.items()
    assert set(detail) - set(entry) == {
        "sections",
        "versions",
        "deprecation",
        "profile",
        "contact",
        "change_controller",
    }


def test_words_and_subjects_of_profiles_are_found_and_titles_shown(client: Client, db: None) -> None:
    for nid, keywords, subjects in (
        ("isbn", ["library"], ["bibliography"]),
        ("nbn", ["libraries"], ["bibliography", "law"]),
        ("lex", ["statute"], ["law"]),
    ):
        profile = a_profile(nid, title=f"Names of {nid}", keywords=keywords, subjects=subjects)
        set_profile(an_imported_namespace(nid=nid), by=None, profile=profile, basis="It.", replaces=0)
    an_imported_namespace(nid="bare", purpose="Names libraries.")
    for query, expected in (
        ("q=library", ["isbn", "nbn", "bare"]),
        ("subject=bibliography", ["isbn", "nbn"]),
        ("subject=law", ["lex", "nbn"]),
        ("subject=bibliography&q=library", ["isbn", "nbn"]),
        ("subject=law&q=library", ["nbn"]),
        ("subject=health", []),
    ):
        found = [each for page in pages(client, f"{LIST}?page_size=1&{query}") for each in page["results"]]
        assert [each["nid"] for each in found] == expected, query
        titles = [each["title"] for each in found]
        assert titles == [None if nid == "bare" else f"Names of {nid}" for nid in expected]


def test_a_search_says_what_it_searched_for(client: Client, isbn: Namespace, trees: Namespace) -> None:
    body = client.get(LIST, {"q": "isbm"}).json()
    assert [each["nid"] for each in body["results"]] == ["isbn"]
    assert (body["corrections"], body["unknown_words"]) == ([{"typed": "isbm", "used": "isbn"}], [])
    body = client.get(LIST, {"q": "botanical 6ba7b810"}).json()
    assert [each["nid"] for each in body["results"]] == ["example-trees"]
    assert (body["corrections"], body["unknown_words"]) == ([], ["6ba7b810"])
    body = client.get(LIST, {"page_size": "1000"}).json()
    assert (body["corrections"], body["unknown_words"]) == ([], [])


def test_a_search_is_in_the_order_of_relevance_unless_another_is_chosen(client: Client, db: None) -> None:
    for nid, keywords in (
        ("aaa", []),
        ("bbb", ["lighthouse"]),
        ("lighthouse-parts", []),
        ("zzz", ["lighthouse"]),
    ):
        profile = a_profile(nid, keywords=keywords)
        set_profile(
            an_imported_namespace(nid=nid, purpose="Of lighthouse."),
            by=None,
            profile=profile,
            basis="It.",
            replaces=0,
        )
    relevant = ["lighthouse-parts", "bbb", "zzz", "aaa"]
    for chosen in ({}, {"ordering": "relevance"}):
        assert nids(client, q="lighthouse", **chosen) == relevant
    walk = pages(client, f"{LIST}?q=lighthouse&page_size=1")
    assert [each["nid"] for page in walk for each in page["results"]] == relevant
    assert (
        nids(client, q="lighthouse", ordering="nid") == nids(client, ordering="relevance") == sorted(relevant)
    )
    assert nids(client, q="lighthouse", ordering="-nid") == sorted(relevant, reverse=True)


@pytest.mark.parametrize("typed", ["urn:isbn:0451450523", "urn:isbn", "URN:ISBN:"])
def test_a_urn_finds_its_namespace(client: Client, isbn: Namespace, typed: str) -> None:
    an_imported_namespace(nid="other", purpose="As isbn.")
    assert nids(client, q=typed) == ["isbn"]
    assert nids(client, q=typed, kind="informal") == []


def test_the_description_lists_the_subjects() -> None:
    described = description()["paths"][LIST]["get"]["parameters"]
    (subject,) = (each for each in described if each.get("name") == "subject")
    assert sorted(subject["schema"]["enum"]) == sorted(SUBJECTS)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 1000])
def test_paging_returns_each_namespace_once(client: Client, db: None, size: int) -> None:
    expected = [f"walk{number}" for number in range(7)]
    for nid in expected:
        an_imported_namespace(nid=nid)
    seen = [entry["nid"] for page in pages(client, f"{LIST}?page_size={size}") for entry in page["results"]]
    assert seen == expected


def test_paging_keeps_filters_and_includes_additions(client: Client, db: None) -> None:
    for nid in ("aaa", "bbb", "ccc"):
        an_imported_namespace(nid=nid, holder="Gärten & Söhne")
    an_imported_namespace(nid="bab", holder="Somebody else")
    walk = pages(client, f"{LIST}?page_size=2&q=G%C3%A4rten+%26&kind=formal")
    assert [each["nid"] for each in next(walk)["results"]] == ["aaa", "bbb"]
    an_imported_namespace(nid="cab", holder="Gärten & Söhne")
    assert [each["nid"] for each in next(walk)["results"]] == ["cab", "ccc"]


def test_the_default_page_size_is_a_hundred(client: Client, db: None) -> None:
    Namespace.objects.bulk_create(Namespace(nid=f"many{n:03}", kind="formal") for n in range(101))
    body = client.get(LIST).json()
    assert (len(body["results"]), body["has_more"]) == (100, True)
    assert client.get(LIST, {"page_size": "1000"}).json()["has_more"] is False


def test_filters_by_kind_status_and_words(
    client: Client, isbn: Namespace, trees: Namespace, administrator: User
) -> None:
    an_imported_namespace(nid="urn-7", kind="informal", number=7)
    assert nids(client, kind="informal") == ["urn-7"]
    assert nids(client, kind="formal") == ["example-trees", "isbn"]
    assert nids(client, q="ISBN agency") == ["isbn"]
    assert nids(client, q="botanical") == ["example-trees"]
    assert nids(client, q="100%") == []
    assert nids(client, q=" ") == nids(client, q="") == nids(client)
    deprecate(isbn, by=administrator, statement="No more.")
    assert nids(client, status="deprecated") == ["isbn"]
    assert nids(client, status="active", kind="formal") == ["example-trees"]


def test_after_ignores_case_and_excludes_the_nid(client: Client, db: None) -> None:
    for nid in ("aaa", "bbb", "ccc"):
        an_imported_namespace(nid=nid)
    assert nids(client, after="BBB") == ["ccc"]
    assert nids(client, after="aab") == ["bbb", "ccc"]


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("0001-01", ["early", "late", "noon"]),
        ("2026-05", ["early", "late", "noon"]),
        ("2026-05-07", ["early", "late", "noon"]),
        ("2026-05-07T08:00:00Z", ["early", "late", "noon"]),
        ("2026-05-07T10:00:00+02:00", ["early", "late", "noon"]),
        ("2026-05-07T08:00:00.000001Z", ["late", "noon"]),
        ("2026-05-07T12:00:00.5Z", ["late", "noon"]),
        ("2026-05-07T12:00:00.6Z", ["late"]),
        ("2026-05-08", ["late"]),
        ("2026-05-07T23:59:59-23:59", ["late"]),
        ("2026-06", ["late"]),
        ("2026-06-01T00:00:01Z", []),
    ],
)
def test_updated_since_compares_the_time_of_the_last_change(
    client: Client, db: None, since: str, expected: list[str]
) -> None:
    an_imported_namespace(nid="early", changed_at=datetime(2026, 5, 7, 8, tzinfo=UTC))
    an_imported_namespace(nid="noon", changed_at=datetime(2026, 5, 7, 12, 0, 0, 500_000, tzinfo=UTC))
    an_imported_namespace(nid="late", changed_at=datetime(2026, 6, 1, tzinfo=UTC))
    assert nids(client, updated_since=since) == expected
    assert nids(client, updated_since=since, kind="formal") == expected
    assert sorted(nids(client, updated_since=since, ordering="-registered_on")) == expected
    Namespace.objects.update(purpose="Names of trees")
    assert sorted(nids(client, updated_since=since, q="trees")) == expected


def test_a_change_at_the_given_instant_is_listed(client: Client, trees: Namespace) -> None:
    (found,) = client.get(LIST).json()["results"]
    assert nids(client, updated_since=found["changed_at"]) == ["example-trees"]
    assert found["changed_at"] == client.get(found["links"]["self"]).json()["changed_at"]
    assert datetime.fromisoformat(found["changed_at"]) == trees.changed_at


@pytest.mark.parametrize("fields", ["title", "nid,title", "links,changed_at"])
def test_only_the_chosen_members_are_listed(
    client: Client, isbn: Namespace, trees: Namespace, fields: str
) -> None:
    whole = client.get(LIST).json()["results"]
    chosen = {"nid", *fields.split(",")}
    page = client.get(LIST, {"fields": fields, "page_size": "1"}).json()
    found = [*page["results"], *client.get(page["next"]).json()["results"]]
    assert found == [{name: each[name] for name in chosen} for each in whole]


REFUSED = [
    ("fields", "profile"),
    ("fields", ""),
    ("kind", ""),
    ("kind", "formal\n"),
    ("kind", "fórmal"),
    ("kind", "FORMAL"),
    ("status", ""),
    ("status", "active "),
    ("status", "gone"),
    ("page_size", ""),
    ("page_size", "0"),
    ("page_size", "-1"),
    ("page_size", "1001"),
    ("page_size", "10\n"),
    ("page_size", "1_0"),
    ("page_size", "١٠"),
    ("page_size", "1.0"),
    ("page_size", "9" * 5000),
    ("after", ""),
    ("after", "isbn\n"),
    ("after", "ísbn"),
    ("after", "isb٣"),
    ("after", "a" * 33),
    ("after", "\0"),
    ("updated_since", ""),
    ("updated_since", "2026-01-01\n"),
    ("updated_since", "2026-02-30"),
    ("updated_since", "2026-13"),
    ("updated_since", "0000-01"),
    ("updated_since", "٢٠٢٦-01-01"),
    ("updated_since", "20260101"),
    ("updated_since", "2026-01-011"),
    ("updated_since", "2026-01-01T10:00:00"),
    ("updated_since", "2026-01-01T10:00:00 02:00"),
    ("updated_since", "2026-01-01T24:00:00Z"),
    ("updated_since", "2026-01-01T10:00:60Z"),
    ("updated_since", "0001-01-01T00:00:00+01:00"),
    ("grammar", ""),
    ("grammar", "True"),
    ("grammar", "true\n"),
    ("grammar", "yés"),
    ("grammar", "1"),
    ("q", "a\n"),
    ("q", "a\0b"),
    ("q", "a" * 201),
    ("page", "2"),
    ("format", "xml"),
    ("", "x"),
    ("kínd", "formal"),
]


@pytest.mark.parametrize(("name", "value"), REFUSED, ids=lambda text: ascii(text)[:40])
def test_an_unknown_parameter_or_value_is_refused_by_name(
    client: Client, name: str, value: str, db: None
) -> None:
    response = client.get(LIST, {name: value})
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    [error] = response.json()["errors"]
    assert error["parameter"] == name
    assert f"“{name}”" in error["detail"]
    assert error["detail"] in response.json()["detail"]


def test_every_wrong_parameter_is_named_at_once(client: Client, db: None) -> None:
    response = client.get(f"{LIST}?kind=formal&kind=informal&page_size=x&colour=red")
    assert {each["parameter"] for each in response.json()["errors"]} == {"kind", "page_size", "colour"}


def test_a_page_of_stored_entries_is_one_query(client: Client, trees: Namespace, isbn: Namespace) -> None:
    client.get(LIST)
    with CaptureQueriesContext(connection) as queries:
        assert nids(client) == ["example-trees", "isbn"]
    assert len(queries) == 1


@pytest.fixture
def dated(db: None) -> None:
    """Namespaces with days, months and nothing for dates, two of them with the same."""
    dates = {"ant": "2001-01", "bee": "", "cow": "2020-05-05", "doe": "2001-01", "elk": "2001-01-15"}
    for nid, date in dates.items():
        an_imported_namespace(nid=nid, registered_on=date, updated_on=date, holder=f"Example {nid.title()}")


ORDERS = [
    ("nid", ["ant", "bee", "cow", "doe", "elk"]),
    ("-nid", ["elk", "doe", "cow", "bee", "ant"]),
    ("registered_on", ["bee", "ant", "doe", "elk", "cow"]),
    ("-registered_on", ["cow", "elk", "doe", "ant", "bee"]),
    ("updated_on", ["bee", "ant", "doe", "elk", "cow"]),
    ("-updated_on", ["cow", "elk", "doe", "ant", "bee"]),
]


@pytest.mark.parametrize(("ordering", "expected"), ORDERS)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_every_ordering_can_be_paged(
    client: Client, dated: None, ordering: str, expected: list[str], size: int
) -> None:
    start = f"{LIST}?ordering={ordering}&page_size={size}"
    assert [entry["nid"] for page in pages(client, start) for entry in page["results"]] == expected


def test_an_update_between_two_pages_hides_no_namespace(client: Client, dated: None) -> None:
    first = client.get(f"{LIST}?ordering=updated_on&page_size=2").json()
    Namespace.objects.filter(nid="ant").update(updated_on="2026-11-21")
    rest = [entry["nid"] for page in pages(client, first["next"]) for entry in page["results"]]
    assert rest == ["doe", "elk", "cow", "ant"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("COW", ["cow"]),
        ("exam", ["ant", "bee", "cow", "doe", "elk"]),
        ("elk example", ["elk"]),
        ("còw", ["cow"]),
        ("nobody", []),
        ("&", []),
    ],
)
def test_the_registrant_filter_matches_words(
    client: Client, dated: None, asked: str, expected: list[str]
) -> None:
    assert nids(client, registrant=asked) == expected


@pytest.mark.parametrize(
    "query",
    ["ordering=date", "ordering=", "after=2026-1.isbn", "after=2026-01-01.", "after=.i_n", "after=x.isbn",
     "after=2026-01-01%0A.isbn", "after=isbn%0A", "registrant=%00", "registrant=" + "x" * 201],
)  # fmt: skip
def test_a_wrong_order_or_key_is_a_400(client: Client, db: None, query: str) -> None:
    response = client.get(f"{LIST}?{query}")
    assert response.status_code == 400
    assert response.json()["errors"][0]["parameter"] == query.partition("=")[0]


def test_the_registrant_filter_searches_names_only(client: Client, dated: None) -> None:
    an_imported_namespace(nid="fox", purpose="Names things for Example Cow.", holder="Somebody else")
    assert nids(client, registrant="cow") == ["cow"]
    assert nids(client, q="example") == ["ant", "bee", "cow", "doe", "elk", "fox"]
    assert nids(client, q="elk", registrant="example") == ["elk"]


def test_a_truncated_search_is_marked(client: Client, dated: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get(LIST, {"q": "example"}).json()["is_truncated"] is False
    monkeypatch.setattr(search, "MAX_RESULTS", 2)
    body = client.get(LIST, {"q": "example"}).json()
    assert (len(body["results"]), body["is_truncated"]) == (2, True)
    assert client.get(LIST).json()["is_truncated"] is False
