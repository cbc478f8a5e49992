"""Lists and searches: what they find, in pages that are whole, and always from an index."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.db.models import TextField
from django.db.models.expressions import RawSQL
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from registry.accounts.models import User
from registry.core.pagination import Keyset
from registry.namespaces import search
from registry.namespaces.models import Kind, Namespace, ProfileVersion
from registry.namespaces.search import (
    KEYSETS,
    Order,
    SearchQuery,
    Status,
    search_namespaces,
    search_page,
)
from registry.namespaces.services import registration
from registry.namespaces.services.profiles import set_profile
from tests.support.databases import in_sql
from tests.support.factories import a_profile, a_template

pytestmark = pytest.mark.django_db

CHOICES = list(product(Order.values, ["", *Kind.values], ["", *Status.values]))


def found(words: str, **rest: Any) -> list[str]:
    page = search_page(SearchQuery(words, **rest), 100)
    return [each.nid for each in (*filter(None, [page.exact]), *page.rows)]


def a_known(nid: str, **fields: Any) -> Namespace:
    return Namespace.objects.create(nid=nid, kind=Kind.FORMAL, **fields)


def many(how_many: int) -> None:
    """Namespaces of both kinds and statuses, with dates that repeat."""
    in_sql(f"""
        INSERT INTO namespaces_namespace (nid, kind, number, origin, holder, purpose, registered_on, updated_on,
            "references", template_url, deprecated_at, deprecation_statement, changed_at)
        SELECT CASE WHEN i % 3 = 0 THEN 'urn-' || i ELSE 'n' || md5(i::text)::varchar(12) END,
            CASE WHEN i % 3 = 0 THEN 'informal' ELSE 'formal' END, CASE WHEN i % 3 = 0 THEN i END,
            'iana', 'Example holder ' || i % 500, 'Names things of kind ' || i % 50,
            to_char(date '2010-01-01' + i % 700, 'YYYY-MM-DD'),
            CASE WHEN i % 4 = 0 THEN to_char(date '2015-01-01' + i % 300, 'YYYY-MM-DD') ELSE '' END,
            '[]', '', CASE WHEN i % 10 = 0 THEN now() END, CASE WHEN i % 10 = 0 THEN 'Over.' ELSE '' END, now()
        FROM generate_series(1, {how_many}) AS i
    """)
    in_sql("ANALYZE namespaces_namespace")


def some_profiles(*, one_in: int = 7) -> None:
    """Profiles with a grammar for some of the namespaces, of both kinds and statuses."""
    content = a_profile().to_dict()
    chosen = list(Namespace.objects.order_by("pk").values_list("pk", "nid"))[::one_in]
    ProfileVersion.objects.bulk_create(
        ProfileVersion(
            namespace_id=pk, version=1, content=content | {"nid": nid}, digest="0" * 64, basis="Syntax."
        )
        for pk, nid in chosen
    )
    in_sql("ANALYZE namespaces_namespace")


def test_a_nid_is_found_by_any_part_of_it() -> None:
    a_known("isbn")
    for part in ("isbn", "ISB", "sbn", "sb", "b", "n"):
        assert found(part) == ["isbn"], part
    assert found("ins") == []


def test_a_part_of_a_nid_is_more_than_its_own_parts() -> None:
    a_known("abkd-bkdf")
    a_known("n231-123")
    assert found("bkdf") == ["abkd-bkdf"]
    assert found("abkdf") == found("1231") == found("x" * 33) == []


def test_words_are_found_by_any_prefix() -> None:
    longest = "w" * 40
    a_known("isbn", purpose=f"Names books. {longest}", holder="Agency")
    for words in ("bo", "boo", "books", "book", "ag bo", "a b", "w" * 5, longest):
        assert found(words) == ["isbn"], words
    assert found("ooks") == found("bookss") == []


def test_registrant_and_date_filters_combine_with_words() -> None:
    a_known("aaa", holder="Example Órg", purpose="Names books.", registered_on="2016-08")
    a_known("bbb", holder="Example Agency", purpose="Names books of an org.", registered_on="2016-08-30")
    a_known("ccc", holder="Example Agency", purpose="Names maps.", updated_on="2021-01-01")

    def asked(**asked: str) -> list[str]:
        return [each.nid for each in search_namespaces(SearchQuery(**asked), 100)[0]]

    assert asked(registrant="org") == ["aaa"]
    assert asked(registrant="ex age") == ["bbb", "ccc"]
    assert asked(text="books", registrant="exa") == ["aaa", "bbb"]
    assert asked(text="org", registrant="agency") == ["bbb"]
    assert asked(registrant="rg") == asked(registrant="&") == asked(text="&", registrant="org") == []
    for since, expected in {
        "2016-08": ["aaa", "bbb", "ccc"],
        "2016-08-30": ["aaa", "bbb", "ccc"],
        "2016-08-31": ["aaa", "ccc"],
        "2016-09": ["ccc"],
        "2020-12-31": ["ccc"],
        "2021-01-01": ["ccc"],
        "2021-01-02": [],
        "9999-12": [],
        "0001-01-01": ["aaa", "bbb", "ccc"],
    }.items():
        assert asked(text="names", since=since) == expected, since


def test_a_deprecation_is_a_change_that_searches_know() -> None:
    old = a_known("fipa", purpose="Names agents.", registered_on="2001-01-01")
    old.deprecated_at, old.deprecation_statement = datetime(2024, 5, 6, tzinfo=UTC), "Over."
    old.save()
    assert [each.nid for each in search_namespaces(SearchQuery("agents", since="2024-05-06"), 1)[0]] == [
        "fipa"
    ]
    assert not search_namespaces(SearchQuery("agents", since="2024-05-07"), 1)[0]


def test_the_exact_nid_comes_first_then_nids_with_the_words_then_others() -> None:
    a_known("a-book", purpose="Names isbn-like things.")
    a_known("big-isbn")
    a_known("isbn")
    assert found("isbn") == ["isbn", "big-isbn", "a-book"]
    assert search_page(SearchQuery("isbn"), 100).exact == Namespace.objects.get(nid="isbn")


def test_registrant_purpose_references_and_text_are_looked_at(registrant: User) -> None:
    registration.register_formal(a_template(), registrant=registrant)
    a_known("wxn", holder="Réseau Météo", references=[{"type": "rfc", "target": "", "label": "RFC9562"}])
    for words in ("Arboretum", "trees garden", "catalogues", "catalogue", "colon counter"):
        assert found(words) == ["example-trees"], words
    for words in ("reseau", "MÉTÉO", "rfc9562", "wxn meteo", "rés"):
        assert found(words) == ["wxn"], words
    assert found("arboretum wxn") == []


def test_a_new_revision_is_found_by_its_text_and_the_old_text_no_more(registrant: User) -> None:
    trees = registration.register_formal(
        a_template(resolution="By carrier pigeon."), registrant=registrant
    ).namespace
    assert found("pigeon") == ["example-trees"]
    changed = a_template(version=2, resolution="By telegraph.", revision_information="No pigeons.")
    registration.register_revision(trees, changed)
    assert found("telegraph") == ["example-trees"]


def test_rows_that_are_copied_in_are_found_in_whichever_order_they_come(registrant: User) -> None:
    written = registration.register_formal(a_template(resolution="By pigeon."), registrant=registrant)
    with connection.cursor() as cursor:
        cursor.execute("""
            INSERT INTO namespaces_namespace (id, nid, kind, origin, holder, purpose, latest_id, registered_on,
                updated_on, "references", template_url, deprecation_statement, changed_at)
            VALUES (90000, 'copied', 'formal', 'iana', '', '', 90001, '', '', '[]', '', '', now())
        """)
        cursor.execute("""
            INSERT INTO namespaces_revision (id, namespace_id, version, content, text, commitments, digest, origin,
                registered_at) VALUES (90001, 90000, 1, '{}', 'Sent by pigeon.', '{}', '', 'iana', now())
        """)
    assert found("pigeon") == ["copied", written.namespace.nid]


def test_a_deprecated_namespace_is_found_by_its_new_status() -> None:
    old = a_known("fipa", purpose="Names agents.")
    assert found("agents", status="active") == ["fipa"]
    old.deprecated_at, old.deprecation_statement = old.changed_at, "Over."
    old.save()
    assert found("agents", status="active") == []
    assert found("agents", status="deprecated", kind="formal") == ["fipa"]


@pytest.mark.parametrize(
    "words",
    ["'", '"', "%", "_", "\\", "&", "a & !b | (c", "a:*", "<->", "'; DROP TABLE x; --", "☃", "\ud800", "x\0y", "of", "the",
     "x" * 10_000, "word " * 2_000, "é" * 501, "\n", "０", "🙂 isbn"],
    ids=lambda value: ascii(value)[:20],
)  # fmt: skip
def test_no_text_breaks_a_search(words: str) -> None:
    a_known("isbn")
    assert found(words) in ([], ["isbn"])


class AnyText(TestCase):
    @given(st.text())
    def test_any_text_can_be_searched_for(self, words: str) -> None:
        for keyset in KEYSETS.values():
            search_page(SearchQuery(words, keyset=keyset), 3)


def pages_of(question: SearchQuery, size: int) -> Iterator[Namespace]:
    while True:
        page = search_page(question, size)
        yield from page.rows
        if not page.after:
            return
        question = replace(question, after=page.after)


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


@pytest.mark.parametrize("few", [20_000, 10])
def test_changes_since_a_day_do_not_depend_on_the_sort_limit(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(120)
    some_profiles()
    monkeypatch.setattr(search, "SORT_LIMIT", few)
    changed = dict(Namespace.objects.values_list("nid", RawSQL("changed_on", (), output_field=TextField())))
    for since, date, descends in product(
        ("2010-01", "2010-03-15", "2015-06-30", "2030-01-01"),
        ("", "registered_on", "updated_on"),
        (False, True),
    ):
        for chosen in (
            SearchQuery(),
            SearchQuery(kind="informal"),
            SearchQuery(kind="formal", status="active"),
            SearchQuery(kind="informal", status="deprecated"),
            SearchQuery(has_grammar=True),
            SearchQuery(kind="formal", has_grammar=False),
        ):
            wanted = [each for each in all_of(chosen) if changed[each.nid] >= since]
            wanted.sort(key=lambda each: (getattr(each, date or "nid"), each.nid), reverse=descends)
            assert list(walk(since, chosen, date, descends)) == [each.nid for each in wanted]


def all_of(chosen: SearchQuery) -> list[Namespace]:
    return [
        each
        for each in Namespace.objects.all()
        if chosen.kind in ("", each.kind)
        and chosen.status in ("", Status.DEPRECATED if each.is_deprecated else Status.ACTIVE)
        and chosen.has_grammar in (None, each.has_grammar)
    ]


def keyset_of(date: str, descends: bool) -> Keyset:
    """The order by a date, unless it is empty, and then by NID."""
    columns = (date, "nid") if date else ("nid",)
    return Keyset(*(f"-{column}" if descends else column for column in columns))


def walk(since: str, chosen: SearchQuery, date: str, descends: bool) -> Iterator[str]:
    """All pages of what changed, seven namespaces each."""
    query = replace(chosen, since=since, keyset=keyset_of(date, descends))
    return (each.nid for each in pages_of(query, 7))


def test_a_search_is_truncated_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    many(60)
    monkeypatch.setattr(search, "MAX_RESULTS", 20)
    page = search_page(SearchQuery("things"), 100)
    assert (len(page.rows), page.is_truncated) == (20, True)
    assert search_page(SearchQuery("things nowhere"), 100).is_truncated is False
    monkeypatch.setattr(search, "MAX_RESULTS", 60)
    assert search_page(SearchQuery("things"), 100).is_truncated is False


@pytest.mark.parametrize("is_oldest", [True, False])
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
    assert search_page(SearchQuery("books", after="5.bbb"), 10).rows == []


@pytest.mark.parametrize("has_grammar", [True, False])
@pytest.mark.parametrize("order", Order.values)
def test_those_with_a_grammar_and_those_without_are_the_whole_list(order: str, has_grammar: bool) -> None:
    many(120)
    some_profiles()
    wanted = set(Namespace.objects.filter(has_grammar=has_grammar))
    assert len(wanted) == (18 if has_grammar else 102)
    in_order = [each for each in pages_of(SearchQuery(keyset=KEYSETS[order]), 17) if each in wanted]
    assert list(pages_of(SearchQuery(keyset=KEYSETS[order], has_grammar=has_grammar), 17)) == in_order
    assert set(pages_of(SearchQuery("things", keyset=KEYSETS[order], has_grammar=has_grammar), 17)) == wanted


def test_the_grammar_filter_is_complete_even_for_common_words(monkeypatch: pytest.MonkeyPatch) -> None:
    many(120)
    some_profiles(one_in=50)
    monkeypatch.setattr(search, "MAX_RESULTS", 20)
    page = search_page(SearchQuery("things", has_grammar=True), 100)
    assert {each.nid for each in page.rows} == {each.nid for each in all_of(SearchQuery(has_grammar=True))}
    assert (len(page.rows), page.is_truncated) == (3, False)
    assert search_page(SearchQuery("things", has_grammar=False), 100).is_truncated
    of_one = {"registrant": "holder 101", "has_grammar": True}
    assert [each.pk for each in search_namespaces(SearchQuery(**of_one), 5)[0]] == [
        each.pk for each in page.rows if each.holder == "Example holder 101"
    ]


def test_the_grammar_filter_follows_the_profile(administrator: User) -> None:
    isbn = a_known("isbn", purpose="Names books.")

    def are_found() -> tuple[list[str], list[str]]:
        with_grammar, without = (
            search_page(SearchQuery("books", has_grammar=has_grammar), 5).rows
            for has_grammar in (True, False)
        )
        return [each.nid for each in with_grammar], [each.nid for each in without]

    assert are_found() == ([], ["isbn"])
    set_profile(isbn, by=administrator, profile=a_profile("isbn"), basis="Syntax.", replaces=0)
    assert are_found() == (["isbn"], [])
    Namespace.objects.update(purpose="Names books and maps.")
    assert are_found() == (["isbn"], [])
    unstated = a_profile("isbn", unstated="The registration states none.")
    set_profile(isbn, by=administrator, profile=unstated, basis="No longer.", replaces=1)
    assert are_found() == ([], ["isbn"])
    set_profile(isbn, by=administrator, profile=a_profile("isbn"), basis="Syntax.", replaces=2)
    assert are_found() == (["isbn"], [])
    set_profile(isbn, by=administrator, profile=None, basis="No longer.", replaces=3)
    assert are_found() == ([], ["isbn"])


def a_described(nid: str, **facts: Any) -> Namespace:
    profile = a_profile(nid, **facts)
    return set_profile(a_known(nid), by=None, profile=profile, basis="Files.", replaces=0).namespace


def test_a_search_finds_the_words_of_the_profile(db: None) -> None:
    isbn = a_described(
        "isbn",
        title="International Standard Book Number",
        summary="Every edition of a publication has a number.",
        resource="an edition",
        organisation="International ISBN Agency",
        keywords=["bookshop", "Büchernummer"],
        subjects=["bibliography"],
    )
    a_described("epc", title="Electronic Product Code", subjects=["logistics"])
    a_known("other")
    for words in ("book", "books", "standard num", "publications", "edition", "agency", "bookshop", "buchernummer",
                  "bibliography", "biblio"):  # fmt: skip
        assert found(words) == ["isbn"], words
    set_profile(isbn, by=None, profile=None, basis="It was wrong.", replaces=1)
    assert found("book") == []


def test_namespaces_are_found_by_subject(db: None) -> None:
    a_described("isbn", subjects=["bibliography", "media"])
    a_described("eidr", subjects=["media"])
    lex = a_described("lex", subjects=["law"])
    a_known("media")
    assert found("", subject="media") == ["eidr", "isbn"]
    assert found("", subject="media", keyset=KEYSETS["newest"], status="active") == ["isbn", "eidr"]
    assert found("is", subject="media") == ["isbn"]
    assert found("media", subject="law") == []
    assert found("MEDIA", subject="media", has_grammar=True) == ["eidr", "isbn"]
    set_profile(lex, by=None, profile=a_profile("lex", subjects=["media"]), basis="Media.", replaces=1)
    assert (found("", subject="law"), found("", subject="media")) == ([], ["eidr", "isbn", "lex"])


def test_a_subject_of_many_namespaces_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    many(120)
    some_profiles()
    monkeypatch.setattr(search, "MAX_RESULTS", 10)
    page = search_page(SearchQuery(subject="science"), 100)
    assert (len(page.rows), page.is_truncated) == (10, True)


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
