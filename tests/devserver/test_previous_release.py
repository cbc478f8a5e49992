"""The tests of the previous release pass on the schema of this code: during an upgrade, its processes go on (docs/deployment/upgrades.md)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from registry.core.version import version
from registry.devserver.embedded_postgres import PORT, ROLE, EmbeddedPostgreSQL
from tests.test_version import releases_in

ROOT = Path(settings.BASE_DIR)
SELECTION = "database and not (soak or exhaustive or drill or browser or processes or slow)"
# Asked of the code of the release: where its tests look for a database with all migrations.
NAME = "import django; django.setup(); from tests.support.databases import migrated_database_name as n; print(n())"
# Settings that are required with DATABASE_URL.
REQUIRED = {
    "SECRET_KEY": "tests-only",
    "ALLOWED_HOSTS": "localhost",
    "PUBLIC_ORIGIN": "http://localhost:8000",
}

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes]


def run(*command: str | Path, folder: Path = ROOT, **variables: str) -> str:
    """What a program prints. It knows nothing of this run of pytest."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        command,
        cwd=folder,
        env=inherited | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-20_000:]
    return done.stdout


def previous_release() -> str | None:
    """The tag of the newest release that this code comes after."""
    tags = run(
        "git", "tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname"
    )
    return next(iter(tags.split()), None)


def check_out(tag: str, folder: Path) -> Path:
    """A copy of the release, which borrows the virtual environment if it has the same packages, and the shared data."""
    release = folder / "release"
    run("git", "clone", "--quiet", "--shared", "--branch", tag, ROOT, release)
    if all(
        (ROOT / lock.name).read_bytes() == lock.read_bytes() for lock in release.glob("requirements*.txt")
    ):
        (release / ".venv").symlink_to(ROOT / ".venv")
    if (shared := ROOT.parent / "shared").exists():
        (folder / "shared").symlink_to(shared)
    return release


def earlier_releases(changelog: str) -> list[str]:
    """The releases in the changelog before this one. This one has its tag after its commit was accepted."""
    return [each for each in releases_in(changelog) if each != version()]


def test_the_first_release_has_no_previous_one() -> None:
    text = "## Unreleased\n\n## {} (2030-01-31)\n"
    assert earlier_releases(text.format(version())) == []
    assert earlier_releases(text.format("0.0.1")) == ["0.0.1"]


def test_the_tests_of_the_previous_release_pass_on_the_new_schema(tmp_path: Path) -> None:
    tag, changelog = previous_release(), (ROOT / "CHANGELOG.md").read_text("utf-8")
    print(
        f"The previous release is {tag}." if tag else "No tag of a previous release: nothing to compare with."
    )
    if not tag:
        assert earlier_releases(changelog) == [], "a release that has a section in the changelog has a tag"
        return
    assert tag.removeprefix("v") in releases_in(changelog)
    release = check_out(tag, tmp_path)
    run(sys.executable, "run.py", "manage", "version", folder=release)  # installs its packages
    server = EmbeddedPostgreSQL(release)
    with server.running(fsync="off"):
        python = release / ".venv" / "bin" / "python"
        name = run(python, "-c", NAME, folder=release, DJANGO_SETTINGS_MODULE="registry.settings").strip()
        url = f"postgres://{ROLE}@/{{}}?host={server.socket_folder}&port={PORT}"
        create = f"import psycopg; psycopg.connect('{url.format(ROLE)}', autocommit=True).execute('CREATE DATABASE \"{name}\"')"
        run(sys.executable, "-c", create)
        run(sys.executable, "manage.py", "migrate", "--run-syncdb", DATABASE_URL=url.format(name), **REQUIRED)
        print(run(sys.executable, "run.py", "test", "-m", SELECTION, folder=release)[-2000:])
