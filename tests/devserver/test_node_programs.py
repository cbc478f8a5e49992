"""The linters of the OpenAPI document: pinned without addresses, and they find faults."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from registry.devserver import node_programs
from registry.devserver.node_programs import OPENAPI_FILE, PINNED, QUIET, ROOT, checks
from tests.support.missing import missing

FAULTS = [
    ("operationId: getRoot", "operationId: getAccount"),
    ("$ref: '#/components/schemas/Root'", "$ref: '#/components/schemas/NoSuchThing'"),
    ("openapi: 3.1.0\ninfo:", "openapi: 3.1.0\ninformation:"),
]


@pytest.fixture(scope="module")
def installed() -> None:
    try:
        node_programs.install()
    except subprocess.CalledProcessError as fault:
        missing(f"the packages of npm are missing: {fault.output.decode(errors='replace')}")


def lint(name: str, document: Path) -> subprocess.CompletedProcess[str]:
    command = checks(document)[name]
    return subprocess.run(
        command, env=os.environ | QUIET, capture_output=True, text=True, check=False, timeout=1200
    )


@pytest.mark.parametrize("folder", [PINNED, ROOT / "clients" / "typescript"], ids=lambda folder: folder.name)
def test_every_package_is_pinned_by_a_digest_and_none_by_an_address(folder: Path) -> None:
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    pinned = {name: package for name, package in packages.items() if name}
    assert len(pinned) > 20
    assert [name for name, each in pinned.items() if not each.get("integrity") or "resolved" in each] == []
    package = json.loads((folder / "package.json").read_text())
    wanted = package.get("dependencies", {}) | package["devDependencies"]
    assert all(re.fullmatch(r"[0-9.]+", version) for version in wanted.values())


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        pytest.param(name, *fault, marks=[pytest.mark.soak] if (program + number) % 2 == 0 else [])
        for program, name in enumerate(sorted(checks(), reverse=True))
        for number, fault in enumerate(FAULTS)
    ],
)
def test_a_fault_in_the_document_is_found(
    installed: None, tmp_path: Path, name: str, right: str, wrong: str
) -> None:
    text = OPENAPI_FILE.read_text("utf-8")
    assert right in text
    document = tmp_path / "openapi.yaml"
    document.write_text(text.replace(right, wrong, 1), "utf-8")
    found = lint(name, document)
    assert found.returncode == 1, found.stderr
