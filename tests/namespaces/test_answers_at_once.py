"""Two transactions that change what one answer says: the second waits, and sees what the first wrote."""

import time
from collections.abc import Callable
from threading import Event, Thread

import pytest
from django.db import IntegrityError, connection, transaction

from registry.namespaces.models import Kind, Namespace
from registry.namespaces.registering import add_revision
from tests.factories import a_submission
from tests.namespaces.test_answers import differences

NID = "example-trees"
WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)
PATIENCE = 5.0


def revise() -> None:
    namespace = Namespace.objects.get(nid=NID)
    add_revision(namespace, a_submission(), version=namespace.version + 1)


def add_an_older_version() -> None:
    """Which changes nothing of the namespace itself."""
    namespace = Namespace.objects.get(nid=NID)
    add_revision(namespace, a_submission(), version=1)


def change_the_holder() -> None:
    Namespace.objects.filter(nid=NID).update(holder="Another Arboretum")


def deprecate() -> None:
    Namespace.objects.filter(nid=NID).update(deprecated_at="2026-11-21T00:00Z", deprecation_statement="Gone.")


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


@pytest.mark.parametrize("second", WRITERS)
@pytest.mark.parametrize("first", WRITERS)
def test_the_answer_says_what_both_wrote(
    real_database: None, first: Callable[[], None], second: Callable[[], None]
) -> None:
    namespace = Namespace.objects.create(nid=NID, kind=Kind.FORMAL)
    add_revision(namespace, a_submission(), version=2)
    has_written, refused = Event(), []

    def follow() -> None:
        has_written.wait(30)
        try:
            with transaction.atomic():
                second()
        except IntegrityError as error:
            refused.append(error)
        finally:
            connection.close()

    thread = Thread(target=follow)
    thread.start()
    with transaction.atomic():
        first()
        has_written.set()
        until_another_waits()
    thread.join(30)
    # Two that make the same version are not both let through.
    assert bool(refused) == (first is second and first in {revise, add_an_older_version})
    assert differences() == []
