"""Searches by the words, the subjects and the grammar of profiles."""

import pytest

from registry.accounts.models import User
from registry.namespaces import search
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.namespaces.search import (
    KEYSETS,
    Order,
    SearchQuery,
    search_namespaces,
    search_page,
)
from tests.namespaces.search_rows import (
    a_described,
    a_known,
    all_of,
    found,
    many,
    pages_of,
    some_profiles,
)
from tests.support.factories import a_profile

pytestmark = pytest.mark.django_db


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
    assert [each.pk for each in search_namespaces(SearchQuery(**of_one), 5).namespaces] == [
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
