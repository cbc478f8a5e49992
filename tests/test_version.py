"""The version: one number, which the command prints and the changelog has."""

import re
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from registry.core.deployment.version import version


def test_the_command_prints_it_without_a_database() -> None:
    for name in ("version", "--version"):
        done = subprocess.run(
            [sys.executable, "manage.py", name],
            cwd=settings.BASE_DIR,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == version()


def test_releases_in_the_changelog_are_numbered_downwards() -> None:
    text = Path(settings.BASE_DIR, "CHANGELOG.md").read_text("utf-8")
    headings = re.findall("^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    releases = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) \(\d{4}-\d\d-\d\d\)", each) for each in headings[1:]]
    assert all(releases)
    numbers = [tuple(map(int, each.groups())) for each in releases if each]
    assert numbers == sorted(numbers, reverse=True)
    assert not numbers or tuple(map(int, version().split("."))) >= numbers[0]
