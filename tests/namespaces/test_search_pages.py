"""Lists and searches in pages: complete, in order, and truncated at a limit."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from django.db import connection
from django.db.models import TextField
from django.db.models.expressions import RawSQL

from registry.namespaces import search
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.search import (
    KEYSETS,
    Order,
    SearchQuery,
    Status,
    search_page,
)
from registry.organisations.models import Organisation
from tests.namespaces.search_rows import (
    a_known,
    all_of,
    keyset_of,
    many,
    pages_of,
    some_profiles,
)

pytestmark = pytest.mark.django_db
CHOICES = list(product(Order.values, ["", *Kind.values], ["", *Status.values]))


@pytest.mark.parametrize(("order", "kind", "status"), CHOICES)
@pytest.mark.sampled(5)
def test_pages_put_together_are_the_whole_list_in_order(order: str, kind: str, status: str) -> None:
    many(120)
    wanted = Namespace.objects.all()
    wanted = wanted.filter(kind=kind) if kind else wanted
    wanted = wanted.filter(deprecated_at__isnull=status == Status.ACTIVE) if status else wanted
    columns = {Order.NID: ("nid",), Order.NEWEST: ("-registered_on", "-nid")}.get(
        Order(order), ("-updated_on", "-nid")
    )
    in_order = list(wanted.order_by(*columns))
    assert list(pages_of(SearchQuery("", kind, status, KEYSETS[order]), 17)) == in_order
    assert set(pages_of(SearchQuery("things", kind, status, KEYSETS[order]), 17)) == set(in_order)


@pytest.mark.exhaustive
@pytest.mark.parametrize("few", [20_000, 10])
def test_changes_since_a_day_do_not_depend_on_the_sort_limit(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(120)
    some_profiles()
    monkeypatch.setattr(search, "SORT_LIMIT", few)
    changed = dict(Namespace.objects.values_list("nid", RawSQL("changed", (), output_field=TextField())))
    filters = (
        SearchQuery(kind="informal"),
        SearchQuery(kind="formal", status="active"),
        SearchQuery(kind="informal", status="deprecated"),
        SearchQuery(has_grammar=True),
        SearchQuery(kind="formal", has_grammar=False),
    )
    orders = product(
        ("2010-01", "2010-03-15", "2010-03-15T09:30:15.000001", "2015-06-30", "2030-01-01"),
        ("", "registered_on", "updated_on"),
        (False, True),
    )
    for number, (since, date, descends) in enumerate(orders):
        # Each filter with every day and with every order.
        for chosen in (SearchQuery(), filters[number % len(filters)]):
            wanted = [each for each in all_of(chosen) if changed[each.nid] >= since]
            wanted.sort(key=lambda each: (getattr(each, date or "nid"), each.nid), reverse=descends)
            assert list(walk(since, chosen, date, descends)) == [each.nid for each in wanted]


def walk(since: str, chosen: SearchQuery, date: str, descends: bool) -> Iterator[str]:
    """All pages of what changed, seven namespaces each."""
    query = replace(chosen, since=since, keyset=keyset_of(date, descends))
    return (each.nid for each in pages_of(query, 7))


def test_a_search_is_truncated_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    many(60)
    monkeypatch.setattr(search, "MAX_RESULTS", 20)
    page = search_page(SearchQuery("things"), 100)
    assert (len(page.rows), page.is_truncated) == (20, True)
    assert search_page(SearchQuery("nowhere"), 100).is_truncated is False
    assert search_page(SearchQuery("things nowhere"), 100).is_truncated is True
    monkeypatch.setattr(search, "MAX_RESULTS", 60)
    assert search_page(SearchQuery("things"), 100).is_truncated is False


@pytest.mark.parametrize("is_oldest", [True, False])
@pytest.mark.exhaustive
def test_a_search_of_an_organisation_is_not_truncated_by_namespaces_of_others(
    is_oldest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    organisation = Organisation.objects.create(name="Arboretum")
    steps = [lambda: a_known("aaa-trees", purpose="Names things."), lambda: many(900)]
    for step in steps if is_oldest else reversed(steps):
        step()
    monkeypatch.setattr(search, "MAX_RESULTS", 20)
    query = SearchQuery("things", organisation=organisation.pk)
    assert search_page(query, 10).namespaces == []
    moved = Namespace.objects.get(nid="aaa-trees")
    Namespace.objects.filter(pk=moved.pk).update(organisation=organisation)
    page = search_page(query, 10)
    assert (page.namespaces, page.is_truncated) == ([moved], False)
    assert search_page(replace(query, status="deprecated"), 10).namespaces == []
    Namespace.objects.filter(pk=moved.pk).update(organisation=None)
    assert search_page(query, 10).namespaces == []


@pytest.mark.parametrize("is_oldest", [True, False])
@pytest.mark.exhaustive
def test_what_was_typed_is_found_however_many_nids_hold_it(
    is_oldest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [lambda: a_known("urn"), lambda: many(900)]
    for step in steps if is_oldest else reversed(steps):
        step()
    monkeypatch.setattr(search, "MAX_RESULTS", 20)
    exact = search_page(SearchQuery("URN", status="active", has_grammar=False), 10).exact
    assert exact == Namespace.objects.get(nid="urn")
    for other in ({"kind": "informal"}, {"status": "deprecated"}, {"has_grammar": True}):
        assert search_page(SearchQuery("urn", **other), 10).exact is None, other


def test_a_page_after_the_last_result_is_empty() -> None:
    a_known("aaa", purpose="Names books.")
    a_known("bbb", purpose="Names maps.")
    assert search_page(SearchQuery("books", after="90000.bbb"), 10).rows == []


def test_a_search_leaves_no_database_setting_changed() -> None:
    many(600)
    search_page(SearchQuery("nowhere"), 20)
    with connection.cursor() as cursor:
        for setting in ("enable_seqscan", "enable_indexscan", "enable_indexonlyscan"):
            cursor.execute(f"SHOW {setting}")
            assert cursor.fetchone() == ("on",)


def test_a_truncated_search_keeps_the_newest_and_lists_matching_nids_first() -> None:
    a_known("things-of-old", purpose="The oldest.")
    many(900)
    page = search_page(SearchQuery("things"), 10)
    assert page.is_truncated
    assert page.rows[0].nid == "things-of-old"
