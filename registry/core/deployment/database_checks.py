"""Checks of the database: that it responds, has all migrations, and where temporary files go."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

from django.core import checks
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from registry.core.deployment.health_checks import Findings, Scope, health_check
from registry.environment import read

MIN_FREE_BYTES = 64 * 1024 * 1024


@health_check("database", Scope.NEEDED)
def check_connection() -> Findings:
    """The database responds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return []


@health_check("migrations", Scope.NEEDED)
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


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    """The migrations of the installed apps; they do not change while a process runs."""
    return frozenset(MigrationLoader(None).graph.nodes)
