"""Two transactions that change what one answer says: the second waits, and sees what the first wrote."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from threading import Event, Thread
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from registry.namespaces.models import Kind, Namespace
from registry.namespaces.services.registration import add_revision
from tests.namespaces.lookup.test_cached_lookup import differences
from tests.support.databases import a_copy_of_the_test_database
from tests.support.factories import a_template

NIDS = map("example-trees-{}".format, count(1))
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
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


WRITERS = [revise, add_an_older_version, change_the_holder, deprecate]


def until_another_waits() -> None:
    """Or until it is plain that it does not."""
    until = time.monotonic() + PATIENCE
    with connection.cursor() as cursor:
        while time.monotonic() < until:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
            time.sleep(0.01)


@pytest.fixture(scope="module")
def one_database(the_test_database: None, django_db_blocker: Any) -> Iterator[None]:
    """Where transactions commit, for all of these tests: each has a namespace of its own."""
    with django_db_blocker.unblock(), a_copy_of_the_test_database():
        yield


@pytest.mark.parametrize("second", WRITERS)
@pytest.mark.parametrize("first", WRITERS)
def test_the_answer_says_what_both_wrote(
    one_database: None, first: Callable[[str], None], second: Callable[[str], None]
) -> None:
    nid = next(NIDS)
    namespace = Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    add_revision(namespace, a_template(), version=2)
    has_written, refused = Event(), []

    def follow() -> None:
        has_written.wait(30)
        try:
            with transaction.atomic():
                second(nid)
        except IntegrityError as error:
            refused.append(error)
        finally:
            connection.close()

    thread = Thread(target=follow)
    thread.start()
    with transaction.atomic():
        first(nid)
        has_written.set()
        until_another_waits()
    thread.join(30)
    # Two that make the same version are not both let through.
    assert bool(refused) == (first is second and first in {revise, add_an_older_version})
    assert differences() == []
