"""Lock files: versions and digests. Where packages come from is a matter of the machine."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = sorted(ROOT.glob("requirements*.txt"))
OF_NPM = sorted(
    path for folder in ("tests", "clients") for path in (ROOT / folder).glob("*/package-lock.json")
)


@pytest.mark.parametrize("path", [*REQUIREMENTS, *OF_NPM], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_lock_file_has_no_addresses(path: Path) -> None:
    # `npm install` adds those of sponsors; remove the members “funding” from its file.
    assert [line for line in path.read_text().splitlines() if "://" in line] == []


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_every_package_of_python_has_a_version_and_a_digest(path: Path) -> None:
    lines = path.read_text().replace("\\\n", " ").splitlines()
    packages = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    assert packages
    assert [
        line for line in packages if not re.match(r"[\w.\[\]-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)
    ] == []


def test_no_package_is_installed_without_its_digest() -> None:
    """In the programs and guides that name `pip install`; here, each one that reads a lock file."""
    files = [
        ROOT / "run.py",
        ROOT / "Containerfile",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / ".ci").iterdir(),
    ]
    lines = [line for path in files for line in path.read_text().replace("\\\n", " ").splitlines()]
    reading = [line for line in lines if re.search(r"pip\b.* install .*-r ", line)]
    assert len(reading) > 3
    reading += [line for line in lines if "--no-deps" in line]
    assert [line for line in reading if "--require-hashes" not in line] == []


@pytest.mark.parametrize("path", OF_NPM, ids=lambda path: path.parent.name)
def test_every_package_of_npm_has_a_version_and_a_digest(path: Path) -> None:
    packages = {name: each for name, each in json.loads(path.read_text())["packages"].items() if name}
    assert len(packages) > 10
    assert {
        name for name, each in packages.items() if not (each.get("version") and each.get("integrity"))
    } == set()
