"""Words of a search: where they are found, and in which order the results are."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from registry.accounts.models import User
from registry.namespaces.actions import registration
from registry.namespaces.models import Namespace
from registry.namespaces.search import (
    KEYSETS,
    SearchQuery,
    is_found,
    search_namespaces,
    search_page,
)
from tests.namespaces.search_rows import (
    a_known,
    found,
)
from tests.support.factories import a_template

pytestmark = pytest.mark.django_db


def test_a_nid_is_found_by_any_part_of_it() -> None:
    a_known("isbn")
    for part in ("isbn", "ISB", "sbn", "sb", "b", "n"):
        assert found(part) == ["isbn"], part
    assert found("ins") == []


def test_a_part_of_a_nid_is_more_than_its_own_parts() -> None:
    a_known("abkd-bkdf")
    a_known("n231-123")
    assert found("bkdf") == ["abkd-bkdf"]
    assert not any(is_found(text) for text in ("abkdf", "1231", "x" * 33))


def test_words_are_found_by_any_prefix() -> None:
    longest = "w" * 40
    a_known("isbn", purpose=f"Names books. {longest}", holder="Agency")
    for words in ("bo", "boo", "books", "book", "ag bo", "a b", "w" * 5, longest):
        assert found(words) == ["isbn"], words
    assert found("ooks") == found("bookss") == []


def test_registrant_and_date_filters_combine_with_words() -> None:
    instants = (
        datetime(2016, 8, 20, tzinfo=UTC),
        datetime(2016, 8, 30, 12, tzinfo=UTC),
        datetime(2021, 1, 1, tzinfo=UTC),
    )
    a_known("aaa", holder="Example Órg", purpose="Names books.", changed_at=instants[0])
    a_known("bbb", holder="Example Agency", purpose="Names books of an org.", changed_at=instants[1])
    a_known("ccc", holder="Example Agency", purpose="Names maps.", changed_at=instants[2])

    def asked(**asked: str) -> list[str]:
        return [each.nid for each in search_namespaces(SearchQuery(**asked), 100).namespaces]

    assert asked(registrant="org") == ["aaa"]
    assert asked(registrant="ex age") == ["bbb", "ccc"]
    assert asked(text="books", registrant="exa") == ["aaa", "bbb"]
    assert asked(text="org", registrant="agency") == ["bbb"]
    assert asked(registrant="rg") == asked(registrant="&") == asked(text="&", registrant="org") == []
    for since, expected in {
        "2016-08": ["aaa", "bbb", "ccc"],
        "2016-08-30": ["bbb", "ccc"],
        "2016-08-30T12:00:00.000000": ["bbb", "ccc"],
        "2016-08-30T12:00:00.000001": ["ccc"],
        "2016-08-31": ["ccc"],
        "2016-09": ["ccc"],
        "2020-12-31": ["ccc"],
        "2021-01-01": ["ccc"],
        "2021-01-02": [],
        "9999-12": [],
        "0001-01-01": ["aaa", "bbb", "ccc"],
    }.items():
        assert asked(text="names", since=since) == expected, since


def test_a_change_is_known_to_searches_at_once() -> None:
    old = a_known("fipa", purpose="Names agents.", changed_at=datetime(2001, 1, 1, tzinfo=UTC))
    since = SearchQuery("agents", since="2024-05-06")
    assert not search_namespaces(since, 1).namespaces
    old.mark_changed()
    assert [each.nid for each in search_namespaces(since, 1).namespaces] == ["fipa"]


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
    assert found("arboretum wxn") == ["wxn", "example-trees"]


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
