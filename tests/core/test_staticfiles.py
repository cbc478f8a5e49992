"""Collection of static files from a fresh checkout: changes, killed runs, repeated runs."""

import hashlib
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from registry.publication.iana.importing.importer import import_versions
from tests.publication.iana.samples import a_record, a_version, an_xml
from tests.support.databases import environment_of_a_process

PARTS = ("registry", "urnsyntax", "templates", "fixtures", "requirements.txt")
NAMED = re.compile(r'(?:href|src)="(/static/[^"]+)"')
HASHED = re.compile(r"\.([0-9a-f]{12})\.[a-z0-9]+$")

# In front of the command, in its own process.
WITH_PROCESSES = """
from registry.publication.snapshot import publisher
publisher.MIN_NAMESPACES_FOR_PROCESSES = 1
"""
KILLED = """
import os, signal
from django.core.files.base import File
files, as_it_is = iter(range({after})), File.chunks
def half(self, chunk_size=None):
    content = b"".join(as_it_is(self, chunk_size))
    if next(files, None) is None:
        yield content[: len(content) // 2]
        os.kill(os.getpid(), signal.SIGKILL)
    yield content
File.chunks = half
"""
COMMAND = """
import sys
if __name__ == "__main__":
    import django
    from django.conf import settings
    settings.WHITENOISE_SKIP_COMPRESS_EXTENSIONS = "css js svg map html json txt md png".split()  # takes long
    django.setup()
    {before}
    from django.core.management import execute_from_command_line
    execute_from_command_line(["manage.py", "publish", *sys.argv[1:]])
"""

pytestmark = pytest.mark.usefixtures("real_database")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A fresh checkout of the registry."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for part in PARTS:
        source = settings.BASE_DIR / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
    import_versions([a_version(an_xml(formal=a_record("example-a") + a_record("example-b")))])
    return folder


def publish(checkout: Path, *arguments: object, before: str = "") -> subprocess.CompletedProcess[str]:
    script = COMMAND.replace("    {before}\n", "".join(f"    {line}\n" for line in before.splitlines()))
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(checkout.parent / "public"), *map(str, arguments)],
        cwd=checkout,
        env=environment_of_a_process() | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def assets(checkout: Path) -> dict[str, bytes]:
    """Return the assets of the published home page, whose names contain digests."""
    tree = checkout.parent / "public" / "current"
    found = {
        name: (tree / name[1:]).read_bytes() for name in NAMED.findall((tree / "index.html").read_text())
    }
    for name, content in found.items():
        digest = HASHED.search(name)
        assert digest, name
        assert hashlib.md5(content, usedforsecurity=False).hexdigest()[:12] == digest[1], name
    return found


def sheet(checkout: Path) -> bytes:
    (content,) = (content for name, content in assets(checkout).items() if name.startswith("/static/site."))
    return content


def source(checkout: Path) -> Path:
    return checkout / "registry" / "assets" / "site.css"


@pytest.mark.exhaustive
def test_assets_are_collected_if_missing_or_changed_and_no_kill_leaves_a_partial_one(checkout: Path) -> None:
    killed = publish(checkout, before=KILLED.format(after=30))
    assert killed.returncode == -signal.SIGKILL
    assert not (checkout.parent / "public" / "current").exists()
    done = publish(checkout, "--jobs=2", before=WITH_PROCESSES)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(assets(checkout)) > 3
    before = sheet(checkout)
    assert before == source(checkout).read_bytes()

    with source(checkout).open("a") as file:
        file.write("/* another colour */\n")
    killed = publish(checkout, before=KILLED.format(after=0))
    assert killed.returncode == -signal.SIGKILL
    assert sheet(checkout) == before
    done = publish(checkout, "--jobs=1")
    assert (done.returncode, done.stderr) == (0, "")
    assert sheet(checkout) == source(checkout).read_bytes() != before
    assert len(list((checkout.parent / "public" / "current" / "static").glob("site.*"))) == 1

    assert publish(checkout).stdout.startswith("Nothing has changed")


@pytest.mark.exhaustive
def test_an_unwritable_asset_folder_is_reported(checkout: Path) -> None:
    (checkout / "static").write_text("no folder")
    done = publish(checkout)
    assert done.returncode == 2
    assert done.stderr.startswith(f"CommandError: {checkout}/static")
    assert "Traceback" not in done.stderr
