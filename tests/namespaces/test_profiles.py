"""The current profiles of namespaces: read with one query, parsed once, and never stale."""

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.core.digests import digest_of
from registry.namespaces import profile_cache
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.current_profiles import (
    CHARACTER_NAMES,
    changed_keys,
    comparison_in_words,
    contradiction,
    profiles_of,
)
from registry.namespaces.models import Kind, Namespace, Origin
from tests.support.factories import a_profile
from urnsyntax import URN
from urnsyntax.profiles import Names, Profile
from urnsyntax.profiles.equivalence import IGNORABLE


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> OrderedDict[str, Profile]:
    """An empty cache."""
    monkeypatch.setattr(profile_cache, "_entries", OrderedDict())
    return profile_cache._entries


def with_profile(nid: str, profile: Profile | None = None, replaces: int = 0) -> Namespace:
    namespace, _ = Namespace.objects.get_or_create(nid=nid, kind=Kind.FORMAL, origin=Origin.IANA)
    profile = profile or a_profile(nid)
    return set_profile(namespace, by=None, profile=profile, basis="Files.", replaces=replaces).namespace


def queries(nids: list[str]) -> tuple[dict[str, Profile], int]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        found = profiles_of(nids)
    return found, len(captured)


def test_profiles_are_read_by_nid_and_parsed_once(db: None, cache: OrderedDict[str, Profile]) -> None:
    for nid in ("isbn", "issn", "doi"):
        with_profile(nid)
    Namespace.objects.create(nid="uuid", kind=Kind.FORMAL, origin=Origin.IANA)
    cache.clear()
    asked = ["isbn", "uuid", "issn", "isbn", "unknown"]
    found, first = queries(asked)
    assert found == {nid: a_profile(nid) for nid in ("isbn", "issn")}
    again, second = queries(asked)
    assert (first, second) == (2, 1)
    assert all(again[nid] is found[nid] for nid in found)
    assert profiles_of([]) == {}


def test_a_changed_or_removed_profile_is_read_at_once(db: None) -> None:
    with_profile("isbn")
    assert profiles_of(["isbn"])["isbn"].title == "Trees of gardens"
    with_profile("isbn", a_profile("isbn", title="Books"), replaces=1)
    assert profiles_of(["isbn"])["isbn"].title == "Books"
    namespace = Namespace.objects.get(nid="isbn")
    set_profile(namespace, by=None, profile=None, basis="It was wrong.", replaces=2)
    assert profiles_of(["isbn"]) == {}


def test_the_least_recently_used_profile_leaves_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_cache, "MAX_ENTRIES", 2)
    contents = {nid: a_profile(nid).to_dict() for nid in ("isbn", "issn", "doi")}

    def parse(nid: str) -> Profile:
        return profile_cache.parsed_profile(digest_of(contents[nid]), contents[nid])

    isbn, issn = parse("isbn"), parse("issn")
    assert parse("isbn") is isbn
    parse("doi")
    assert parse("isbn") is isbn
    assert parse("issn") is not issn


def test_threads_share_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_cache, "MAX_ENTRIES", 3)
    contents = [a_profile(title=f"Trees {number}").to_dict() for number in range(12)]

    def parse(number: int) -> Profile:
        content = contents[number % len(contents)]
        return profile_cache.parsed_profile(digest_of(content), content)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(parse, range(600)))
    assert [each.title for each in found] == [f"Trees {number % 12}" for number in range(600)]
    assert len(profile_cache._entries) <= 3


def test_the_stored_content_is_the_profile(db: None, administrator: User) -> None:
    profile = a_profile("isbn", keywords=["Bücher", "書籍"], parts={"nss": "number"}, abnf="nss = 9DIGIT",
                        examples=["1" * 9, "2" * 9, "3" * 9])  # fmt: skip
    stored = with_profile("isbn", profile).profile
    assert stored is not None
    stored.refresh_from_db()
    assert stored.content is not None
    assert (Profile.from_dict(stored.content), stored.digest) == (profile, digest_of(stored.content))


def test_a_profile_that_was_set_is_not_parsed_again(db: None) -> None:
    profile = a_profile("isbn", title="Trees that were set")
    stored = with_profile("isbn", profile).profile
    assert stored is not None
    assert stored.value is profile


# Sentences


@pytest.mark.parametrize(
    ("nss", "contradicts"),
    [
        ("12:4711", False),
        ("12:x", True),
        ("x", True),
        ("12:", False),
        ("1", False),
        ("12", False),
        ("a:b", True),
    ],
)
def test_what_contradicts_a_grammar(nss: str, contradicts: bool) -> None:
    profile = a_profile(abnf='trees = 2DIGIT ":" 1*DIGIT', examples=("12:1",), counterexamples=("12:y",))
    assert bool(contradiction(profile, URN.parse(f"urn:example-trees:{nss}"))) == contradicts


def test_no_name_contradicts_an_unstated_grammar_or_a_counterexample() -> None:
    unstated = a_profile(unstated="The registration states none.")
    assert contradiction(unstated, URN.parse("urn:example-trees:x")) == ""
    assert contradiction(a_profile(), URN.parse("urn:Example-Trees:twelve#part")) == ""


@pytest.mark.parametrize(
    ("rules", "sentences"),
    [
        ({}, ""),
        ({"ignores_case": True}, "Ignored when names are compared: letter case."),
        ({"ignored_characters": "-"}, "Ignored when names are compared: hyphens."),
        ({"ignores_case": True, "ignored_characters": "-"},
         "Ignored when names are compared: letter case and hyphens."),
        ({"ignores_case": True, "ignored_characters": "-."},
         "Ignored when names are compared: letter case, hyphens and full stops."),
        ({"equivalence": "isbn"}, "Names are compared without hyphens, and as ISBN of 13 digits."),
        ({"equivalence": "isbn", "ignores_case": True},
         "Names are compared without hyphens, and as ISBN of 13 digits. Ignored when names are compared: letter case."),
    ],
)  # fmt: skip
def test_ignored_differences_are_described(rules: dict[str, Any], sentences: str) -> None:
    assert comparison_in_words(Names(**rules)) == sentences


def test_each_character_that_can_be_ignored_has_a_name() -> None:
    assert set(CHARACTER_NAMES) == set(IGNORABLE)


# Differences


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        (a_profile(), a_profile(title="Oaks"), ["title"]),
        (a_profile(), a_profile(pattern="[0-9:]+", ignores_case=True),
         ["names.ignores_case", "names.pattern", "sources"]),
        (a_profile(keywords=["oak"]), a_profile(), ["keywords", "sources"]),
        (a_profile(), a_profile(), []),
    ],
)  # fmt: skip
def test_the_changed_keys_are_named(before: Profile, after: Profile, keys: list[str]) -> None:
    assert changed_keys(before.to_dict(), after.to_dict()) == keys
