"""Checks of the database and of the host: what a process needs, and what the whole deployment needs."""

import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from registry.core.database.pooler import is_pooled
from registry.core.deployment.health_checks import Findings, Scope, health_check
from registry.core.http.capacity import MAX_LOOKUPS, MAX_REQUESTS
from registry.core.staticfiles import CollectedStaticFilesStorage
from registry.environment import read

# What each process uses at most; docs/deployment.md lists them. One of a web worker is for event streams.
WEB_WORKER_CONNECTIONS = MAX_REQUESTS + MAX_LOOKUPS + 1
WORKER_CONNECTIONS = 10 + 8  # for jobs, and for webhooks
COMMAND_CONNECTIONS = 2  # two commands at a time
ALLOWED_CONNECTIONS = """
    SELECT least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
        (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
        (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user)
    )
"""
MAX_CLOCK_DIFFERENCE = 5.0  # seconds
MIN_FREE_BYTES = 64 * 1024 * 1024


@health_check("database", Scope.NEEDED, others_need_it=True)
def check_connection() -> Findings:
    """The database responds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return []


@health_check("migrations", Scope.NEEDED, others_need_it=True)
def check_migrations() -> Findings:
    """All migrations of this version of the registry were applied."""
    missing = sorted(_migrations() - MigrationRecorder(connection).applied_migrations().keys())
    if not missing:
        return []
    app, name = missing[0]
    return [
        checks.Error(
            f"{len(missing)} migrations were not applied, the first of them {app}.{name}.",
            hint="Run `manage.py migrate` as the owner of the tables.",
            id="deployment.E002",
        )
    ]


@health_check("disk", Scope.DEGRADING)
def check_disk() -> Findings:
    """There is free space where a process writes: long bodies of requests, and counters for metrics."""
    shared = read("PROMETHEUS_MULTIPROC_DIR")
    folders = [Path(tempfile.gettempdir()), *([Path(shared)] if shared else [])]
    return [
        checks.Warning(
            f"Less than {MIN_FREE_BYTES // 1024**2} MiB are free in {folder}.",
            hint="Free some space: long requests and metrics are written there.",
            id="deployment.W001",
        )
        for folder in folders
        if folder.is_dir() and shutil.disk_usage(folder).free < MIN_FREE_BYTES
    ]


@health_check("connections", Scope.DOCTOR)
def check_connections() -> Findings:
    """The server allows as many connections as all processes may use, with one more web worker during SIGHUP.

    Web processes behind a pooler use those of its pool, whose size the registry does not know.
    """
    web_workers: int = 0 if is_pooled() else read("GRANIAN_WORKERS") + 1
    needed = web_workers * WEB_WORKER_CONNECTIONS + WORKER_CONNECTIONS + COMMAND_CONNECTIONS
    with connection.cursor() as cursor:
        cursor.execute(ALLOWED_CONNECTIONS)
        (allowed,) = cursor.fetchone()
    if allowed >= needed:
        return []
    limits = "max_connections of the server or the CONNECTION LIMIT of the role or of the database"
    if is_pooled():
        message = f"a worker and two commands, which do not use the pooler, need {needed}"
        hint = f"Raise {limits}, and add the connections for the pool of the pooler"
    else:
        message = f"{web_workers} web workers (one of them while SIGHUP replaces the others), a worker and two commands need {needed}"
        hint = f"Raise {limits}, or start fewer web workers and set GRANIAN_WORKERS"
    return [
        checks.Warning(
            f"The database allows {allowed} connections, but {message}.",
            hint=f"{hint} (docs/deployment.md, “Connections and threads”).",
            id="deployment.W002",
        )
    ]


@health_check("pooler", Scope.DOCTOR)
def check_pooler() -> Findings:
    """Web processes reach the database through the pooler, if there is one, and the role limits their statements."""
    if not is_pooled():
        return []
    through_pooler = type(connections[DEFAULT_DB_ALIAS])(connection.settings_dict | settings.DATABASE_POOLER)
    try:
        with through_pooler.cursor() as cursor:
            cursor.execute("SELECT current_setting('lock_timeout'), current_setting('statement_timeout')")
            limits = cursor.fetchone()
    finally:
        through_pooler.close()
    if "0" not in limits:
        return []
    return [
        checks.Warning(
            "Statements of web processes have no limits: a request that waits for a lock blocks others.",
            hint="A pooler does not pass on LOCK_TIMEOUT and STATEMENT_TIMEOUT. Set both for the role of the pooler: "
            "`ALTER ROLE … SET lock_timeout = '5s'`, `ALTER ROLE … SET statement_timeout = '20s'` (docs/deployment.md).",
            id="deployment.W006",
        )
    ]


@health_check("clock", Scope.DOCTOR)
def check_clock() -> Findings:
    """The clock of this host agrees with that of the database."""
    with connection.cursor() as cursor:
        before = time.time()
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        (of_database,) = cursor.fetchone()
    # A slow response is not a difference: the database read its clock between the two times.
    difference = max(before - of_database, of_database - time.time())
    if difference <= MAX_CLOCK_DIFFERENCE:
        return []
    return [
        checks.Warning(
            f"The clocks of this host and of the database differ by {difference:.0f} seconds.",
            hint="Synchronise both with NTP: deadlines, rate limits and sessions compare their times.",
            id="deployment.W003",
        )
    ]


@health_check("static files", Scope.DOCTOR)
def check_static_files() -> Findings:
    """The static files of this version were collected."""
    storage = staticfiles_storage
    if not isinstance(storage, CollectedStaticFilesStorage) or storage.is_up_to_date():
        return []
    return [
        checks.Error(
            "The static files of this version were not collected: pages fail or look broken.",
            hint="Run `manage.py collectstatic --no-input`, and restart the web processes.",
            id="deployment.E003",
        )
    ]


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    """The migrations of the installed apps; they do not change while a process runs."""
    return frozenset(MigrationLoader(None).graph.nodes)
