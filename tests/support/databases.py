"""Separate databases for tests whose transactions commit: tests with threads, processes or kills.

The audit log rejects TRUNCATE, so such a test cannot clean up after itself. It uses a database of its own, which is
dropped afterwards.
"""

import hashlib
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from django.apps import apps
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.backends.base.creation import TEST_DATABASE_PREFIX

from registry.core.database.connections import AS_APPLICATION
from registry.devserver.database import EMBEDDED
from registry.devserver.embedded_postgres import ROLE
from tests.support import static_files

T = TypeVar("T")

MEMORY = Path("/dev/shm")
ENOUGH = 2 * 1024**3  # octets, for a few databases of up to a hundred megabytes
# Where databases are copied to.
PLACE = {"tablespace": "pg_default"}


@contextmanager
def a_fresh_database(template: str | None = None) -> Iterator[None]:
    """Point Django, in every thread, at a copy of `template`, or else of the database that only migrations filled.

    The test database itself would be a slow template: what was rolled back in it made its files grow.
    """
    settings = connection.settings_dict
    template = template or settings["TEST"]["TEMPLATE"]
    original, copy = settings["NAME"], f"{_test_database()}_{uuid.uuid4().hex[:8]}"
    connections.close_all()
    with connection._nodb_cursor() as cursor:
        # Other connections to the template, such as those of the lookup reader, reconnect when needed.
        _end_clients(cursor, template)
        cursor.execute(f'CREATE DATABASE "{copy}" TEMPLATE "{template}" TABLESPACE "{PLACE["tablespace"]}"')
    settings["NAME"] = copy
    try:
        yield
    finally:
        connections.close_all()
        settings["NAME"] = original
        _drop(copy)


@contextmanager
def copies_in_memory() -> Iterator[None]:
    """Copy databases into memory during the block, where the embedded server and enough memory are there.

    A database has 850 files. For each new one, ext4 without a journal looks at all inodes that were freed in the last
    minute: with hundreds of databases created and dropped, one takes up to a second, and in memory a fortieth of it.
    """
    settings = connection.settings_dict
    is_embedded = settings["HOST"] == str(EMBEDDED.socket_folder)
    if not (is_embedded and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH):
        yield
        return
    name = f"{_test_database()}_in_memory"
    with EMBEDDED.connect_as_superuser() as server:
        _remove_tablespace(server, name)  # of a run that was killed
        folder = Path(tempfile.mkdtemp(prefix="urn-registry-tests.", dir=MEMORY))
        owner = EMBEDDED.cluster.stat()
        os.chown(folder, owner.st_uid, owner.st_gid)
        server.execute(f"CREATE TABLESPACE \"{name}\" LOCATION '{folder}'")
        server.execute(f'GRANT CREATE ON TABLESPACE "{name}" TO "{ROLE}"')
        PLACE["tablespace"] = name
        try:
            yield
        finally:
            PLACE["tablespace"] = "pg_default"
            _remove_tablespace(server, name)


def _remove_tablespace(server: Any, name: str) -> None:
    found = server.execute(
        "SELECT pg_tablespace_location(oid) FROM pg_tablespace WHERE spcname = %s", [name]
    ).fetchone()
    if not found:
        return
    inside = (
        "SELECT datname FROM pg_database JOIN pg_tablespace t ON t.oid = dattablespace WHERE spcname = %s"
    )
    for (database,) in server.execute(inside, [name]).fetchall():
        server.execute(f'DROP DATABASE "{database}" WITH (FORCE)')
    server.execute(f'DROP TABLESPACE "{name}"')
    shutil.rmtree(found[0], ignore_errors=True)


@contextmanager
def a_filled_database(fill: Callable[[], object], template: str | None = None) -> Iterator[str]:
    """The name of a database filled once, for many tests to copy, or to use in a transaction that is rolled back."""
    settings = connection.settings_dict
    before = settings["NAME"]
    with a_fresh_database(template):
        fill()
        connections.close_all()
        name, settings["NAME"] = settings["NAME"], before
        yield name


@contextmanager
def rolled_back_in(database: str) -> Iterator[None]:
    """Point Django at a filled database, in a transaction that is rolled back, as that of pytest's `db` is."""
    settings = connection.settings_dict
    before = settings["NAME"]
    connections.close_all()
    settings["NAME"] = database
    try:
        with transaction.atomic():
            yield
            if not connection.needs_rollback:
                connection.check_constraints()
            transaction.set_rollback(True)
    finally:
        connections.close_all()
        settings["NAME"] = before


def _test_database() -> str:
    """The name of the database from which all copies come, wherever Django points now."""
    return re.sub("_[0-9a-f]{8}$", "", connection.settings_dict["NAME"])


def a_migrated_database() -> str:
    """The name of a database with all migrations applied, as a template for each worker's test database.

    The first worker that needs it makes it; it stays, for the next runs too, until a migration changes.
    """
    settings = connection.settings_dict
    before, name = settings["NAME"], migrated_database_name()
    prefix = name.rpartition("_")[0] + "_"
    unfinished = f"{prefix}unfinished"
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(8141)")  # until the cursor's connection is closed
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [prefix])
        known = [row[0] for row in cursor.fetchall()]
        if name in known:
            return name
        for older in known:
            _end_clients(cursor, older)
            cursor.execute(f'DROP DATABASE "{older}"')
        cursor.execute(f'CREATE DATABASE "{unfinished}"')
        connections.close_all()
        settings["NAME"] = unfinished
        try:
            call_command("migrate", verbosity=0, interactive=False, run_syncdb=True)
        finally:
            connections.close_all()
            settings["NAME"] = before
        cursor.execute(f'ALTER DATABASE "{unfinished}" RENAME TO "{name}"')
    return name


def migrated_database_name() -> str:
    """The name of `a_migrated_database`, which depends on the migrations."""
    return f"{TEST_DATABASE_PREFIX}{connection.settings_dict['NAME']}_migrated_{_digest_of_migrations()}"


def _digest_of_migrations() -> str:
    digest = hashlib.sha256(Path(django_settings.BASE_DIR, "requirements.txt").read_bytes())
    for app in apps.get_app_configs():
        for file in sorted(Path(app.path).glob("migrations/*.*")):
            digest.update(f"{app.label} {file.name} ".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


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


def blocks_another() -> bool:
    """Whether another transaction waits for a lock of the one that this test has open."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        (is_there,) = cursor.fetchone()
    return bool(is_there)


def in_sql(statement: str) -> None:
    """Run a statement as in a database console, with constraints checked immediately."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(statement)


def environment_of_a_process() -> dict[str, str]:
    """Return the environment for another Python process to use the database of this test, with collected static files."""
    static_files.collect()
    settings = connection.settings_dict
    who = quote(settings["USER"] or "") + (f":{quote(settings['PASSWORD'])}" if settings["PASSWORD"] else "")
    where = {"host": settings["HOST"] or "", "port": str(settings["PORT"] or "")}
    query = urlencode({key: value for key, value in where.items() if value})
    # A test that imports registry.wsgi names its own process.
    inherited = {name: value for name, value in os.environ.items() if name != "PGAPPNAME"}
    return {
        **inherited,
        **AS_APPLICATION,
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
