"""Transactions that change what one response says, and others that store the response: none is stored stale."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from threading import Event, Thread
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils.http import http_date
from rest_framework.renderers import JSONRenderer

from registry.api.namespaces.serializers import NamespaceDetailSerializer
from registry.api.namespaces.views import in_full
from registry.namespaces.actions.registration import add_revision
from registry.namespaces.lookup import LookupReader, release_tag, store_lookup
from registry.namespaces.models import Kind, Namespace
from tests.namespaces.lookup.test_cached_lookup import differences
from tests.support.databases import a_fresh_database, blocks_another
from tests.support.factories import a_template

NIDS = map("example-trees-{}".format, count(1))
PATIENCE = 5.0


def revise(nid: str) -> None:
    namespace = Namespace.objects.get(nid=nid)
    add_revision(namespace, a_template(), version=namespace.version + 1)


def add_an_older_version(nid: str) -> None:
    """Which changes nothing of the namespace itself."""
    namespace = Namespace.objects.get(nid=nid)
    add_revision(namespace, a_template(), version=1)


def change_the_holder(nid: str) -> None:
    Namespace.objects.filter(nid=nid).update(holder="Another Arboretum")


def deprecate(nid: str) -> None:
    Namespace.objects.filter(nid=nid).update(deprecated_at="2026-11-21T00:00Z", deprecation_statement="Gone.")


def store_later(nid: str, seconds: float = 0.0) -> bool:
    """What the API's view does on a miss, with a pause between reading and storing; whether it was stored."""
    namespace: Any = in_full().get(nid=nid)
    body = JSONRenderer().render(NamespaceDetailSerializer(namespace).data)
    time.sleep(seconds)
    modified = http_date(namespace.changed_at.timestamp())
    return store_lookup(namespace.pk, namespace.generation, body, modified)


WRITERS = [revise, add_an_older_version, change_the_holder, deprecate]


def until_it_waits(has_ended: Callable[[], bool]) -> None:
    """Or until it has ended, or it is plain that it does not wait."""
    until = time.monotonic() + PATIENCE
    while not has_ended() and not blocks_another() and time.monotonic() < until:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def one_database(the_test_database: None, django_db_blocker: Any) -> Iterator[None]:
    """Where transactions commit, for all of these tests: each has a namespace of its own."""
    with django_db_blocker.unblock(), a_fresh_database():
        yield


@pytest.mark.sampled(4)
@pytest.mark.parametrize("second", WRITERS)
@pytest.mark.parametrize("first", WRITERS)
def test_the_response_contains_both_concurrent_changes(
    one_database: None, first: Callable[[str], None], second: Callable[[str], None]
) -> None:
    nid = next(NIDS)
    namespace = Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    add_revision(namespace, a_template(), version=2)
    has_written, has_ended, refused = Event(), Event(), []

    def fill() -> None:
        while not has_ended.is_set():
            store_later(nid, 0.005)
        connection.close()

    def follow() -> None:
        has_written.wait(30)
        try:
            with transaction.atomic():
                second(nid)
        except IntegrityError as error:
            refused.append(error)
        finally:
            connection.close()

    thread, filler = Thread(target=follow, daemon=True), Thread(target=fill, daemon=True)
    thread.start()
    filler.start()
    with transaction.atomic():
        first(nid)
        has_written.set()
        until_it_waits(lambda: not thread.is_alive())
    thread.join(30)
    has_ended.set()
    filler.join(30)
    # Two that make the same version are not both let through.
    assert bool(refused) == (first is second and first in {revise, add_an_older_version})
    assert differences() == []


def in_another_thread(job: Callable[[], None]) -> None:
    """Run `job` to its end on a connection of its own."""

    def run() -> None:
        try:
            job()
        finally:
            connection.close()

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive(), "it waits"


@pytest.fixture
def filled(one_database: None) -> str:
    """The NID of a namespace whose response is stored."""
    nid = next(NIDS)
    add_revision(Namespace.objects.create(nid=nid, kind=Kind.FORMAL), a_template(), version=2)
    assert store_later(nid)
    return nid


def found(nid: str) -> bytes | None:
    """What the fast lookup finds."""
    reader = LookupReader(release_tag())
    try:
        row = reader.find(nid)
    finally:
        reader.close()
    return row and row.body


@pytest.mark.parametrize("write", WRITERS)
def test_a_change_between_reading_and_storing_leaves_nothing_stored(
    filled: str, write: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """This fails when the generation is not checked."""
    Namespace.objects.filter(nid=filled).update(purpose="not stored yet")
    with monkeypatch.context() as patch:
        patch.setattr(f"{__name__}.time.sleep", lambda _: in_another_thread(lambda: write(filled)))
        assert not store_later(filled)
    assert found(filled) is None
    assert differences() == []


@pytest.mark.parametrize("write", WRITERS)
def test_while_a_change_is_not_committed_nothing_is_stored_and_the_old_response_is_served(
    filled: str, write: Callable[[str], None]
) -> None:
    old, stored = found(filled), []
    with transaction.atomic():
        write(filled)
        in_another_thread(lambda: stored.append(store_later(filled)))
        assert found(filled) == old
    assert stored == [False]
    assert found(filled) is None
    assert differences() == []


def test_what_was_stored_before_a_change_in_an_open_transaction_is_emptied(filled: str) -> None:
    stored: list[bool] = []
    with transaction.atomic():
        assert Namespace.objects.get(nid=filled).holder != "Another Arboretum"
        in_another_thread(lambda: Namespace.objects.filter(nid=filled).update(purpose="Another purpose."))
        in_another_thread(lambda: stored.append(store_later(filled)))
        change_the_holder(filled)
    assert stored == [True]
    assert found(filled) is None
    assert differences() == []


def test_the_second_of_two_concurrent_stores_does_not_wait(filled: str) -> None:
    change_the_holder(filled)
    stored: list[bool] = []
    with transaction.atomic():
        assert store_later(filled)
        in_another_thread(lambda: stored.append(store_later(filled)))
    assert stored == [False]
    assert found(filled)
    assert differences() == []
