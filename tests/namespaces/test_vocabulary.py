"""The vocabulary of searches: written by triggers, without locks, and without the names that are erased."""

from collections import Counter
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction

from registry.accounts.models import User
from registry.core.database.bulk_copy import copy_insert
from registry.core.database.connections import APPLICATION_ROLE
from registry.namespaces.actions import registration
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, SearchWord
from registry.registration_template.sections import Registrant
from tests.support.databases import at_once
from tests.support.factories import a_profile, a_template


def words() -> set[str]:
    return set(SearchWord.objects.values_list("word", flat=True))


def a_known(nid: str, holder: str = "") -> Namespace:
    return Namespace(nid=nid, kind=Kind.FORMAL, holder=holder)


@pytest.mark.django_db
def test_nids_registrants_and_profiles_are_learned() -> None:
    trees = a_known("sea-marks", "Société of Trees (Arboretum)")
    trees.save()
    assert words() == {"marks", "societe", "trees", "arboretum"}
    trees.holder = "Example Library"
    trees.save()
    assert words() >= {"example", "library"}
    profile = a_profile(
        "sea-marks", title="Lighthouses", summary="Each has light.", subjects=["transport"],
        keywords=["beacon"], organisation="Admiralty", resource="a signal",
    )  # fmt: skip
    set_profile(trees, by=None, profile=profile, basis="Curated.", replaces=0)
    assert words() >= {"lighthouses", "each", "light", "transport", "beacon", "admiralty", "signal"}


@pytest.mark.django_db
def test_short_words_and_numbers_are_not_learned() -> None:
    a_known("3gpp-abc", f"Example Body 1234 b4dy {'x' * 33}").save()
    assert words() == {"example", "body"}


@pytest.mark.django_db
def test_each_word_is_kept_once() -> None:
    copy_insert(Namespace, [a_known("sea-marks", "Example Body"), a_known("land-marks", "Body of Marks")])
    a_known("more-marks", "Example Body").save()
    assert set(Counter(SearchWord.objects.values_list("word", flat=True)).values()) == {1}
    assert words() == {"marks", "land", "more", "example", "body"}


@pytest.mark.django_db
def test_erased_names_are_forgotten_unless_another_namespace_has_them() -> None:
    a_known("aaa", "Erika Mustermann").save()
    a_known("bbb", "Erika Society").save()
    Namespace.objects.filter(nid="aaa").update(holder="[erased]")
    with connection.cursor() as cursor:
        cursor.execute("SELECT namespaces_forget(ARRAY['Erika Mustermann', 'Mustermann (unknown)'])")
    assert words() == {"erika", "society", "erased"}


@pytest.mark.django_db
def test_a_registrant_that_is_erased_is_forgotten(registrant: User) -> None:
    trees = registration.register_formal(a_template(), registrant=registrant).namespace
    Namespace.objects.filter(pk=trees.pk).update(holder="Erika Mustermann")
    assert words() >= {"erika", "mustermann"}
    registration.update_holder(trees, erased=Registrant())
    assert not words() & {"erika", "mustermann"}


@pytest.mark.django_db
def test_the_application_may_write_it() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {APPLICATION_ROLE}")
        a_known("sea-marks").save()
        cursor.execute("RESET ROLE")
    assert words() == {"marks"}


@pytest.mark.django_db
def test_a_lookup_reads_the_index() -> None:
    a_known("sea-marks").save()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN SELECT word FROM namespaces_searchword WHERE word IN ('marks', 'marls')")
        assert "search_words" in str(cursor.fetchall())


def test_two_transactions_that_add_the_same_words_do_not_wait_for_each_other(real_database: None) -> None:
    both_have_written = Barrier(2)

    def add(*nids: str) -> Any:
        with transaction.atomic():
            for nid in nids:
                a_known(nid, f"{nid.partition('-')[0]} society").save()
            both_have_written.wait(timeout=20)

    assert at_once([lambda: add("land-one", "marks-one"), lambda: add("marks-two", "land-two")]) == [
        None,
        None,
    ]
    assert words() == {"land", "marks", "society"}
