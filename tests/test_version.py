"""The version: one number, which the command prints and the changelog has."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.conf import settings

from registry.core.version import version

ROOT = Path(settings.BASE_DIR)
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n## Release\n")[2].partition("\n## ")[0]


def releases_in(changelog: str) -> list[str]:
    """The numbers of the releases, the newest first; all entries belong to one, or are unreleased."""
    headings = re.findall("^## (.+)$", changelog, re.MULTILINE)
    assert headings[0] == "Unreleased"
    releases = [re.fullmatch(r"((\d+)\.(\d+)\.(\d+)) \(\d{4}-\d\d-\d\d\)", each) for each in headings[1:]]
    assert all(releases)
    numbers = [tuple(map(int, each.groups()[1:])) for each in releases if each]
    assert numbers == sorted(set(numbers), reverse=True)
    return [each[1] for each in releases if each]


def check_agreement(changelog: str, number: str) -> None:
    """The version is that of the newest release, or a later one that is being prepared."""
    parts = [tuple(map(int, each.split("."))) for each in (number, *releases_in(changelog)[:1])]
    assert parts[0] >= parts[-1]


def released(*headings: str) -> str:
    """The changelog after a release by the guide."""
    sections = "".join(f"## {each}\n\n" for each in headings)
    return CHANGELOG.replace("## Unreleased\n\n", f"## Unreleased\n\n{sections}", 1)


def test_the_command_the_project_and_the_changelog_agree() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    for name in ("version", "--version"):
        done = subprocess.run(
            [sys.executable, "manage.py", name],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=240,
        )
        assert done.stdout.strip() == version() == declared
    check_agreement(CHANGELOG, declared)


def test_a_release_by_the_guide_agrees() -> None:
    (heading,) = re.findall("`## (MAJOR.+?)`", GUIDE)
    heading = heading.replace("MAJOR.MINOR.PATCH", "9.10.0").replace("YYYY-MM-DD", "2030-01-31")
    text = released(heading, "9.9.1 (2029-12-31)")
    assert releases_in(text)[:2] == ["9.10.0", "9.9.1"]
    check_agreement(text, "9.10.0")
    check_agreement(text, "10.0.0")
    assert "git tag --sign vMAJOR.MINOR.PATCH" in GUIDE


@pytest.mark.parametrize(
    ("headings", "number"),
    [
        (["9.0.0 (2030-01-31)"], "8.9.9"),
        (["9.0.0"], "9.0.0"),
        (["9.0 (2030-01-31)"], "9.0.0"),
        (["9.9.0 (2030-01-31)", "9.10.0 (2029-01-31)"], "9.10.0"),
        (["9.0.0 (2030-01-31)", "9.0.0 (2029-01-31)"], "9.0.0"),
        (["Unreleased"], "9.0.0"),
    ],
)
def test_a_changelog_of_another_form_or_a_later_release_is_found(headings: list[str], number: str) -> None:
    with pytest.raises(AssertionError):
        check_agreement(released(*headings), number)
