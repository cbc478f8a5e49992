"""Checks of a deployment: its settings, its database, its processes.

Those of the database and of processes are deployment checks of Django for databases: `manage.py check --deploy --database default` and `manage.py doctor`
run all of them, `/health/ready` those that concern a web process. Checks of settings alone are ordinary deployment checks.
"""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from registry.core.database.connections import is_pooled
from registry.core.database.errors import first_line
from registry.core.http.capacity import MAX_LOOKUPS, MAX_REQUESTS
from registry.core.staticfiles import CollectedStaticFilesStorage
from registry.environment import read

Findings = list[checks.CheckMessage]


class Scope(StrEnum):
    """The consequence of a finding for `/health/ready`."""

    NEEDED = "needed"  # the process can't serve: 503
    DEGRADING = "degrading"  # named, but the process goes on to serve
    DOCTOR = "doctor"  # not a matter of one process: only the command tells


class State(StrEnum):
    """The state of a part of the deployment."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"  # not checked, because a part that it needs failed


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """A part of the deployment, and the function that finds what is wrong with it."""

    part: str
    scope: Scope
    find: Callable[[], Findings]
    others_need_it: bool = False

    def run(self) -> Findings:
        """Return the findings. A failure of the database is one, not an exception."""
        try:
            return self.find()
        except (DatabaseError, InterfaceError) as error:
            return [
                checks.Error(
                    f"The check of “{self.part}” failed: {first_line(error)}",
                    hint="Check the server, DATABASE_URL, and the privileges of its role (docs/deployment.md).",
                    id="deployment.E001",
                )
            ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state of a part, and the findings that explain it."""

    check: HealthCheck
    state: State
    findings: tuple[checks.CheckMessage, ...] = ()


# In the order of declaration: parts that others need come first.
HEALTH_CHECKS: list[HealthCheck] = []


def health_check(
    part: str, scope: Scope, *, others_need_it: bool = False
) -> Callable[[Callable[[], Findings]], Callable[[], Findings]]:
    """Declare a check of the state of `part`, and register it with Django."""

    def declare(find: Callable[[], Findings]) -> Callable[[], Findings]:
        declared = HealthCheck(part, scope, find, others_need_it)
        HEALTH_CHECKS.append(declared)

        def run_for_django(*, databases: Iterable[str] | None = None, **kwargs: Any) -> Findings:
            return declared.run() if databases else []

        checks.register(run_for_django, checks.Tags.database, deploy=True)
        return find

    return declare


def examine(scopes: Iterable[Scope] = Scope) -> list[Outcome]:
    """Run the checks of these scopes. If one that others need fails, the others are unknown."""
    outcomes: list[Outcome] = []
    for check in (each for each in HEALTH_CHECKS if each.scope in set(scopes)):
        if any(each.check.others_need_it and each.state is State.FAILED for each in outcomes):
            outcomes.append(Outcome(check, State.UNKNOWN))
            continue
        findings = tuple(each for each in check.run() if not each.is_silenced())
        outcomes.append(Outcome(check, State.FAILED if findings else State.OK, findings))
    return outcomes


@checks.register(checks.Tags.security, deploy=True)
def check_client_address(**kwargs: Any) -> Findings:
    """Behind proxies, and only there, a header that no client can forge contains the address of the client."""
    count, header = settings.ALLAUTH_TRUSTED_PROXY_COUNT, settings.ALLAUTH_TRUSTED_CLIENT_IP_HEADER
    if bool(count) == bool(header):
        return []
    if count:
        message = f"TRUSTED_PROXY_COUNT is {count}, but CLIENT_ADDRESS_HEADER is not set: the address of a client is unknown."
        hint = "Have the proxy replace a header, such as Clientaddress, and name it in CLIENT_ADDRESS_HEADER"
    else:
        message = f"CLIENT_ADDRESS_HEADER is {header}, but TRUSTED_PROXY_COUNT is 0: each client chooses its address."
        hint = "Set TRUSTED_PROXY_COUNT to the number of proxies, or unset CLIENT_ADDRESS_HEADER"
    return [
        checks.Error(message, hint=f"{hint} (docs/deployment.md, “Reverse proxy”).", id="deployment.E005")
    ]


def require_client_address() -> None:
    """Stop a web process whose limits clients could escape. Raises ImproperlyConfigured with the finding."""
    for finding in check_client_address():
        raise ImproperlyConfigured(f"{finding.msg} {finding.hint}")


@checks.register(checks.Tags.security, deploy=True)
def check_proxies(**kwargs: Any) -> Findings:
    """A site with HTTPS is behind a proxy, whose headers must be read."""
    if settings.ALLAUTH_TRUSTED_PROXY_COUNT or not settings.PUBLIC_ORIGIN.startswith("https://"):
        return []
    return [
        checks.Warning(
            "TRUSTED_PROXY_COUNT is 0, but PUBLIC_ORIGIN begins with https://: every page redirects to itself, and all "
            "clients share the limits of one address.",
            hint="Set TRUSTED_PROXY_COUNT to the number of proxies (docs/deployment.md, “Reverse proxy”).",
            id="deployment.W004",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def check_metrics_folder(**kwargs: Any) -> Findings:
    """The folder of metrics exists, and has no files of an earlier server."""
    if not (name := read("PROMETHEUS_MULTIPROC_DIR")):
        return []
    folder = Path(name)
    if not folder.is_dir():
        return [
            checks.Error(
                f"PROMETHEUS_MULTIPROC_DIR names {folder}, which is not a directory: there are no metrics.",
                hint="Create it as the user of the web processes, and restart them.",
                id="deployment.E004",
            )
        ]
    writers = {int(found[1]) for file in folder.iterdir() if (found := re.search(r"_(\d+)\.db$", file.name))}
    if not writers or any(map(_is_running, writers)):
        return []
    return [
        checks.Warning(
            f"PROMETHEUS_MULTIPROC_DIR names {folder}, which has files of a server that has ended: they would be counted "
            "again.",
            hint="Empty it before the server starts, for example with RuntimeDirectory= of systemd.",
            id="deployment.W005",
        )
    ]


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to another user
        return True
    return True


# What each process uses at most; docs/deployment.md lists them. Two of a web worker are for event streams and for what runs
# beside the other requests (`capacity`).
WEB_WORKER_CONNECTIONS = MAX_REQUESTS + MAX_LOOKUPS + 2
WORKER_CONNECTIONS = 15 + 8  # for jobs, and for webhooks
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
