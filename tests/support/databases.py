"""Separate databases for tests whose transactions commit: tests with threads, processes or kills.

The audit log rejects TRUNCATE, so such a test cannot clean up after itself. It uses a copy of the test database,
which is dropped afterwards.
"""

import os
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from django.db import connection, connections, transaction

T = TypeVar("T")


@contextmanager
def a_copy_of_the_test_database() -> Iterator[None]:
    """Point Django, in every thread, at a fresh copy of the test database."""
    settings = connection.settings_dict
    original, copy = settings["NAME"], f"{settings['NAME']}_{uuid.uuid4().hex[:8]}"
    connections.close_all()
    with connection._nodb_cursor() as cursor:
        # Other connections to the original, such as those of the lookup reader, reconnect when needed.
        _end_clients(cursor, original)
        cursor.execute(f'CREATE DATABASE "{copy}" TEMPLATE "{original}"')
    settings["NAME"] = copy
    try:
        yield
    finally:
        connections.close_all()
        settings["NAME"] = original
        _drop(copy)


@contextmanager
def an_empty_database() -> Iterator[None]:
    """Inside `a_copy_of_the_test_database`, point Django at another database in the state after `migrate`."""
    settings = connection.settings_dict
    full = settings["NAME"]
    settings["NAME"] = full.rpartition("_")[0]  # what it was copied from
    try:
        with a_copy_of_the_test_database():
            yield
    finally:
        connections.close_all()
        settings["NAME"] = full


def _drop(database: str) -> None:
    # WITH (FORCE) would not do: of the server's own cleaning only a superuser may end anything by force, and without
    # force it makes way.
    with connection._nodb_cursor() as cursor:
        _end_clients(cursor, database)
        cursor.execute(f'DROP DATABASE "{database}"')


def _end_clients(cursor: Any, database: str) -> None:
    cursor.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'",
        [database],
    )


def in_sql(statement: str) -> None:
    """Run a statement as in a database console, with constraints checked immediately."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(statement)


def environment_of_a_process() -> dict[str, str]:
    """Return the environment for another Python process to use the database of this test."""
    settings = connection.settings_dict
    who = quote(settings["USER"] or "") + (f":{quote(settings['PASSWORD'])}" if settings["PASSWORD"] else "")
    where = {"host": settings["HOST"] or "", "port": str(settings["PORT"] or "")}
    query = urlencode({key: value for key, value in where.items() if value})
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "registry.settings",
        "DATABASE_URL": f"postgresql://{who}@/{quote(settings['NAME'])}?{query}",
        "SECRET_KEY": "tests-only",
        "ALLOWED_HOSTS": "localhost 127.0.0.1",
        "PUBLIC_ORIGIN": "http://localhost:8000",
    }


def at_once(jobs: list[Callable[[], T]]) -> list[T | Exception]:
    """Run each job in a separate thread, started simultaneously; return results and exceptions in order."""
    start = Barrier(len(jobs))

    def run(job: Callable[[], T]) -> T | Exception:
        connection.ensure_connection()
        start.wait(timeout=30)
        try:
            return job()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


def refusals(answers: list[Any]) -> list[Exception]:
    return [answer for answer in answers if isinstance(answer, Exception)]
